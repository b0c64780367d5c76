#include "spec/json_tree.h"

#include <string>

#include <gtest/gtest.h>

namespace skcts {
namespace {

std::string error_of(std::string_view text, const JsonLimits& limits = {}) {
  const Result<JsonTree> tree = parse_json(text, "f.json", limits);
  return tree ? "no error" : to_string(tree.error());
}

TEST(JsonTree, EveryValueKnowsWhereItStarts) {
  const std::string_view text =
      "{\n  \"a\": [1, -20, true],\n  \"b\\\"\\\\\": \"x\\\\\\\"y\", \"c\": null,\n\"d\":1.5}\n";
  const Result<JsonTree> tree = parse_json(text, "f.json");
  ASSERT_TRUE(tree.ok()) << to_string(tree.error());
  ASSERT_EQ(tree->nodes.size(), 8u);
  const std::string_view starts[] = {"{", "[", "1,", "-20", "true", "\"x\\\\", "null", "1.5"};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(text.substr(tree->nodes[i].offset).starts_with(starts[i])) << i;
  }
  EXPECT_TRUE(text.substr(tree->nodes[5].key_offset).starts_with("\"b"));
  EXPECT_EQ(place_in(text, tree->nodes[5].key_offset), (TextPlace{3, 3}));
  EXPECT_EQ(tree->strings[tree->nodes[5].string], "x\\\"y");
  EXPECT_TRUE(tree->nodes[3].negative);
  EXPECT_EQ(tree->nodes[3].magnitude, 20u);
  EXPECT_EQ(tree->nodes[1].child_count, 3u);
}

TEST(JsonTree, NumbersKeepAllTheirBitsOrAreNoWholeNumbers) {
  const auto kind_of = [](std::string_view text) {
    const Result<JsonTree> tree = parse_json(text, "f");
    return tree ? tree->nodes[0].kind : JsonNode::Kind::null;
  };
  EXPECT_EQ(kind_of("18446744073709551615"), JsonNode::Kind::integer);
  EXPECT_EQ(kind_of("18446744073709551616"), JsonNode::Kind::real);
  EXPECT_EQ(kind_of("-9223372036854775808"), JsonNode::Kind::integer);
  EXPECT_EQ(kind_of("-9223372036854775809"), JsonNode::Kind::real);
  EXPECT_EQ(kind_of("1.0"), JsonNode::Kind::real);
  EXPECT_EQ(parse_json("-9223372036854775808", "f")->nodes[0].magnitude, std::uint64_t{1} << 63);
}

TEST(JsonTree, DuplicateKeysAreErrorsAtTheirLine) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"b\": {\"a\": 2,\n   \"a\": 3}}"),
            "f.json:3:4: duplicate key \"a\" (first given in line 2)");
  EXPECT_EQ(error_of("{\"a\": 1, \"b\": {\"a\": 2}}"), "no error");
  EXPECT_EQ(error_of("{\"a\": 1, \"\\u0061\": 2}"),
            "f.json:1:10: duplicate key \"a\" (first given in line 1)");
}

TEST(JsonTree, SyntaxErrorsHaveTheirPlace) {
  EXPECT_TRUE(error_of("{\"a\": 1,\n  \"b\" 2}").starts_with("f.json:2:7: "));
  EXPECT_TRUE(error_of("[1, 2]\n x").starts_with("f.json:2:2: "));
  EXPECT_TRUE(error_of("").starts_with("f.json:1:1: the text ends too early"));
  EXPECT_TRUE(error_of("{\"a\": [1,\n2").starts_with("f.json:2:2: the text ends too early"));
  EXPECT_TRUE(error_of("\"a\xff\"").starts_with("f.json:1:3: "));
  EXPECT_TRUE(error_of("\"\xc3\"").starts_with("f.json:1:"));
  EXPECT_EQ(error_of("{\"a\": [0, {\"b\": 1e999}]}"),
            "f.json:1:17: a[1].b: a number too large for any field");
  EXPECT_EQ(error_of("[1e999]"), "f.json:1:2: [0]: a number too large for any field");
}

TEST(JsonTree, LimitsHoldOnBothSides) {
  EXPECT_EQ(error_of("[[1]]", {.depth = 2}), "no error");
  EXPECT_EQ(error_of("[[[1]]]", {.depth = 2}),
            "f.json:1:3: objects and lists nested more than 2 deep");
  EXPECT_EQ(error_of("[1, 2]", {.values = 3}), "no error");
  EXPECT_EQ(error_of("[1, 2, 3]", {.values = 3}), "f.json:1:8: more than 3 values in one text");
  EXPECT_EQ(error_of("[12]", {.bytes = 4}), "no error");
  EXPECT_EQ(error_of("[123]", {.bytes = 4}), "f.json:1:1: the text has 5 bytes, more than 4");
  std::string keys = "{";
  for (int i = 0; i < 65; ++i) keys += fmt::format("{}\"k{}\": 0", i > 0 ? ", " : "", i);
  EXPECT_NE(error_of(keys + "}").find("more than 64 keys"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '[')).find("nested more than 32"), std::string::npos);
}

TEST(JsonTree, QuotedTextReadsBackAsItself) {
  for (const std::string_view text :
       {"plain", "\"\\/", "a\nb\tc\r\x01\x7f", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", ""}) {
    const Result<JsonTree> tree = parse_json(json_quoted(text), "f");
    ASSERT_TRUE(tree.ok()) << to_string(tree.error());
    EXPECT_EQ(tree->strings[tree->nodes[0].string], text);
  }
  const std::string replaced =
      "\"a\xef\xbf\xbd"
      "b\"";
  EXPECT_EQ(json_quoted("a\xff"
                        "b"),
            replaced);
  EXPECT_EQ(json_quoted("a\xc0"
                        "b"),
            replaced);
  EXPECT_EQ(json_quoted("a\xe2"
                        "b"),
            replaced);
  EXPECT_TRUE(parse_json(json_quoted("\xed\xa0\x80"), "f").ok());  // half of a surrogate pair
}

TEST(JsonTree, ANulByteIsAnErrorAtItsPlace) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of("{}\n\0"s), "f.json:2:1: a NUL byte, which no JSON text has");
  EXPECT_EQ(error_of("{}\0 garbage"s), "f.json:1:3: a NUL byte, which no JSON text has");
  EXPECT_EQ(error_of("[1,\0 2]"s), "f.json:1:4: a NUL byte, which no JSON text has");
  EXPECT_EQ(error_of("[\"a\0b\"]"s), "f.json:1:4: a NUL byte, which no JSON text has");
  EXPECT_TRUE(error_of("[x]\0"s).starts_with("f.json:1:2: ")) << "what comes first stands first";
}

}  // namespace
}  // namespace skcts
