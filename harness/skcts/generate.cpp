// skcts generate: one case of a campaign, as text.
#include "generators/generate.h"

#include <optional>

#include <fmt/format.h>

#include "generators/defects.h"
#include "generators/shares.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "spec/case_text.h"
#include "spec/rule.h"

namespace skcts::program {
namespace {

std::vector<std::string_view> rule_names() {
  std::vector<std::string_view> names;
  for (const Rule& r : rules()) names.push_back(r.name);
  return names;
}

std::vector<std::string_view> operator_defect_names() {
  std::vector<std::string_view> names;
  for (const auto& d : generators::operator_defects()) names.push_back(d.name);
  return names;
}

/// The nearest name, or where all of them are to be found.
std::string near_or_all(std::string_view word, std::span<const std::string_view> names,
                        std::string_view all) {
  const std::string near = did_you_mean(word, names);
  return near.empty() ? std::string(all) : fmt::format("{} {}", near, all);
}

ExitCode generate_broken(const GenerateArguments& arguments, const Profile& profile) {
  const generators::OperatorDefect* const defect =
      generators::find_operator_defect(arguments.defect);
  if (defect == nullptr) {
    const auto names = operator_defect_names();
    complain(Error{
        .field = "--operator-defect",
        .message = fmt::format("'{}' is no operator defect", arguments.defect),
        .hint = near_or_all(arguments.defect, names, "'skcts list defects' prints them all")});
    return ExitCode::usage;
  }
  const auto pair = generators::inject(arguments.seed, *arguments.index, *defect, profile);
  if (!pair) {
    complain(fmt::format("index {} gives no mix with this edit on {}; take another index",
                         *arguments.index, profile.name));
    return ExitCode::nothing_ran;
  }
  fmt::print("{}", write_case(pair->broken));
  return ExitCode::pass;
}

/// How often each feature occurs in cases 0 to n-1.
void print_shares(const GenerateArguments& arguments, const generators::Focus& focus,
                  const Profile& profile) {
  const generators::Shares s =
      generators::shares_of(arguments.seed, arguments.shares, focus, profile);
  for (std::size_t i = 0; i < generators::feature_count; ++i) {
    const auto f = static_cast<generators::Feature>(i);
    fmt::print("{:<28} {:6.2f} %\n", to_string(f), 100.0 * s.share(f));
  }
  fmt::print("{} mixes, seed {}, {}: median {} sub kernels, {} instructions (mean {:.1f})\n",
             arguments.shares, arguments.seed, profile.name, s.median_sub_kernels(),
             s.median_instructions(), s.mean_instructions());
}

}  // namespace

ExitCode generate_case(const GenerateArguments& arguments) {
  const Result<const Profile*> profile = choose_profile(arguments.profile);
  if (!profile) {
    complain(profile.error());
    return ExitCode::usage;
  }
  if (!arguments.index && arguments.shares == 0) {
    complain("generate: the number of the case is missing; give --index, or --shares");
    return ExitCode::usage;
  }
  if (!arguments.defect.empty()) return generate_broken(arguments, **profile);
  generators::Focus focus;
  if (!arguments.rule.empty()) {
    const std::optional<RuleId> id = find_rule(arguments.rule);
    if (!id) {
      const auto names = rule_names();
      complain(
          Error{.field = "--rule",
                .message = fmt::format("'{}' is no rule", arguments.rule),
                .hint = near_or_all(arguments.rule, names, "'skcts list rules' prints them all")});
      return ExitCode::usage;
    }
    if (!rule(*id).needs.empty()) {
      complain(Error{.field = "--rule",
                     .message = fmt::format("no mix exercises {} yet: it waits for: {}",
                                            arguments.rule, rule(*id).needs)});
      return ExitCode::usage;
    }
    focus = generators::focus_for(*id);
  }
  if (arguments.shares > 0) {
    print_shares(arguments, focus, **profile);
    return ExitCode::pass;
  }
  fmt::print("{}",
             write_case(generators::generate(arguments.seed, *arguments.index, focus, **profile)));
  return ExitCode::pass;
}

}  // namespace skcts::program
