// Errors as values, results, and the nearest name.
#include "spec/error.h"

#include <array>
#include <memory>

#include <gtest/gtest.h>

namespace skcts {
namespace {

TEST(Error, PrintsPlaceFieldMessageAndHint) {
  const Error error{.file = "a.json",
                    .line = 7,
                    .field = "mix.blocks",
                    .message = "is 0; expected 1..20",
                    .hint = "did you mean 'block'?"};
  EXPECT_EQ(to_string(error), "a.json:7: mix.blocks: is 0; expected 1..20 (did you mean 'block'?)");
  EXPECT_EQ(fmt::format("{}", error), to_string(error));
}

TEST(Error, PrintsAKnownColumnAfterTheLine) {
  const Error error{.file = "a.json", .line = 7, .column = 3, .message = "m"};
  EXPECT_EQ(to_string(error), "a.json:7:3: m");
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(to_string(Error{.message = "m"}), "m");
  EXPECT_EQ(to_string(Error{.field = "f", .message = "m"}), "f: m");
  EXPECT_EQ(to_string(Error{.file = "a.json", .message = "m"}), "a.json: m");
  EXPECT_EQ(to_string(Error{.line = 2, .message = "m"}), "2: m");
  // A column without its line says nothing.
  EXPECT_EQ(to_string(Error{.file = "a.json", .column = 3, .message = "m"}), "a.json: m");
  EXPECT_EQ(to_string(Error{.message = "m", .hint = "h"}), "m (h)");
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 4;
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(good.value(), 4);
  EXPECT_EQ(*good, 4);

  const Result<int> bad = Error{.message = "no"};
  ASSERT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().message, "no");
}

TEST(Result, GivesAccessToTheMembersOfItsValue) {
  Result<std::string> text = std::string("word");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->size(), 4U);
  text.value() += "s";
  EXPECT_EQ(*text, "words");
}

TEST(Result, MovesAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> owner = std::make_unique<int>(3);
  ASSERT_TRUE(owner.ok());
  const std::unique_ptr<int> taken = std::move(owner).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Result, OfVoidIsSuccessOrAnError) {
  EXPECT_TRUE(Result<void>{}.ok());
  const Result<void> bad = Error{.message = "no"};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "no");
}

TEST(ResultDeathTest, StopsWhenTheWrongHalfIsAsked) {
  const Result<int> bad = Error{.field = "f", .message = "no"};
  EXPECT_DEATH((void)bad.value(), "error.h:.*holds an error: f: no");
  const Result<int> good = 4;
  EXPECT_DEATH((void)good.error(), "holds a value");
}

TEST(CheckDeathTest, PrintsPlaceConditionAndText) {
  const int three = 3;
  SKCTS_CHECK(three == 3, "never printed {}", three);
  EXPECT_DEATH(SKCTS_CHECK(three == 4, "it is {}", three),
               "error_test.cpp:[0-9]+: check failed: three == 4: it is 3");
}

TEST(Check, FormatsItsTextOnlyWhenItFails) {
  int formatted = 0;
  const auto text = [&formatted] {
    ++formatted;
    return 1;
  };
  SKCTS_CHECK(true, "{}", text());
  EXPECT_EQ(formatted, 0);
}

constexpr std::array<std::string_view, 4> names = {"early-start", "feed-sync-all", "split-mode",
                                                   "up"};

TEST(NearestName, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest_name("early-strat", names), "early-start");
  EXPECT_EQ(nearest_name("feed-syncall", names), "feed-sync-all");
  EXPECT_EQ(nearest_name("splitmode", names), "split-mode");
}

TEST(NearestName, TakesCaseAndUnderscoresForNoDifference) {
  EXPECT_EQ(nearest_name("EARLY_START", names), "early-start");
}

TEST(NearestName, TakesAnExchangeForOneEdit) {
  constexpr std::array<std::string_view, 1> one = {"aiv"};
  EXPECT_EQ(nearest_name("avi", one), "aiv");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("x", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("completely-other", names), "");
  EXPECT_EQ(nearest_name("early-start", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'e'), names), "");
}

TEST(NearestName, LetsAThirdOfTheLettersBeWrongAndNoMore) {
  constexpr std::array<std::string_view, 1> nine = {"abcdefghi"};
  EXPECT_EQ(nearest_name("abcdefxyz", nine), "abcdefghi");  // three of nine
  EXPECT_EQ(nearest_name("abcdewxyz", nine), "");           // four of nine
  constexpr std::array<std::string_view, 1> two = {"up"};
  EXPECT_EQ(nearest_name("ap", two), "up");
  EXPECT_EQ(nearest_name("at", two), "");
}

TEST(NearestName, PrefersTheNearerAndThenTheFirst) {
  constexpr std::array<std::string_view, 3> words = {"abcxxf", "abcdxf", "abcdeg"};
  EXPECT_EQ(nearest_name("abcdef", words), "abcdxf");
}

TEST(DidYouMean, AsksOnlyWhenANameIsNear) {
  EXPECT_EQ(did_you_mean("split-mod", names), "did you mean 'split-mode'?");
  EXPECT_EQ(did_you_mean("zzz", names), "");
}

TEST(JoinNames, SeparatesByCommas) {
  EXPECT_EQ(join_names(names), "early-start, feed-sync-all, split-mode, up");
  EXPECT_EQ(join_names({}), "");
}

}  // namespace
}  // namespace skcts
