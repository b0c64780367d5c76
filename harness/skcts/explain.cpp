// skcts explain: the model alone, in words.
#include "reference_model/explain.h"

#include <fmt/format.h>

#include "harness/campaign/journal_file.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"
#include "spec/case_text.h"
#include "spec/latitude.h"

namespace skcts::program {
namespace {

/// The case with the repair made, as a case of its own.
ExitCode write_repaired(const ExplainArguments& arguments, Case test_case,
                        const model::MoreToTell& more) {
  if (!more.repair) {
    complain("no repair is needed or known: nothing is written");
    return ExitCode::nothing_ran;
  }
  const std::string told = model::sentence_of(test_case, *more.repair);
  test_case = model::repaired(test_case, *more.repair);
  test_case.note = "Repaired: " + told;
  test_case.schedule.reset();
  test_case.provenance.reset();
  if (test_case.expect) test_case.expect = Expectation{};
  if (auto written = campaign::write_file(arguments.repair, write_case(test_case)); !written) {
    return complain(written.error()), ExitCode::usage;
  }
  return ExitCode::pass;
}

}  // namespace

ExitCode explain_case(const ExplainArguments& arguments) {
  const auto pins = parse_latitudes(arguments.latitudes);
  if (!pins) return complain(pins.error()), ExitCode::usage;
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  model::Model model;
  const model::Analysis analysis = model.analyse(*test_case, *pins);
  model::MoreToTell more;
  more.way = model.one_way(*test_case, analysis, *pins);
  more.repair = model::Repairer().find(*test_case, analysis, *pins);
  std::string text = arguments.json ? model::explain_json(*test_case, analysis, more)
                                    : model::explain_text(*test_case, analysis, more);
  if (!text.ends_with('\n')) text += '\n';
  fmt::print("{}", printable_lines(text));
  return arguments.repair.empty() ? ExitCode::pass : write_repaired(arguments, *test_case, more);
}

}  // namespace skcts::program
