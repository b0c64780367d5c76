// `skcts certify` from outside, and the certificates that the operators of spec/operators get.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"
#include "spec/case_text.h"
#include "spec/embedded.h"
#include "spec/operator_text.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ChildResult skcts(const std::vector<std::string>& arguments) {
  return run_child(SKCTS_BINARY, arguments);
}

std::string path_of(const std::string& name) {
  return std::string(SKCTS_SOURCE_DIR "/spec/operators/") + name + ".json";
}

/// What the analysis does not see of an operator yet, and the target shows.
const std::set<std::string>& shown_by_the_target_alone() {
  // A word is polled before its transfer has ended (L-30=torn): the poll orders too much.
  static const std::set<std::string> names = {"sequential_block_sync"};
  return names;
}

class Certificates : public testing::TestWithParam<std::string> {};

TEST_P(Certificates, AreAsExpected) {
  const std::string text = read_text(GetParam());
  const Result<Operator> value = read_operator(text, GetParam());
  ASSERT_TRUE(value) << to_string(value.error());
  const ExpectedCertificate& expect = *value->expect;
  const std::string folder = empty_folder("certify_" + value->name);
  const ChildResult result = skcts({"certify", GetParam(), "--out", folder});
  EXPECT_EQ(result.exit_code, expect.certified ? 0 : 1) << result.out << result.err;
  if (expect.certified) {
    EXPECT_THAT(result.out, StartsWith(value->name + ": certified\n"));
  } else if (shown_by_the_target_alone().contains(value->name)) {
    EXPECT_THAT(result.out, HasSubstr("the target: ws["));
  } else {
    EXPECT_THAT(result.out, StartsWith(value->name + ": refused [" + expect.rule + "]\n"));
    // The smallest mix shows the rule to whoever gets the file.
    const std::string small = folder + "/" + value->name + "-" + expect.rule + ".json";
    EXPECT_THAT(skcts({"explain", small}).out, HasSubstr(expect.rule));
  }
}

std::vector<std::string> operator_files() {
  std::vector<std::string> paths;
  for (const EmbeddedFile& file : embedded_operators()) {
    paths.push_back(std::string(SKCTS_SOURCE_DIR) + "/" + std::string(file.name));
  }
  return paths;
}

std::string name_of_test(const testing::TestParamInfo<std::string>& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Operators, Certificates, testing::ValuesIn(operator_files()),
                         name_of_test);

TEST(CertifyCommand, SaysWhatIsWrongWithItsInput) {
  const std::string folder = empty_folder("certify_input");
  const std::string file = folder + "/o.json";
  std::string text = read_text(path_of("sk-paren-write"));
  text.replace(text.find("AIV_ONLY"), 8, "AIV_ONYL");
  write_text(file, text);
  const ChildResult misspelt = skcts({"certify", file});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("o.json:12:13: sub_kernel.type"));
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'AIV_ONLY'?"));
  EXPECT_EQ(skcts({"certify", folder + "/none.json"}).exit_code, 2);
  EXPECT_EQ(skcts({"certify", path_of("sk-paren-write"), "--profile", "a9"}).exit_code, 2);
  EXPECT_EQ(skcts({"certify", path_of("sk-paren-write"), "--target", "moon"}).exit_code, 2);
}

TEST(CertifyCommand, ASmokeRunCertifiesNothing) {
  const std::string folder = empty_folder("certify_smoke");
  const ChildResult smoke =
      skcts({"certify", path_of("add-tpipe-tque"), "--smoke", "--out", folder});
  EXPECT_EQ(smoke.exit_code, 1);
  EXPECT_THAT(smoke.out, HasSubstr("a smoke run certifies nothing"));
}

}  // namespace
}  // namespace skcts::program
