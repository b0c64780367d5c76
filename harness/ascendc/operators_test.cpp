// Our own operators, compiled from their source and run alone under many schedules: each shows what
// its description says.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "harness/ascendc/compile.h"
#include "harness/ascendc/record.h"
#include "harness/emulator/emulator.h"
#include "spec/operator_text.h"

namespace skcts::ascendc {
namespace {

namespace fs = std::filesystem;

const fs::path sources = fs::path(SKCTS_SOURCE_DIR) / "spec/operators/source";

/// One of `sources`, compiled and loaded; nothing where that fails, which the test is told.
std::unique_ptr<OperatorProgram> loaded(const std::string& name) {
  const std::string object =
      (fs::temp_directory_path() / ("skcts_" + name + std::to_string(getpid()) + ".so")).string();
  const Result<void> done =
      compile_operator({.source = (sources / (name + ".cpp")).string(), .out = object});
  EXPECT_TRUE(done.ok()) << to_string(done.error());
  auto program = OperatorProgram::load(object);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  fs::remove(object);
  return program.ok() ? std::move(*program) : nullptr;
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
    const auto program = loaded(name);
    ASSERT_NE(program, nullptr);
    const AloneRuns shown = run_alone(*program, runs);
    const std::string expect = program->description().expect;
    if (expect == "golden") {
      EXPECT_EQ(shown.golden, runs) << shown.first_words;
    } else if (expect == "wrong-data") {
      EXPECT_GT(shown.other, 0);
      EXPECT_EQ(shown.golden + shown.other, runs) << shown.first_words;
    } else if (expect == "stalls") {
      EXPECT_EQ(shown.stalled, runs) << shown.first_words;
    } else {
      EXPECT_EQ(expect, "faults");
      EXPECT_EQ(shown.failed, runs) << shown.first_words;
    }
  }
}

TEST(Operators, AnAccessOutsideNamesTheCoreTheInterfaceAndTheBuffer) {
  const auto program = loaded("outside");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(run_alone(*program, 1).first_words,
            "aiv:2: outside aiv[4]: DataCopy: bytes [256, 384) of `y` are outside its 256 bytes");
}

/// The recording runs as the operator does: alone on the emulator, at the same ends.
TEST(Operators, RecordingsAreOperatorsThatCompleteAlone) {
  for (const char* const name : {"add_flags", "sync_hard", "counters_clean", "cube_vector"}) {
    SCOPED_TRACE(name);
    const auto program = loaded(name);
    ASSERT_NE(program, nullptr);
    const Result<Operator> recorded = record_alone(*program);
    ASSERT_TRUE(recorded.ok()) << to_string(recorded.error());
    const std::string text = write_operator(*recorded);
    const Result<Operator> again = read_operator(text, "recorded.json");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    const Profile& profile = default_profile();
    for (const Error& error : validate(*again, profile)) ADD_FAILURE() << to_string(error);
    const Case alone = case_alone(*again, profile);
    emulator::Emulator target(emulator::EmulatorConfig{});
    const Outcome outcome = target.run(alone, {}).outcome;
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << outcome.reason;
  }
}

TEST(Operators, ATransferThatNoInstructionStandsForIsNotRecorded) {
  const auto program = loaded("pad_tail");
  ASSERT_NE(program, nullptr);
  const Result<Operator> recorded = record_alone(*program);
  ASSERT_FALSE(recorded.ok());
  EXPECT_TRUE(recorded.error().message.starts_with("cannot be recorded: "));
}

/// Where every step is an instruction of the language, the recording computes the same words.
TEST(Operators, ARecordingOfExactStepsGivesTheGoldenOutput) {
  for (const char* const name : {"add_flags", "counters_clean", "soft_sync"}) {
    SCOPED_TRACE(name);
    const auto program = loaded(name);
    ASSERT_NE(program, nullptr);
    const Result<Operator> recorded = record_alone(*program);
    ASSERT_TRUE(recorded.ok()) << to_string(recorded.error());
    const Case alone = case_alone(*recorded, default_profile());
    emulator::Emulator target(emulator::EmulatorConfig{});
    const Outcome outcome = target.run(alone, {}).outcome;
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << outcome.reason;
    EXPECT_EQ(golden_difference(program->description(), layout_of(alone.mix), outcome.memory), "");
  }
}

TEST(Worker, ACrashOrAnEndlessLoopCostsTheWorkerAlone) {
  const auto crashed = in_worker(
      []() -> std::string {
        ::raise(SIGSEGV);
        return {};
      },
      5);
  ASSERT_FALSE(crashed.ok());
  EXPECT_NE(crashed.error().message.find("died"), std::string::npos);
  const auto endless = in_worker(
      []() -> std::string {
        volatile bool goes_on = true;
        while (goes_on) {
        }
        return {};
      },
      1);
  ASSERT_FALSE(endless.ok());
  EXPECT_EQ(endless.error().message, "the operator did not end within 1 s of processor time");
  const auto good = in_worker([] { return std::string(100'000, 'x'); }, 5);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->size(), 100'000u);
}

TEST(Compile, WordsOfTheCompilerNameTheSourceAndWhatIsMissing) {
  const fs::path folder = fs::temp_directory_path() / ("skcts_missing" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "sorts.json") << R"({"kernel": "sorts"})";
  std::ofstream(folder / "sorts.cpp") << "#include \"kernel_operator.h\"\n"
                                         "extern \"C\" __global__ __aicore__ void sorts() {\n"
                                         "  AscendC::MrgSort(1, 2);\n}\n";
  const Result<void> done = compile_operator(
      {.source = (folder / "sorts.cpp").string(), .out = (folder / "sorts.so").string()});
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("MrgSort is not in the facade"), std::string::npos);
  EXPECT_NE(done.error().message.find("sorts.cpp:3"), std::string::npos) << done.error().message;
  fs::remove_all(folder);
}

TEST(Facade, StandsOnTheDeviceInterfaceAlone) {
  for (const EmbeddedFile& file : facade_headers()) {
    std::istringstream lines{std::string(file.text)};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#include \"")) continue;
      const bool own = line.starts_with("#include \"harness/ascendc/include/") ||
                       line == "#include \"harness/ascendc/device.h\"";
      EXPECT_TRUE(own) << file.name << ": " << line;
      EXPECT_FALSE(file.name == "harness/ascendc/device.h") << line;
    }
  }
}

}  // namespace
}  // namespace skcts::ascendc
