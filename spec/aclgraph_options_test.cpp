// Options of captured graphs: never refused, defaults of their own; patterns of kernel names.
#include "spec/aclgraph_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/case.h"

namespace skcts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Options read(std::string_view text, std::vector<std::string>* warnings = nullptr) {
  OptionParse parse = parse_aclgraph_options(text);
  EXPECT_FALSE(parse.refusal);
  if (warnings != nullptr) {
    *warnings = parse.warnings;
  } else {
    EXPECT_THAT(parse.warnings, IsEmpty()) << text;
  }
  return parse.options.value();
}

TEST(AclgraphOptions, HaveDefaultsOfTheirOwn) {
  Options expected;
  expected.early_start = 0;
  expected.stream_fusion = true;
  EXPECT_EQ(read(""), expected);
  EXPECT_EQ(read(" \" \" "), expected);
}

TEST(AclgraphOptions, AreStored) {
  const Options all = read(
      "preload_code=2:split_mode=1:stream_fusion=0:debug_sync_all=1:early_start=1:"
      "dcci_disable_on_kernel=a.*, b:dcci_before_kernel_start=c:dcci_after_kernel_end=d:"
      "debug_per_op_max_core_num=1:constant_codegen=1:kernel_map=x:ubuf_lock_ignore_kernel=k");
  EXPECT_EQ(all.preload_code, PreloadCode::none);
  EXPECT_EQ(all.split_mode, 1);
  EXPECT_FALSE(all.stream_fusion);
  EXPECT_TRUE(all.debug_sync_all);
  EXPECT_EQ(all.early_start, 1);
  EXPECT_THAT(all.dcci_disable_on_kernel, ElementsAre("a.*", "b"));
  EXPECT_THAT(all.dcci_before_kernel_start, ElementsAre("c"));
  EXPECT_THAT(all.dcci_after_kernel_end, ElementsAre("d"));
  EXPECT_TRUE(all.per_op_max_core_num);
  EXPECT_EQ(read("preload_code=0").preload_code, PreloadCode::max);
}

TEST(AclgraphOptions, WarnAndKeepTheDefault) {
  for (const char* text : {"early_start=2", "split_mode=0", "split_mode=5", "preload_code=-1",
                           "stream_fusion=", "debug_sync_all=10", "early_start=x"}) {
    std::vector<std::string> warnings;
    EXPECT_EQ(read(text, &warnings), read("")) << text;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("stays"))) << text;
  }
}

TEST(AclgraphOptions, TheFirstOfTwoStands) {
  std::vector<std::string> warnings;
  EXPECT_EQ(read("early_start=1:early_start=0", &warnings).early_start, 1);
  EXPECT_THAT(warnings, ElementsAre("option 'early_start' is given twice: the first one stands"));
  EXPECT_EQ(read("early_start=7:early_start=1", &warnings).early_start, 0);
  EXPECT_EQ(warnings.size(), 2U);
}

TEST(AclgraphOptions, PassOverWhatTheyDoNotKnow) {
  std::vector<std::string> warnings;
  EXPECT_EQ(read("early-start=1:feed_sync_all=1:early_start", &warnings), read(""));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("early-start"), HasSubstr("feed_sync_all"),
                                    HasSubstr("name=value")));
}

TEST(AclgraphOptions, AreReadByThePathOfTheCase) {
  Case test_case;
  test_case.mix.options = "early_start=1";
  EXPECT_TRUE(options_of(test_case).refusal);
  test_case.path = "aclgraph";
  EXPECT_EQ(options_of(test_case).options->early_start, 1);
}

TEST(KernelPattern, MatchesWholeNames) {
  for (const auto& [pattern, name] : std::vector<std::pair<std::string, std::string>>{
           {"add", "add"}, {"a.d", "add"}, {".*", "add"}, {".*", ""}, {"", ""}, {"ad*", "a"},
           {"ad*", "addd"}, {"a.*_1", "add_x_1"}, {"a-b_c9", "a-b_c9"}, {"a*a", "aaa"},
           {"x*a.*b*", "acc"}}) {
    EXPECT_TRUE(matches_kernel_pattern(pattern, name)) << pattern << ' ' << name;
  }
  for (const auto& [pattern, name] : std::vector<std::pair<std::string, std::string>>{
           {"add", "adds"}, {"add", "xadd"}, {"", "a"}, {"a.", "a"}, {"*", "a"}, {"*a", "a"},
           {"a**", "a"}, {"a+", "a"}, {"(a)", "a"}, {"[a]", "a"}, {"a b", "a b"}, {"ad*", "ab"}}) {
    EXPECT_FALSE(matches_kernel_pattern(pattern, name)) << pattern << ' ' << name;
  }
}

}  // namespace
}  // namespace skcts
