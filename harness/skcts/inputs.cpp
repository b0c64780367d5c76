// Reading what the command line names.
#include "harness/skcts/inputs.h"

#include <cstdio>

#include <fmt/format.h>

#include "harness/emulator/emulator.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::program {
namespace {

constexpr std::string_view known_targets = "emulator, emulator:defect=NAME";

Result<std::unique_ptr<Target>> open_emulator(std::string_view behind) {
  auto config = emulator::parse_emulator_config(behind);
  if (!config) return config.error();
  return emulator::make_emulator(std::move(*config));
}

}  // namespace

Result<std::unique_ptr<Target>> open_target(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind == "emulator" && colon == std::string_view::npos) return open_emulator("");
  if (kind == "emulator") return open_emulator(text.substr(colon + 1));
  return Error{
      .field = "--target",
      .message = fmt::format("'{}' is no target of this build; known: {}", text, known_targets),
      .hint = "'skcts list defects' prints the names for defect="};
}

Result<const Profile*> choose_profile(std::string_view name) {
  if (name.empty()) return &default_profile();
  if (const Profile* const profile = find_profile(name)) return profile;
  return Error{
      .field = "--profile",
      .message = fmt::format("'{}' is no profile; known: {}", name, join_names(profile_names())),
      .hint = did_you_mean(name, profile_names())};
}

std::optional<Case> load_case(const std::string& path) {
  Result<CaseReading> reading = read_case_file_with_warnings(path);
  if (!reading) {
    complain(reading.error());
    return std::nullopt;
  }
  for (const Error& warning : reading->warnings) {
    fmt::print(stderr, "skcts: warning: {}\n", to_string(warning));
  }
  const std::vector<Error> problems = validate(reading->value);
  for (Error problem : problems) {
    problem.file = path;
    complain(problem);
  }
  if (!problems.empty()) return std::nullopt;
  return std::move(reading->value);
}

void complain(const Error& error) {
  fmt::print(stderr, "skcts: {}\n", to_string(error));
}
void complain(std::string_view text) {
  fmt::print(stderr, "skcts: {}\n", text);
}

}  // namespace skcts::program
