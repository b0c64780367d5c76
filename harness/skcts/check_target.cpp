// skcts check-target: is it the adapter that is broken, or the machine behind it?
#include <string>

#include <fmt/format.h>

#include "harness/skcts/check_target_talk.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"

namespace skcts::program {

ExitCode check_target(const CheckTargetArguments& arguments) {
  Result<wire::Address> address = wire::parse_target_address(arguments.target);
  if (!address) {
    complain(address.error());
    return ExitCode::usage;
  }
  if (const auto checked = check_tls(*address, arguments.tls, "check-target"); !checked) {
    complain(checked.error());
    return ExitCode::usage;
  }
  Talk talk(std::move(*address), arguments.tls, arguments.deadline_ms);
  if (const std::string problem = talk.open(); !problem.empty()) {
    complain(problem);
    return ExitCode::target_lost;
  }
  std::vector<TargetCheck> checks = checks_of_protocol();
  for (const TargetCheck& check : checks_of_cases()) checks.push_back(check);
  int failed = 0;
  int left_out = 0;
  bool lost = false;
  for (const TargetCheck& check : checks) {
    std::string wrong = talk.open();
    lost = !wrong.empty();
    if (!lost) wrong = check.run(talk);
    const bool was_skipped = wrong.starts_with(skipped);
    if (was_skipped) ++left_out;
    if (!wrong.empty() && !was_skipped) ++failed;
    const std::string_view mark = wrong.empty() ? "ok" : was_skipped ? "--" : "NO";
    fmt::print("{}  {}{}{}\n", mark, check.name, wrong.empty() ? "" : ": ", printable(wrong));
    if (lost) break;
  }
  fmt::print("{}: {} checks, {} failed, {} skipped\n", printable(talk.welcome().target.name),
             checks.size(), failed, left_out);
  if (lost) return ExitCode::target_lost;
  return failed == 0 ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
