// One property a rule, and what operator defects are for the model.
#include "suites/suites.h"

#include <algorithm>
#include <ostream>

#include <gtest/gtest.h>

#include "generators/coverage.h"
#include "generators/defects.h"
#include "generators/world.h"
#include "harness/campaign/engine.h"
#include "reference_model/model.h"
#include "spec/rule.h"
#include "spec/validate.h"
#include "suites/mixes.h"

namespace skcts::generators {

/// GoogleTest would print its bytes.
void PrintTo(const OperatorDefect& defect, std::ostream* out) {
  *out << defect.name;
}

}  // namespace skcts::generators

namespace skcts::suites {
namespace {

TEST(Suites, HaveOnePropertyForEachRuleThatCanBeExercised) {
  std::vector<RuleId> wanted;
  for (const Rule& r : rules()) {
    if (r.needs.empty()) wanted.push_back(r.id);
  }
  std::vector<RuleId> have;
  for (const Property& p : properties()) have.push_back(p.rule);
  EXPECT_EQ(have, wanted);
}

TEST(Suites, SayWhatEachPropertyShows) {
  for (const Property& p : properties()) {
    EXPECT_FALSE(p.shows.empty()) << to_string(p.rule);
    EXPECT_LE(p.shows.size(), 80u) << to_string(p.rule);
    EXPECT_TRUE(p.make && p.exercises) << to_string(p.rule);
    EXPECT_EQ(static_cast<bool>(p.measure), static_cast<bool>(p.summarize)) << to_string(p.rule);
  }
}

TEST(Suites, MakeTheSameExperimentsEachTime) {
  const Source source{5, &default_profile()};
  for (const Property& p : properties()) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto once = p.make(source, i);
      const auto twice = p.make(source, i);
      ASSERT_EQ(once.has_value(), twice.has_value());
      if (!once) continue;
      for (std::size_t at = 0; at < once->parts.size(); ++at) {
        EXPECT_EQ(once->parts[at].test_case, twice->parts[at].test_case) << to_string(p.rule);
        EXPECT_EQ(once->parts[at].strategies, twice->parts[at].strategies) << to_string(p.rule);
      }
    }
  }
}

TEST(Suites, MakeValidCases) {
  const Source source{6, &default_profile()};
  for (const Property& p : properties()) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      const auto experiment = p.make(source, i);
      if (!experiment) continue;
      for (const Part& part : experiment->parts) {
        const auto errors = validate(part.test_case);
        EXPECT_TRUE(errors.empty()) << to_string(p.rule) << " " << i << " " << part.name << ": "
                                    << to_string(errors.front());
      }
    }
  }
}

/// Legal for the model, fused and alone, on machines of both architectures, whatever lies around
/// the sub kernels.
TEST(LegalMixes, AreLegalForTheModelInEveryWorld) {
  model::Model model;
  for (std::size_t n = 0; n < generators::feature_count; ++n) {
    const auto feature = static_cast<Feature>(n);
    if (!generators::world_features().has(feature) && !generators::is_captured(feature)) continue;
    for (const std::string_view name : {"a2-20", "tiny", "tiny-950"}) {
      for (std::uint64_t i = 0; i < 25; ++i) {
        Focus focus;
        focus.require = {feature};
        const Case mix = generators::generate(17, i, focus, *find_profile(name));
        const Allowed together = model.allowed(mix, {});
        const Allowed one_by_one = model.allowed(alone(mix), {});
        for (const Allowed* allowed : {&together, &one_by_one}) {
          EXPECT_TRUE(campaign::is_single_memory(*allowed) && !allowed->rule)
              << to_string(feature) << " " << name << " " << i
              << (allowed == &together ? "" : ", alone");
        }
        EXPECT_EQ(together.memory, one_by_one.memory)
            << to_string(feature) << " " << name << " " << i;
      }
    }
  }
}

TEST(LegalMixes, AreLegalForTheModelWhateverTheCoverageTableAsksFor) {
  model::Model model;
  for (const std::string_view name : {"a2-24", "950-28", "tiny"}) {
    const generators::CoverageTable table(*find_profile(name));
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Allowed allowed = model.allowed(table.make(19, i), {});
      EXPECT_TRUE(campaign::is_single_memory(allowed) && !allowed.rule) << name << " " << i;
    }
  }
}

class OperatorDefects : public testing::TestWithParam<generators::OperatorDefect> {};

/// How many of a hundred pairs there are; each is what its defect says.
int check_pairs(const generators::OperatorDefect& defect, const Profile& profile) {
  model::Model model;
  int made = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto pair = generators::inject(7, i, defect, profile);
    if (!pair) continue;
    ++made;
    const model::Analysis broken = model.analyse(pair->broken, {}, model::Leaning::left_out);
    EXPECT_EQ(broken.rule, defect.rule)
        << profile.name << " " << i << ": " << (broken.rule ? to_string(*broken.rule) : "no rule")
        << ": " << broken.sentence;
    std::string why;
    EXPECT_TRUE(model.is_legal(pair->healthy, &why)) << profile.name << " " << i << ": " << why;
  }
  return made;
}

TEST_P(OperatorDefects, HaveTheirRuleAsPrimaryAndHealthyTwins) {
  int machines = 0;
  for (const std::string_view name : {default_profile().name, std::string_view("950-28")}) {
    const Profile& profile = *find_profile(name);
    if (!generators::exists_on(GetParam(), profile)) continue;
    ++machines;
    EXPECT_GE(check_pairs(GetParam(), profile), 95) << name;
  }
  EXPECT_GE(machines, 1);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OperatorDefects,
                         testing::ValuesIn(generators::operator_defects()),
                         [](const testing::TestParamInfo<generators::OperatorDefect>& tested) {
                           std::string name(tested.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// On each machine, or the property says why the machine has none.
TEST(OperatorDefects, CoverEveryRestrictionOnEachMachine) {
  for (const Profile& profile : profiles()) {
    for (const Property& property : properties()) {
      if (rule(property.rule).kind != RuleKind::restriction) continue;
      const bool covered = std::ranges::any_of(generators::operator_defects(), [&](const auto& d) {
        return d.rule == property.rule && generators::exists_on(d, profile);
      });
      const std::string why = property.not_on ? property.not_on(profile) : std::string();
      EXPECT_EQ(covered, why.empty()) << profile.name << " " << to_string(property.rule);
    }
  }
}

}  // namespace
}  // namespace skcts::suites
