#include <gtest/gtest.h>

#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts {
namespace {

TEST(CaseTextPlaces, ErrorsOfValidationGetThePlaceOfTheirField) {
  const std::string text = R"({"format": 1, "mix": {
"regions": [{"name": "A", "words": 64}],
"sub_kernels": [{"name": "k", "type": "AIV_ONLY", "blocks": 2, "aiv": [
  {"op": "SyncAll"},
  {"op": "RawLoad", "src": {"gm": "A", "at": 64}}]}]}})";
  std::vector<Error> errors = validate(read_case(text, "f.json").value());
  ASSERT_EQ(errors.size(), 1u);
  place_errors(text, "f.json", errors);
  EXPECT_EQ(to_string(errors[0]),
            "f.json:5:28: mix.sub_kernels[0].aiv[1].src: words 64 to 64 lie outside the region A "
            "of 64 words (for block 0, sub 0, core 0)");
}

TEST(CaseTextPlaces, AFieldThatTheTextLeavesOutHasThePlaceOfWhatHoldsIt) {
  std::vector<Error> errors = {{.field = "mix.options"},
                               {.field = "mix.sub_kernels[3]"},
                               {.field = "no path at all"},
                               {.field = ""}};
  place_errors("{\"format\": 1,\n \"mix\": {\n\"sub_kernels\": []}}", "f.json", errors);
  const auto place = [](const Error& error) { return std::pair(error.line, error.column); };
  EXPECT_EQ(place(errors[0]), std::pair(2, 9));
  EXPECT_EQ(place(errors[1]), std::pair(3, 16));
  EXPECT_EQ(place(errors[2]), std::pair(1, 1));
  EXPECT_EQ(place(errors[3]), std::pair(1, 1));
}

}  // namespace
}  // namespace skcts
