// skcts explain: the model alone, in words.
#include "reference_model/explain.h"

#include <fmt/format.h>

#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "spec/latitude.h"

namespace skcts::program {

ExitCode explain_case(const ExplainArguments& arguments) {
  std::vector<LatitudePin> pins;
  for (const std::string& text : arguments.latitudes) {
    Result<LatitudePin> pin = parse_latitude_pin(text);
    if (!pin) {
      Error error = pin.error();
      error.field = fmt::format("--latitude '{}'", text);
      complain(error);
      return ExitCode::usage;
    }
    for (const LatitudePin& other : pins) {
      if (other.id != pin->id || other == *pin) continue;
      complain(fmt::format("--latitude: {} and {} exclude each other", to_string(other),
                           to_string(*pin)));
      return ExitCode::usage;
    }
    pins.push_back(*pin);
  }
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  const model::Analysis analysis = model::analyse(*test_case, pins);
  std::string text = arguments.json ? model::explain_json(*test_case, analysis)
                                    : model::explain_text(*test_case, analysis);
  if (!text.ends_with('\n')) text += '\n';
  fmt::print("{}", text);
  return ExitCode::pass;
}

}  // namespace skcts::program
