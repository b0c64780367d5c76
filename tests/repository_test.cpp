// The checks of the house on this repository itself.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/house_rules.h"
#include "tests/source_tree.h"

namespace skcts::repository {
namespace {

const Files& tree() {
  static const Files files = read_tree(SKCTS_SOURCE_DIR);
  return files;
}

std::string listing(const Violations& found) {
  return fmt::format("{}", fmt::join(found, "\n"));
}

TEST(Repository, IsReadWhole) {
  const auto has = [](std::string_view path) {
    return std::ranges::find(tree(), path, &SourceFile::path) != tree().end();
  };
  EXPECT_TRUE(has("spec/embedded.h"));
  EXPECT_TRUE(has("tests/repository_test.cpp"));
  EXPECT_TRUE(has("CMakeLists.txt"));
  EXPECT_TRUE(has("scripts/common.sh"));
  EXPECT_TRUE(has(".ci/run"));
}

TEST(Repository, LibrariesIncludeOnlyWhatTheTableGrants) {
  EXPECT_EQ(listing(forbidden_arrows(tree())), "");
}

TEST(Repository, ModelAndEmulatorNeverReachEachOther) {
  EXPECT_EQ(listing(engines_that_meet(tree())), "");
}

TEST(Repository, HasNoIncludeCycle) {
  EXPECT_EQ(listing(include_cycles(tree())), "");
}

TEST(Repository, ThirdPartiesStayInTheirFiles) {
  EXPECT_EQ(listing(third_parties_astray(tree(), third_parties())), "");
}

TEST(Repository, UsesNoImplicitStateOfRapidcheck) {
  EXPECT_EQ(listing(banned_rapidcheck(tree())), "");
}

TEST(Repository, HasNoClockAndNoChanceOutsideTheirFiles) {
  EXPECT_EQ(listing(clocks_and_chance(tree(), clock_files())), "");
}

TEST(Repository, IsTidy) {
  EXPECT_EQ(listing(untidy_text(tree())), "");
}

}  // namespace
}  // namespace skcts::repository
