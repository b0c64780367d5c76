// Whatever a well-typed case says, the emulator answers; it never crashes and never runs away.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/chooser.h"
#include "harness/emulator/defects.h"
#include "harness/emulator/testing.h"
#include "spec/validate.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using ::testing::HasSubstr;
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;

Outcome run(const Case& test_case, std::int64_t step_limit = 200'000) {
  Emulator emulator({});
  RunRequest request;
  request.step_limit = step_limit;
  return emulator.run(test_case, request).outcome;
}

void expect_refused(const Case& test_case, const char* text,
                    std::optional<RuleId> rule = std::nullopt) {
  const Outcome outcome = run(test_case);
  EXPECT_EQ(outcome.status, OutcomeStatus::refused) << text << ": " << outcome.reason;
  EXPECT_THAT(outcome.reason, HasSubstr(text));
  EXPECT_EQ(outcome.rule, rule) << text;
}

Case one(Program aiv, Program aic = {}, KernelType type = vec) {
  return fused({region("A", 16)}, {kernel("k", type, 1, std::move(aiv), std::move(aic))});
}

TEST(Refusals, NameThePlaceAndTheRule) {
  expect_refused(one({copy(ub(0), gm(0, words(16)))}), "A[16..24) is outside the region");
  expect_refused(one({copy(ub(0), gm(0, words(4)))}), "not 32-byte aligned");
  expect_refused(one({copy(ub(0), gm(0), 7)}), "count 7");
  expect_refused(one({copy(ub(4), gm(0))}), "UB[4] is not 32-byte aligned");
  expect_refused(one({duplicate(ub(1020), 1)}), "UB[1020..1028) is outside its 1024 words");
  expect_refused(one({load(ub(-1))}), "UB[-1..0)");
  expect_refused(one({copy(ub(0), gm(3))}), "no GM region");
  expect_refused(one({duplicate(ub(0), 1, 0)}), "count 0");
  expect_refused(one({raise(1, 3, mte3)}), "no flag mode 3");
  expect_refused(one({raise(1, 0, fix)}), "no pipe FIX");
  expect_refused(one({barrier(mte1)}), "no pipe MTE1");
  expect_refused(one({barrier(s)}), "PipeBarrier<PIPE_S>");
  expect_refused(one({fixpipe(gm(0))}), "Fixpipe on a vector core");
  expect_refused(one({load(object(2))}), "not declared");
  Case test_case = one({});
  test_case.profile = "a9";
  expect_refused(test_case, "no profile 'a9'");
  test_case = one({});
  test_case.path = "tf";
  expect_refused(test_case, "no composer path 'tf'");
  test_case = one({});
  test_case.mix.options = "feed-sync-all=yes";
  expect_refused(test_case, "feed-sync-all", RuleId::fuse_3);
  test_case = one({});
  test_case.mix.sub_kernels[0].blocks = 5;
  expect_refused(test_case, "vector cores", RuleId::core_8);
  test_case = one({});
  test_case.latitudes = {"L-14=sometimes"};
  expect_refused(test_case, "L-14");
  test_case = alone(one({}));
  test_case.mix.sub_kernels[0].blocks = 2'000'000'000;
  expect_refused(test_case, "waves", RuleId::core_8);
}

TEST(Refusals, LaunchNothing) {
  Case test_case = fused(
      {region("A", 16, 3)},
      {kernel("k0", vec, 1, put(gm(0), 5)), kernel("k1", vec, 1, {copy(ub(0), gm(0, words(16)))})});
  const Outcome outcome = run(test_case);
  EXPECT_EQ(outcome.status, OutcomeStatus::refused);
  EXPECT_EQ(words_of(test_case, outcome, 0, 0, 1)[0], 3u);
}

TEST(Refusals, AnAddressIsLookedAtCoreByCoreOnlyWhereItMatters) {
  // Core 1 would be outside, but never gets there.
  Case test_case =
      fused({region("A", 8)}, {kernel("k", vec, 2, {on_core(0, copy(ub(0), gm(0, by_core(8))))})});
  EXPECT_EQ(run(test_case).status, OutcomeStatus::completed);
  test_case.mix.sub_kernels[0].aiv[0].where.all.clear();
  expect_refused(test_case, "on aiv:1");
}

TEST(Errors, ResourcesThatDoNotFitAreNamed) {
  const auto use = [](Op op, int object, int other = -1) {
    Instruction in = make(op);
    in.object = static_cast<std::int16_t>(object);
    in.other = static_cast<std::int16_t>(other);
    in.count = 8;
    return in;
  };
  Instruction large = use(Op::init_buffer, 1, 0);
  large.count = 10'000'000;
  const auto text = [&](Program body) {
    Case test_case = one(std::move(body));
    test_case.mix.sub_kernels[0].names = {"p", "q", "x"};
    const Outcome outcome = run(test_case);
    EXPECT_EQ(outcome.status, OutcomeStatus::error);
    return outcome.reason;
  };
  const Instruction init = use(Op::tpipe_init, 0);
  const Instruction buffer = use(Op::init_buffer, 1, 0);
  EXPECT_THAT(text({init, large}), HasSubstr("do not fit into UB"));
  EXPECT_THAT(text({buffer}), HasSubstr("not alive"));
  EXPECT_THAT(text({init, buffer, use(Op::deque, 1, 2)}), HasSubstr("empty queue"));
  EXPECT_THAT(text({init, buffer, use(Op::enque, 1, 2)}), HasSubstr("no tensor of"));
  EXPECT_THAT(text({init, buffer, use(Op::alloc_tensor, 1, 2), use(Op::alloc_tensor, 1, 2)}),
              HasSubstr("not free"));
  EXPECT_THAT(text({copy(named(2), gm(0))}), HasSubstr("no tensor here"));
  EXPECT_THAT(text({init, use(Op::tpipe_init, 1)}), HasSubstr("another one lives"));
  EXPECT_THAT(text({init, init}), HasSubstr("another one lives"));
}

TEST(Limits, WordsOfGmAreThoseOfAValidCase) {
  Case test_case = one({});
  const auto most = static_cast<std::int32_t>(max_gm_words);
  test_case.mix.regions = {region("A", 1), region("B", most - 16)};
  EXPECT_EQ(run(test_case).status, OutcomeStatus::completed);
  test_case.mix.regions[0].words = 17;
  expect_refused(test_case, "the regions need more than");
}

TEST(Limits, DeepAndLongRepeatsEndAtTheStepLimit) {
  const Program deep = {repeat(1'000'000, {repeat(1'000'000, {repeat(1'000'000, {barrier(v)})})})};
  EXPECT_EQ(run(one(deep)).reason, "step limit");
  // Nothing inside is ever executed: the core still makes steps.
  const Program idle = {repeat(1'000'000, {repeat(1'000'000, {on_core(7, barrier(v))})})};
  EXPECT_EQ(run(one(idle), 1000).reason, "step limit");
  EXPECT_EQ(run(one({repeat(1'000'000'000, {})})).status, OutcomeStatus::completed);
}

/// A case of random fields, most of them senseless.
class Wild {
 public:
  explicit Wild(std::uint64_t seed) : random_(seed) {}

  Case next() {
    Case result = fused({}, {});
    for (std::uint32_t r = 0, n = 1 + random_.below(3); r < n; ++r) {
      result.mix.regions.push_back(region("R", pick({8, 16, 64, 100}), 1, 1));
      result.mix.regions.back().offset_bytes = pick({0, 0, 32, 4});
    }
    for (std::uint32_t k = 0, n = 1 + random_.below(3); k < n; ++k) {
      SubKernel sub = kernel("k", static_cast<KernelType>(random_.below(6)), pick({1, 2, 3, 1}),
                             program(0), program(0));
      if (random_.below(2) == 0) sub.aic.clear();
      sub.tensors = {{"t", 0, false, ""}, {"u", 0, true, ""}};
      sub.names = {"p", "q", "x", "y"};
      if (random_.below(8) == 0) sub.tiling = Tiling::offload;
      result.mix.sub_kernels.push_back(std::move(sub));
    }
    constexpr const char* options[] = {"", "early-start=0", "early-start=2", "feed-sync-all=1",
                                       "debug-sync-all=1:debug-dcci-all=1"};
    result.mix.options = options[random_.below(5)];
    return random_.below(4) == 0 ? alone(result) : result;
  }

 private:
  std::int32_t pick(std::initializer_list<std::int32_t> list) {
    return *(list.begin() + random_.below(static_cast<std::uint32_t>(list.size())));
  }
  Expr expr() {
    Expr result;
    result.base = pick({0, 0, 0, 8, 16, -8, 3, 1 << 20});
    result.core = pick({0, 0, 8, 1});
    result.block = pick({0, 0, 0, 8});
    result.repeat[0] = pick({0, 0, 8});
    result.shift = pick({0, 0, 1, -1});
    return result;
  }
  Operand operand() {
    Operand result;
    result.space = static_cast<Space>(random_.below(9));
    result.index = static_cast<std::int16_t>(pick({0, 0, 0, 1, 2, -1, 9}));
    result.at = expr();
    return result;
  }
  Value value() {
    Value result;
    result.expr = expr();
    result.reg = static_cast<std::int8_t>(pick({-1, -1, 0, 7, 9}));
    return result;
  }
  /// An instruction whose operands mostly make sense, so that runs get somewhere.
  Instruction instruction(int depth) {
    if (random_.below(2) == 0) {
      const Program pool = {copy(ub(0), gm(0)),
                            copy(gm(0, by_core(8)), ub(8)),
                            adds(ub(0), ub(8), 3),
                            set(mte2, v, 1),
                            wait(mte2, v, 1),
                            load(object(0)),
                            store(object(0, by_core(1)), 5),
                            refresh(gm(0)),
                            data_sync(),
                            raise(2, 0, mte3),
                            wait_raise(2),
                            sync_all(),
                            sync_all(false),
                            barrier(),
                            poll(gm(0), 1, PollVia::bypass),
                            poll(object(0), 5, PollVia::get_value),
                            store(gm(0, by_core(1)), 1)};
      return pool[random_.below(static_cast<std::uint32_t>(pool.size()))];
    }
    Instruction in;
    in.op = static_cast<Op>(random_.below(op_count));
    in.dst = operand();
    in.src = operand();
    in.src_b = operand();
    in.count = pick({8, 8, 8, 16, 7, 0, -8, 1 << 30});
    in.value = value();
    in.reg = static_cast<std::int8_t>(pick({-1, 0, 3, 8}));
    in.pipe = static_cast<Pipe>(random_.below(8));
    in.aic_pipe = static_cast<Pipe>(random_.below(8));
    in.event = {static_cast<Pipe>(random_.below(7)), static_cast<Pipe>(random_.below(7))};
    in.id = pick({0, 1, 3, 12, 17, -1, 1 << 30});
    in.mode = pick({0, 0, 1, 2, 3, 4, -1});
    in.aiv_only = random_.below(2) == 0;
    in.line = static_cast<CacheLine>(random_.below(2));
    in.dsb = static_cast<Dsb>(random_.below(4));
    in.via = static_cast<PollVia>(random_.below(4));
    in.until = static_cast<Compare>(random_.below(2));
    in.refresh = random_.below(2) == 0;
    in.atomic_add = random_.below(4) == 0;
    in.position = static_cast<Position>(random_.below(8));
    in.object = static_cast<std::int16_t>(pick({0, 1, 1, 2, 5, -1}));
    in.other = static_cast<std::int16_t>(pick({0, 0, 2, 3, 7, -1}));
    in.num = pick({1, 2, 64, 0, 100});
    if (in.op == Op::compute) {
      in.reads = {{operand(), pick({8, 0, 3})}};
      in.writes = {{operand(), pick({8, 8, 1})}};
    }
    if (in.op == Op::repeat) {
      in.times = pick({0, 2, 3, 100, -1});
      in.body = program(depth + 1);
    }
    if (random_.below(3) == 0) {
      in.where.all.push_back({static_cast<IndexName>(random_.below(7)), pick({0, 1, -1}), 1});
    }
    return in;
  }
  Program program(int depth) {
    Program result;
    if (depth > 3) return result;
    for (std::uint32_t i = 0, n = random_.below(5); i < n; ++i) {
      result.push_back(instruction(depth));
    }
    return result;
  }

  Random random_;
};

TEST(Robustness, WildCasesAreAnsweredAndReplay) {
  Wild wild(1);
  Emulator emulator({});
  Emulator player({});
  std::map<OutcomeStatus, int> seen;
  for (int i = 0; i < 20'000; ++i) {
    const Case test_case = wild.next();
    RunRequest request;
    request.strategy = strategy(all_strategies[static_cast<std::size_t>(i) % 10], 7);
    request.step_limit = 20'000;
    const RunResult result = emulator.run(test_case, request);
    ++seen[result.outcome.status];
    EXPECT_TRUE(result.outcome.status != OutcomeStatus::stalled || !result.outcome.waiting.empty())
        << i;
    if (i % 16 != 0) continue;
    RunRequest again;
    again.replay = &result.schedule;
    again.step_limit = request.step_limit;
    const RunResult replayed = player.run(test_case, again);
    EXPECT_TRUE(replayed.replay_fitted) << i;
    EXPECT_EQ(replayed.outcome, result.outcome) << i;
  }
  for (const OutcomeStatus status : {OutcomeStatus::completed, OutcomeStatus::stalled,
                                     OutcomeStatus::error, OutcomeStatus::refused}) {
    EXPECT_GT(seen[status], 100) << to_string(status);
  }
}

TEST(Robustness, WildCasesAreAnsweredWithEveryDefect) {
  for (const Defect& defect : defects()) {
    Wild wild(2);
    Emulator emulator({std::string(defect.name), {}});
    for (int i = 0; i < 1'000; ++i) {
      RunRequest request;
      request.step_limit = 20'000;
      (void)emulator.run(wild.next(), request);
    }
  }
}

}  // namespace
}  // namespace skcts::emulator
