// The machines: names, counts and sizes.
#include "spec/profile.h"

#include <set>

#include <gtest/gtest.h>

namespace skcts {
namespace {

struct CoreCount {
  std::string_view name;
  Architecture architecture;
  int aic_count;
  int aiv_count;
};

TEST(Profiles, AreTheMachinesOfTheContract) {
  const CoreCount expected[] = {{"a2-20", Architecture::a2, 20, 40},
                                {"a2-24", Architecture::a2, 24, 48},
                                {"a3-24", Architecture::a3, 24, 48},
                                {"tiny", Architecture::a2, 2, 4},
                                {"950-28", Architecture::a950, 28, 56},
                                {"tiny-950", Architecture::a950, 2, 4}};
  ASSERT_EQ(profiles().size(), std::size(expected));
  for (const CoreCount& count : expected) {
    const Profile* profile = find_profile(count.name);
    ASSERT_NE(profile, nullptr) << count.name;
    EXPECT_EQ(profile->name, count.name);
    EXPECT_EQ(profile->architecture, count.architecture);
    EXPECT_EQ(profile->aic_count, count.aic_count);
    EXPECT_EQ(profile->aiv_count, count.aiv_count);
  }
}

TEST(Profiles, OfTheArchitectureShareItsRules) {
  for (const Profile& profile : profiles()) {
    EXPECT_EQ(profile.aiv_per_aic, 2) << profile.name;
    EXPECT_EQ(profile.aiv_count, profile.aic_count * profile.aiv_per_aic) << profile.name;
    EXPECT_EQ(profile.cache_line_bytes, 64) << profile.name;
    EXPECT_EQ(profile.cache_line_words(), 16) << profile.name;
    EXPECT_EQ(profile.dma_block_bytes, 32) << profile.name;
    EXPECT_EQ(profile.dma_block_words(), 8) << profile.name;
    EXPECT_EQ(profile.flag_count, 16) << profile.name;
    EXPECT_EQ(profile.flag_counter_max, 15) << profile.name;
    EXPECT_EQ(profile.event_id_count, 8) << profile.name;
    EXPECT_GE(profile.pipe_queue_depth, 1) << profile.name;
  }
}

TEST(Profiles, OfRealMachinesHaveThePublishedBuffers) {
  for (const char* name : {"a2-20", "a2-24", "a3-24"}) {
    const Profile& profile = *find_profile(name);
    EXPECT_EQ(profile.ub_words * 4, 196608) << name;
    EXPECT_EQ(profile.l1_words * 4, 524288) << name;
    EXPECT_EQ(profile.l0a_words * 4, 65536) << name;
    EXPECT_EQ(profile.l0b_words * 4, 65536) << name;
    EXPECT_EQ(profile.l0c_words * 4, 131072) << name;
  }
}

TEST(Profiles, OfThe950HaveThePublishedBuffersAndPipes) {
  const Profile& profile = *find_profile("950-28");
  EXPECT_EQ(profile.ub_words * 4, 253952);
  EXPECT_EQ(profile.l1_words * 4, 524288);
  EXPECT_EQ(profile.l0a_words * 4, 65536);
  EXPECT_EQ(profile.l0c_words * 4, 262144);
  EXPECT_FALSE(profile.has_pipe(CoreKind::aic, Pipe::mte3));
  EXPECT_TRUE(profile.has_pipe(CoreKind::aiv, Pipe::mte3));
  EXPECT_TRUE(profile.has_pipe(CoreKind::aic, Pipe::fix));
  EXPECT_TRUE(find_profile("a2-20")->has_pipe(CoreKind::aic, Pipe::mte3));
}

TEST(Profiles, OfTheTinyMachineHaveWholeBlocksAndLessMemory) {
  const Profile& tiny = *find_profile("tiny");
  const Profile& real = *find_profile("a2-20");
  for (const auto member : {&Profile::ub_words, &Profile::l1_words, &Profile::l0a_words,
                            &Profile::l0b_words, &Profile::l0c_words}) {
    EXPECT_GT(tiny.*member, 0);
    EXPECT_EQ(tiny.*member % tiny.dma_block_words(), 0);
    EXPECT_LT(tiny.*member, real.*member);
  }
  EXPECT_LT(tiny.pipe_queue_depth, real.pipe_queue_depth);
}

TEST(Profiles, AreFoundByTheirExactNameOnly) {
  for (const char* name : {"", "a2", "A2-20", "a2-20 ", "950"}) {
    EXPECT_EQ(find_profile(name), nullptr) << name;
  }
  EXPECT_EQ(default_profile().name, "a2-20");
  std::set<std::string_view> names;
  for (const Profile& profile : profiles()) names.insert(profile.name);
  EXPECT_EQ(names, std::set(profile_names().begin(), profile_names().end()));
  EXPECT_EQ(names.size(), profiles().size());
}

TEST(Profiles, SettleLatitudesOnce) {
  for (const Profile& profile : profiles()) {
    std::set<LatitudeId> settled;
    for (const LatitudePin& pin : profile.settled) {
      EXPECT_TRUE(settled.insert(pin.id).second) << profile.name;
      EXPECT_TRUE(latitude_defaults(profile).holds(pin)) << profile.name;
    }
    // The 950 alone may lose what a SuperKernel leaves dirty (semantics §4).
    EXPECT_EQ(settled.contains(37), !profile.is_3510()) << profile.name;
    EXPECT_TRUE(latitude_defaults(profile).holds(latitude_pin(37, "written-back")));
  }
}

TEST(Profiles, SettleOverTheDefault) {
  const LatitudePin settled[] = {latitude_pin(38, "all-of-kind"), latitude_pin(9, "hang")};
  Profile profile = default_profile();
  profile.settled = settled;
  LatitudeAssignment expected;
  expected.set(settled[0]);
  expected.set(settled[1]);
  EXPECT_EQ(latitude_defaults(profile), expected);
  EXPECT_NE(latitude_defaults(profile), LatitudeAssignment{});
}

TEST(Architecture, Prints) {
  EXPECT_EQ(fmt::format("{} {}", Architecture::a2, Architecture::a3), "a2 a3");
}

}  // namespace
}  // namespace skcts
