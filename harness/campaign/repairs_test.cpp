// Repairs of operator defects: how many are found, and that each is what it claims to be.
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generators/defects.h"
#include "reference_model/repair.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::campaign {
namespace {

constexpr std::uint64_t seed = 7;
constexpr std::uint64_t cases_a_defect = 6;

struct Share {
  int broken = 0;
  int repaired = 0;
};

/// The memory of the sub kernels launched one by one stays, where the original has one.
void expect_same_memory(const model::Analysis& before, const model::Analysis& after) {
  if (before.alone_memory.empty()) return;
  ASSERT_EQ(after.allowed.memory.size(), before.alone_memory.size());
  for (std::size_t w = 0; w < before.alone_memory.size(); ++w) {
    const WordAllowed& word = after.allowed.memory[w];
    if (word.kind == WordKind::unjudged) continue;
    ASSERT_EQ(word.kind, WordKind::exact);
    ASSERT_EQ(word.value, before.alone_memory[w]) << "word " << w;
  }
}

/// The repaired case, written and read as a user gets it, is clean.
void expect_clean(const Case& broken, const model::Analysis& before, const model::Repair& repair) {
  const Case mended = model::repaired(broken, repair);
  EXPECT_NE(mended, broken);
  EXPECT_TRUE(validate(mended).empty());
  const Result<Case> read = read_case(write_case(mended), "mended");
  ASSERT_TRUE(read) << to_string(read.error());
  const model::Analysis after = model::analyse(*read);
  EXPECT_EQ(after.behaviour, Behaviour::completes) << after.sentence;
  EXPECT_FALSE(after.rule.has_value()) << after.sentence;
  EXPECT_TRUE(after.also.empty());
  EXPECT_TRUE(after.races.empty());
  EXPECT_TRUE(after.waiting.empty());
  expect_same_memory(before, after);
}

/// By rule, "SYNC-5  17 of 18".
class Repairs : public ::testing::Test {
 protected:
  Share share_of(RuleId rule) {
    Share share;
    model::Model judge;
    model::Repairer repairer;
    for (const generators::OperatorDefect& defect : generators::operator_defects()) {
      if (defect.rule != rule) continue;
      for (std::uint64_t index = 0; index < cases_a_defect; ++index) {
        const auto pair = generators::inject(seed, index, defect, default_profile());
        if (!pair) continue;
        const model::Analysis before = judge.analyse(pair->broken, {}, model::Leaning::left_out);
        ++share.broken;
        const auto repair = repairer.find(pair->broken, before);
        if (!repair) continue;
        ++share.repaired;
        SCOPED_TRACE(fmt::format("{} {}: {}", defect.name, index,
                                 model::sentence_of(pair->broken, *repair)));
        expect_clean(pair->broken, before, *repair);
      }
    }
    return share;
  }
};

TEST_F(Repairs, OfOperatorDefects) {
  Share all;
  for (const auto& rule : rules()) {
    const Share share = share_of(rule.id);
    if (share.broken == 0) continue;
    fmt::print("{:9} {:3} of {:3}\n", to_string(rule.id), share.repaired, share.broken);
    all.broken += share.broken;
    all.repaired += share.repaired;
  }
  fmt::print("{:9} {:3} of {:3}\n", "all", all.repaired, all.broken);
  EXPECT_GT(all.broken, 200);
  EXPECT_GE(all.repaired * 10, all.broken * 9);
}

TEST_F(Repairs, AHealthyMixNeedsNone) {
  model::Model judge;
  model::Repairer repairer;
  for (const generators::OperatorDefect& defect : generators::operator_defects()) {
    const auto pair = generators::inject(seed, 0, defect, default_profile());
    if (!pair) continue;
    const model::Analysis analysis = judge.analyse(pair->healthy, {}, model::Leaning::left_out);
    EXPECT_FALSE(repairer.find(pair->healthy, analysis).has_value()) << defect.name;
    EXPECT_EQ(repairer.tries(), 0u);
  }
}

}  // namespace
}  // namespace skcts::campaign
