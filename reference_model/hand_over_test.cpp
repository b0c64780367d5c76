// Scalars handed from one sub kernel to the next, under every placement of refreshes.
#include <gtest/gtest.h>

#include "reference_model/launch_testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

Program only(int core, const Program& program) {
  Program made;
  for (const Instruction& in : program) made.push_back(where(IndexName::core, core, core, in));
  return made;
}

// The hand-over table of semantics §4. Core 0 stores in k1, core 1 loads in k2 and had the line
// already in k0.
enum class Side { default_refresh, before, after, disable, offload };
constexpr Side all_sides[] = {Side::default_refresh, Side::before, Side::after, Side::disable,
                              Side::offload};

struct HandOver {
  Side writer = Side::default_refresh, reader = Side::default_refresh;
  Program store, load;
  bool writer_signals = false;
};

Launched hand_over(const HandOver& what) {
  std::string options;
  const auto list = [&](Side side, const char* name) {
    const char* option = side == Side::before    ? "dcci-before-kernel-start="
                         : side == Side::after   ? "dcci-after-kernel-end="
                         : side == Side::disable ? "dcci-disable-on-kernel="
                                                 : nullptr;
    if (option == nullptr) return;
    if (!options.empty()) options += ":";
    options += std::string(option) + name;
  };
  if (what.writer == what.reader) {
    list(what.writer, "k1,k2");
  } else {
    list(what.writer, "k1");
    list(what.reader, "k2");
  }
  Build build(options);
  build.region("A", 16, 50, 1);
  build.region("B", 16, 500);
  build.kernel(vectors, 2, only(1, {raw_load(gm(0, word(4)), 1)}));
  const int k1 = build.kernel(
      vectors, 2, only(0, what.store) + (what.writer_signals ? Program{set_next()} : Program{}));
  const int k2 = build.kernel(vectors, 2, only(1, what.load));
  for (const int k : {k1, k2}) build.tensor_of(k, 0);
  if (what.writer == Side::offload) build.sub(k1).tiling = Tiling::offload;
  if (what.reader == Side::offload) build.sub(k2).tiling = Tiling::offload;
  return launch(build);
}

const Program set_value_2 = {set_value(tensor(0, word(2)), constant(9))};
const Program explicit_store = {raw_store(gm(0, word(2)), constant(9)), dcci(gm(0)), dsb()};
const Program explicit_load = {dcci(gm(0)), raw_load(gm(0, word(2)), 3),
                               write_bypass(gm(1), in_register(3)), dsb()};

bool hands_over(const HandOver& what) {
  const Launched run = hand_over(what);
  // The value arrives exactly when the table says yes; otherwise it may be lost or late.
  EXPECT_EQ(run.hazards.clean(), run.is(1, 0, 9)) << run.text();
  for (const std::string& rule : run.rules()) {
    EXPECT_TRUE(rule == "CACHE-7" || rule == "CACHE-8" || rule == "CACHE-11") << run.text();
  }
  return run.hazards.clean();
}

TEST(HandOverTable, SetValueReachesGmInTime) {
  const bool expected[] = {true, false, true, false, true};
  for (const Side side : all_sides) {
    HandOver what{.writer = side, .store = set_value_2, .load = explicit_load};
    EXPECT_EQ(hands_over(what), expected[static_cast<int>(side)]) << static_cast<int>(side);
    // After SetNextTaskStart neither the object's death nor the refresh after is in time (the call
    // does nothing in a sub kernel with tiling offload).
    what.writer_signals = true;
    EXPECT_EQ(hands_over(what), side == Side::offload) << static_cast<int>(side);
  }
}

TEST(HandOverTable, OtherStoresReachGmInTime) {
  const bool expected[] = {false, false, true, false, true};
  for (const Side side : all_sides) {
    for (const Program& store : {Program{assign(tensor(0, word(2)), constant(9))},
                                 Program{raw_store(gm(0, word(2)), constant(9))}}) {
      const HandOver what{.writer = side, .store = store, .load = explicit_load};
      EXPECT_EQ(hands_over(what), expected[static_cast<int>(side)]) << static_cast<int>(side);
    }
    EXPECT_TRUE(hands_over({.writer = side, .store = explicit_store, .load = explicit_load}));
  }
}

TEST(HandOverTable, GetValueIsFresh) {
  const bool expected[] = {true, true, false, false, true};
  const Program get = {get_value(tensor(0, word(2)), 3), write_bypass(gm(1), in_register(3)),
                       dsb()};
  for (const Side side : all_sides) {
    const HandOver what{.reader = side, .store = explicit_store, .load = get};
    EXPECT_EQ(hands_over(what), expected[static_cast<int>(side)]) << static_cast<int>(side);
  }
}

TEST(HandOverTable, RawLoadIsFresh) {
  const bool expected[] = {false, true, false, false, true};
  const Program load = {raw_load(gm(0, word(2)), 3), write_bypass(gm(1), in_register(3)), dsb()};
  for (const Side side : all_sides) {
    const HandOver what{.reader = side, .store = explicit_store, .load = load};
    EXPECT_EQ(hands_over(what), expected[static_cast<int>(side)]) << static_cast<int>(side);
  }
}

TEST(HandOverTable, StoreToALineWithTheOthersWords) {
  const bool expected[] = {false, true, false, false, true};
  // Core 1 stores another word of the line, with its own refresh; then the line is read.
  const Program store = {
      set_value(tensor(0, word(12)), constant(6)), dcci(gm(0)), dsb(), raw_load(gm(0, word(2)), 3),
      write_bypass(gm(1), in_register(3)),         dsb()};
  for (const Side side : all_sides) {
    const Launched run = hand_over({.reader = side, .store = explicit_store, .load = store});
    EXPECT_EQ(run.hazards.clean(), expected[static_cast<int>(side)])
        << static_cast<int>(side) << run.text();
    if (!expected[static_cast<int>(side)]) {
      EXPECT_TRUE(run.rules().contains("CACHE-8")) << run.text();
      EXPECT_EQ(run.may_be(0, 2), (std::vector<std::uint32_t>{9, 52}));
    }
  }
}

/// The end of the object refreshes the line once more, which brings the first write-back no nearer:
/// nothing but DataSyncBarrier does.
TEST(HandOver, ASecondRefreshDoesNotLandTheFirst) {
  for (const bool barrier : {false, true}) {
    Build build;
    const int x = build.region("X", 16, 7);
    const int y = build.region("Y", 16);
    Program write{set_value(tensor(0), constant(5)), dcci(gm(x)), tensor_end(0)};
    if (barrier) write.push_back(dsb());
    const Program read{get_value(tensor(1), 3), write_bypass(gm(y), in_register(3)), dsb()};
    build.kernel(vectors, 2, only(0, write) + Program{sync_all()} + only(1, read));
    build.tensor_of(0, x);
    build.tensor_of(0, x);
    using Values = std::vector<std::uint32_t>;
    EXPECT_EQ(launch(build).may_be(y, 0), barrier ? Values{5} : (Values{5, 7}));
  }
}

}  // namespace
}  // namespace skcts::model
