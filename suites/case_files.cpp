// Names of written cases.
#include "suites/case_files.h"

#include <algorithm>
#include <cctype>

namespace skcts::suites {
namespace {

constexpr std::string_view folder = "spec/cases/";
constexpr std::string_view ending = ".json";

std::string test_of(std::string_view file) {
  file.remove_prefix(folder.size());
  file.remove_suffix(ending.size());
  std::string name(file);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace

std::vector<WrittenCase> written_cases() {
  std::vector<WrittenCase> all;
  for (const EmbeddedFile& file : embedded_cases()) {
    const bool index = file.name.ends_with("/index.json");
    if (index || !file.name.starts_with(folder) || !file.name.ends_with(ending)) continue;
    all.push_back({std::string(file.name), test_of(file.name), file.text});
  }
  std::ranges::sort(all, {}, &WrittenCase::file);
  return all;
}

}  // namespace skcts::suites
