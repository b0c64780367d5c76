// skcts run: GoogleTest runs the properties, the journal tells what came of them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/campaign/journal_file.h"
#include "harness/campaign/session.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/gtest_flags.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/program.h"
#include "harness/skcts/progress.h"
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

/// Tells the display how many tests filter and shard leave to run.
class CountTests : public testing::EmptyTestEventListener {
 public:
  explicit CountTests(ProgressDisplay& display) : display_(display) {}
  void OnTestIterationStart(const testing::UnitTest& tests, int) override {
    display_.set_total(tests.test_to_run_count());
  }

 private:
  ProgressDisplay& display_;
};

int rules_that_can_run() {
  return static_cast<int>(
      std::ranges::count_if(rules(), [](const Rule& r) { return r.needs.empty(); }));
}

/// Everything that `run` holds open.
struct Open {
  std::unique_ptr<Target> target;
  const Profile* profile = nullptr;
  std::unique_ptr<campaign::JournalFile> file;
};

bool open_all(const RunArguments& arguments, Open& open) {
  auto target = open_target(arguments.target);
  if (!target) return complain(target.error()), false;
  open.target = std::move(*target);
  auto profile = choose_profile(arguments.profile);
  if (!profile) return complain(profile.error()), false;
  open.profile = *profile;
  if (arguments.out.empty()) {
    complain("--out: the name of a folder is missing");
    return false;
  }
  auto file = campaign::JournalFile::create(arguments.out);
  if (!file) return complain(file.error()), false;
  open.file = std::move(*file);
  return true;
}

/// The exit code that the records lead to, and why where that is not plain from them.
EndRecord end_of(const Journal& journal, bool saved, int gtest_result) {
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
  if (generated == 0) {
    code = judge::combine(code, ExitCode::nothing_ran);
    reason = journal.rules.empty() ? "no test was selected" : "no case ran";
  }
  if (!saved) {
    code = judge::combine(code, ExitCode::own_error);
    reason = "not everything could be saved";
  }
  if (gtest_result != 0 && code == ExitCode::pass) {
    code = ExitCode::own_error;
    reason = "GoogleTest reports a failure that no rule has";
  }
  if (code != ExitCode::nothing_ran && code != ExitCode::own_error) reason.clear();
  return {static_cast<std::int32_t>(code), reason};
}

int run_gtest(const RunArguments& arguments, campaign::Session& session, ProgressDisplay& display) {
  if (!init_gtest(arguments.gtest_options)) return -1;
  suites::register_tests(session);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new CountTests(display));
  // Our own display and table take the place of GoogleTest's printer.
  if (!arguments.list_only) delete listeners.Release(listeners.default_result_printer());
  return RUN_ALL_TESTS();
}

}  // namespace

ExitCode run_suites(const RunArguments& arguments) {
  for (const Result<void>& checked :
       {check_gtest_flags(arguments.gtest_options),
        check_shard(std::getenv("GTEST_TOTAL_SHARDS"), std::getenv("GTEST_SHARD_INDEX"))}) {
    if (!checked) return complain(checked.error()), ExitCode::usage;
  }
  Open open;
  ProgressDisplay display(isatty(STDERR_FILENO) == 1);
  if (arguments.list_only) {
    auto target = open_target(arguments.target);
    if (!target) return complain(target.error()), ExitCode::usage;
    campaign::JournalKeeper nobody;
    campaign::Session session({}, **target, nobody);
    return run_gtest(arguments, session, display) == 0 ? ExitCode::pass : ExitCode::usage;
  }
  if (!open_all(arguments, open)) return ExitCode::usage;
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
  settings.out_folder = arguments.out;
  campaign::Session session(settings, *open.target, tee);
  tee.record(RunRecord{std::string(version), arguments.target, std::string(open.profile->name),
                       arguments.seed, arguments.cases, rules_that_can_run()});
  const int result = run_gtest(arguments, session, display);
  if (result < 0) return ExitCode::usage;
  const bool saved = session.saved().ok() && open.file->state().ok();
  tee.record(end_of(keeper.journal(), saved, result));
  const Journal& journal = keeper.journal();
  fmt::print("{}", reports::console_report(journal));
  auto code = static_cast<ExitCode>(journal.end.exit_code);
  const std::string junit = arguments.out + "/junit.xml";
  for (const Result<void>& state : {session.saved(), open.file->state(),
                                    campaign::write_file(junit, reports::junit_xml(journal))}) {
    if (state) continue;
    complain(state.error());
    code = judge::combine(code, ExitCode::own_error);
  }
  return code;
}

}  // namespace skcts::program
