// skcts record: a compiled operator runs alone, and what its cores did is told as operator text.
#include "harness/ascendc/record.h"

#include <fmt/format.h>

#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"
#include "spec/operator_text.h"

namespace skcts::program {
namespace {

/// In the worker: one letter for how it ended, then the text.
std::string runs_and_recording(const RecordArguments& arguments) {
  auto program = ascendc::OperatorProgram::load(arguments.file);
  if (!program) return "u" + to_string(program.error());
  const ascendc::AloneRuns shown = ascendc::run_alone(**program, arguments.runs);
  if (shown.golden < shown.runs) {
    return fmt::format(
        "f{}: alone, {} of {} runs are as they must be, {} give another output, {} "
        "stall, {} fail\nfirst: {}",
        arguments.file, shown.golden, shown.runs, shown.other, shown.stalled, shown.failed,
        shown.first_words);
  }
  const Result<Operator> recorded = ascendc::record_alone(**program);
  if (!recorded) return "f" + to_string(recorded.error());
  return "p" + write_operator(*recorded);
}

}  // namespace

ExitCode record_operator(const RecordArguments& arguments) {
  const Result<std::string> told =
      ascendc::in_worker([&] { return runs_and_recording(arguments); }, arguments.seconds);
  if (!told) {
    complain(
        Error{.file = arguments.file, .message = told.error().message, .hint = told.error().hint});
    return ExitCode::failure;
  }
  const char kind = told->empty() ? 'f' : told->front();
  const std::string text = told->empty() ? "the worker said nothing" : told->substr(1);
  if (kind == 'p') {
    fmt::print("{}", text);
    return ExitCode::pass;
  }
  if (kind == 'u') return complain(text), ExitCode::usage;
  fmt::print("{}", printable_lines(text + "\n"));
  return ExitCode::failure;
}

}  // namespace skcts::program
