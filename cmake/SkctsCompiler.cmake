# Compiler, warnings, optimisation, sanitizers, and the optional helpers ccache, mold and lld.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    message(FATAL_ERROR "skcts needs g++ 12 or newer, this is g++ ${CMAKE_CXX_COMPILER_VERSION}: "
                        "pass -DCMAKE_CXX_COMPILER=g++-12 (Debian package g++).")
  endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
    message(FATAL_ERROR "skcts needs clang 19 or newer (older ones miss C++20 features), this is "
                        "clang ${CMAKE_CXX_COMPILER_VERSION}: pass "
                        "-DCMAKE_CXX_COMPILER=clang++-19 (Debian package clang-19) or use g++.")
  endif()
else()
  message(FATAL_ERROR "skcts is built with g++ 12 or newer or clang 19 or newer, this is "
                      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}.")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# CMake's own value adds -DNDEBUG; what is checked must not depend on the build type.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(SKCTS_CCACHE ccache)
if(SKCTS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SKCTS_CCACHE}")
endif()

# Flags every target of this project is compiled with; third parties' headers are SYSTEM.
add_library(skcts_flags INTERFACE)
target_include_directories(skcts_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(
  skcts_flags
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wold-style-cast
            -Wcast-qual
            -Wformat=2
            -Wundef
            -Werror
            # Designated initialisers leave members at their defaults on purpose.
            -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports std::string's own operator+ as overlapping (GCC bug 105329).
  target_compile_options(skcts_flags INTERFACE -Wno-restrict)
else()
  # libstdc++ 12's own std::stable_sort calls a function that it deprecates.
  target_compile_options(skcts_flags INTERFACE -Wno-deprecated-declarations)
endif()
target_compile_options(skcts_flags INTERFACE -fdiagnostics-color=auto)

if(SKCTS_SANITIZE STREQUAL "address-undefined")
  set(skcts_sanitize_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(SKCTS_SANITIZE STREQUAL "thread")
  set(skcts_sanitize_flags -fsanitize=thread)
elseif(NOT SKCTS_SANITIZE STREQUAL "")
  message(FATAL_ERROR "SKCTS_SANITIZE is '${SKCTS_SANITIZE}'; it may be empty, "
                      "address-undefined or thread.")
endif()
if(skcts_sanitize_flags)
  # Lines are all that a report needs of the debug information.
  target_compile_options(
    skcts_flags INTERFACE ${skcts_sanitize_flags} -fno-omit-frame-pointer -g1)
  target_link_options(skcts_flags INTERFACE ${skcts_sanitize_flags})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code misleads g++'s flow analysis; the plain build keeps these warnings.
    target_compile_options(
      skcts_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
                            -Wno-stringop-overread -Wno-nonnull -Wno-null-dereference)
  endif()
endif()

find_program(SKCTS_MOLD NAMES mold)
find_program(SKCTS_LLD NAMES ld.lld)
if(SKCTS_MOLD)
  target_link_options(skcts_flags INTERFACE -fuse-ld=mold)
elseif(SKCTS_LLD)
  target_link_options(skcts_flags INTERFACE -fuse-ld=lld)
endif()
