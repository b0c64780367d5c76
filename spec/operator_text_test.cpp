#include "spec/operator_text.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "spec/embedded.h"
#include "spec/json_tree.h"
#include "spec/rule.h"

namespace skcts {
namespace {

constexpr std::string_view small = R"({
  "format": 1,
  "name": "copy",
  "options": "feed-sync-all=1",
  "regions": [
    {"name": "A", "words": 8},
    {"name": "B", "words": 8}
  ],
  "inputs": ["A"],
  "outputs": ["B"],
  "sub_kernel": {
    "name": "copy",
    "type": "AIV_ONLY",
    "blocks": 1,
    "aiv": [
      {"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "A"}, "count": 8},
      {"op": "PipeBarrier", "pipe": "ALL"},
      {"op": "DataCopy", "dst": {"gm": "B"}, "src": {"UB": 0}, "count": 8}
    ]
  },
  "expect": {
    "certificate": "refused",
    "rule": "PIPE-5",
    "note": "an example"
  }
}
)";

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string made(text);
  const std::size_t at = made.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return made.replace(at, what.size(), by);
}

std::string error_of(const std::string& text) {
  const Result<Operator> read = read_operator(text, "o.json");
  return read ? "read" : to_string(read.error());
}

TEST(OperatorText, IsWrittenAsItWasRead) {
  const Result<Operator> read = read_operator(small, "o.json");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(write_operator(*read), small);
  EXPECT_EQ(read->inputs, std::vector<std::int16_t>{0});
  EXPECT_EQ(read->outputs, std::vector<std::int16_t>{1});
  EXPECT_TRUE(validate(*read, default_profile()).empty());
}

TEST(OperatorText, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error_of(replaced(small, R"("inputs": ["A"])", R"("inputs": ["C"])")),
            "o.json:9:14: inputs[0]: \"C\" is not the name of a region of the mix (known: A, B)");
  EXPECT_EQ(error_of(replaced(small, R"("blocks": 1,)", R"("blocks": 1, "stream": 2,)"))
                .find(R"(o.json:14:18: sub_kernel: unknown key "stream")"),
            0U);
  EXPECT_EQ(error_of(replaced(small, R"("format": 1)", R"("format": 2)")),
            "o.json:2:13: format: format 2, but this build reads operators of format 1 (the file "
            "needs a newer skcts)");
  const std::string misspelt = error_of(replaced(small, R"("refused")", R"("refuse")"));
  EXPECT_EQ(misspelt.find("o.json:22:20: expect.certificate"), 0U) << misspelt;
  EXPECT_NE(error_of(replaced(small, R"("pipe": "ALL")", R"("pip": "ALL")"))
                .find("sub_kernel.aiv[1]: unknown key \"pip\""),
            std::string::npos);
}

TEST(OperatorText, WhatHasNoMeaningIsToldByItsField) {
  Operator value = read_operator(small, "o.json").value();
  value.sub_kernel.aiv[2].count = 16;
  std::vector<Error> errors = validate(value, default_profile());
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors.front().field.find("sub_kernel.aiv[2]"), 0U) << errors.front().field;
  value = read_operator(small, "o.json").value();
  value.options = "feed-sync-all=7";
  value.inputs = {0, 0};
  value.expect->rule = "PIPE-99";
  errors = validate(value, default_profile());
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].field, "options");
  EXPECT_EQ(errors[1].field, "inputs[1]");
  EXPECT_EQ(errors[2].field, "expect.rule");
}

TEST(OperatorText, FilesAreCanonicalAndValid) {
  std::set<std::string> names;
  int refused = 0;
  for (const EmbeddedFile& file : embedded_operators()) {
    const Result<Operator> read = read_operator(file.text, file.name);
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(write_operator(*read), file.text) << file.name;
    for (const Error& error : validate(*read, default_profile())) {
      ADD_FAILURE() << file.name << ": " << to_string(error);
    }
    EXPECT_TRUE(names.insert(read->name).second) << read->name;
    ASSERT_TRUE(read->expect) << file.name;
    EXPECT_FALSE(read->expect->note.empty()) << file.name;
    refused += read->expect->certified ? 0 : 1;
  }
  EXPECT_EQ(names.size(), 26U);
  EXPECT_EQ(refused, 14);
}

/// The schema names the keys that the reader takes, and no other.
TEST(OperatorText, TheSchemaHasItsKeys) {
  std::string schema;
  for (const EmbeddedFile& file : embedded_schemas()) {
    if (file.name.ends_with("/operator.schema.json")) schema = file.text;
  }
  const Result<JsonTree> tree = parse_json(schema, "schema", {.depth = 64, .keys = 256});
  ASSERT_TRUE(tree) << to_string(tree.error());
  const auto child = [&](const JsonNode& parent, std::string_view key) -> const JsonNode& {
    std::uint32_t at = parent.first_child;
    while (at != JsonNode::none && tree->strings[tree->nodes[at].key] != key) {
      at = tree->nodes[at].next;
    }
    EXPECT_NE(at, JsonNode::none) << key;
    return tree->nodes[at == JsonNode::none ? 0 : at];
  };
  const auto try_keys = [&](const JsonNode& properties, std::string_view behind) {
    int keys = 0;
    for (std::uint32_t at = properties.first_child; at != JsonNode::none;
         at = tree->nodes[at].next, ++keys) {
      const std::string key = tree->strings[tree->nodes[at].key];
      const std::string more = fmt::format("{}\"{}\": null, ", behind, key);
      const std::string text = replaced(small, behind, more);
      EXPECT_EQ(error_of(text).find("unknown key"), std::string::npos) << key;
    }
    return keys;
  };
  const JsonNode& top = child(tree->nodes.front(), "properties");
  EXPECT_EQ(try_keys(top, "{\n  "), 10);
  EXPECT_EQ(try_keys(child(child(top, "sub_kernel"), "properties"), "\"sub_kernel\": {\n    "), 13);
}

}  // namespace
}  // namespace skcts
