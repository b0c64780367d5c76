# Third parties: only what the chosen parts need; what is missing is named by its Debian package.

# skcts_need(<package> <target> <debian package>): find_package in CONFIG mode, or stop.
macro(skcts_need package target debian)
  find_package(${package} CONFIG QUIET)
  if(NOT TARGET ${target})
    list(APPEND skcts_missing ${debian})
  endif()
endmacro()

set(skcts_missing "")
skcts_need(fmt fmt::fmt libfmt-dev)
skcts_need(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev)
skcts_need(rapidcheck rapidcheck librapidcheck-dev)
skcts_need(GTest GTest::gtest libgtest-dev)
skcts_need(boost_context Boost::context libboost-context1.81-dev)
skcts_need(CLI11 CLI11::CLI11 libcli11-dev)
if(SKCTS_BUILD_TESTS)
  if(NOT TARGET GTest::gmock)
    list(APPEND skcts_missing libgmock-dev)
  endif()
endif()

# xxHash comes without a CMake config; the header alone is used (XXH_INLINE_ALL).
find_path(SKCTS_XXHASH_INCLUDE xxhash.h)
if(SKCTS_XXHASH_INCLUDE)
  add_library(skcts_xxhash INTERFACE)
  target_include_directories(skcts_xxhash SYSTEM INTERFACE "${SKCTS_XXHASH_INCLUDE}")
  target_compile_definitions(skcts_xxhash INTERFACE XXH_INLINE_ALL)
else()
  list(APPEND skcts_missing libxxhash-dev)
endif()

# Asio: of Boost's headers alone, so that no library of Boost is linked.
find_path(SKCTS_BOOST_INCLUDE boost/asio/io_context.hpp)
find_package(Threads REQUIRED)
if(SKCTS_BOOST_INCLUDE)
  add_library(skcts_asio INTERFACE)
  target_include_directories(skcts_asio SYSTEM INTERFACE "${SKCTS_BOOST_INCLUDE}")
  target_link_libraries(skcts_asio INTERFACE Threads::Threads)
else()
  list(APPEND skcts_missing libboost1.81-dev)
endif()

# libarchive comes without a CMake config. Certificates are zip archives.
find_path(SKCTS_ARCHIVE_INCLUDE archive.h)
find_library(SKCTS_ARCHIVE_LIBRARY archive)
if(SKCTS_ARCHIVE_INCLUDE AND SKCTS_ARCHIVE_LIBRARY)
  add_library(skcts_archive INTERFACE)
  target_include_directories(skcts_archive SYSTEM INTERFACE "${SKCTS_ARCHIVE_INCLUDE}")
  target_link_libraries(skcts_archive INTERFACE "${SKCTS_ARCHIVE_LIBRARY}")
else()
  list(APPEND skcts_missing libarchive-dev)
endif()
# TLS of remote targets; hashes and signatures of certificates (its Crypto).
find_package(OpenSSL QUIET)
if(NOT TARGET OpenSSL::SSL)
  list(APPEND skcts_missing libssl-dev)
endif()

if(skcts_missing)
  list(JOIN skcts_missing " " skcts_missing)
  message(FATAL_ERROR "Debian packages are missing: apt-get install ${skcts_missing}")
endif()
