# Text files compiled in, so that the program needs no file beside itself.

# skcts_embed(TARGET <target> FUNCTION <namespace::name> FILES <file>...)
#
# Adds to <target> a generated source that defines
#   std::span<const skcts::EmbeddedFile> namespace::name();
# with one entry a file, in the order given: its name relative to the repository root, its text.
# The caller declares the function in a header of its own; EmbeddedFile is in spec/embedded.h.
function(skcts_embed)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;FUNCTION" "FILES")
  string(REGEX MATCH "^(.*)::([a-z0-9_]+)$" matched "${arg_FUNCTION}")
  if(NOT matched)
    message(FATAL_ERROR "skcts_embed: FUNCTION '${arg_FUNCTION}' is not namespace::name")
  endif()
  set(space "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  set(paths "")
  foreach(file IN LISTS arg_FILES)
    get_filename_component(path "${file}" ABSOLUTE)
    list(APPEND paths "${path}")
  endforeach()
  list(JOIN paths "\n" lines)
  set(list_file "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.txt")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp")
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT "${source}"
    COMMAND
      "${CMAKE_COMMAND}" "-DLIST=${list_file}" "-DOUTPUT=${source}" "-DSPACE=${space}"
      "-DNAME=${name}" "-DROOT=${PROJECT_SOURCE_DIR}" -P
      "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
    DEPENDS ${paths} "${list_file}" "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${arg_TARGET} PRIVATE "${source}")
  # Long string literals are the point here.
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
