// Our own operators, compiled from their source and run alone under many schedules: each shows what
// its description says.
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/ascendc/compile.h"
#include "harness/ascendc/operator_program.h"
#include "harness/emulator/emulator.h"

namespace skcts::ascendc {
namespace {

namespace fs = std::filesystem;

const fs::path sources = fs::path(SKCTS_SOURCE_DIR) / "spec/operators/source";

/// What the schedules showed of an operator.
struct Shown {
  int golden = 0;
  int other = 0;
  int stalled = 0;
  int failed = 0;
  std::string words;
};

std::string compiled(const std::string& name) {
  const std::string out =
      (fs::temp_directory_path() / ("skcts_" + name + std::to_string(getpid()) + ".so")).string();
  const Result<void> done =
      compile_operator({.source = (sources / (name + ".cpp")).string(), .out = out});
  EXPECT_TRUE(done.ok()) << to_string(done.error());
  return out;
}

Shown shown_by(OperatorProgram& program, int runs) {
  const Case test_case = case_of(program.description());
  const GmLayout layout = layout_of(test_case.mix);
  program.attach(test_case);
  emulator::Emulator target({.code = &program});
  Shown shown;
  for (int run = 0; run < runs; ++run) {
    RunRequest request;
    request.strategy.kind = static_cast<StrategyKind>(run % 4);
    request.strategy.cache = static_cast<CachePolicy>(run / 4 % 3);
    request.strategy.seed = static_cast<std::uint64_t>(run);
    const RunResult result = target.run(test_case, request);
    const Outcome& outcome = result.outcome;
    if (outcome.status == OutcomeStatus::stalled) {
      ++shown.stalled;
    } else if (outcome.status != OutcomeStatus::completed) {
      ++shown.failed;
      shown.words = outcome.reason;
    } else {
      const std::string words = golden_difference(program.description(), layout, outcome.memory);
      ++(words.empty() ? shown.golden : shown.other);
      if (!words.empty()) shown.words = words;
    }
  }
  return shown;
}

TEST(Operators, ShowWhatTheirDescriptionsSay) {
  constexpr int runs = 48;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(sources)) {
    if (entry.path().extension() == ".cpp") names.insert(entry.path().stem().string());
  }
  ASSERT_GE(names.size(), 16u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::string object = compiled(name);
    auto program = OperatorProgram::load(object);
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    const Shown shown = shown_by(**program, runs);
    const std::string expect = (*program)->description().expect;
    if (expect == "golden") {
      EXPECT_EQ(shown.golden, runs) << shown.words;
    } else if (expect == "wrong-data") {
      EXPECT_GT(shown.other, 0);
      EXPECT_EQ(shown.golden + shown.other, runs) << shown.words;
    } else if (expect == "stalls") {
      EXPECT_EQ(shown.stalled, runs) << shown.words;
    } else {
      EXPECT_EQ(expect, "faults");
      EXPECT_EQ(shown.failed, runs) << shown.words;
    }
    fs::remove(object);
  }
}

TEST(Operators, AnAccessOutsideNamesTheCoreTheInterfaceAndTheBuffer) {
  const std::string object = compiled("outside");
  auto program = OperatorProgram::load(object);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(shown_by(**program, 1).words,
            "aiv:2: outside aiv[4]: DataCopy: bytes [256, 384) of `y` are outside its 256 bytes");
  fs::remove(object);
}

}  // namespace
}  // namespace skcts::ascendc
