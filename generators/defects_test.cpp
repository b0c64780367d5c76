#include "generators/defects.h"

#include <set>

#include <gtest/gtest.h>

#include "generators/generate.h"
#include "generators/testing.h"
#include "spec/case_id.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

TEST(OperatorDefects, HaveUniqueNamesAndATextEach) {
  std::set<std::string_view> names;
  for (const OperatorDefect& d : operator_defects()) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_FALSE(d.text.empty()) << d.name;
    EXPECT_EQ(rule(d.rule).kind, RuleKind::restriction) << d.name;
    EXPECT_EQ(find_operator_defect(d.name), &d);
  }
  EXPECT_EQ(find_operator_defect("no-such-defect"), nullptr);
}

TEST(OperatorDefects, CoverEveryRestrictionOfTheMachinesThereAre) {
  std::set<RuleId> covered;
  for (const OperatorDefect& d : operator_defects()) covered.insert(d.rule);
  for (const Rule& r : rules()) {
    if (r.kind != RuleKind::restriction || !r.needs.empty()) continue;
    EXPECT_TRUE(covered.contains(r.id)) << r.name;
  }
}

TEST(OperatorDefects, ThereAreAtLeastSixtyKinds) {
  EXPECT_GE(operator_defects().size(), 60u);
}

TEST(OperatorDefects, WhatAMachineCannotHaveIsNotSearchedFor) {
  const OperatorDefect& pipes = *find_operator_defect("one-id-for-two-waiting-pipes");
  EXPECT_FALSE(exists_on(pipes, machine("a2-24")));
  EXPECT_FALSE(inject(1, 1, pipes, machine("a2-24")).has_value());
  EXPECT_TRUE(exists_on(pipes, machine("950-28")));
  const OperatorDefect& barrier = *find_operator_defect("vector-barrier-missing");
  EXPECT_FALSE(exists_on(barrier, machine("950-28"))) << "the hardware orders V by data there";
}

class EveryDefect : public testing::TestWithParam<std::size_t> {
 protected:
  const OperatorDefect& defect() const { return operator_defects()[GetParam()]; }
  /// A machine that has it.
  const Profile& chip() const {
    return machine(exists_on(defect(), machine("a2-24")) ? "a2-24" : "950-28");
  }
};

TEST_P(EveryDefect, TurnsAValidMixIntoAnother) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    const auto pair = inject(3, i, defect(), chip());
    ASSERT_TRUE(pair.has_value()) << i;
    EXPECT_TRUE(validate(pair->healthy).empty()) << i;
    const auto errors = validate(pair->broken);
    EXPECT_TRUE(errors.empty()) << i << ": " << to_string(errors.front());
    EXPECT_NE(case_id(pair->healthy), case_id(pair->broken)) << i;
    EXPECT_EQ(pair->healthy.name, pair->broken.name) << "nothing tells which edit it was";
  }
}

TEST_P(EveryDefect, IsAFunctionOfItsArguments) {
  const auto one = inject(9, 4, defect(), chip());
  const auto two = inject(9, 4, defect(), chip());
  ASSERT_TRUE(one.has_value() && two.has_value());
  EXPECT_EQ(one->healthy, two->healthy);
  EXPECT_EQ(one->broken, two->broken);
}

INSTANTIATE_TEST_SUITE_P(OperatorDefects, EveryDefect,
                         testing::Range(std::size_t{0}, operator_defects().size()),
                         [](const testing::TestParamInfo<std::size_t>& which) {
                           std::string name(operator_defects()[which.param].name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(OperatorDefects, AForeignDefectIsRefused) {
  const OperatorDefect foreign{"made-up", RuleId::sync_5, "A defect of nobody."};
  EXPECT_FALSE(inject(1, 1, foreign, machine("a2-24")).has_value());
}

}  // namespace
}  // namespace skcts::generators
