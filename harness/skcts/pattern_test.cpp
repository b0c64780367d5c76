#include "harness/skcts/pattern.h"

#include <string>

#include <gtest/gtest.h>

namespace skcts::program {
namespace {

TEST(Pattern, StarStandsForAnyLettersAndQuestionMarkForOne) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "feed-missing"));
  EXPECT_TRUE(matches("feed-*", "feed-missing"));
  EXPECT_TRUE(matches("*-missing", "a-missing-b-missing"));
  EXPECT_TRUE(matches("f??d*s*g", "feed-missing"));
  EXPECT_TRUE(matches("**", "x"));
  EXPECT_TRUE(matches("feed-missing", "feed-missing"));
  EXPECT_FALSE(matches("feed", "feed-missing"));
  EXPECT_FALSE(matches("feed-missing?", "feed-missing"));
  EXPECT_FALSE(matches("*-missin", "feed-missing"));
  EXPECT_FALSE(matches("", "x"));
  EXPECT_FALSE(matches("?", ""));
}

TEST(Duration, IsANumberWithAUnit) {
  EXPECT_EQ(*parse_duration("60s"), 60);
  EXPECT_EQ(*parse_duration("1.5m"), 90);
  EXPECT_EQ(*parse_duration("1000h"), 3'600'000);
}

TEST(Duration, ThatIsNoneSaysWhatWasExpected) {
  for (const char* const text :
       {"", "s", "60", "60 s", "60sec", "-1s", "0s", "1e9s", "1001h", "nans", "infs", "1d"}) {
    const Result<double> read = parse_duration(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().message.find("'" + std::string(text) + "': expected a number"), 0U);
  }
}

}  // namespace
}  // namespace skcts::program
