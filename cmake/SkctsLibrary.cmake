# One library a folder and one test executable a library.

# skcts_library(<name> [OBJECT] [NO_SANITIZE] [DEPENDS <our libraries>...]
#               [PUBLIC <third parties>...] [PRIVATE <third parties>...] [TESTS <libraries>...])
#
# Globs the calling folder and those below it, without those that have a CMakeLists.txt of their
# own: *.cpp except *_test.cpp, *_main.cpp and main.cpp make the library <name>, *_test.cpp make
# <name>_tests (TESTS are linked to it alone).
# A folder without a source gives an INTERFACE library, so that a partial tree configures.
# OBJECT keeps every object file in the program (GoogleTest registrations).
# The tests have the label unit-sanitize; with NO_SANITIZE (too slow there) only unit.
function(skcts_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OBJECT;NO_SANITIZE" "" "DEPENDS;PUBLIC;PRIVATE;TESTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "skcts_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(GLOB_RECURSE all CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  file(GLOB_RECURSE nested "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(lists IN LISTS nested)
    cmake_path(GET lists PARENT_PATH folder)
    foreach(file IN LISTS all)
      cmake_path(IS_PREFIX folder "${file}" below)
      if(below)
        list(REMOVE_ITEM all "${file}")
      endif()
    endforeach()
  endforeach()
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cpp$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE skcts_flags ${arg_DEPENDS} ${arg_PUBLIC}
                                            ${arg_PRIVATE})
  else()
    if(arg_OBJECT)
      add_library(${name} OBJECT ${sources})
    else()
      add_library(${name} STATIC ${sources})
    endif()
    target_link_libraries(
      ${name}
      PUBLIC skcts_flags ${arg_DEPENDS} ${arg_PUBLIC}
      PRIVATE ${arg_PRIVATE})
  endif()

  if(SKCTS_BUILD_TESTS AND tests)
    # One label, not two: gtest_discover_tests loses lists; `ctest -L` takes a regular expression.
    set(label unit-sanitize)
    if(arg_NO_SANITIZE)
      set(label unit)
    endif()
    skcts_test(${name}_tests LABEL ${label} SOURCES ${tests} LIBRARIES ${name} ${arg_TESTS})
  endif()
endfunction()

# skcts_test(<name> LABEL <label> SOURCES <file>... LIBRARIES <library>...)
#
# A GoogleTest executable whose tests are CTest tests, named <name>:Suite.Test.
# SKCTS_SOURCE_DIR is the repository root as a string literal.
function(skcts_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LIBRARIES")
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} skcts_flags GTest::gmock
                                        GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SKCTS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}:"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT 600)
endfunction()
