// skcts explain: the model alone, in words.
#include "reference_model/explain.h"

#include <fmt/format.h>

#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"
#include "spec/latitude.h"

namespace skcts::program {

ExitCode explain_case(const ExplainArguments& arguments) {
  const auto pins = parse_latitudes(arguments.latitudes);
  if (!pins) return complain(pins.error()), ExitCode::usage;
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  model::Model model;
  const model::Analysis analysis = model.analyse(*test_case, *pins);
  const std::vector<std::string> way = model.one_way(*test_case, analysis, *pins);
  std::string text = arguments.json ? model::explain_json(*test_case, analysis, way)
                                    : model::explain_text(*test_case, analysis, way);
  if (!text.ends_with('\n')) text += '\n';
  fmt::print("{}", printable_lines(text));
  return ExitCode::pass;
}

}  // namespace skcts::program
