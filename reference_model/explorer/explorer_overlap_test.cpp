// What overlaps inside one core, worked out by hand: sets that hold nothing up, double sets, full
// queues, pieces that swap, slots that are rewritten.
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer_testing.h"

namespace skcts::explorer {
namespace {

using ::testing::ElementsAre;

const std::string all_pipes = R"({"op": "PipeBarrier", "pipe": "ALL"})";

std::string duplicate(int ub, int value) {
  return R"({"op": "Duplicate", "dst": {"UB": )" + std::to_string(ub) + R"(}, "value": )" +
         std::to_string(value) + R"(, "count": 8})";
}
std::string adds(int to, int from, int value) {
  return R"({"op": "Adds", "dst": {"UB": )" + std::to_string(to) + R"(}, "src": {"UB": )" +
         std::to_string(from) + R"(}, "value": )" + std::to_string(value) + R"(, "count": 8})";
}
std::string out(const std::string& region, int ub) {
  return R"({"op": "DataCopy", "dst": {"gm": ")" + region + R"("}, "src": {"UB": )" +
         std::to_string(ub) + R"(}, "count": 8})";
}
std::string in(int ub, const std::string& region) {
  return R"({"op": "DataCopy", "dst": {"UB": )" + std::to_string(ub) + R"(}, "src": {"gm": ")" +
         region + R"("}, "count": 8})";
}
std::string set_flag(const std::string& event, int id = 0) {
  return R"({"op": "SetFlag", "event": ")" + event + R"(", "id": )" + std::to_string(id) + "}";
}
std::string wait_flag(const std::string& event, int id = 0) {
  return R"({"op": "WaitFlag", "event": ")" + event + R"(", "id": )" + std::to_string(id) + "}";
}
std::string list(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ",") + one;
  return text;
}
Case vector_core(const std::vector<std::string>& program) {
  return mix(kernel("k", "MIX_AIV_1_0", 1, "", list(program)));
}

Waiting waits(CoreKind kind, int index, int instruction, WaitKind how, int id) {
  return Waiting{{kind, index}, 0, 0, instruction, how, id};
}

// SetFlag fires after the first Duplicate; the second one need not wait for either. Both write the
// same words, and the one that ends last is seen.
TEST(Overlap, ASetHoldsUpNothingBehindItInItsPipe) {
  const auto program = [](const std::string& between) {
    return vector_core(
        {duplicate(8, 5), between, duplicate(8, 6), wait_flag("V_MTE3"), all_pipes, out("X", 8)});
  };
  EXPECT_EQ(pairs(program(set_flag("V_MTE3")), 1, 2), (Pairs{{5, 0}, {6, 0}}));
  EXPECT_EQ(pairs(program(set_flag("V_MTE3") + R"(, {"op": "PipeBarrier", "pipe": "V"})"), 1, 2),
            (Pairs{{6, 0}}));
}

// The wait sees the first store, since the set came behind it, and perhaps the second.
TEST(Overlap, ARaiseFollowsWhatIsBeforeItAndHoldsUpNothing) {
  const Case value = mix(kernel("k", "MIX_AIC_1_1", 1, wait(3) + "," + read_x,
                                list({duplicate(0, 1), duplicate(8, 2), all_pipes, out("X", 0),
                                      raise(3, "MTE3"), out("X", 8)})));
  // Store, raise, load, store. Store, store, load. The other store first: 2, then 1 for good.
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{2, 1}, {2, 2}, {1, 1}}));
}

// EnQue of the first tensor does not keep the second Duplicate back.
TEST(Overlap, EnQueHoldsUpNothing) {
  const Case value =
      vector_core({R"({"op": "TPipe", "tpipe": "p"},
          {"op": "InitBuffer", "queue": "q", "tpipe": "p", "position": "VECOUT", "count": 8},
          {"op": "AllocTensor", "queue": "q", "local": "t"},
          {"op": "Duplicate", "dst": {"local": "t"}, "value": 5, "count": 8},
          {"op": "EnQue", "queue": "q", "local": "t"})",
                   duplicate(0, 6), R"({"op": "DeQue", "queue": "q", "local": "d"})", all_pipes,
                   R"({"op": "DataCopy", "dst": {"gm": "X"}, "src": {"local": "d"}, "count": 8},
          {"op": "FreeTensor", "queue": "q", "local": "d"},
          {"op": "TPipeEndOfScope", "tpipe": "p"})"});
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{5, 0}, {6, 0}}));
}

// MTE3 waits for ever; both sets stand behind it and are never carried out. They are issued.
TEST(Overlap, ADoubleSetIsDecidedWhenItIsIssued) {
  const Case value = vector_core({wait_flag("V_MTE3"), set_flag("MTE3_V"), set_flag("MTE3_V")});
  const LatitudePin deep = latitude_pin(35, "unbounded");
  EXPECT_THAT(statuses(all(value, {deep, latitude_pin(4, "error")})),
              ElementsAre(OutcomeStatus::error));
  const Exploration hang = all(value, {deep, latitude_pin(4, "hang")});
  ASSERT_THAT(statuses(hang), ElementsAre(OutcomeStatus::stalled));
  EXPECT_THAT(hang.outcomes[0].waiting,
              ElementsAre(waits(CoreKind::aiv, 0, 0, WaitKind::event_flag, 0),
                          waits(CoreKind::aiv, 0, 2, WaitKind::event_flag, 0)));
  const Exploration lost = all(value, {deep, latitude_pin(4, "lost")});
  ASSERT_THAT(statuses(lost), ElementsAre(OutcomeStatus::stalled));
  EXPECT_THAT(lost.outcomes[0].waiting,
              ElementsAre(waits(CoreKind::aiv, 0, 0, WaitKind::event_flag, 0)));
  // Queues of one and of two are full before the second set is issued.
  EXPECT_THAT(statuses(all(value)),
              ElementsAre(OutcomeStatus::stalled, OutcomeStatus::stalled, OutcomeStatus::stalled,
                          OutcomeStatus::stalled, OutcomeStatus::error));
}

// The wait stands before both sets: none is issued between them, though it takes the first.
TEST(Overlap, AnEarlierWaitDoesNotExcuseADoubleSet) {
  const Case value = vector_core({wait_flag("V_MTE3"), set_flag("V_MTE3"), set_flag("V_MTE3")});
  EXPECT_THAT(statuses(all(value, {latitude_pin(35, "unbounded"), latitude_pin(4, "error")})),
              ElementsAre(OutcomeStatus::error));
  EXPECT_THAT(statuses(all(value, {latitude_pin(35, "unbounded"), latitude_pin(4, "lost")})),
              ElementsAre(OutcomeStatus::completed));
}

// At "hang" the scalar unit stops; the store that was issued is carried out.
TEST(Overlap, WhatWasIssuedBeforeADoubleSetGoesOn) {
  const Case value =
      vector_core({duplicate(0, 1), set_flag("V_MTE3"), wait_flag("V_MTE3"), out("X", 0),
                   set_flag("V_MTE2"), set_flag("V_MTE2"), duplicate(8, 1)});
  const Exploration found = all(value, {latitude_pin(4, "hang")});
  ASSERT_THAT(statuses(found), ElementsAre(OutcomeStatus::stalled));
  EXPECT_EQ(word(value, found.outcomes[0], 1), 1U);
}

// V waits for a set behind three of its own instructions. A queue of one, two or three is full at
// the first, second or third of them; the set is behind the third, and deeper queues hold all.
TEST(Overlap, AQueueMayHaveAnyDepth) {
  const Case value = vector_core({wait_flag("MTE3_V"), duplicate(0, 1), duplicate(8, 1),
                                  duplicate(16, 1), set_flag("MTE3_V")});
  const Exploration found = all(value);
  std::vector<int> places;
  for (const Outcome& outcome : found.outcomes) {
    if (outcome.status != OutcomeStatus::stalled) continue;
    ASSERT_EQ(outcome.waiting.size(), 2U);
    EXPECT_EQ(outcome.waiting[1].kind, WaitKind::queue_full);
    places.push_back(outcome.waiting[1].instruction);
  }
  EXPECT_THAT(places, ElementsAre(1, 2, 3));
  EXPECT_EQ(found.outcomes.size(), 4U);
  // One place: for what waits at the head, or behind it.
  EXPECT_EQ(all(value, {latitude_pin(35, "depth-1")}).outcomes.size(), 2U);
  EXPECT_EQ(all(value, {latitude_pin(35, "unbounded")}).outcomes.size(), 1U);
}

// X <- UB beside UB <- X: one after the other, or each reads before the other writes.
TEST(Overlap, TwoCopiesMaySwap) {
  const Case value =
      vector_core({duplicate(0, 1), all_pipes, out("X", 0), in(0, "X"), all_pipes, out("Y", 0)});
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{1, 1}, {0, 0}, {1, 0}}));
}

TEST(Overlap, TwoVectorInstructionsMaySwap) {
  const auto program = [](const std::string& between) {
    return vector_core({duplicate(8, 10), duplicate(16, 20), all_pipes, adds(8, 16, 1) + between,
                        adds(16, 8, 1), all_pipes, out("X", 8), out("Y", 16)});
  };
  EXPECT_EQ(pairs(program(""), 1, 2), (Pairs{{21, 22}, {12, 11}, {21, 11}}));
  EXPECT_EQ(pairs(program(R"(, {"op": "PipeBarrier", "pipe": "V"})"), 1, 2), (Pairs{{21, 22}}));
}

// The call returns when its own result is there: the store before it may still be under way when X
// is loaded.
TEST(Overlap, AMatmulCallDoesNotWaitForEarlierStores) {
  const Case value = mix(
      kernel("k", "MIX_AIC_1_1", 1, "", duplicate(0, 1) + "," + all_pipes + "," + out("X", 0) + R"(,
    {"op": "Matmul", "dst": {"gm": "F"}, "src": {"gm": "ONE"}, "src_b": {"gm": "ONE"}, "count": 8},
    )" + read_x));
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
}

// Alone at 1:2 both vector cores have slot 0 and wait for the sum 1 (read 0) or 2 (read 1). The one
// that read 0 leaves in any case; while it is there it may write 1 over the other's 2.
TEST(Overlap, ASoftBarrierRewritesItsSlotInTheFirstRound) {
  const Case value = mix(kernel("k", "MIX_AIC_1_2", 1, "", R"(
    {"op": "SoftSyncAll", "scratch": {"UB": 64}, "workspace": {"gm": "F"}})"),
                         "", R"([{"alone": ["k"]}])");
  std::set<std::tuple<OutcomeStatus, std::uint32_t, int>> seen;
  for (const Outcome& outcome : all(value).outcomes) {
    seen.emplace(outcome.status, word(value, outcome, 3),
                 outcome.waiting.empty() ? -1 : outcome.waiting[0].core.index);
  }
  using Seen = std::set<std::tuple<OutcomeStatus, std::uint32_t, int>>;
  EXPECT_EQ(seen, (Seen{{OutcomeStatus::completed, 1, -1},
                        {OutcomeStatus::completed, 2, -1},
                        {OutcomeStatus::stalled, 1, 0},
                        {OutcomeStatus::stalled, 1, 1}}));
}

constexpr LatitudePin early = latitude_pin(15, "early-release");
constexpr LatitudePin hang = latitude_pin(15, "hang");

std::string soft(int cores, const std::string& where = "") {
  return R"({"op": "SoftSyncAll", "scratch": {"UB": 8}, "workspace": {"gm": "F"}, "cores": )" +
         std::to_string(cores) + (where.empty() ? "" : R"(, "where": {"core": )" + where + "}") +
         "}";
}

// Whatever a protocol leaves in its scratch, nobody promised it: no word of a small case.
TEST(Overlap, TheScratchOfALibraryCallIsUndefinedAfterIt) {
  const auto left = [](const std::string& call, int ub) {
    const Case value = vector_core({duplicate(8, 5), duplicate(16, 6), call, out("X", ub)});
    const Exploration found = all(value);
    SKCTS_CHECK(found.outcomes.size() == 1, "{} outcomes", found.outcomes.size());
    return word(value, found.outcomes[0], 1);
  };
  const std::string ib = R"({"op": "IBSet", "scratch": {"UB": 8}, "workspace": {"gm": "F"},
                            "block": 0, "id": 0})";
  EXPECT_EQ(left(all_pipes, 8), 5U);
  EXPECT_EQ(left(soft(1), 8), 0xa5a5a5a5U);
  EXPECT_EQ(left(soft(1), 16), 6U);
  EXPECT_EQ(left(ib, 8), 0xa5a5a5a5U);
  EXPECT_EQ(left(ib, 16), 6U);
}

// Slots 1 and 0. Where all come, early means that they leave, in each round; the 1 that was there
// stands in for one round of the other core. Two rounds short, the sum of 3 is no reason to leave
// and none to stay.
TEST(Overlap, AnEarlyReleaseNeedNotComeForThoseWhoWaitForAMissingCore) {
  const auto ends = [](const std::vector<std::string>& program, LatitudePin position) {
    const Case value = mix(kernel("k", "AIV_ONLY", 2, "", list(program)), "",
                           R"([{"host_write": "F", "values": [1]}, {"fused": ["k"]}])");
    return statuses(all(value, {position}));
  };
  EXPECT_THAT(ends({soft(2), soft(2)}, early), ElementsAre(OutcomeStatus::completed));
  EXPECT_THAT(ends({soft(2), soft(2)}, hang), ElementsAre(OutcomeStatus::stalled));
  EXPECT_THAT(ends({soft(2), soft(2, "0")}, early), ElementsAre(OutcomeStatus::completed));
  EXPECT_THAT(ends({soft(2, "0"), soft(2, "0")}, early),
              ElementsAre(OutcomeStatus::completed, OutcomeStatus::stalled));
}

// In its first round a core counts itself before its own slot is stored.
TEST(Overlap, ASoftBarrierMayBeLeftBeforeTheOwnSlotIsStored) {
  const std::string show = R"({"op": "ReadGmByPassDCache", "src": {"gm": "F"}, "reg": "r0"},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0"})";
  EXPECT_EQ(pairs(vector_core({soft(1), show}), 3, 2), (Pairs{{1, 0}, {1, 1}}));
  EXPECT_EQ(pairs(vector_core({soft(1), soft(1), show}), 3, 2), (Pairs{{2, 2}}));
}

// The first sub kernel leaves 1 and 0 behind: unequal slots that no launch began with.
TEST(Overlap, SlotsThatAnotherWidthLeftUnequalAskWhatFollows) {
  const auto ends = [](int first, LatitudePin position) {
    const Case value = mix(kernel("a", "AIV_ONLY", first, "", soft(first)) + "," +
                           kernel("b", "AIV_ONLY", 2, "", soft(2)));
    return statuses(all(value, {position}));
  };
  EXPECT_THAT(ends(2, early), ElementsAre(OutcomeStatus::completed));
  EXPECT_THAT(ends(2, hang), ElementsAre(OutcomeStatus::completed));
  EXPECT_THAT(ends(1, early), ElementsAre(OutcomeStatus::completed, OutcomeStatus::stalled));
  EXPECT_THAT(ends(1, hang), ElementsAre(OutcomeStatus::stalled));
}

// Someone clears the slots, as somebody must: equal again, and nothing is asked.
TEST(Overlap, SlotsThatAreClearedInTheLaunchAskNothing) {
  const std::string clear = duplicate(32, 0) + "," + all_pipes + "," +
                            R"({"op": "DataCopy", "dst": {"gm": "F"}, "src": {"UB": 32},
                                "count": 8, "where": {"core": 0}})";
  const Case value =
      mix(kernel("a", "AIV_ONLY", 2, "", clear) + "," + kernel("b", "AIV_ONLY", 2, "", soft(2)));
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::completed));
}

constexpr LatitudePin kept = latitude_pin(14, "not-drained");
constexpr LatitudePin drained = latitude_pin(14, "drained");
constexpr LatitudePin early_start = latitude_pin(21, "takes-effect");

/// Y[core] := 5
std::string write_y(int core) {
  return R"({"op": "WriteGmByPassDCache", "dst": {"gm": "Y", "at": )" + std::to_string(core) +
         R"(}, "value": 5, "where": {"core": )" + std::to_string(core) + "}}";
}

// V waits for ever, or for a set that comes after the border. A border that drains (L-14) makes
// PIPE_ALL before it signals and holds its core there; each may drain or not.
TEST(Overlap, ABorderThatDrainsHoldsItsCore) {
  using Stores = std::set<std::pair<OutcomeStatus, std::uint32_t>>;
  const auto stores = [](const Case& value, const std::vector<LatitudePin>& pins) {
    Stores seen;
    for (const Outcome& outcome : all(value, pins).outcomes) {
      seen.emplace(outcome.status, word(value, outcome, 2));
    }
    return seen;
  };
  constexpr OutcomeStatus stalled = OutcomeStatus::stalled, completed = OutcomeStatus::completed;
  const std::string stuck = wait_flag("MTE2_V"), store = write_y(0);
  const Case plain =
      mix(kernel("a", "AIV_ONLY", 1, "", stuck) + "," + kernel("b", "AIV_ONLY", 1, "", store));
  EXPECT_EQ(stores(plain, {kept}), (Stores{{stalled, 5}}));
  EXPECT_EQ(stores(plain, {drained}), (Stores{{stalled, 0}}));
  EXPECT_EQ(stores(plain, {}), (Stores{{stalled, 0}, {stalled, 5}}));
  const std::string tells = R"({"op": "SetNextTaskStart"})";
  const Case own = mix(kernel("a", "AIV_ONLY", 1, "", list({stuck, tells, store})) + "," +
                           kernel("b", "AIV_ONLY", 1, "", all_pipes),
                       "early-start=1");
  EXPECT_EQ(stores(own, {early_start, kept}), (Stores{{stalled, 5}}));
  EXPECT_EQ(stores(own, {early_start, drained}), (Stores{{stalled, 0}}));
  EXPECT_EQ(stores(own, {early_start}), (Stores{{stalled, 0}, {stalled, 5}}));
  const Case late = mix(kernel("a", "AIV_ONLY", 1, "", stuck) + "," +
                        kernel("b", "AIV_ONLY", 1, "", list({store, set_flag("MTE2_V")})));
  EXPECT_EQ(stores(late, {kept}), (Stores{{completed, 5}}));
  EXPECT_EQ(stores(late, {drained}), (Stores{{stalled, 0}}));
  EXPECT_EQ(stores(late, {}), (Stores{{completed, 5}, {stalled, 0}}));
}

// In its head a core does not wait for the other's border.
TEST(Overlap, EachBorderMayDrainOrNot) {
  const Case value = mix(kernel("a", "AIV_ONLY", 2, "", wait_flag("MTE2_V")) + "," +
                             kernel("b", "AIV_ONLY", 2, "",
                                    list({write_y(0), write_y(1), R"({"op": "WaitPreTaskEnd"})"})),
                         "early-start=1");
  const auto heads = [&](const std::vector<LatitudePin>& pins) {
    Pairs seen;
    for (const Outcome& outcome : all(value, pins).outcomes) {
      seen.emplace(word(value, outcome, 2, 0), word(value, outcome, 2, 1));
    }
    return seen;
  };
  EXPECT_EQ(heads({early_start, kept}), (Pairs{{5, 5}}));
  EXPECT_EQ(heads({early_start, drained}), (Pairs{{0, 0}}));
  EXPECT_EQ(heads({early_start}), (Pairs{{0, 0}, {0, 5}, {5, 0}, {5, 5}}));
}

}  // namespace
}  // namespace skcts::explorer
