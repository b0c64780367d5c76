#include "harness/campaign/certify.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/campaign/testing.h"
#include "reference_model/model.h"
#include "spec/embedded.h"
#include "spec/operator_text.h"
#include "spec/validate.h"

namespace skcts::campaign {
namespace {

Operator operator_named(std::string_view name) {
  for (const EmbeddedFile& file : embedded_operators()) {
    const Result<Operator> read = read_operator(file.text, file.name);
    if (read && read->name == name) return *read;
  }
  ADD_FAILURE() << "no operator " << name;
  return {};
}

Levels row_of(const CertifyMixes& mixes, Factor factor, std::string_view level) {
  Levels row(factor_count, 0);
  const auto& names = mixes.levels(factor);
  const auto at = std::ranges::find(names, level);
  EXPECT_NE(at, names.end()) << level;
  row[static_cast<std::size_t>(factor)] = static_cast<int>(at - names.begin());
  return row;
}

TEST(CertifyMixes, HoldTheOperatorAsItWasHandedIn) {
  for (const char* const name : {"add_tpipe_tque", "set_atomic_add_multi_aic", "ib_set_wait"}) {
    const Operator value = operator_named(name);
    const CertifyMixes mixes(value, default_profile(), 1);
    for (const char* const level : {"none", "itself", "itself on the same inputs", "cube chain"}) {
      const Levels row = row_of(mixes, Factor::neighbour, level);
      const std::optional<Case> made = mixes.make(row, 0);
      ASSERT_TRUE(made) << name << level;
      EXPECT_TRUE(validate(*made).empty());
      EXPECT_TRUE(mixes.holds_operator(*made)) << name << level;
      const Case without = mixes.without_operator(*made);
      EXPECT_FALSE(mixes.holds_operator(without));
      EXPECT_TRUE(model::Model().is_legal(without)) << name << level;
    }
  }
}

TEST(CertifyMixes, WritersAndReadersArePortable) {
  const Operator value = operator_named("ib_set_wait");
  const CertifyMixes mixes(value, default_profile(), 1);
  for (const char* const level : {"by DMA", "by scalars"}) {
    const std::optional<Case> made = mixes.make(row_of(mixes, Factor::data, level), 0);
    ASSERT_TRUE(made);
    std::string why;
    EXPECT_TRUE(model::Model().is_legal(*made, &why)) << level << ": " << why;
    // What the operator gives is what it gives from its own words.
    const auto alone = model::analyse(mixes.launched_alone()).alone_memory;
    const auto there = model::analyse(*made).alone_memory;
    const GmLayout layout = layout_of(made->mix);
    const auto z = static_cast<std::size_t>(value.outputs.front());
    const GmLayout own = layout_of(mixes.launched_alone().mix);
    for (std::int64_t w = 0; w < value.regions[z].words; ++w) {
      EXPECT_EQ(there[static_cast<std::size_t>(layout.base[z] + w)],
                alone[static_cast<std::size_t>(own.base[z] + w)]);
    }
  }
}

TEST(CertifyMixes, SaysWhatExcludesWhat) {
  const Operator value = operator_named("sk_paren_write");
  const CertifyMixes mixes(value, default_profile(), 1);
  Levels row = row_of(mixes, Factor::relation, "wider");
  EXPECT_EQ(mixes.excluded(row), "without a neighbour there is no relation");
  EXPECT_EQ(mixes.excluded(mixes.helped(row)), "");
  row = mixes.helped(row_of(mixes, Factor::relation, "narrower"));
  EXPECT_EQ(mixes.excluded(row), "nothing is narrower than a core");
  const Operator feeds = operator_named("sync_all_hard_aiv");
  const CertifyMixes fed(feeds, default_profile(), 1);
  EXPECT_EQ(fed.excluded(row_of(fed, Factor::option, "feed-sync-all=1")),
            "the operator asks for this option itself");
}

TEST(Certify, RefusesWithTheSmallestMixAndARepair) {
  testing_toys::ToyTarget target(testing_toys::Lie::none);
  const Operator value = operator_named("sk_two_tpipe_bad_layout");
  CertifySettings settings{.profile = &default_profile(), .runs = 1, .every_pair = false};
  const Certification done = certify(value, target, settings);
  EXPECT_FALSE(done.certified());
  ASSERT_EQ(done.primary(), RuleId::pipe_2);
  const BrokenRule& broken = done.broken.front();
  EXPECT_EQ(done.mixes[broken.first].stage, Stage::fused_alone);
  EXPECT_EQ(broken.smallest.mix.sub_kernels.size(), 1U);
  EXPECT_NE(broken.repair.find("PipeBarrier<ALL>"), std::string::npos) << broken.repair;
  EXPECT_EQ(model::analyse(broken.smallest).rule, RuleId::pipe_2);
}

/// Eight words a block, or, with a fault of RATIO-4, a vector core: at 1:1 that is the same.
Operator one_to_one(bool by_core) {
  constexpr std::string_view text = R"({
    "format": 1, "name": "half",
    "regions": [{"name": "A", "words": 32, "init": {"first": 1, "step": 1}},
                {"name": "B", "words": 32}],
    "inputs": ["A"], "outputs": ["B"],
    "sub_kernel": {"name": "half", "type": "MIX_AIC_1_1", "blocks": 2,
      "aic": [{"op": "PipeBarrier", "pipe": "ALL"}],
      "aiv": [
        {"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "A", "at": {"INDEX": 8}}, "count": 8},
        {"op": "SetFlag", "event": "MTE2_MTE3", "id": 0},
        {"op": "WaitFlag", "event": "MTE2_MTE3", "id": 0},
        {"op": "DataCopy", "dst": {"gm": "B", "at": {"INDEX": 8}}, "src": {"UB": 0}, "count": 8,
         "where": {"sub": 0}}]}})";
  std::string made(text);
  for (std::size_t at = made.find("INDEX"); at != std::string::npos; at = made.find("INDEX")) {
    made.replace(at, 5, by_core ? "core" : "block");
  }
  const Result<Operator> read = read_operator(made, "half.json");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *read : Operator();
}

TEST(Certify, OneToOneIsTriedAtBothRatios) {
  testing_toys::ToyTarget target(testing_toys::Lie::none);
  CertifySettings settings{.profile = &default_profile(), .runs = 1, .every_pair = false};
  const Certification good = certify(one_to_one(false), target, settings);
  EXPECT_TRUE(good.broken.empty());
  EXPECT_EQ(good.missing, "");
  EXPECT_GT(good.launches.at(KernelType::mix_aic_1_1), 0);
  EXPECT_GT(good.launches.at(KernelType::mix_aic_1_2), 0);
  const Certification bad = certify(one_to_one(true), target, settings);
  EXPECT_EQ(bad.primary(), RuleId::ratio_4);
}

TEST(Certify, AFewMixesCertifyNothing) {
  testing_toys::ToyTarget target(testing_toys::Lie::none);
  const Operator value = operator_named("set_atomic_add_single_aiv");
  CertifySettings settings{.profile = &default_profile(), .runs = 1, .every_pair = false};
  const Certification done = certify(value, target, settings);
  EXPECT_TRUE(done.broken.empty());
  EXPECT_TRUE(done.target_failures.empty());
  EXPECT_FALSE(done.certified());
  EXPECT_GT(done.mixes.size(), 40U);
}

TEST(Certify, TellsTheTargetsFaultApart) {
  testing_toys::ToyTarget target(testing_toys::Lie::block_num);
  Operator value = operator_named("set_atomic_add_single_aiv");
  Instruction query;
  query.op = Op::get_block_num;
  value.sub_kernel.aiv.insert(value.sub_kernel.aiv.begin(), query);
  CertifySettings settings{.profile = &default_profile(), .runs = 1, .every_pair = false};
  const Certification done = certify(value, target, settings);
  EXPECT_TRUE(done.broken.empty());
  ASSERT_FALSE(done.target_failures.empty());
  EXPECT_EQ(done.target_failures.front().rule, RuleId::core_3);
  EXPECT_FALSE(done.certified());
}

TEST(Certify, EndsWhereItIsToldTo) {
  testing_toys::ToyTarget target(testing_toys::Lie::none);
  const Operator value = operator_named("set_atomic_add_single_aiv");
  int asked = 0;
  CertifySettings settings{.profile = &default_profile(), .runs = 1};
  settings.stop = [&] { return ++asked > 20; };
  const Certification done = certify(value, target, settings);
  EXPECT_TRUE(done.stopped);
  EXPECT_FALSE(done.certified());
}

}  // namespace
}  // namespace skcts::campaign
