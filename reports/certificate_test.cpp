#include "reports/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

Certificate some_certificate() {
  return {.suite = "0.1.0",
          .build = "abc",
          .operator_name = "copy",
          .operator_file = "operator.json",
          .verdict = "refused",
          .rule = "PIPE-5",
          .profile = "a2-24",
          .target = "emulator",
          .target_name = "emulator",
          .target_claims = {"declares counts"},
          .seed = 18'446'744'073'709'551'615U,
          .runs = 2,
          .pairs = 4,
          .pairs_met = 3,
          .factors = {{"relation", {"any", "wider"}}},
          .infeasible = {{"relation: wider, place: before", "none <is> \"there\""}},
          .launches = {"MIX_AIV_1_0: 4"},
          .assumed = {"L-6=accepted"},
          .limits = {"little"},
          .rules = {{"PIPE-5", "broken", 1, "left behind", "insert a barrier", "smallest/x.json"},
                    {"PIPE-6", "kept", 0, "", "", ""}},
          .cases = {{"cases/0.json", "fused alone", "all defaults", "completes", "PIPE-5", false}},
          .files = {{"operator.json", 12, "00ff"}}};
}

TEST(Certificate, IsReadAsItWasWritten) {
  const Result<Certificate> read =
      read_certificate(certificate_json(some_certificate()), "certificate.json");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, some_certificate());
}

TEST(Certificate, SaysWhatIsWrongWithItsText) {
  const auto error_of = [](std::string text, std::string_view what, std::string_view by) {
    text.replace(text.find(what), what.size(), by);
    const Result<Certificate> read = read_certificate(text, "c.json");
    return read ? "read" : to_string(read.error());
  };
  const std::string text = certificate_json(some_certificate());
  EXPECT_THAT(error_of(text, "\"format\": 1", "\"format\": 9"), HasSubstr("c.json:2:"));
  EXPECT_THAT(error_of(text, "\"runs\": 2", "\"runs\": -2"), HasSubstr("runs"));
  EXPECT_THAT(error_of(text, "\"verdict\"", "\"veredict\""), HasSubstr("verdict"));
  EXPECT_THAT(error_of(text, "\"bytes\": 12", "\"bytes\": \"12\""), HasSubstr("files[0].bytes"));
  EXPECT_THAT(error_of(text, "}\n", ""), HasSubstr("c.json"));
}

TEST(Certificate, ThePageIsWholeAndTakesNoTextForMarkup) {
  const std::string page = certificate_page(some_certificate());
  EXPECT_THAT(page, HasSubstr("<h1>copy: <span class=\"no\">refused [PIPE-5]</span></h1>"));
  EXPECT_THAT(page, HasSubstr("none &lt;is&gt; &quot;there&quot;"));
  EXPECT_THAT(page, Not(HasSubstr("<is>")));
  EXPECT_THAT(page, HasSubstr("What this proves, and what it does not"));
  EXPECT_THAT(page, HasSubstr("Repair: insert a barrier"));
  EXPECT_THAT(page, Not(HasSubstr("http"))) << "nothing is fetched";
}

}  // namespace
}  // namespace skcts::reports
