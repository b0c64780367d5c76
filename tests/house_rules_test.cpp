// Each check of the house on a bad and on a good sample: a check that cannot fail checks nothing.
#include "tests/house_rules.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts::repository {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A C++ file that includes the given repository files.
SourceFile file(std::string path, const std::vector<std::string>& includes = {},
                const std::string& body = "") {
  std::string text = "// Sample.\n#pragma once\n";
  for (const std::string& include : includes) text += "#include \"" + include + "\"\n";
  return {std::move(path), text + body};
}

TEST(ForbiddenArrows, GrantedOnesPass) {
  EXPECT_THAT(forbidden_arrows({file("spec/mix.h"), file("generators/mix.h", {"spec/mix.h"}),
                                file("harness/judge/judge.h", {"spec/mix.h"}),
                                file("harness/skcts/main.cpp", {"generators/mix.h"})}),
              IsEmpty());
}

TEST(ForbiddenArrows, ALibraryOutsideTheTableRowIsNamedWithItsLine) {
  EXPECT_THAT(forbidden_arrows({file("spec/mix.h", {"generators/mix.h"}), file("generators/mix.h"),
                                file("harness/judge/judge.cpp", {"generators/mix.h"})}),
              ElementsAre("spec/mix.h:3: spec may not include generators/mix.h",
                          "harness/judge/judge.cpp:3: harness/judge may not include "
                          "generators/mix.h"));
}

TEST(ForbiddenArrows, TestFilesAreHeldToTheRowOfTheirLibrary) {
  EXPECT_THAT(forbidden_arrows({file("generators/mix.h"),
                                file("reference_model/x_test.cpp", {"generators/mix.h"})}),
              SizeIs(1));
}

TEST(ForbiddenArrows, RelativeAndUnknownIncludesAndUnknownFoldersAreRefused) {
  EXPECT_THAT(
      forbidden_arrows({file("spec/mix.h"), file("spec/mix.cpp", {"mix.h"}),
                        file("spec/a.cpp", {"../generators/mix.h"}), file("elsewhere/a.cpp")}),
      ElementsAre(HasSubstr("mix.h is no file"), HasSubstr("../generators/mix.h is no"),
                  HasSubstr("elsewhere/a.cpp: in no library")));
}

TEST(ForbiddenArrows, AngleBracketsHideNothing) {
  EXPECT_THAT(forbidden_arrows({file("generators/mix.h"),
                                {"spec/a.cpp", "#include <generators/mix.h>\n"},
                                {"spec/b.cpp", "#include <vector>\n#include <fmt/format.h>\n"}}),
              ElementsAre(HasSubstr("spec may not include generators/mix.h")));
}

TEST(EnginesThatMeet, ThroughAChainOfHeadersInEitherDirection) {
  const SourceFile model = file("reference_model/model.h");
  const SourceFile emulator = file("harness/emulator/run.h");
  EXPECT_THAT(engines_that_meet({model, emulator, file("spec/mix.h")}), IsEmpty());
  EXPECT_THAT(engines_that_meet({model, emulator, file("spec/a.h", {"spec/b.h"}),
                                 file("spec/b.h", {"harness/emulator/run.h"}),
                                 file("reference_model/x.cpp", {"spec/a.h"})}),
              ElementsAre("reference_model/x.cpp -> spec/a.h -> spec/b.h -> "
                          "harness/emulator/run.h"));
  EXPECT_THAT(
      engines_that_meet({model, file("harness/emulator/run.h", {"reference_model/model.h"})}),
      ElementsAre("harness/emulator/run.h -> reference_model/model.h"));
}

TEST(IncludeCycles, ACircleIsShownOnceAndADiamondIsNone) {
  EXPECT_THAT(
      include_cycles({file("spec/a.h", {"spec/b.h", "spec/c.h"}), file("spec/b.h", {"spec/d.h"}),
                      file("spec/c.h", {"spec/d.h"}), file("spec/d.h")}),
      IsEmpty());
  EXPECT_THAT(include_cycles({file("spec/a.h", {"spec/b.h"}), file("spec/b.h", {"spec/c.h"}),
                              file("spec/c.h", {"spec/b.h"})}),
              ElementsAre("spec/b.h -> spec/c.h -> spec/b.h"));
  EXPECT_THAT(include_cycles({file("spec/a.h", {"spec/a.h"})}), SizeIs(1));
}

TEST(ThirdPartiesAstray, OnlyListedFilesMayIncludeThem) {
  const std::vector<ThirdParty> parties{{"nlohmann/", {"spec/json.cpp"}}};
  const SourceFile listed = file("spec/json.cpp", {"nlohmann/json.hpp"});
  EXPECT_THAT(third_parties_astray({listed}, parties), IsEmpty());
  EXPECT_THAT(third_parties_astray({listed, file("spec/mix.h", {"nlohmann/json.hpp"})}, parties),
              ElementsAre("spec/mix.h:3: <nlohmann/json.hpp> is kept to {spec/json.cpp}"));
  EXPECT_THAT(
      third_parties_astray({listed, {"spec/a.h", "#  include <nlohmann/json.hpp>\n"}}, parties),
      SizeIs(1));
}

TEST(ThirdPartiesAstray, AListedFileThatNoLongerNeedsItIsNamed) {
  EXPECT_THAT(third_parties_astray({file("spec/json.cpp")}, {{"nlohmann/", {"spec/json.cpp"}}}),
              ElementsAre("spec/json.cpp: listed for nlohmann/ but does not include it"));
}

TEST(ThirdPartiesAstray, AListedHeaderMayNotReachAnotherLibrary) {
  const std::vector<ThirdParty> parties{{"rapidcheck", {"generators/door.h"}}};
  const SourceFile door = file("generators/door.h", {"rapidcheck/Random.h"});
  const SourceFile inside = file("generators/mix.cpp", {"generators/door.h"});
  const SourceFile header = file("generators/mix.h", {"generators/door.h"});
  const SourceFile outside = file("suites/core.cpp", {"generators/mix.h"});
  EXPECT_THAT(third_parties_astray({door, inside, file("generators/mix.h"), outside}, parties),
              IsEmpty());
  EXPECT_THAT(third_parties_astray({door, header, outside}, parties),
              ElementsAre("suites/core.cpp includes generators/mix.h, which leads to "
                          "generators/door.h"));
}

TEST(ThirdPartiesAstray, GoogleTestStaysInTestsSuitesAndProgram) {
  EXPECT_THAT(third_parties_astray({file("spec/a_test.cpp", {"gtest/gtest.h"}),
                                    file("spec/testing.h", {"gtest/gtest.h"}),
                                    file("suites/core.cpp", {"gtest/gtest.h"}),
                                    file("harness/skcts/run.cpp", {"gtest/gtest.h"})},
                                   {}),
              IsEmpty());
  EXPECT_THAT(third_parties_astray({file("harness/judge/a.cpp", {"gmock/gmock.h"})}, {}),
              SizeIs(1));
}

TEST(BannedRapidcheck, EachBannedWordIsFoundInCodeOnly) {
  for (const std::string word :
       {"rc::check(\"x\", f)", "RC_GTEST_PROP(A, B, ())", "rc::gen::exec(f)", "RC_ASSERT(x)",
        "RC_ASSERT_FALSE(x)", "RC_PRE(x)", "using namespace rc"}) {
    for (const std::string path : {"generators/a.h", "suites/a.cpp", "harness/campaign/a.cpp"}) {
      EXPECT_THAT(banned_rapidcheck({file(path, {}, "void f() { " + word + "; }\n")}), SizeIs(1))
          << word << " in " << path;
    }
    EXPECT_THAT(banned_rapidcheck({file("generators/a.h", {}, "// " + word + "\n")}), IsEmpty());
    EXPECT_THAT(banned_rapidcheck({file("generators/a.h", {}, "auto s = R\"(" + word + ")\";\n")}),
                IsEmpty());
  }
  EXPECT_THAT(banned_rapidcheck({file("generators/a.h", {}, "rc::Random r; int src_check;\n")}),
              IsEmpty());
}

TEST(ClocksAndChance, OutsideTheListTheyAreFound) {
  const std::string now = "auto t = std::chrono::steady_clock::now();\n";
  EXPECT_THAT(clocks_and_chance({file("spec/a.h", {}, now)}, {}),
              ElementsAre(HasSubstr("spec/a.h:3: steady_clock")));
  EXPECT_THAT(clocks_and_chance({file("spec/a.h", {}, now)}, {"spec/a.h"}), IsEmpty());
  EXPECT_THAT(clocks_and_chance({file("spec/a.h", {}, "std::random_device d; rand();\n")}, {}),
              SizeIs(1));
  EXPECT_THAT(clocks_and_chance({file("spec/a.h", {}, "int operand(); // std::time(0)\n")}, {}),
              IsEmpty());
}

TEST(UntidyText, TabsLongLinesAndBareHeadersAreFound) {
  const std::string hundred(100, 'x');
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00e4";
  EXPECT_THAT(untidy_text({{"cmake/a.cmake", hundred + "\n" + umlauts}}), IsEmpty());
  EXPECT_THAT(untidy_text({{"cmake/a.cmake", "\n" + hundred + "x\n"}}),
              ElementsAre("cmake/a.cmake:2: 101 columns"));
  EXPECT_THAT(untidy_text({{"run.sh", "a\tb"}}), ElementsAre("run.sh:1: a tab"));
  EXPECT_THAT(untidy_text({file("spec/a.h")}), IsEmpty());
  EXPECT_THAT(untidy_text({{"spec/a.h", "int a;\n"}}),
              ElementsAre(HasSubstr("no comment"), HasSubstr("no #pragma once")));
}

TEST(CodeOnly, CommentsAndLiteralsGoAndLinesStay) {
  EXPECT_EQ(code_only("a /* b\nc */ d // e\nf", true), "a     \n     d     \nf");
  EXPECT_EQ(code_only("f(\"a\\\"//b\", 'c', 1'000)", false), "f(\"      \", ' ', 1'000)");
  EXPECT_EQ(code_only("f(\"//b\")", true), "f(\"//b\")");
  EXPECT_EQ(code_only("x = R\"d(\" // )\" )d\"; y", true), "x = R\"d(\" // )\" )d\"; y");
  EXPECT_THAT(code_only("x = R\"d(\" // )\" )d\"; y", false), testing::EndsWith("; y"));
}

TEST(IncludesOf, CommentedOnesDoNotCount) {
  const auto found = includes_of(
      "// #include \"a.h\"\n"
      "  # include <b/c.h>  // d\n"
      "/*\n#include \"e\"\n*/");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].target, "b/c.h");
  EXPECT_EQ(found[0].line, 2);
}

}  // namespace
}  // namespace skcts::repository
