// Every written case with a known verdict: behaviour and primary rule must come out.
#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "spec/case_text.h"
#include "spec/embedded.h"
#include "spec/validate.h"

namespace skcts::model {
namespace {

class WrittenCase : public ::testing::TestWithParam<EmbeddedFile> {};

TEST_P(WrittenCase, HasItsVerdict) {
  const Result<Case> read = read_case(GetParam().text, GetParam().name);
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const Case& test_case = *read;
  if (!test_case.expect) GTEST_SKIP() << "no verdict is written";
  const std::vector<Error> errors = validate(test_case);
  ASSERT_TRUE(errors.empty()) << to_string(errors.front());
  const Analysis analysis = analyse(test_case);
  EXPECT_EQ(to_string(analysis.behaviour), to_string(test_case.expect->behaviour))
      << analysis.sentence;
  const std::string rule = analysis.rule ? std::string(to_string(*analysis.rule)) : "";
  EXPECT_EQ(rule, test_case.expect->rule) << analysis.sentence;
}

std::vector<EmbeddedFile> written_cases() {
  std::vector<EmbeddedFile> files;
  for (const EmbeddedFile& file : embedded_cases()) {
    if (!file.name.ends_with("index.json")) files.push_back(file);
  }
  return files;
}

std::string test_name(const ::testing::TestParamInfo<EmbeddedFile>& info) {
  std::string name;
  for (const char c : info.param.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, WrittenCase, ::testing::ValuesIn(written_cases()), test_name);

}  // namespace
}  // namespace skcts::model
