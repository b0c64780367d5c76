// The checks of the house on this repository itself.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/house_rules.h"
#include "tests/source_tree.h"

namespace skcts::repository {
namespace {

using testing::IsEmpty;

const Files& tree() {
  static const Files files = read_tree(SKCTS_SOURCE_DIR);
  return files;
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
  EXPECT_THAT(forbidden_arrows(tree()), IsEmpty());
}

TEST(Repository, ModelAndEmulatorNeverReachEachOther) {
  EXPECT_THAT(engines_that_meet(tree()), IsEmpty());
}

TEST(Repository, HasNoIncludeCycle) {
  EXPECT_THAT(include_cycles(tree()), IsEmpty());
}

TEST(Repository, ThirdPartiesStayInTheirFiles) {
  EXPECT_THAT(third_parties_astray(tree(), third_parties()), IsEmpty());
}

TEST(Repository, UsesNoImplicitStateOfRapidcheck) {
  EXPECT_THAT(banned_rapidcheck(tree()), IsEmpty());
}

TEST(Repository, HasNoClockAndNoChanceOutsideTheirFiles) {
  EXPECT_THAT(clocks_and_chance(tree(), clock_files()), IsEmpty());
}

TEST(Repository, IsTidy) {
  EXPECT_THAT(untidy_text(tree()), IsEmpty());
}

}  // namespace
}  // namespace skcts::repository
