// skcts run: GoogleTest runs the properties, the journal tells what came of them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/campaign/journal_file.h"
#include "harness/campaign/session.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/gtest_flags.h"
#include "harness/skcts/gtest_output.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/interrupt.h"
#include "harness/skcts/program.h"
#include "harness/skcts/progress.h"
#include "harness/skcts/terminal.h"
#include "reports/console.h"
#include "reports/junit.h"
#include "spec/rule.h"
#include "suites/suites.h"

namespace skcts::program {
namespace {

/// Gives GoogleTest its flags. False: one of them is unknown or malformed.
bool init_gtest(const std::vector<std::string>& options) {
  std::vector<std::string> words{"skcts"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  testing::InitGoogleTest(&count, pointers.data());
  if (count <= 1) return true;
  complain(Error{.field = "run",
                 .message = fmt::format("'{}' is no flag of GoogleTest", pointers[1]),
                 .hint = "--gtest_filter=Core.*, --gtest_list_tests, --gtest_repeat=2 are some"});
  return false;
}

/// Ends GoogleTest's iterations.
struct RunStopped : std::exception {};

/// Tells the display how many tests filter and shard leave to run. A run that was stopped begins no
/// further iteration; an exception is the only way to tell GoogleTest.
class CountTests : public testing::EmptyTestEventListener {
 public:
  explicit CountTests(ProgressDisplay& display) : display_(display) {}
  void OnTestIterationStart(const testing::UnitTest& tests, int iteration) override {
    if (iteration > 0 && !Interrupt::noted().empty()) {
      GTEST_FLAG_SET(break_on_failure, false);
      GTEST_FLAG_SET(throw_on_failure, false);
      throw RunStopped();
    }
    display_.begin(tests.test_to_run_count());
  }

 private:
  ProgressDisplay& display_;
};

int rules_that_can_run() {
  return static_cast<int>(
      std::ranges::count_if(rules(), [](const Rule& r) { return r.needs.empty(); }));
}

std::string junit_path(const RunArguments& arguments) {
  return arguments.out + "/junit.xml";
}

/// Everything that `run` holds open.
struct Open {
  std::unique_ptr<Target> target;
  const Profile* profile = nullptr;
  std::unique_ptr<campaign::JournalFile> file;
};

bool open_all(const RunArguments& arguments, Open& open) {
  auto profile = choose_profile(arguments.profile);
  if (!profile) return complain(profile.error()), false;
  open.profile = *profile;
  auto file = campaign::JournalFile::create(arguments.out);
  if (!file) return complain(file.error()), false;
  open.file = std::move(*file);
  // What an earlier run left must not stand beside this one's journal.
  if (auto gone = campaign::remove_file(junit_path(arguments)); !gone) {
    return complain(gone.error()), false;
  }
  return true;
}

/// The exit code that the records lead to, and why where that is not plain from them. `signal`
/// names what stopped the run, or is empty.
EndRecord end_of(const Journal& journal, int gtest_result, std::string_view signal) {
  ExitCode code = ExitCode::pass;
  std::string reason;
  std::int64_t generated = 0;
  for (const RuleRecord& record : journal.rules) {
    generated += record.generated;
    const auto status = judge::find_status(record.status);
    code = judge::combine(code, status ? judge::exit_code_of(*status) : ExitCode::own_error);
    if (status == judge::Status::not_run) {
      reason += (reason.empty() ? "not exercised: " : ", ") + record.rule;
    }
  }
  for (const CaseRecord& record : journal.cases) {
    ++generated;
    const auto status = judge::find_status(record.status);
    code = judge::combine(code, status ? judge::exit_code_of(*status) : ExitCode::own_error);
  }
  if (!signal.empty()) {
    code = judge::combine(code, ExitCode::budget_ended);
    return {static_cast<std::int32_t>(code), fmt::format("stopped by {}", signal)};
  }
  if (generated == 0) {
    code = judge::combine(code, ExitCode::nothing_ran);
    reason = journal.rules.empty() ? "no test was selected" : "no case ran";
  }
  if (gtest_result != 0 && code == ExitCode::pass) {
    code = ExitCode::own_error;
    reason = "GoogleTest reports a failure that no rule has";
  }
  if (code != ExitCode::nothing_ran && code != ExitCode::own_error) reason.clear();
  return {static_cast<std::int32_t>(code), reason};
}

/// Trouble of our own: the exit code and the reason say so.
void add_trouble(EndRecord& end, std::string_view reason) {
  const auto code = judge::combine(static_cast<ExitCode>(end.exit_code), ExitCode::own_error);
  end.exit_code = static_cast<std::int32_t>(code);
  end.reason += fmt::format("{}{}", end.reason.empty() ? "" : "; ", reason);
}

int run_gtest(const RunArguments& arguments, campaign::Session& session, ProgressDisplay& display) {
  if (!init_gtest(arguments.gtest_options)) return -1;
  suites::register_tests(session);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new CountTests(display));
  // Our own display and table take the place of GoogleTest's printer.
  if (!lists_tests(arguments.gtest_options))
    delete listeners.Release(listeners.default_result_printer());
  try {
    return RUN_ALL_TESTS();
  } catch (const RunStopped&) {  // where GoogleTest was told not to catch exceptions
    return 1;
  }
}

/// Reports, journal end and closing line: each says the exit code that the process will have.
ExitCode report(const RunArguments& arguments, const std::optional<std::string>& output,
                EndRecord end, const campaign::Session& session, const Journal& journal,
                campaign::JournalFile& file) {
  constexpr std::string_view not_saved = "not everything could be saved";
  bool saved = true;
  for (const Result<void>& state :
       {session.saved(), file.state(),
        campaign::write_file(junit_path(arguments), reports::junit_xml(journal)),
        output ? check_gtest_output_written(*output) : Result<void>()}) {
    if (!state) complain(state.error());
    saved = saved && state.ok();
  }
  if (!saved) add_trouble(end, not_saved);
  // A line that cannot be printed is told by main().
  if (!print_out(printable_lines(reports::report_body(journal)))) {
    add_trouble(end, "the report could not be printed");
  }
  file.record(end);
  if (saved && !file.state()) {
    complain(file.state().error());
    add_trouble(end, not_saved);
  }
  Journal ended = journal;
  append(ended, end);
  if (!print_out(printable_lines(reports::closing_line(ended)))) return ExitCode::own_error;
  return static_cast<ExitCode>(end.exit_code);
}

}  // namespace

ExitCode run_suites(const RunArguments& arguments) {
  const Environment environment = [](const char* name) { return std::getenv(name); };
  for (const Result<void>& checked :
       {check_gtest_flags(arguments.gtest_options), check_gtest_environment(environment)}) {
    if (!checked) return complain(checked.error()), ExitCode::usage;
  }
  const auto output = gtest_output(arguments.gtest_options, environment);
  if (output) {
    const Result<void> checked = check_gtest_output(*output, arguments.out);
    if (!checked) return complain(checked.error()), ExitCode::usage;
  }
  Open open;
  ProgressDisplay display(isatty(STDERR_FILENO) == 1);
  if (lists_tests(arguments.gtest_options)) {
    auto target = open_target(arguments.target);
    if (!target) return complain(target.error()), ExitCode::usage;
    campaign::JournalKeeper nobody;
    campaign::Session session({}, **target, nobody);
    return run_gtest(arguments, session, display) == 0 ? ExitCode::pass : ExitCode::usage;
  }
  if (const auto sane = wire::check_deadlines(arguments.deadlines); !sane) {
    return complain(sane.error()), ExitCode::usage;
  }
  auto target = open_target(arguments.target, arguments.deadlines, arguments.tls);
  if (!target) return complain(target.error()), code_of_no_target(arguments.target);
  open.target = std::move(*target);
  if (!open_all(arguments, open)) return ExitCode::usage;
  const Interrupt interrupt;
  campaign::JournalKeeper keeper;
  campaign::Tee tee;
  tee.add(*open.file);
  tee.add(keeper);
  tee.add(display);
  campaign::Settings settings;
  settings.target_name = arguments.target;
  settings.profile = open.profile;
  settings.seed = arguments.seed;
  settings.cases = arguments.cases;
  settings.repeat = arguments.repeat;
  settings.out_folder = arguments.out;
  settings.stop = [] { return !Interrupt::noted().empty(); };
  campaign::Session session(settings, *open.target, tee);
  tee.record(RunRecord{std::string(version), arguments.target, std::string(open.profile->name),
                       arguments.seed, arguments.cases, rules_that_can_run()});
  const int result = run_gtest(arguments, session, display);
  if (result < 0) return ExitCode::usage;
  const EndRecord end = end_of(keeper.journal(), result, Interrupt::noted());
  return report(arguments, output, end, session, keeper.journal(), *open.file);
}

}  // namespace skcts::program
