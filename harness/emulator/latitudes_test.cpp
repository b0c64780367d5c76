// Every latitude: what the emulator shows at each position, or why no mix can tell them apart.
//
// A row is a mix and, for each position, all that the strategies make of it. The positions are held
// by the emulator in one pass and by the case in another.
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/launch.h"
#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;
constexpr auto cubes = KernelType::mix_aic_1_0;
constexpr auto mix11 = KernelType::mix_aic_1_1;
using Seen = std::set<std::string>;

/// The status; behind "completed" the first query, else the first word of the last region.
std::string observed(const Case& test_case, const Outcome& outcome) {
  if (outcome.status != OutcomeStatus::completed) return std::string(to_string(outcome.status));
  if (!outcome.queries.empty()) return fmt::format("{}", outcome.queries.front().value);
  const int last = static_cast<int>(test_case.mix.regions.size()) - 1;
  return fmt::format("{}", words_of(test_case, outcome, last, 0, 1).front());
}

Seen seen_by(Target& target, const Case& test_case) {
  Seen seen;
  run_all(target, test_case, 80, [&](const Outcome& outcome, const std::string&) {
    seen.insert(observed(test_case, outcome));
  });
  return seen;
}

Instruction bypass_store(Operand dst, int reg = 0) {
  Instruction in = make(Op::write_gm_bypass);
  in.dst = dst;
  in.value.reg = static_cast<std::int8_t>(reg);
  return in;
}
Instruction bypass_load(Operand src, int reg = 0) {
  Instruction in = make(Op::read_gm_bypass);
  in.src = src;
  in.reg = static_cast<std::int8_t>(reg);
  return in;
}
Program core_only(int core, Program program) {
  for (Instruction& in : program) in = on_core(core, in);
  return program;
}
/// X is 1 at the start; Y, the last region, is what a mix shows.
Case on_x_and_y(std::vector<SubKernel> subs, std::string options = "") {
  return fused({region("X", 16, 1), region("Y", 32)}, std::move(subs), std::move(options));
}
Case with_tensor(Case test_case) {
  test_case.mix.sub_kernels[0].tensors = {{"t", 0, false, ""}};
  return test_case;
}
/// Core 1 loads X past or through its cache and shows it.
Program shown_by_core_1(Instruction load_it) {
  return core_only(1, {std::move(load_it), bypass_store(gm(1))});
}

Case overlapping_writes() {
  return fused({region("A", 8)}, {kernel("k", vec, 1,
                                         Program{duplicate(ub(0), 1), duplicate(ub(0), 2)} +
                                             handed(v, mte3) + Program{copy(gm(0), ub(0))})});
}

Case refresh_behind_pipe_all() {
  return on_x_and_y(
      {kernel("k", vec, 2,
              Program{on_core(0, store(gm(0), 7)), on_core(0, refresh(gm(0))), sync_all()} +
                  shown_by_core_1(load(gm(0))))});
}
Case dma_behind_data_sync() {
  return on_x_and_y({kernel(
      "k", vec, 1, put(gm(0), 7) + Program{data_sync(), load(gm(0)), bypass_store(gm(1))})});
}

Case one_event(KernelType type, Pipe from, Pipe to, int id) {
  const Program body = handed(from, to, id);
  const bool cube = type == mix11;
  return fused({region("A", 8, 3)}, {kernel("k", type, 1, cube ? Program{} : body, body)});
}

Case event_set_twice() {
  return fused({region("A", 8, 3)},
               {kernel("k", vec, 1, {set(mte2, v, 3), set(mte2, v, 3), wait(mte2, v, 3)})});
}

Case raise_for_the_next_launch() {
  Case test_case = fused({region("A", 8, 3)}, {kernel("k0", mix11, 1, {}, {raise(3, 2, fix)}),
                                               kernel("k1", mix11, 1, {wait_raise(3)}, {})});
  test_case.plan.steps.resize(2);
  test_case.plan.steps[0].sub_kernels = {0};
  test_case.plan.steps[1].sub_kernels = {1};
  return test_case;
}

/// Raise 3 follows the store on MTE3, raise 4 on MTE2 follows only the load.
Case raise_past_a_raise() {
  const Program aic = Program{copy(in(Space::l1), gm(0))} + handed(mte2, mte3) +
                      Program{copy(gm(1), in(Space::l1)), raise(3, 2, mte3), raise(4, 2, mte2)};
  const Program aiv = Program{wait_raise(4)} + move(gm(2), gm(1)) + Program{wait_raise(3)};
  return fused({region("A", 8, 7), region("X", 8), region("Y", 8)},
               {kernel("k", mix11, 1, aiv, aic)});
}

Case sixteen_raises() {
  return fused({region("X", 8)}, {kernel("k", mix11, 1, {}, {repeat(16, {raise(3, 2, fix)})})});
}

Case flag_in_a_plain_type() {
  return alone(fused({region("X", 8)},
                     {kernel("k", KernelType::aiv_only, 2, {raise(1, 0, mte3), wait_raise(1)})}));
}
Case mixed_sync_in_a_plain_type() {
  return alone(
      fused({region("X", 8)}, {kernel("k", KernelType::aic_only, 2, {}, {sync_all(false)})}));
}

/// A core waits for hand-made flags in a kernel of which another place calls SyncAll.
Case flag_beside_sync() {
  return alone(fused(
      {region("X", 8, 3)},
      {kernel("k", KernelType::aiv_only, 2, {raise(1, 0, mte3), wait_raise(1), sync_all()})}));
}

Case flag_fifteen() {
  return fused({region("A", 8, 3)}, {kernel("k", mix11, 1, {wait_raise(15)}, {raise(15, 2, fix)})});
}

Case vector_sync_on_cubes() {
  Instruction give = make(Op::write_gm_bypass);
  give.dst = gm(0);
  give.value.expr = words(7);
  const Program body = {on_core(0, give), on_core(0, data_sync()), sync_all(),
                        on_core(1, bypass_load(gm(0))), on_core(1, bypass_store(gm(1)))};
  return on_x_and_y({kernel("k", cubes, 2, {}, body)});
}

Case sync_in_a_plain_type() {
  return alone(fused({region("A", 8, 3)}, {kernel("k", KernelType::aiv_only, 2, {sync_all()})}));
}

Case vector_work_left_behind() {
  return fused(
      {region("A", 8, 5), region("B", 8)},
      {kernel("k0", vec, 1, {duplicate(ub(0), 1)}),
       kernel("k1", vec, 1,
              Program{copy(ub(0), gm(0))} + handed(mte2, mte3) + Program{copy(gm(1), ub(0))})});
}

/// A cube stores from L1, and signals by itself on another pipe.
Case store_beside_own_signal(Pipe named) {
  Instruction start = make(Op::set_next_task_start);
  start.aic_pipe = named;
  const Program body = core_only(0, Program{copy(in(Space::l1), gm(0))} + handed(mte2, mte3) +
                                        Program{copy(gm(1), in(Space::l1))});
  return fused(
      {region("A", 8, 5), region("X", 8, 1), region("Y", 8)},
      {kernel("k0", cubes, 2, {}, body + Program{start}),
       kernel("k1", cubes, 2, {}, core_only(1, {bypass_load(gm(1)), bypass_store(gm(2))}))});
}

/// The soft barrier, twice, over slots 0, 1, 1, 1 or over equal ones.
Case soft_barrier(bool equal) {
  Instruction call = make(Op::soft_sync_all);
  call.src = gm(0);
  call.dst = ub(512);
  Case test_case = fused({region("W", 32), region("Y", 8)}, {kernel("k", vec, 4, {call, call})});
  test_case.mix.regions[0].init.values = {equal ? 1u : 0u, 0, 0, 0, 0, 0, 0, 0};
  test_case.mix.regions[0].init.first = 1;
  return test_case;
}

Case second_get_value() {
  const Program body = Program{on_core(1, load(object(0))), sync_all()} +
                       core_only(0, put(gm(0), 9)) + Program{sync_all()} +
                       shown_by_core_1(load(object(0)));
  return with_tensor(on_x_and_y({kernel("k", vec, 2, body)}));
}

Case early_start_before_the_store() {
  Instruction start = make(Op::set_next_task_start);
  start.pipe = mte3;
  Program body = put(gm(0), 5);
  body.insert(body.end() - 1, start);
  return fused({region("A", 8), region("Y", 8)},
               {kernel("k0", vec, 2, core_only(0, body) + Program{on_core(1, start)}),
                kernel("k1", vec, 2, core_only(1, move(gm(1), gm(0))))});
}

Case dirty_line_watched() {
  return on_x_and_y({kernel("k", vec, 2,
                            Program{on_core(0, store(gm(0), 7)), sync_all()} +
                                shown_by_core_1(bypass_load(gm(0))) + Program{sync_all()})});
}

Case clean_line_read_again() {
  const Program body = Program{on_core(1, load(gm(0))), sync_all()} + core_only(0, put(gm(0), 9)) +
                       Program{sync_all()} + shown_by_core_1(load(gm(0)));
  return on_x_and_y({kernel("k", vec, 2, body)});
}
/// Core 0 stores to a line and reads another word of it that core 1 has stored since: the line,
/// written back or not, is still there.
Case written_back_line_read_again() {
  const Program body = Program{on_core(0, store(gm(0, words(1)), 7)), sync_all()} +
                       core_only(1, put(gm(0, words(8)), 9)) + Program{sync_all()} +
                       core_only(0, {load(gm(0, words(8))), bypass_store(gm(1))});
  return on_x_and_y({kernel("k", vec, 2, body)});
}

/// Eight words are stored while two of them are read, the first one first.
Case block_watched() {
  // The barriers give the store time to come.
  const Program read = {repeat(6, {data_sync()}), bypass_load(gm(0), 0),
                        bypass_load(gm(0, words(7)), 1), bypass_store(gm(1), 0),
                        bypass_store(gm(1, words(1)), 1)};
  return fused({region("X", 8), region("Y", 16)},
               {kernel("k", vec, 2, core_only(0, put(gm(0), 1)) + core_only(1, read))});
}

Case ratio_asked() {
  return fused({region("A", 8)}, {kernel("k0", mix11, 1, {make(Op::get_task_ratio)}),
                                  kernel("k1", KernelType::mix_aic_1_2, 1, {})});
}

Case set_value_of_a_living_object() {
  // The object lives on over the barrier; only a refresh at the access is on its way by then.
  return with_tensor(on_x_and_y(
      {kernel("k", vec, 2,
              Program{on_core(0, store(object(0), 7)), on_core(0, data_sync()), sync_all()} +
                  shown_by_core_1(load(gm(0))))}));
}

/// V waits for what is issued behind `between` more of its instructions.
Case waits_for_later(int between) {
  Program body = {wait(mte2, v, 0)};
  for (int i = 0; i < between; ++i) body.push_back(duplicate(ub(8 * i), 1));
  body.push_back(set(mte2, v, 0));
  return fused({region("A", 8, 3)}, {kernel("k", vec, 1, body)});
}

Case first_touch_behind_a_store() {
  const Program body = Program{on_core(1, load(gm(1, words(16)))), sync_all()} +
                       core_only(0, put(gm(0), 9)) + Program{sync_all()} +
                       shown_by_core_1(load(gm(0)));
  return on_x_and_y({kernel("k", vec, 2, body)});
}

Case dirty_at_the_end() {
  return fused({region("X", 16, 1)}, {kernel("k", vec, 1, {store(gm(0), 7)})});
}

Case listed_in_front_of_a_narrow_one() {
  // k2 runs on core 0 only; core 1 holds a stale line that k3 reads.
  return on_x_and_y(
      {kernel("k0", vec, 2, core_only(1, {load(gm(0))})), kernel("k1", vec, 1, put(gm(0), 9)),
       kernel("k2", vec, 1, {}), kernel("k3", vec, 2, shown_by_core_1(load(gm(0))))},
      "dcci-before-kernel-start=k2");
}

Case disabled_and_listed() {
  return on_x_and_y({kernel("k0", vec, 2, core_only(0, {store(gm(0), 7)})),
                     kernel("k1", vec, 2, shown_by_core_1(bypass_load(gm(0))))},
                    "dcci-disable-on-kernel=k0:dcci-after-kernel-end=k0");
}

struct Row {
  int latitude;
  std::string what;
  Case test_case;
  std::vector<Seen> by_position;
  std::vector<std::string> also = {};  ///< pins beside it
};

std::vector<Row> rows() {
  return {
      {1, "overlap", overlapping_writes(), {{"1", "2"}, {"2"}}},
      {2, "refresh behind PIPE_ALL", refresh_behind_pipe_all(), {{"1", "7"}, {"7"}}},
      {2, "DMA behind DataSyncBarrier", dma_behind_data_sync(), {{"1", "7"}, {"7"}}},
      {3, "event id", one_event(vec, mte2, v, 7), {{"3"}, {"refused"}}},
      {4, "double set", event_set_twice(), {{"error"}, {"stalled"}, {"3"}}},
      {5, "left-over counter", raise_for_the_next_launch(), {{"stalled"}, {"3"}}},
      {6, "scalar event on a cube core", one_event(mix11, mte2, s, 1), {{"3"}, {"refused"}}},
      {8, "raises", raise_past_a_raise(), {{"0", "7"}, {"7"}}},
      {9, "counter", sixteen_raises(), {{"error"}, {"stalled"}}},
      {10, "flag", flag_in_a_plain_type(), {{"error"}, {"stalled"}, {"0"}}},
      {10, "SyncAll", mixed_sync_in_a_plain_type(), {{"error"}, {"stalled"}, {"0"}}},
      {10, "flag beside SyncAll", flag_beside_sync(), {{"3"}, {"3"}, {"3"}}},
      {11, "id 15", flag_fifteen(), {{"3"}, {"refused"}}},
      {12, "SyncAll<true>", vector_sync_on_cubes(), {{"error"}, {"7"}, {"1", "7"}}},
      {13, "SyncAll", sync_in_a_plain_type(), {{"3"}, {"refused"}}},
      {13, "flag beside SyncAll", flag_beside_sync(), {{"3"}, {"refused"}}},
      {14, "V work", vector_work_left_behind(), {{"1", "5"}, {"5"}}},
      {14, "own signal on FIX", store_beside_own_signal(fix), {{"1", "5"}, {"5"}}},
      {14, "own signal on MTE2", store_beside_own_signal(mte2), {{"1", "5"}, {"5"}}},
      {15, "unequal slots", soft_barrier(false), {{"0"}, {"stalled"}}},
      {15, "equal slots", soft_barrier(true), {{"0"}, {"0"}}},
      {19, "GetValue", second_get_value(), {{"1", "9"}, {"9"}}},
      {21, "early start", early_start_before_the_store(), {{"0", "5"}, {"5"}}},
      {23, "dirty line", dirty_line_watched(), {{"1", "7"}, {"1"}}},
      {24, "clean line", clean_line_read_again(), {{"1", "9"}, {"1"}}},
      {24, "line written back", written_back_line_read_again(), {{"1", "9"}, {"1"}}},
      {25, "refresh", refresh_behind_pipe_all(), {{"1", "7"}, {"7"}}},
      {31, "ratio", ratio_asked(), {{"2"}, {"1"}}},
      {34, "SetValue", set_value_of_a_living_object(), {{"1", "7"}, {"7"}}},
      {35, "three behind", waits_for_later(3), {{"3"}, {"stalled"}, {"3"}}},
      {35, "eight behind", waits_for_later(8), {{"stalled"}, {"stalled"}, {"3"}}},
      {36, "prefetch", first_touch_behind_a_store(), {{"9"}, {"1", "9"}}},
      {37, "dirty at the end", dirty_at_the_end(), {{"7"}, {"1", "7"}}},
      {37, "alone", alone(dirty_at_the_end()), {{"7"}, {"7"}}},
      {38, "cores", listed_in_front_of_a_narrow_one(), {{"1", "9"}, {"9"}}},
      {39, "lists", disabled_and_listed(), {{"1", "7"}, {"7"}}},
  };
}

/// Latitudes whose positions no mix tells apart on this machine.
std::map<int, std::string> without_a_row() {
  return {{28, "words are added modulo 2^32, and each core's adds move one by one at any position"},
          {30, "its own test below: a block is watched by two loads"}};
}

TEST(Latitudes, EachPositionShowsWhatItAllows) {
  for (const Row& row : rows()) {
    const Latitude& latitude = skcts::latitude(static_cast<LatitudeId>(row.latitude));
    ASSERT_EQ(row.by_position.size(), latitude.positions().size()) << latitude.name;
    for (std::size_t p = 0; p < row.by_position.size(); ++p) {
      const LatitudePin pin{latitude.id, static_cast<std::uint8_t>(p)};
      SCOPED_TRACE(fmt::format("{}: {}", to_string(pin), row.what));
      Emulator standing_there({.defect = "", .latitudes = {pin}});
      EXPECT_EQ(seen_by(standing_there, row.test_case), row.by_position[p]);
      Case held = row.test_case;
      held.latitudes = {to_string(pin)};
      Emulator elsewhere({});
      EXPECT_EQ(seen_by(elsewhere, held), row.by_position[p]);
    }
  }
}

TEST(Latitudes, EachWithAChoiceHasARowOrAReason) {
  std::set<int> in_rows;
  for (const Row& row : rows()) in_rows.insert(row.latitude);
  for (const Latitude& latitude : latitudes()) {
    const bool open = latitude.kind == LatitudeClass::fixed || latitude.kind == LatitudeClass::free;
    EXPECT_EQ(open, in_rows.contains(latitude.id) || without_a_row().contains(latitude.id))
        << latitude.name;
    EXPECT_FALSE(in_rows.contains(latitude.id) && without_a_row().contains(latitude.id));
  }
}

TEST(Latitudes, L30WhatIsSeenOfABlock) {
  const auto pairs = [](const char* pin) {
    Case test_case = block_watched();
    test_case.latitudes = {pin};
    Emulator emulator({});
    std::set<std::vector<std::uint32_t>> seen;
    run_all(emulator, test_case, 1500, [&](const Outcome& outcome, const std::string& how) {
      ASSERT_EQ(outcome.status, OutcomeStatus::completed) << how;
      seen.insert(words_of(test_case, outcome, 1, 0, 2));
    });
    return seen;
  };
  using Pairs = std::set<std::vector<std::uint32_t>>;
  EXPECT_EQ(pairs("L-30=torn"), (Pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(pairs("L-30=whole-blocks"), (Pairs{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(Latitudes, L30BlocksAreSeenOneByOne) {
  // Two blocks stored while another core copies both: old or new one by one at both positions.
  for (const char* pin : {"L-30=torn", "L-30=whole-blocks"}) {
    Case test_case =
        fused({region("X", 16), region("Y", 16)},
              {kernel("k", vec, 2,
                      core_only(0, Program{duplicate(ub(0), 1, 16)} + handed(v, mte3) +
                                       Program{copy(gm(0), ub(0), 16)}) +
                          core_only(1, Program{copy(ub(0), gm(0), 16)} + handed(mte2, mte3) +
                                           Program{copy(gm(1), ub(0), 16)}))});
    test_case.latitudes = {pin};
    Emulator emulator({});
    std::set<std::vector<std::uint32_t>> seen;
    run_all(emulator, test_case, 600, [&](const Outcome& outcome, const std::string&) {
      const auto words = words_of(test_case, outcome, 1, 0, 16);
      seen.insert({words[0], words[8]});
      if (std::string_view(pin) == "L-30=torn") return;
      for (std::size_t w = 0; w < 16; ++w) EXPECT_EQ(words[w], words[w / 8 * 8]);
    });
    EXPECT_EQ(seen.size(), 4u) << pin;
  }
}

TEST(Latitudes, L8RaisesNeverOvertakeTheirOwnPipe) {
  // Flag 4 may arrive before flag 3, but never before the store that stands in front of it.
  const Program aic = Program{produce(7)} + handed(m, fix) +
                      Program{fixpipe(gm(0)), raise(3, 2, fix), barrier(fix), raise(4, 2, fix)};
  const Program aiv = Program{wait_raise(4), wait_raise(3)} + move(gm(1), gm(0));
  const Case test_case =
      fused({region("X", 8, 5), region("Y", 8)}, {kernel("k", mix11, 1, aiv, aic)});
  Emulator any_order({});
  Emulator in_order({.defect = "", .latitudes = {latitude_pin(8, "program-order")}});
  EXPECT_EQ(seen_by(any_order, test_case).size(), 1u);
  EXPECT_EQ(seen_by(in_order, test_case), seen_by(any_order, test_case));
}

TEST(Latitudes, PinsOfTheEmulatorStandBehindThoseOfTheCase) {
  Case pinned = dirty_at_the_end();
  Emulator loses({"", {latitude_pin(37, "lost")}});
  EXPECT_EQ(seen_by(loses, pinned), (Seen{"1", "7"}));
  pinned.latitudes = {"L-37=written-back"};
  EXPECT_EQ(seen_by(loses, pinned), Seen{"7"});
}

TEST(DrawnPositions, FixedOnesStayTheSameAndFreeOnesVary) {
  Emulator drawn({.positions = 7});
  Emulator again({.positions = 7});
  const auto declared = drawn.description().latitudes;
  EXPECT_EQ(declared, again.description().latitudes);
  EXPECT_GT(declared.size(), 12u);
  // The declared position is the one that shows, in every run.
  for (const LatitudePin& pin : declared) {
    for (const Row& row : rows()) {
      if (row.latitude != pin.id) continue;
      const Seen seen = seen_by(drawn, row.test_case);
      Emulator held({.defect = "", .latitudes = declared});
      EXPECT_THAT(seen_by(held, row.test_case), ::testing::IsSupersetOf(seen)) << row.what;
    }
  }
  // A free one: at some seeds of a run the writes overlap, at others they do not.
  std::set<bool> overlaps;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    for (const LatitudePin& pin : drawn_positions(seed, LatitudeClass::free)) {
      if (pin.id == 1) overlaps.insert(pin == latitude_pin(1, "overlap"));
    }
  }
  EXPECT_EQ(overlaps.size(), 2u);
}

TEST(DrawnPositions, OverManySeedsEveryPositionIsDrawn) {
  std::map<int, std::set<int>> drawn;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const LatitudeClass kind : {LatitudeClass::fixed, LatitudeClass::free}) {
      for (const LatitudePin& pin : drawn_positions(seed, kind)) drawn[pin.id].insert(pin.position);
    }
  }
  for (const Latitude& latitude : latitudes()) {
    const bool open = latitude.kind == LatitudeClass::fixed || latitude.kind == LatitudeClass::free;
    EXPECT_EQ(drawn[latitude.id].size(), open ? latitude.positions().size() : 0u) << latitude.name;
  }
}

TEST(EmulatorNames, SayWhatTheEmulatorIs) {
  const auto config = parse_emulator_config("defect=feed-missing,positions=12,L-14=drained");
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, (EmulatorConfig{.defect = "feed-missing",
                                     .latitudes = {latitude_pin(14, "drained")},
                                     .positions = 12,
                                     .recorded = std::nullopt}));
  EXPECT_EQ(Emulator(*config).description().name,
            "emulator:defect=feed-missing,positions=12,L-14=drained");
  EXPECT_EQ(Emulator(*parse_emulator_config("L-4=hang")).description().latitudes,
            (std::vector<LatitudePin>{latitude_pin(5, "cleared"), latitude_pin(4, "hang")}));
  // A free one is a choice of each run, nothing to be held to.
  EXPECT_EQ(Emulator(*parse_emulator_config("L-14=drained")).description().latitudes,
            std::vector<LatitudePin>{latitude_pin(5, "cleared")});
  const std::pair<const char*, const char*> wrong[] = {
      {"positions=", "is no seed"},         {"positions=-1", "is no seed"},
      {"positions=1x", "is no seed"},       {"L-14=dry", "is no position of L-14"},
      {"speed=9", "expected defect=NAME"},  {"positions=1,", "expected defect=NAME"},
      {",positions=1", "expected defect="}, {"defect=feed-mising", "there is no defect"},
  };
  for (const auto& [text, message] : wrong) {
    const auto result = parse_emulator_config(text);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(to_string(result.error()), ::testing::HasSubstr(message)) << text;
  }
}

TEST(DrawnPositions, ARunReplaysAtItsOwn) {
  Emulator recorder({.positions = 3});
  Emulator player({.positions = 3});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RunRequest request;
    request.strategy = strategy("random", seed);
    const RunResult first = recorder.run(second_get_value(), request);
    RunRequest again;
    again.replay = &first.schedule;
    const RunResult second = player.run(second_get_value(), again);
    EXPECT_TRUE(second.replay_fitted);
    EXPECT_EQ(second.outcome, first.outcome);
  }
}

}  // namespace
}  // namespace skcts::emulator
