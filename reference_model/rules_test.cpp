// Every restriction: the smallest mix that breaks it has it as primary rule, its healthy twin none.
#include <functional>

#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"
#include "spec/validate.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::aiv_only;
constexpr KernelType mix_vectors = KernelType::mix_aiv_1_0;
constexpr KernelType mix11 = KernelType::mix_aic_1_1;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

struct Pair {
  RuleId rule;
  std::string name;
  Behaviour behaviour;
  std::function<Build(bool broken)> make;
};

Program on(IndexName index, int low, int high, const Program& program) {
  Program limited;
  for (const Instruction& in : program) limited.push_back(where(index, low, high, in));
  return limited;
}
Program on_core(int core, const Program& program) {
  return on(IndexName::core, core, core, program);
}
/// Reads 8 words of a region by DMA and stores them to another, in order.
Program copy_words(int to, Expr to_at, int from, Expr from_at) {
  return {data_copy(ub(64), gm(from, from_at)), set_flag(Pipe::mte2, Pipe::mte3, 2),
          wait_flag(Pipe::mte2, Pipe::mte3, 2), data_copy(gm(to, to_at), ub(64)), barrier()};
}
/// A cube stores its share of a region by FIX.
Program cube_fill(int to, Expr at, int tag) {
  return {compute(Pipe::m, {}, {{local(Space::l0c), 8}}, tag), set_flag(Pipe::m, Pipe::fix),
          wait_flag(Pipe::m, Pipe::fix), fixpipe(gm(to, at), local(Space::l0c))};
}

std::vector<Pair> sync_pairs() {
  std::vector<Pair> pairs;
  const auto add = [&](RuleId rule, std::string name, Behaviour behaviour,
                       std::function<Build(bool)> make) {
    pairs.push_back({rule, std::move(name), behaviour, std::move(make)});
  };
  add(RuleId::core_5, "narrow_sync_all", Behaviour::stalls, [](bool broken) {
    Build build(broken ? "" : "feed-sync-all=1");
    build.kernel(vectors, 2, {sync_all()});
    build.kernel(vectors, 4, {});
    return build;
  });
  add(RuleId::core_5, "launch_rounding", Behaviour::stalls, [](bool broken) {
    Build build;
    build.kernel(vectors, broken ? 3 : 4, {sync_all()});
    build.kernel(KernelType::aic_only, 1, {}, {});
    return build;
  });
  add(RuleId::sync_3, "hand_made_barrier", Behaviour::stalls, [](bool broken) {
    Build build("feed-sync-all=1");
    build.kernel(mix_vectors, broken ? 2 : 4, {raise(0, Pipe::mte3, 3), wait(3)});
    build.kernel(vectors, 4, {});
    return build;
  });
  add(RuleId::sync_5, "wait_without_raise", Behaviour::stalls, [](bool broken) {
    Build build;
    build.kernel(mix12, 1, broken ? Program{wait(3), wait(3)} : Program{wait(3)},
                 {raise(2, Pipe::fix, 3)});
    return build;
  });
  add(RuleId::sync_5, "residue_releases_a_later_wait", Behaviour::nondeterministic_data,
      [](bool broken) {
        Build build;
        const int x = build.region("X", 8);
        const int y = build.region("Y", 16);
        Program raises = {raise(2, Pipe::fix, 3)};
        if (broken) raises.push_back(raise(2, Pipe::fix, 3));
        build.kernel(mix12, 1, {wait(3)}, raises);
        build.kernel(mix12, 1, Program{wait(3)} + copy_words(y, per_core(8), x, word(0)),
                     cube_fill(x, word(0), 9) + Program{raise(2, Pipe::fix, 3)});
        return build;
      });
  add(RuleId::sync_5, "residue_without_consequence", Behaviour::completes, [](bool broken) {
    Build build;
    build.kernel(mix12, 1, {wait(3)},
                 broken ? Program{raise(2, Pipe::fix, 3), raise(2, Pipe::fix, 3)}
                        : Program{raise(2, Pipe::fix, 3)});
    return build;
  });
  add(RuleId::sync_6, "sixteen_raises_ahead", Behaviour::error, [](bool broken) {
    Build build;
    const int rounds = broken ? 16 : 15;
    build.kernel(mix12, 1, {repeat(rounds, {wait(3)})}, {repeat(rounds, {raise(2, Pipe::fix, 3)})});
    return build;
  });
  add(RuleId::sync_7, "id_of_sync_all", Behaviour::may_stall, [](bool broken) {
    Build build;
    const int id = broken ? 12 : 4;
    build.kernel(mix12, 1, {raise(2, Pipe::mte3, id), sync_all(false)},
                 {wait(id), sync_all(false)});
    return build;
  });
  add(RuleId::sync_7, "id_of_the_matmul_service", Behaviour::may_stall, [](bool broken) {
    Build build;
    const int a = build.region("A", 64, 1, 1);
    const int id = broken ? 15 : 4;
    build.kernel(mix12, 1,
                 {matmul(gm(a, per_core(8, 32)), gm(a), gm(a, word(8))), raise(1, Pipe::mte3, id),
                  wait(id)});
    return build;
  });
  add(RuleId::sync_8, "one_core_kind", Behaviour::stalls, [](bool broken) {
    Build build("feed-sync-all=1");
    build.kernel(vectors, 2, {sync_all(!broken)});
    build.kernel(mix12, 1, {});
    return build;
  });
  add(RuleId::sync_8, "cube_not_ordered", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int x = build.region("X", 8);
    const int y = build.region("Y", 16);
    Program cube = cube_fill(x, word(0), 9);
    if (!broken) cube.push_back(sync_all(false));
    build.kernel(mix12, 1, Program{sync_all(broken)} + copy_words(y, per_core(8), x, word(0)),
                 cube);
    return build;
  });
  add(RuleId::sync_9, "workspace_not_zero", Behaviour::may_stall, [](bool broken) {
    Build build;
    const int space = build.region("W", 64, broken ? 5 : 0, broken ? 1 : 0);
    build.kernel(vectors, 4, {soft_sync(space)});
    return build;
  });
  add(RuleId::sync_9, "more_cores_than_run", Behaviour::stalls, [](bool broken) {
    Build build;
    const int space = build.region("W", 64);
    build.kernel(vectors, 4, {soft_sync(space, 0, broken ? 5 : 4)});
    return build;
  });
  add(RuleId::sync_9, "copy_into_the_workspace", Behaviour::may_stall, [](bool broken) {
    Build build;
    const int space = build.region("W", 64);
    const int other = build.region("Y", 64);
    build.kernel(vectors, 2, {soft_sync(space)});
    build.kernel(vectors, 2, fill_out(broken ? space : other, per_core(8), 7));
    return build;
  });
  // A core's own slot may be rewritten after its peers have left the barrier, so a cached store to
  // the line of a slot meets it, whatever came before.
  add(RuleId::sync_9, "scalar_store_beside_the_slots", Behaviour::may_stall, [](bool broken) {
    Build build;
    const int space = build.region("W", 64);
    const int free = broken ? 24 : 32;  // Slots are words 0..23; word 24 shares the line of 16..23.
    Program program{soft_sync(space)};
    for (const Instruction& in :
         {raw_store(gm(space, word(free)), constant(5)), dcci(gm(space, word(free))), dsb()}) {
      program.push_back(where(IndexName::core, 0, 0, in));
    }
    build.kernel(vectors, 3, program);
    return build;
  });
  add(RuleId::sync_11, "exchange_without_a_barrier", Behaviour::nondeterministic_data,
      [](bool broken) {
        Build build;
        const int a = build.region("A", 32);
        const int y = build.region("Y", 32);
        Program program = fill_out(a, per_core(8), 7);
        if (!broken) program.push_back(sync_all());
        build.kernel(vectors, 4, program + copy_words(y, per_core(8), a, per_core(8, 0, 1)));
        return build;
      });
  add(RuleId::sync_12, "two_modes_of_one_id", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int a = build.region("A", 16);
    const int y = build.region("Y", 16);
    const int other = broken ? 4 : 5;
    build.kernel(mix12, 1,
                 fill_out(a, per_core(8), 7) + Program{raise(0, Pipe::mte3, other), wait(other)} +
                     copy_words(y, per_core(8), a, per_core(8, 0, 1)) + Program{wait(4)},
                 {raise(2, Pipe::fix, 4)});
    return build;
  });
  add(RuleId::sync_13, "flags_without_the_scheduler", Behaviour::completes, [](bool broken) {
    Build build;
    build.kernel(broken ? vectors : mix_vectors, 2, {raise(0, Pipe::mte3, 3), wait(3)});
    return build;
  });
  add(RuleId::sync_14, "calls_that_differ", Behaviour::stalls, [](bool broken) {
    Build build;
    build.kernel(vectors, 4,
                 {sync_all(), broken ? where(IndexName::core, 0, 1, sync_all()) : sync_all()});
    return build;
  });
  add(RuleId::sync_16, "cached_poll", Behaviour::may_stall, [](bool broken) {
    Build build;
    const int flag = build.region("F", 16);
    const PollVia via = broken ? PollVia::raw_load : PollVia::bypass;
    build.kernel(vectors, 2,
                 on_core(0, fill_out(flag, word(0), 1)) + on_core(1, {poll(gm(flag), 1, via)}));
    return build;
  });
  return pairs;
}

std::vector<Pair> other_pairs() {
  std::vector<Pair> pairs;
  const auto add = [&](RuleId rule, std::string name, Behaviour behaviour,
                       std::function<Build(bool)> make) {
    pairs.push_back({rule, std::move(name), behaviour, std::move(make)});
  };
  add(RuleId::ratio_2, "one_vector_is_singled_out", Behaviour::stalls, [](bool broken) {
    Build build;
    const Instruction all = raise(2, Pipe::mte3, 4);
    build.kernel(mix11, 2, {broken ? where(IndexName::sub, 0, 0, all) : all}, {wait(4)});
    build.kernel(mix12, 2, {});
    return build;
  });
  add(RuleId::ratio_3, "matmul_from_the_second_vector", Behaviour::stalls, [](bool broken) {
    Build build;
    const int a = build.region("A", 64, 1, 1);
    const int sub = broken ? 1 : 0;
    build.kernel(mix11, 1,
                 on(IndexName::sub, sub, sub, {matmul(gm(a, word(32)), gm(a), gm(a, word(8)))}));
    build.kernel(mix12, 1, {});
    return build;
  });
  add(RuleId::ratio_4, "share_by_core", Behaviour::wrong_data, [](bool broken) {
    Build build;
    const int y = build.region("Y", 64);
    const Program share = fill_out(y, broken ? per_core(8) : per_block(8), 5);
    build.kernel(mix11, 2, broken ? share : on(IndexName::sub, 0, 0, share));
    build.kernel(mix12, 2, {});
    return build;
  });
  add(RuleId::cache_7, "hand_over_without_the_barrier", Behaviour::nondeterministic_data,
      [](bool broken) {
        Build build;
        const int x = build.region("X", 16, 3);
        const int y = build.region("Y", 16);
        Program store = {raw_store(gm(x), constant(9)), dcci(gm(x))};
        if (!broken) store.push_back(dsb());
        build.kernel(
            vectors, 2,
            on_core(0, store) + Program{sync_all()} +
                on_core(1, {dcci(gm(x)), raw_load(gm(x), 1), duplicate(ub(0), in_register(1)),
                            barrier(), data_copy(gm(y), ub(0)), barrier()}));
        return build;
      });
  add(RuleId::cache_8, "two_writers_of_a_line", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int x = build.region("X", 64, 3);
    build.kernel(vectors, 2, {});
    const int t = build.tensor_of(0, x);
    build.sub(0).aiv = {set_value(tensor(t, per_core(broken ? 1 : 16)), constant(5)), tensor_end(t),
                        dsb()};
    return build;
  });
  add(RuleId::cache_11, "left_dirty", Behaviour::completes, [](bool broken) {
    Build build;
    const int x = build.region("X", 64, 3);
    Program program = {raw_store(gm(x, per_core(16)), constant(5))};
    if (!broken) program = program + Program{dcci(gm(x, per_core(16))), dsb()};
    build.kernel(vectors, 2, program);
    return build;
  });
  add(RuleId::pipe_2, "two_tpipes_with_another_layout", Behaviour::nondeterministic_data,
      [](bool broken) {
        Build build;
        const int a = build.region("A", 16, 1, 1);
        const int b = build.region("B", 16);
        build.kernel(vectors, 1, {});
        build.names(0, {"p", "t", "x", "q", "u", "y"});
        Program program = {
            named(Op::tpipe_init, 0),      init_buffer(1, 0, Position::veccalc, 1, 8),
            named(Op::tbuf_get, 1, 2),     duplicate(taken(2), constant(1)),
            set_flag(Pipe::v, Pipe::mte3), wait_flag(Pipe::v, Pipe::mte3),
            data_copy(gm(a), taken(2)),    named(Op::tpipe_end, 0)};
        if (!broken) program.push_back(barrier());
        build.sub(0).aiv = program + Program{named(Op::tpipe_init, 3),
                                             init_buffer(4, 3, Position::veccalc, 1, 8),
                                             named(Op::tbuf_get, 4, 5),
                                             duplicate(taken(5), constant(2)),
                                             set_flag(Pipe::v, Pipe::mte3),
                                             wait_flag(Pipe::v, Pipe::mte3),
                                             data_copy(gm(b), taken(5)),
                                             named(Op::tpipe_end, 3),
                                             barrier()};
        return build;
      });
  add(RuleId::pipe_4, "set_twice", Behaviour::error, [](bool broken) {
    Build build;
    Program program = {set_flag(Pipe::mte2, Pipe::v)};
    if (broken) program.push_back(set_flag(Pipe::mte2, Pipe::v));
    program.push_back(wait_flag(Pipe::mte2, Pipe::v));
    if (broken) program.push_back(wait_flag(Pipe::mte2, Pipe::v));
    build.kernel(vectors, 1, program);
    return build;
  });
  add(RuleId::pipe_4, "event_never_set", Behaviour::stalls, [](bool broken) {
    Build build;
    build.kernel(vectors, 1, broken ? Program{wait_flag(Pipe::mte2, Pipe::v)} : Program{barrier()});
    return build;
  });
  add(RuleId::pipe_5, "copy_left_behind", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int a = build.region("A", 32, 1, 1);
    const int y = build.region("Y", 32);
    Program first = {data_copy(ub(512), gm(a, per_core(8)))};
    if (!broken) first.push_back(barrier());
    build.kernel(vectors, 2, first);
    build.kernel(vectors, 2, fill_out(y, per_core(8), 3));
    return build;
  });
  add(RuleId::pipe_6, "pipes_without_an_event", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int y = build.region("Y", 16);
    Program program = {duplicate(ub(0), constant(4)), barrier(), duplicate(ub(0), constant(5))};
    if (!broken) program.push_back(barrier());
    build.kernel(vectors, 1, program + Program{data_copy(gm(y), ub(0)), barrier()});
    return build;
  });
  add(RuleId::pipe_7, "unwritten_local_word", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int y = build.region("Y", 16);
    Program program;
    if (!broken) program = {duplicate(ub(0), constant(5)), barrier()};
    build.kernel(vectors, 1, program + Program{data_copy(gm(y), ub(0)), barrier()});
    return build;
  });
  add(RuleId::task_4, "signal_on_some_cores", Behaviour::stalls, [](bool broken) {
    Build build;
    build.test_case.profile = "a3-24";  // on A2 the calls may do nothing (L-21)
    build.kernel(vectors, 4, {broken ? where(IndexName::core, 0, 2, set_next()) : set_next()});
    build.kernel(vectors, 4, {});
    return build;
  });
  add(RuleId::task_5, "tail_writes_what_the_next_reads", Behaviour::nondeterministic_data,
      [](bool broken) {
        Build build;
        const int a = build.region("A", 16);
        const int y = build.region("Y", 16);
        const Program store = fill_out(a, per_core(8), 3);
        build.kernel(vectors, 2,
                     broken ? Program{set_next()} + store : store + Program{set_next()});
        build.kernel(vectors, 2, copy_words(y, per_core(8), a, per_core(8, 0, 1)));
        return build;
      });
  add(RuleId::task_7, "sync_all_in_a_tail", Behaviour::nondeterministic_data, [](bool broken) {
    Build build;
    const int a = build.region("A", 16);
    const Program store = fill_out(a, per_core(8), 3);
    build.kernel(
        vectors, 2,
        broken ? store + Program{set_next(), sync_all()} : store + Program{sync_all(), set_next()});
    build.kernel(vectors, 2, {});
    return build;
  });
  return pairs;
}

class Restriction : public ::testing::TestWithParam<Pair> {};

TEST_P(Restriction, IsThePrimaryRuleOfItsBreach) {
  const Case broken = GetParam().make(true).test_case;
  ASSERT_TRUE(validate(broken).empty()) << to_string(validate(broken).front());
  const Analysis analysis = analyse(broken);
  ASSERT_TRUE(analysis.rule.has_value());
  EXPECT_EQ(to_string(*analysis.rule), to_string(GetParam().rule)) << analysis.sentence;
  EXPECT_EQ(to_string(analysis.behaviour), to_string(GetParam().behaviour)) << analysis.sentence;
  EXPECT_FALSE(analysis.portable);
  EXPECT_NE(analysis.sentence.find(to_string(GetParam().rule)), std::string::npos)
      << analysis.sentence;
}

TEST_P(Restriction, HasAHealthyTwin) {
  const Case healthy = GetParam().make(false).test_case;
  ASSERT_TRUE(validate(healthy).empty()) << to_string(validate(healthy).front());
  Model model;
  std::string why;
  EXPECT_TRUE(model.is_legal(healthy, &why)) << why;
}

std::string pair_name(const ::testing::TestParamInfo<Pair>& info) {
  std::string name(to_string(info.param.rule));
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Sync, Restriction, ::testing::ValuesIn(sync_pairs()), pair_name);
INSTANTIATE_TEST_SUITE_P(Other, Restriction, ::testing::ValuesIn(other_pairs()), pair_name);

}  // namespace
}  // namespace skcts::model
