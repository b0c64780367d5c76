// skcts litmus: the explorer on every litmus mix, held against the pinned counts.
#include "spec/litmus.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "reference_model/explorer/litmus_check.h"

namespace skcts::program {
namespace {

struct Tally {
  int held = 0;
  int differing = 0;
  std::uint64_t states = 0;
};

/// Prints what is not as pinned.
void check(const Litmus& litmus, const LitmusArguments& arguments, Tally& tally) {
  const std::vector<std::string> found = explorer::litmus_differences(litmus, tally.states);
  ++(found.empty() ? tally.held : tally.differing);
  if (found.empty() && !arguments.all) return;
  std::string about = litmus.rule ? std::string(to_string(*litmus.rule)) : "";
  if (litmus.latitude) {
    about += (about.empty() ? "" : " ") + std::string(latitude(*litmus.latitude).name);
  }
  fmt::print("{:<9} {:>3}  {:<14} {}: {}\n", found.empty() ? "holds" : "differs", litmus.outcomes,
             about, litmus.name, litmus.shows);
  for (const std::string& text : found) fmt::print("{:>20}{}\n", "", text);
}

}  // namespace

ExitCode run_litmus(const LitmusArguments& arguments) {
  const double start = seconds_now();
  Tally tally;
  for (const Litmus& litmus : litmus_table()) {
    if (litmus.name.find(arguments.filter) == std::string::npos) continue;
    check(litmus, arguments, tally);
  }
  if (tally.held + tally.differing == 0) {
    complain(Error{.field = "--filter",
                   .message = fmt::format("no litmus mix has '{}' in its name", arguments.filter),
                   .hint = "'skcts litmus --all' prints the names"});
    return ExitCode::usage;
  }
  fmt::print("{} of {} litmus mixes hold, {} states, {:.1f} s\n", tally.held,
             tally.held + tally.differing, tally.states, seconds_now() - start);
  return tally.differing == 0 ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
