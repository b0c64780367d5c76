#include "generators/tiny.h"

#include <set>

#include <gtest/gtest.h>

#include "generators/edit.h"
#include "spec/case_id.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

TEST(TinyMix, EveryMixIsValidAndComesBackFromItsText) {
  for (const TinyGroup group : all_tiny_groups) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Case mix = tiny_mix(5, i, group);
      const std::vector<Error> errors = validate(mix);
      ASSERT_TRUE(errors.empty()) << mix.name << ": " << to_string(errors.front());
      const Result<Case> again = read_case(write_case(mix), "tiny.json");
      ASSERT_TRUE(again.ok()) << mix.name << ": " << to_string(again.error());
      ASSERT_EQ(*again, mix) << mix.name;
    }
  }
}

TEST(TinyMix, DependsOnItsArgumentsAlone) {
  for (const TinyGroup group : all_tiny_groups) {
    const Case mix = tiny_mix(7, 3, group);
    (void)tiny_mix(7, 4, group);
    EXPECT_EQ(tiny_mix(7, 3, group), mix);
    EXPECT_NE(case_id(tiny_mix(8, 3, group)), case_id(mix));
    EXPECT_NE(case_id(tiny_mix(7, 4, group)), case_id(mix));
    ASSERT_TRUE(mix.provenance.has_value());
    EXPECT_EQ(mix.provenance->seed, 7u);
    EXPECT_EQ(mix.provenance->index, 3u);
  }
}

TEST(TinyMix, EveryGroupHasItsName) {
  for (const TinyGroup group : all_tiny_groups) {
    EXPECT_EQ(find_tiny_group(to_string(group)), group);
  }
  EXPECT_FALSE(find_tiny_group("dmas").has_value());
}

/// What occurs in the mixes of a group.
struct Seen {
  std::set<KernelType> types;
  std::set<Op> ops;
  std::set<int> modes;
  std::size_t most_sub_kernels = 0;
};

void look(const Case& mix, Seen& seen) {
  seen.most_sub_kernels = std::max(seen.most_sub_kernels, mix.mix.sub_kernels.size());
  for (const SubKernel& sub : mix.mix.sub_kernels) {
    seen.types.insert(sub.type);
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      for_each_in(sub.program(kind), [&](const Instruction& in) {
        seen.ops.insert(in.op);
        if (in.op == Op::cross_core_set_flag) seen.modes.insert(in.mode);
      });
    }
  }
}

TEST(TinyMix, EveryKernelTypeAndEveryInstructionOccurs) {
  Seen all;
  std::set<std::string> pins;
  for (const TinyGroup group : all_tiny_groups) {
    for (std::uint64_t i = 0; i < 400; ++i) {
      const Case mix = tiny_mix(1, i, group);
      look(mix, all);
      pins.insert(mix.latitudes.begin(), mix.latitudes.end());
    }
  }
  EXPECT_EQ(all.types.size(), std::size(all_kernel_types));
  EXPECT_EQ(all.modes, (std::set<int>{0, 1, 2}));
  EXPECT_GE(all.most_sub_kernels, 3u);
  EXPECT_GE(pins.size(), 5u);
  for (int op = 0; op < op_count; ++op) {
    if (static_cast<Op>(op) == Op::tbuf_get) continue;
    EXPECT_TRUE(all.ops.contains(static_cast<Op>(op))) << to_string(static_cast<Op>(op));
  }
}

TEST(TinyMix, AGroupIsAboutWhatItsNameSays) {
  const auto occurs = [](TinyGroup group, Op op) {
    int count = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      Seen seen;
      look(tiny_mix(1, i, group), seen);
      if (seen.ops.contains(op)) ++count;
    }
    return count;
  };
  EXPECT_GE(occurs(TinyGroup::sync_all, Op::sync_all), 80);
  EXPECT_GE(occurs(TinyGroup::soft_barrier, Op::soft_sync_all), 80);
  EXPECT_GE(occurs(TinyGroup::ib, Op::ib_wait), 80);
  EXPECT_GE(occurs(TinyGroup::early_start, Op::set_next_task_start), 50);
  EXPECT_GE(occurs(TinyGroup::queues, Op::enque), 80);
  EXPECT_GE(occurs(TinyGroup::matmul, Op::matmul), 80);
  EXPECT_GE(occurs(TinyGroup::polls, Op::poll), 80);
  EXPECT_GE(occurs(TinyGroup::flags, Op::cross_core_wait_flag), 80);
}

TEST(TinyMix, TargetsStandAtDrawnPositions) {
  EXPECT_TRUE(drawn_positions(1, 0).empty());
  EXPECT_EQ(drawn_positions(1, 2), drawn_positions(1, 2));
  EXPECT_NE(drawn_positions(1, 1), drawn_positions(1, 2));
  for (const LatitudePin& pin : drawn_positions(7, 3)) {
    EXPECT_LT(pin.position, latitude(pin.id).positions().size());
    EXPECT_EQ(latitude(pin.id).kind, LatitudeClass::fixed);
  }
}

}  // namespace
}  // namespace skcts::generators
