# Script mode: writes OUTPUT, a C++ source that holds the files listed in LIST (see SkctsEmbed).

file(STRINGS "${LIST}" paths)
file(WRITE "${OUTPUT}.new" "// Generated from text files; do not edit.\n\
#include <array>\n#include <span>\n\n#include \"spec/embedded.h\"\n\nnamespace ${SPACE} {\n\n\
std::span<const ::skcts::EmbeddedFile> ${NAME}();\n\n\
std::span<const ::skcts::EmbeddedFile> ${NAME}() {\n")
list(LENGTH paths count)
if(count EQUAL 0)
  file(APPEND "${OUTPUT}.new" "  return {};\n}\n\n}  // namespace ${SPACE}\n")
else()
  file(APPEND "${OUTPUT}.new" "  using namespace std::string_view_literals;\n\
  static constexpr std::array<::skcts::EmbeddedFile, ${count}> files{{\n")
  foreach(path IN LISTS paths)
    file(RELATIVE_PATH shown "${ROOT}" "${path}")
    file(READ "${path}" text)
    string(FIND "${text}" ")embedded\"" clash)
    if(NOT clash EQUAL -1)
      message(FATAL_ERROR "${shown}: holds )embedded\" and cannot be a raw string literal")
    endif()
    file(APPEND "${OUTPUT}.new" "      {\"${shown}\"sv, R\"embedded(")
    file(APPEND "${OUTPUT}.new" "${text}")
    file(APPEND "${OUTPUT}.new" ")embedded\"sv},\n")
  endforeach()
  file(APPEND "${OUTPUT}.new" "  }};\n  return files;\n}\n\n}  // namespace ${SPACE}\n")
endif()
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
