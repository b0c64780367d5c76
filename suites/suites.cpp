// Properties in order, and their GoogleTest tests.
#include "suites/suites.h"

#include <iterator>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "harness/judge/status.h"
#include "spec/case_text.h"
#include "suites/case_files.h"

namespace skcts::suites {
namespace {

class PropertyTest : public testing::Test {
 public:
  PropertyTest(campaign::Session& session, Property property)
      : session_(session), property_(std::move(property)) {}

  void TestBody() override {
    const campaign::PropertyResult result = session_.run(property_);
    RecordProperty("rule", result.record.rule);
    RecordProperty("seed", std::to_string(session_.settings().seed));
    RecordProperty("generated", std::to_string(result.record.generated));
    RecordProperty("exercised", std::to_string(result.record.exercised));
    RecordProperty("passed", std::to_string(result.record.passed));
    const judge::Status status = result.status;
    if (status == judge::Status::not_run || status == judge::Status::not_supported) {
      GTEST_SKIP() << judge::to_string(status) << ": " << result.record.reason;
    }
    if (judge::exit_code_of(status) == judge::ExitCode::pass) return;
    std::string words;
    for (const FindingRecord& finding : result.findings) {
      words += "\n" + finding.key + ": " + finding.sentence + "\n" + finding.replay;
    }
    ADD_FAILURE() << result.record.rule << ": " << judge::to_string(status) << words;
  }

 private:
  campaign::Session& session_;
  Property property_;
};

class WrittenCaseTest : public testing::Test {
 public:
  WrittenCaseTest(campaign::Session& session, WrittenCase written)
      : session_(session), written_(std::move(written)) {}

  void TestBody() override {
    const Result<Case> read = read_case(written_.text, written_.file);
    ASSERT_TRUE(read.ok()) << to_string(read.error());
    const CaseRecord record = session_.run_case(*read, written_.file, written_.test);
    const auto status = judge::find_status(record.status);
    if (status == judge::Status::not_run) GTEST_SKIP() << record.status << ": " << record.reason;
    EXPECT_TRUE(status && judge::exit_code_of(*status) == judge::ExitCode::pass)
        << written_.file << ": " << record.status << ": " << record.reason;
  }

 private:
  campaign::Session& session_;
  WrittenCase written_;
};

}  // namespace

std::vector<Property> properties() {
  std::vector<Property> all;
  for (auto chapter : {core_properties, sync_properties, ratio_properties, cache_properties,
                       pipe_properties, task_properties, fuse_properties, acl_properties}) {
    std::vector<Property> some = chapter();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

void register_tests(campaign::Session& session) {
  for (const Property& property : properties()) {
    testing::RegisterTest(
        campaign::suite_name(property.rule).c_str(), campaign::test_name(property.rule).c_str(),
        nullptr, nullptr, __FILE__, __LINE__,
        [&session, property]() -> testing::Test* { return new PropertyTest(session, property); });
  }
  for (const WrittenCase& written : written_cases()) {
    testing::RegisterTest(
        "Cases", written.test.c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [&session, written]() -> testing::Test* { return new WrittenCaseTest(session, written); });
  }
}

}  // namespace skcts::suites
