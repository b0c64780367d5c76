// The latitude table, pins and assignments.
#include "spec/latitude.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skcts {
namespace {

std::vector<int> numbers_of(LatitudeClass kind) {
  std::vector<int> numbers;
  for (const Latitude& entry : latitudes()) {
    if (entry.kind == kind) numbers.push_back(entry.id);
  }
  return numbers;
}

TEST(Latitudes, AreSortedAsSemanticsSays) {
  EXPECT_EQ(numbers_of(LatitudeClass::fixed),
            (std::vector{3, 4, 5, 6, 9, 10, 11, 12, 13, 15, 21, 31, 35, 36, 37, 38, 39}));
  EXPECT_EQ(numbers_of(LatitudeClass::free),
            (std::vector{1, 2, 8, 14, 19, 23, 24, 25, 28, 30, 34}));
  EXPECT_EQ(numbers_of(LatitudeClass::pinned), (std::vector{7, 17, 26, 27, 29, 33}));
  EXPECT_EQ(numbers_of(LatitudeClass::without_effect), (std::vector{16, 18, 20, 22, 32}));
}

TEST(Latitudes, AreNumberedFromOne) {
  ASSERT_EQ(latitudes().size(), std::size_t{latitude_count});
  for (int i = 1; i <= latitude_count; ++i) {
    const Latitude& entry = latitude(static_cast<LatitudeId>(i));
    EXPECT_EQ(entry.id, i);
    EXPECT_EQ(entry.name, fmt::format("L-{}", i));
  }
}

TEST(Latitudes, AskAndCite) {
  std::set<std::string_view> questions;
  for (const Latitude& entry : latitudes()) {
    EXPECT_TRUE(entry.question.ends_with('?')) << entry.name;
    EXPECT_TRUE(questions.insert(entry.question).second) << entry.name;
    EXPECT_FALSE(entry.sources.empty()) << entry.name;
  }
}

TEST(Latitudes, LeaveAChoiceUnlessPinned) {
  for (const Latitude& entry : latitudes()) {
    if (entry.kind == LatitudeClass::pinned) {
      EXPECT_EQ(entry.positions().size(), 1U) << entry.name;
    } else {
      EXPECT_GE(entry.positions().size(), 2U) << entry.name;
    }
  }
}

TEST(Latitudes, NamePositionsInKebabCaseAndOnce) {
  for (const Latitude& entry : latitudes()) {
    std::set<std::string_view> names;
    for (const std::string_view position : entry.positions()) {
      EXPECT_TRUE(names.insert(position).second) << entry.name << " " << position;
      EXPECT_EQ(position.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
                std::string_view::npos)
          << entry.name << " " << position;
      EXPECT_FALSE(position.empty() || position.front() == '-' || position.back() == '-')
          << entry.name;
    }
    EXPECT_EQ(entry.default_position(), entry.positions().front());
  }
}

TEST(Latitudes, AreFoundByName) {
  for (const Latitude& entry : latitudes()) EXPECT_EQ(find_latitude(entry.name), entry.id);
  EXPECT_EQ(find_latitude("l-14"), LatitudeId{14});
  for (const char* name : {"", "L", "L-", "L-0", "L-40", "L-014", "14", "M-14", "L-1x", "L14"}) {
    EXPECT_FALSE(find_latitude(name).has_value()) << name;
  }
}

TEST(LatitudePin, IsCheckedByTheCompiler) {
  constexpr LatitudePin pin = latitude_pin(14, "drained");
  EXPECT_EQ(pin, (LatitudePin{14, 1}));
  EXPECT_EQ(latitude_pin(1, "overlap"), (LatitudePin{1, 0}));
  EXPECT_EQ(latitude_pin(39, "lists-win"), (LatitudePin{39, 1}));
}

TEST(LatitudePin, PrintsAndReadsBackEveryPosition) {
  int count = 0;
  for (const Latitude& entry : latitudes()) {
    for (std::size_t i = 0; i < entry.positions().size(); ++i) {
      const LatitudePin pin{entry.id, static_cast<std::uint8_t>(i)};
      const std::string text = fmt::format("{}", pin);
      EXPECT_EQ(text, fmt::format("{}={}", entry.name, entry.positions()[i]));
      const auto read = parse_latitude_pin(text);
      ASSERT_TRUE(read.ok()) << to_string(read.error());
      EXPECT_EQ(read.value(), pin);
      ++count;
    }
  }
  EXPECT_GT(count, 2 * 33);
}

TEST(LatitudePin, IgnoresBlanksAroundItsParts) {
  const auto read = parse_latitude_pin(" l-14 =\tdrained ");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), latitude_pin(14, "drained"));
}

std::string pin_error(std::string_view text) {
  const auto read = parse_latitude_pin(text);
  return read.ok() ? "accepted" : to_string(read.error());
}

TEST(LatitudePin, ErrorsNameTheLegalPositionsAndTheNearest) {
  EXPECT_EQ(pin_error("L-14=draind"),
            "L-14=draind: 'draind' is no position of L-14; expected one of not-drained, drained "
            "(did you mean 'drained'?)");
  EXPECT_EQ(pin_error("L-9=wrap"),
            "L-9=wrap: 'wrap' is no position of L-9; expected one of error, hang");
  EXPECT_EQ(pin_error("L-7=bit"),
            "L-7=bit: 'bit' is no position of L-7; expected its only position counting");
  EXPECT_EQ(pin_error("L-14="),
            "L-14=: '' is no position of L-14; expected one of not-drained, drained");
  EXPECT_EQ(pin_error("L-14=DRAINED"),
            "L-14=DRAINED: 'DRAINED' is no position of L-14; expected one of not-drained, "
            "drained (did you mean 'drained'?)");
}

TEST(LatitudePin, ErrorsSayWhatIsNoLatitude) {
  EXPECT_EQ(pin_error("L-0=drained"), "L-0=drained: 'L-0' is no latitude; expected L-1 to L-39");
  EXPECT_EQ(pin_error("L-40=drained"), "L-40=drained: 'L-40' is no latitude; expected L-1 to L-39");
  EXPECT_EQ(pin_error("=drained"), "=drained: '' is no latitude; expected L-1 to L-39");
  EXPECT_EQ(pin_error("L-14"),
            "L-14: is no pin of a latitude; expected L-N=position (for example L-14=drained)");
  EXPECT_EQ(pin_error(""),
            "is no pin of a latitude; expected L-N=position (for example L-14=drained)");
}

TEST(LatitudeAssignment, StartsAtTheDefaults) {
  const LatitudeAssignment assignment;
  for (const Latitude& entry : latitudes()) {
    EXPECT_EQ(assignment.position(entry.id), 0);
    EXPECT_EQ(assignment.position_name(entry.id), entry.default_position());
  }
  EXPECT_TRUE(assignment.holds(latitude_pin(38, "running-cores")));
  EXPECT_FALSE(assignment.holds(latitude_pin(38, "all-of-kind")));
}

TEST(LatitudeAssignment, KeepsWhatIsSetAndNothingElse) {
  LatitudeAssignment assignment;
  assignment.set(latitude_pin(35, "unbounded"));
  EXPECT_TRUE(assignment.holds(latitude_pin(35, "unbounded")));
  EXPECT_EQ(assignment.position_name(35), "unbounded");
  EXPECT_NE(assignment, LatitudeAssignment{});
  assignment.set(latitude_pin(35, "depth-of-profile"));
  EXPECT_EQ(assignment, LatitudeAssignment{});
}

TEST(LatitudeDeathTest, StopsOutsideTheTable) {
  EXPECT_DEATH((void)latitude(0), "there is no latitude L-0");
  EXPECT_DEATH((void)latitude(40), "there is no latitude L-40");
  LatitudeAssignment assignment;
  EXPECT_DEATH(assignment.set({14, 2}), "L-14 has no position 2");
  EXPECT_DEATH((void)assignment.position(40), "there is no latitude L-40");
  EXPECT_DEATH((void)to_string(LatitudePin{7, 1}), "L-7 has no position 1");
}

}  // namespace
}  // namespace skcts
