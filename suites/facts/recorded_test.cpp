// (d) The recorded sequences as programs: the emulator follows them instead of its own prologue.
//
// Each sub kernel is given work whose result tells whether it came after the sub kernel before it:
// every core copies (a cube core multiplies) what one core of the one before stored. The words that
// must come out are computed here, from the guards' meaning alone; the recorded composition, the
// emulator's machine and this sum agree, or a core read too early.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/testing.h"
#include "spec/arithmetic.h"
#include "suites/facts/classification.h"
#include "suites/facts/facts.h"
#include "suites/facts/replay.h"

namespace skcts::facts {
namespace {

using emulator::testing::Program;
namespace testing = ::testing;

constexpr int slot_words = 8;
constexpr int region_in = 0;
constexpr int region_out = 1;

/// Cores that run an op, and where their slots of the output begin.
struct OpCores {
  std::vector<CoreId> cores;
  int first_slot = 0;
  int of_kind(CoreKind kind) const {
    return static_cast<int>(std::ranges::count(cores, kind, &CoreId::kind));
  }
};

/// A fact made to work on data.
struct Subject {
  Case test_case;
  std::vector<OpCores> ops;
  emulator::RecordedLaunch recorded;
};

/// Which slot the core at `place` of an op reads: of the op before it, or of the input.
int source_slot(const Subject& subject, std::size_t op, int place, int shift) {
  if (op == 0) return place;
  const OpCores& former = subject.ops[op - 1];
  return former.first_slot + (place + shift) % static_cast<int>(former.cores.size());
}

/// The work of one side of an op.
Program work_of(const Subject& subject, std::size_t op, CoreKind kind, int shift) {
  using namespace emulator::testing;
  using enum Pipe;
  const OpCores& own = subject.ops[op];
  const bool cube = kind == CoreKind::aic;
  const Space local = cube ? Space::l0a : Space::ub;
  const auto first_of_kind = std::ranges::find(own.cores, kind, &CoreId::kind);
  const int first_place = static_cast<int>(first_of_kind - own.cores.begin());
  Program loads;
  for (int place = 0; place < static_cast<int>(own.cores.size()); ++place) {
    const CoreId core = own.cores[static_cast<std::size_t>(place)];
    if (core.kind != kind) continue;
    const int slot = source_slot(subject, op, place, shift);
    const Operand source = gm(op == 0 ? region_in : region_out, words(slot * slot_words));
    loads.push_back(on_core(core.index, copy(in(local), source)));
    if (cube) loads.push_back(on_core(core.index, copy(in(Space::l0b), source)));
  }
  const Operand result =
      gm(region_out, by_core(slot_words, (own.first_slot + first_place) * slot_words));
  if (!cube) return loads + handed(mte2, mte3) + Program{copy(result, ub(0))};
  Instruction product = make(Op::mmad);
  product.dst = in(Space::l0c);
  product.src = in(Space::l0a);
  product.src_b = in(Space::l0b);
  product.count = slot_words;
  return loads + handed(mte2, m) + Program{product} + handed(m, fix) + Program{fixpipe(result)};
}

/// Puts work into a program, behind its WaitPreTaskEnd and in front of its SetNextTaskStart. A
/// SyncAll must not stand between the work of two sub kernels, for it orders them by itself: the
/// first one works behind its own, the others in front of it.
void add_work(std::vector<Instruction>& program, const Program& work, bool first_op) {
  const auto ends = [&](const Instruction& in) {
    return in.op == Op::set_next_task_start || (in.op == Op::sync_all && !first_op);
  };
  program.insert(std::ranges::find_if(program, ends), work.begin(), work.end());
}

/// SyncAll on cube cores alone is what the recorded headers make of SyncAll<true> there (L-12).
void let_cubes_sync(Case& test_case) {
  test_case.latitudes.push_back("L-12=joins-cubes");
  for (SubKernel& sub : test_case.mix.sub_kernels) {
    for (Instruction& in : sub.aic) in.aiv_only |= in.op == Op::sync_all && is_aic_kind(sub.type);
  }
}

Subject subject_of(const Fact& fact, std::vector<std::string> sequence, int shift) {
  Subject subject;
  subject.test_case = case_of(fact);
  let_cubes_sync(subject.test_case);
  const auto composed = emulator::compose(subject.test_case, 0, {}).launch;
  SKCTS_CHECK(composed, "{} is refused", fact.name);
  const bool as_recorded = fact.expect.blocks && *fact.expect.blocks <= 24 && fact.expect.launch;
  subject.recorded = {as_recorded ? *fact.expect.launch : composed->shape.type,
                      as_recorded ? *fact.expect.blocks : composed->shape.blocks,
                      std::move(sequence)};
  ReplayLaunch launch{subject.recorded.type, subject.recorded.blocks, {}};
  std::vector<SubKernel>& subs = subject.test_case.mix.sub_kernels;
  int slots = 0;
  for (std::size_t op = 0; op < subs.size(); ++op) {
    launch.ops.push_back({subs[op].type, subs[op].blocks});
    OpCores& own = subject.ops.emplace_back();
    own.first_slot = slots;
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      for (int index = 0; index < launch.cores(kind); ++index) {
        if (launch.runs(static_cast<int>(op), {kind, index})) own.cores.push_back({kind, index});
      }
    }
    slots += static_cast<int>(own.cores.size());
  }
  const int inputs = static_cast<int>(subject.ops.front().cores.size()) * slot_words;
  subject.test_case.mix.regions = {emulator::testing::region("in", inputs, 1000, 1),
                                   emulator::testing::region("out", slots * slot_words)};
  for (std::size_t op = 0; op < subs.size(); ++op) {
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      if (subject.ops[op].of_kind(kind) == 0) continue;
      add_work(kind == CoreKind::aic ? subs[op].aic : subs[op].aiv,
               work_of(subject, op, kind, shift), op == 0);
    }
  }
  return subject;
}

/// What the output must hold.
std::vector<std::uint32_t> expected_words(const Subject& subject, int shift) {
  std::vector<std::uint32_t> out;
  for (std::size_t op = 0; op < subject.ops.size(); ++op) {
    const std::vector<CoreId>& cores = subject.ops[op].cores;
    for (int place = 0; place < static_cast<int>(cores.size()); ++place) {
      const auto slot = static_cast<std::uint32_t>(source_slot(subject, op, place, shift));
      for (std::uint32_t w = 0; w < slot_words; ++w) {
        const std::uint32_t at = slot * slot_words + w;
        const std::uint32_t word = op == 0 ? 1000 + at : out[at];
        const bool cube = cores[static_cast<std::size_t>(place)].kind == CoreKind::aic;
        out.push_back(cube ? mmad_word(word, word) : word);
      }
    }
  }
  return out;
}

/// How the runs of a fact came out.
struct Result {
  int runs = 0;
  int good = 0;
  int wrong = 0;  ///< completed with other words
  int stalled = 0;
  std::string other;  ///< the reason of the last refusal or error
};

/// Runs a sequence with several assignments of sources and schedules.
Result run_sequence(const Fact& fact, const std::vector<std::string>& sequence, int seeds) {
  Result result;
  constexpr const char* strategies[] = {"random/random", "pct:3/keep", "starve/random",
                                        "round-robin/keep"};
  for (const int shift : {0, 1, 7}) {
    const Subject subject = subject_of(fact, sequence, shift);
    emulator::Emulator target({.recorded = subject.recorded});
    const std::vector<std::uint32_t> expected = expected_words(subject, shift);
    for (const char* text : strategies) {
      for (int seed = 0; seed < seeds; ++seed) {
        RunRequest request;
        request.strategy =
            emulator::testing::strategy(text, static_cast<std::uint64_t>(seed + 10 * shift));
        const Outcome outcome = target.run(subject.test_case, request).outcome;
        ++result.runs;
        if (outcome.status == OutcomeStatus::stalled) {
          ++result.stalled;
        } else if (outcome.status != OutcomeStatus::completed) {
          result.other = outcome.reason;
        } else {
          const auto found =
              emulator::testing::words_of(subject.test_case, outcome, region_out, 0,
                                          static_cast<std::int32_t>(expected.size()));
          ++(found == expected ? result.good : result.wrong);
        }
      }
    }
  }
  return result;
}

/// The sequences that the prologue's own tests take over too.
bool is_taken(const Fact& fact) {
  return classify(fact).sequence && fact.expect.has_sequence;
}

/// As recorded, but for the end marker that the composer forgets in one.
std::vector<std::string> mended(const Fact& fact) {
  std::vector<std::string> steps = fact.expect.sequence;
  const auto run = std::ranges::find(steps, "run op0 AIV aiv_linear_idx<4");
  if (fact.name == "exec_feed_split1_no_end" && run != steps.end()) {
    steps.insert(std::next(run), "feed_end AIV aiv_linear_idx<4");
  }
  return steps;
}

TEST(RecordedSequences, AreFollowedAndOrderTheirSubKernels) {
  int followed = 0;
  std::vector<std::string> stalled;
  for (const Fact& recorded : all_facts()) {
    if (!is_taken(recorded)) continue;
    const Fact fact = fit_to_chip(recorded);
    SCOPED_TRACE(fact.name);
    const Result result = run_sequence(fact, mended(fact), 2);
    ++followed;
    if (result.stalled == result.runs) {
      stalled.push_back(fact.name);
      continue;
    }
    EXPECT_EQ(result.good, result.runs)
        << result.stalled << " stalled, " << result.wrong << " wrong " << result.other;
  }
  EXPECT_EQ(followed, 160);
  // A SyncAll in a sub kernel narrower than its launch, and feed-sync-all is off (CORE-5).
  EXPECT_THAT(stalled, testing::ElementsAre("exec_feed_off_default"));
}

/// Without its boundaries no sequence of several sub kernels keeps their order.
TEST(RecordedSequences, WithoutTheirBoundariesTheyShowIt) {
  int broken = 0;
  for (const Fact& recorded : all_facts()) {
    if (!is_taken(recorded) || recorded.ops.size() < 2) continue;
    const Fact fact = fit_to_chip(recorded);
    std::vector<std::string> steps = mended(fact);
    std::erase_if(steps, [](const std::string& step) {
      return step.starts_with("early_") || step.starts_with("flag_") ||
             step.starts_with("sync_all");
    });
    ++broken;
    const Result result = run_sequence(fact, steps, 2);
    EXPECT_LT(result.good, result.runs) << fact.name;
  }
  EXPECT_EQ(broken, 153);
}

/// The forgotten end marker leaves the idle cores waiting for it.
TEST(RecordedSequences, ADefectOfTheComposerShows) {
  const Fact fact = fit_to_chip(facts::fact("exec_feed_split1_no_end"));
  const Result result = run_sequence(fact, fact.expect.sequence, 2);
  EXPECT_EQ(result.stalled, result.runs);
}

TEST(RecordedSequences, TheRestIsLeftOutForAReason) {
  std::map<std::string, int> left_out;
  for (const Fact& recorded : all_facts()) {
    if (!recorded.expect.has_sequence || is_taken(recorded)) continue;
    ++left_out[classify(recorded).followed ? "followed elsewhere" : "never called"];
  }
  // recorded_events_test.cpp and recorded_streams_test.cpp follow them.
  EXPECT_EQ(left_out,
            (std::map<std::string, int>{{"followed elsewhere", 58}, {"never called", 1}}));
}

TEST(RecordedSequences, ALineThatIsNotUnderstoodIsRefusedAndQuoted) {
  const Fact fact = fit_to_chip(facts::fact("exec_feed_split1_no_end"));
  for (const char* line :
       {"notify AIC idx0 param 3", "run op7 AIV all", "run op0 AIV block<4", "early_cfg 3",
        "early_wait(5 AIV all", "flag_set 14 mode0 pipe S @AIV", "flag_wait 16 @AIV",
        "feed_slot AIV base+4096", "feed_complement AIC not-active", "sync_all vectors @all",
        "dcci_all AIV", "enter list @AIC", "run_dynamic op0 AIV", "run_dynamic op7 both", ""}) {
    std::vector<std::string> steps = mended(fact);
    steps.push_back(line);
    const Result result = run_sequence(fact, steps, 1);
    EXPECT_EQ(result.other, fmt::format("'{}' is no step of a launch", line));
  }
}

}  // namespace
}  // namespace skcts::facts
