// skcts certify: is an operator's result the same wherever it is fused?
#include "harness/campaign/certify.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/campaign/certificate_sign.h"
#include "harness/campaign/journal_file.h"
#include "harness/skcts/certify_archive.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/interrupt.h"
#include "harness/skcts/terminal.h"
#include "spec/case_text.h"
#include "spec/operator_text.h"
#include "spec/text_file.h"

namespace skcts::program {
namespace {

using campaign::BrokenRule;
using campaign::Certification;

std::string broken_text(const Certification& done, const BrokenRule& broken,
                        const std::string& file) {
  const campaign::TriedMix& first = done.mixes[broken.first];
  std::string text = fmt::format("  {}: {}\n", to_string(broken.rule), broken.sentence);
  text += fmt::format("    {} of {} mixes; first: {} ({}; {})\n", broken.mixes, done.mixes.size(),
                      to_string(first.behaviour), to_string(first.stage),
                      levels_text(done, first.levels));
  if (!broken.repair.empty()) text += fmt::format("    repair: {}\n", broken.repair);
  if (!file.empty()) text += fmt::format("    smallest mix: {}\n", file);
  return text;
}

/// How many pairs each reason took out.
std::string infeasible_text(const Certification& done) {
  std::map<std::string, int> reasons;
  for (const campaign::Infeasible& each : done.infeasible) ++reasons[each.reason];
  std::string text;
  for (const auto& [reason, count] : reasons) text += fmt::format("    {}: {}\n", count, reason);
  return text;
}

std::string outcome_text(const Certification& done) {
  if (done.stopped) return "not certified: ended before all mixes were tried";
  if (done.certified()) return "certified";
  if (const auto rule = done.primary()) return fmt::format("refused [{}]", to_string(*rule));
  if (!done.missing.empty()) return "not certified: " + done.missing;
  if (done.target_failures.empty()) return "nothing found; a smoke run certifies nothing";
  return "not certified: the target does not conform";
}

/// Saves the smallest mix of each broken rule; gives their names, or what stands in the way.
Result<std::vector<std::string>> save_mixes(const Operator& value, const Certification& done,
                                            const std::string& folder) {
  std::vector<std::string> names;
  if (done.broken.empty()) return names;
  const Result<void> made = campaign::make_folder(folder);
  if (!made) return made.error();
  for (const BrokenRule& broken : done.broken) {
    names.push_back(fmt::format("{}/{}-{}.json", folder, value.name, to_string(broken.rule)));
    const Result<void> written = campaign::write_file(names.back(), write_case(broken.smallest));
    if (!written) return written.error();
  }
  return names;
}

void tell(const Operator& value, const Certification& done, const CertifyArguments& arguments,
          const std::vector<std::string>& files) {
  std::string text = fmt::format("{}: {}\n", value.name, outcome_text(done));
  text += fmt::format("  {} mixes; pairs of levels: {} met, {} infeasible, {} in all\n",
                      done.mixes.size(), done.pairs_met, done.infeasible.size(), done.pairs);
  for (std::size_t i = 0; i < done.broken.size(); ++i) {
    text += broken_text(done, done.broken[i], i < files.size() ? files[i] : "");
  }
  for (const RuleId rule : done.besides) text += fmt::format("  besides: {}\n", to_string(rule));
  for (const campaign::TargetFailure& failure : done.target_failures) {
    text += fmt::format("  the target: {} ({})\n", failure.sentence,
                        levels_text(done, done.mixes[failure.mix].levels));
  }
  if (!done.assumed.empty()) {
    text += fmt::format("  assumed: {}\n", fmt::join(done.assumed, ", "));
  }
  if (arguments.all) text += "  infeasible pairs by reason:\n" + infeasible_text(done);
  fmt::print("{}", printable_lines(text));
}

std::optional<Operator> load_operator(const std::string& path, const Profile& profile) {
  const Result<std::string> text = read_text_file(path, max_case_bytes);
  if (!text) return complain(text.error()), std::nullopt;
  Result<Operator> read = read_operator(*text, path);
  if (!read) return complain(read.error()), std::nullopt;
  std::vector<Error> problems = validate(*read, profile);
  place_errors(*text, path, problems);
  for (const Error& problem : problems) complain(problem);
  if (!problems.empty()) return std::nullopt;
  return std::move(*read);
}

/// Key and score of the command line; false: told why not.
bool load_making(const CertifyArguments& arguments, CertificateMaking& making) {
  const auto load = [](const std::string& path, std::string& to) {
    if (path.empty()) return true;
    Result<std::string> text = read_text_file(path, max_case_bytes);
    if (!text) return complain(text.error()), false;
    to = std::move(*text);
    return true;
  };
  if (!load(arguments.key, making.key) || !load(arguments.score, making.score)) return false;
  // A key that is none is told before the work, not after it.
  if (making.key.empty()) return true;
  const auto tried = campaign::sign("", making.key, making.key_file);
  if (!tried) complain(tried.error());
  return tried.ok();
}

Result<void> save_certificate(const Operator& value, const Certification& done,
                              const campaign::CertifySettings& settings, Target& target,
                              const CertificateMaking& making, const std::string& folder) {
  const Result<std::string> bytes =
      certificate_archive(value, done, settings, target.description(), making);
  if (!bytes) return bytes.error();
  const Result<void> made = campaign::make_folder(folder);
  if (!made) return made;
  const std::string path = fmt::format("{}/{}.certificate.zip", folder, value.name);
  const Result<void> written = campaign::write_file(path, *bytes);
  if (written) fmt::print("  certificate: {}\n", printable(path));
  return written;
}

}  // namespace

ExitCode certify_operator(const CertifyArguments& arguments) {
  const Result<const Profile*> profile = choose_profile(arguments.profile);
  if (!profile) return complain(profile.error()), ExitCode::usage;
  auto target = open_target(arguments.target);
  if (!target) return complain(target.error()), ExitCode::usage;
  const std::optional<Operator> value = load_operator(arguments.file, **profile);
  if (!value) return ExitCode::usage;
  CertificateMaking making{.key_file = arguments.key};
  if (!load_making(arguments, making)) return ExitCode::usage;
  const Interrupt interrupt;
  campaign::CertifySettings settings;
  settings.profile = *profile;
  settings.seed = arguments.seed;
  settings.every_pair = !arguments.smoke;
  settings.stop = [] { return !Interrupt::noted().empty(); };
  const Certification done = campaign::certify(*value, **target, settings);
  const auto files = save_mixes(*value, done, arguments.out);
  if (!files) return complain(files.error()), ExitCode::usage;
  tell(*value, done, arguments, *files);
  if (done.stopped && done.broken.empty()) return ExitCode::budget_ended;
  // A smoke level, and what was ended, give no certificate.
  if (!arguments.smoke && !done.stopped) {
    making.target = arguments.target;
    const Result<void> saved = save_certificate(*value, done, settings, **target, making,
                                                arguments.out);
    if (!saved) return complain(saved.error()), ExitCode::usage;
  }
  return done.certified() ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
