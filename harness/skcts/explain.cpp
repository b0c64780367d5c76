// skcts explain: the model alone, in words.
#include "reference_model/explain.h"

#include <fmt/format.h>

#include "harness/campaign/journal_file.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"
#include "reference_model/cost.h"
#include "reference_model/trace.h"
#include "spec/case_text.h"
#include "spec/latitude.h"

namespace skcts::program {
namespace {

/// A file that the user names; false: told why not.
bool write_out(const std::string& path, const std::string& text) {
  const Result<void> written = campaign::write_file(path, text);
  if (!written) complain(written.error());
  return written.ok();
}

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
  return write_out(arguments.repair, write_case(test_case)) ? ExitCode::pass : ExitCode::usage;
}

/// What the options ask for besides the words.
ExitCode write_files(const ExplainArguments& arguments, model::Model& model, const Case& test_case,
                     const std::vector<LatitudePin>& pins, const model::Analysis& analysis,
                     const model::MoreToTell& more) {
  if (!arguments.trace.empty() &&
      !write_out(arguments.trace, model::trace_json(model, test_case, pins, analysis))) {
    return ExitCode::usage;
  }
  if (!arguments.dot.empty() &&
      !write_out(arguments.dot, model::wait_graph_dot(test_case, analysis))) {
    return ExitCode::usage;
  }
  return arguments.repair.empty() ? ExitCode::pass : write_repaired(arguments, test_case, more);
}

}  // namespace

ExitCode explain_case(const ExplainArguments& arguments) {
  const auto pins = parse_latitudes(arguments.latitudes);
  if (!pins) return complain(pins.error()), ExitCode::usage;
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  model::Model model;
  if (arguments.cost) {
    const std::string text =
        model::cost_text(*test_case, model::refresh_counts(model, *test_case, *pins),
                         model::path_costs(model, *test_case, *pins));
    fmt::print("{}", printable_lines(text));
    return ExitCode::pass;
  }
  const model::Analysis analysis = model.analyse(*test_case, *pins);
  model::MoreToTell more;
  more.way = model.one_way(*test_case, analysis, *pins);
  more.repair = model::Repairer().find(*test_case, analysis, *pins);
  std::string text = arguments.json ? model::explain_json(*test_case, analysis, more)
                                    : model::explain_text(*test_case, analysis, more);
  if (!text.ends_with('\n')) text += '\n';
  fmt::print("{}", printable_lines(text));
  return write_files(arguments, model, *test_case, *pins, analysis, more);
}

}  // namespace skcts::program
