// Reading what the command line names.
#include "harness/skcts/inputs.h"

#include <fmt/format.h>

#include "generators/generate.h"
#include "harness/emulator/emulator.h"
#include "harness/skcts/probe.h"
#include "harness/skcts/terminal.h"
#include "harness/wire/address.h"
#include "spec/case_text.h"
#include "spec/json_tree.h"
#include "spec/validate.h"

namespace skcts::program {
namespace {

constexpr std::string_view known_targets =
    "emulator, emulator:defect=NAME, emulator:positions=SEED, emulator:L-14=drained, unix:PATH, "
    "tcp:HOST:PORT, tls:HOST:PORT, exec:COMMAND";

Result<std::unique_ptr<Target>> open_emulator(std::string_view behind) {
  auto config = emulator::parse_emulator_config(behind);
  if (!config) return config.error();
  return emulator::make_emulator(std::move(*config));
}

Result<std::unique_ptr<Target>> open_remote(std::string_view text, const wire::Deadlines& deadlines,
                                            const wire::TlsFiles& tls) {
  Result<wire::Address> address = wire::parse_target_address(text);
  if (!address) {
    Error error = address.error();
    error.field = fmt::format("--target {}", error.field);
    return error;
  }
  if (auto checked = check_tls(*address, tls, "--target"); !checked) return checked.error();
  wire::ClientSettings settings;
  settings.tls = tls;
  settings.address = std::move(*address);
  settings.deadlines = deadlines;
  settings.make_probe = probe_for;
  auto target = wire::RemoteTarget::open(std::move(settings));
  if (!target) return target.error();
  return std::unique_ptr<Target>(std::move(*target));
}

/// What the strategy of a schedule may be is the targets' matter, so validate() cannot know it.
void check_strategy(const Case& value, std::vector<Error>& problems) {
  if (!value.schedule || parse_strategy(value.schedule->strategy)) return;
  problems.push_back(
      Error{.field = "schedule.strategy",
            .message = fmt::format("{} is no strategy", json_quoted(value.schedule->strategy)),
            .hint = "random, pct:3, starve or round-robin, with /keep, /random or /drop behind"});
}

}  // namespace

Result<std::unique_ptr<Target>> open_target(std::string_view text, const wire::Deadlines& deadlines,
                                            const wire::TlsFiles& tls) {
  if (wire::is_address(text)) return open_remote(text, deadlines, tls);
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind == "emulator" && colon == std::string_view::npos) return open_emulator("");
  if (kind == "emulator") return open_emulator(text.substr(colon + 1));
  return Error{
      .field = "--target",
      .message = fmt::format("'{}' is no target of this build; known: {}", text, known_targets),
      .hint = "'skcts list defects' prints the names for defect="};
}

judge::ExitCode code_of_no_target(std::string_view text) {
  const bool is_one = wire::is_address(text) && wire::parse_target_address(text).ok();
  return is_one ? judge::ExitCode::target_lost : judge::ExitCode::usage;
}

Result<void> check_tls(const wire::Address& address, const wire::TlsFiles& files,
                       std::string_view field) {
  if (address.kind != wire::AddressKind::tls || files.given()) return {};
  return Error{.field = fmt::format("{} {}", field, to_string(address)),
               .message = "TLS needs certificates on both sides",
               .hint = "--tls-cert FILE, --tls-key FILE and --tls-ca FILE, all three in PEM"};
}

Result<const Profile*> choose_profile(std::string_view name) {
  if (name.empty()) return &default_profile();
  if (const Profile* const profile = find_profile(name)) return profile;
  return Error{
      .field = "--profile",
      .message = fmt::format("'{}' is no profile; known: {}", name, join_names(profile_names())),
      .hint = did_you_mean(name, profile_names())};
}

Result<std::vector<LatitudePin>> parse_latitudes(std::span<const std::string> texts) {
  std::vector<LatitudePin> pins;
  for (const std::string& text : texts) {
    Result<LatitudePin> pin = parse_latitude_pin(text);
    if (!pin) {
      Error error = pin.error();
      error.field = fmt::format("--latitude '{}'", text);
      return error;
    }
    for (const LatitudePin& other : pins) {
      if (other.id != pin->id || other == *pin) continue;
      return Error{.field = "--latitude",
                   .message = fmt::format("{} and {} exclude each other", to_string(other),
                                          to_string(*pin))};
    }
    pins.push_back(*pin);
  }
  return pins;
}

std::optional<Case> load_case(const std::string& path) {
  const Result<std::string> text = read_case_file_text(path);
  if (!text) {
    complain(text.error());
    return std::nullopt;
  }
  Result<CaseReading> reading = read_case_with_warnings(*text, path);
  if (!reading) {
    complain(reading.error());
    return std::nullopt;
  }
  for (const Error& warning : reading->warnings) {
    complain("warning: " + to_string(warning));
  }
  std::vector<Error> problems = validate(reading->value);
  check_strategy(reading->value, problems);
  place_errors(*text, path, problems);
  for (const Error& problem : problems) complain(problem);
  if (!problems.empty()) return std::nullopt;
  return std::move(reading->value);
}

void complain(const Error& error) {
  complain(to_string(error));
}
void complain(std::string_view text) {
  print_err(fmt::format("skcts: {}\n", printable(text)));
}

}  // namespace skcts::program
