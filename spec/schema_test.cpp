// The JSON Schema describes exactly the text: held against the tables and against every file.
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "spec/case_text.h"
#include "spec/instruction_text.h"
#include "spec/json_tree.h"
#include "spec/kernel_type.h"

namespace skcts {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A view of one value of a tree.
class Json {
 public:
  Json(const JsonTree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}
  const JsonNode& node() const { return tree_->nodes[index_]; }
  JsonNode::Kind kind() const { return node().kind; }
  std::string_view text() const { return tree_->strings[node().string]; }
  std::string_view key() const { return tree_->strings[node().key]; }
  std::int64_t number() const {
    const auto magnitude = static_cast<std::int64_t>(node().magnitude);
    return node().negative ? -magnitude : magnitude;
  }
  std::vector<Json> children() const {
    std::vector<Json> all;
    for (std::uint32_t child = node().first_child; child != JsonNode::none;
         child = tree_->nodes[child].next) {
      all.emplace_back(*tree_, child);
    }
    return all;
  }
  std::optional<Json> at(std::string_view key) const {
    for (const Json& child : children()) {
      if (child.key() == key) return child;
    }
    return std::nullopt;
  }
  std::set<std::string> texts() const {
    std::set<std::string> all;
    for (const Json& child : children()) all.emplace(child.text());
    return all;
  }
  std::set<std::string> keys() const {
    std::set<std::string> all;
    for (const Json& child : children()) all.emplace(child.key());
    return all;
  }

 private:
  const JsonTree* tree_;
  std::uint32_t index_;
};

bool same_scalar(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() == JsonNode::Kind::string) return a.text() == b.text();
  return a.number() == b.number();
}

/// The part of JSON Schema that the schema of case text uses; any other keyword fails the test.
class SchemaCheck {
 public:
  explicit SchemaCheck(Json root) : root_(root) {}

  bool accepts(const Json& schema, const Json& value) {
    for (const Json& keyword : schema.children()) {
      if (!holds(schema, keyword, value)) return false;
    }
    return true;
  }

 private:
  bool holds(const Json& schema, const Json& keyword, const Json& value) {
    const std::string_view name = keyword.key();
    if (name == "description" || name == "title" || name == "$schema" || name == "$defs")
      return true;
    if (name == "$ref") {
      constexpr std::string_view prefix = "#/$defs/";
      EXPECT_TRUE(keyword.text().starts_with(prefix)) << keyword.text();
      const auto target = root_.at("$defs")->at(keyword.text().substr(prefix.size()));
      EXPECT_TRUE(target.has_value()) << keyword.text();
      return target && accepts(*target, value);
    }
    if (name == "type") return has_type(keyword.text(), value);
    if (name == "const") return same_scalar(keyword, value);
    if (name == "enum" || name == "oneOf") {
      int matches = 0;
      for (const Json& option : keyword.children()) {
        matches += (name == "enum" ? same_scalar(option, value) : accepts(option, value)) ? 1 : 0;
      }
      return matches == 1;
    }
    if (name == "pattern") {
      return value.kind() != JsonNode::Kind::string ||
             std::regex_match(std::string(value.text()), std::regex(std::string(keyword.text())));
    }
    if (name == "minimum")
      return is_unsigned_limit(keyword, value) || value.number() >= keyword.number();
    if (name == "maximum")
      return is_unsigned_limit(keyword, value) || value.number() <= keyword.number();
    if (name == "minItems") return value.node().child_count >= keyword.node().magnitude;
    if (name == "maxItems") return value.node().child_count <= keyword.node().magnitude;
    if (name == "items") {
      for (const Json& child : value.children()) {
        if (!accepts(keyword, child)) return false;
      }
      return true;
    }
    if (name == "required") {
      for (const Json& key : keyword.children()) {
        if (!value.at(key.text())) return false;
      }
      return true;
    }
    if (name == "properties") {
      for (const Json& child : value.children()) {
        const auto property = keyword.at(child.key());
        if (property && !accepts(*property, child)) return false;
      }
      return true;
    }
    if (name == "additionalProperties") {
      for (const Json& child : value.children()) {
        if (!schema.at("properties")->at(child.key())) return false;
      }
      return true;
    }
    ADD_FAILURE() << "the schema uses the keyword " << name;
    return false;
  }

  /// Limits beyond 63 bits are those of uint64, which every integer of a text keeps.
  static bool is_unsigned_limit(const Json& limit, const Json& value) {
    return limit.node().magnitude > (std::uint64_t{1} << 62) ||
           value.kind() != JsonNode::Kind::integer ||
           value.node().magnitude > (std::uint64_t{1} << 62);
  }

  static bool has_type(std::string_view type, const Json& value) {
    switch (value.kind()) {
      case JsonNode::Kind::integer: return type == "integer";
      case JsonNode::Kind::string: return type == "string";
      case JsonNode::Kind::boolean: return type == "boolean";
      case JsonNode::Kind::list: return type == "array";
      case JsonNode::Kind::object: return type == "object";
      case JsonNode::Kind::null: return type == "null";
      default: return false;
    }
  }

  Json root_;
};

class Schema : public testing::Test {
 protected:
  const std::filesystem::path spec_ = std::filesystem::path(SKCTS_SOURCE_DIR) / "spec";
  JsonTree tree_ =
      parse_json(file_text(spec_ / "schema/case.schema.json"), "schema", {.depth = 64, .keys = 256})
          .value();
  Json root_{tree_, 0};
  Json defs_ = *root_.at("$defs");
};

TEST_F(Schema, HasEveryOpWithItsKeysAndNoOther) {
  std::set<std::string> listed;
  for (const Json& option : defs_.at("instruction")->at("oneOf")->children()) {
    listed.emplace(option.at("$ref")->text());
  }
  std::set<std::string> expected_list;
  for (int i = 0; i < op_count; ++i) {
    const auto op = static_cast<Op>(i);
    const std::string name(to_string(op));
    expected_list.insert("#/$defs/" + name);
    const auto def = defs_.at(name);
    ASSERT_TRUE(def.has_value()) << name;
    EXPECT_EQ(def->at("properties")->at("op")->at("const")->text(), name);
    const auto keys = instruction_keys(op);
    EXPECT_EQ(def->at("properties")->keys(), std::set<std::string>(keys.begin(), keys.end()));
    std::set<std::string> required = {"op"};
    for (const FieldText& field : instruction_text(op)) {
      if (field.required) required.emplace(field.key);
    }
    EXPECT_EQ(def->at("required")->texts(), required) << name;
    EXPECT_TRUE(def->at("additionalProperties").has_value()) << name;
  }
  EXPECT_EQ(listed, expected_list);
}

TEST_F(Schema, HasTheWordsOfTheEnums) {
  const auto words = [](std::span<const std::string_view> names) {
    return std::set<std::string>(names.begin(), names.end());
  };
  const auto field = [&](std::string_view op, std::string_view key) {
    return defs_.at(op)->at("properties")->at(key)->at("enum")->texts();
  };
  EXPECT_EQ(defs_.at("pipe")->at("enum")->texts(), words(pipe_names()));
  EXPECT_EQ(defs_.at("register")->at("enum")->texts(), words(register_names()));
  EXPECT_EQ(field("DataCacheCleanAndInvalid", "line"), words(line_names()));
  EXPECT_EQ(field("DataSyncBarrier", "dsb"), words(dsb_names()));
  EXPECT_EQ(field("Poll", "via"), words(via_names()));
  EXPECT_EQ(field("Poll", "until"), words(compare_names()));
  EXPECT_EQ(field("InitBuffer", "position"), words(position_names()));
  std::set<std::string> indices = words(index_names());
  indices.insert("note");
  EXPECT_EQ(defs_.at("where")->at("properties")->keys(), indices);
  std::set<std::string> types;
  for (const KernelType type : all_kernel_types) types.emplace(to_string(type));
  EXPECT_EQ(defs_.at("kernel_type")->at("enum")->texts(), types);
}

TEST_F(Schema, AcceptsEveryCaseFileAndNoDamagedOne) {
  SchemaCheck check(root_);
  int files = 0;
  int damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(spec_ / "cases")) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "index.json") continue;
    ++files;
    const std::string text = file_text(entry.path());
    const JsonTree tree = parse_json(text, "case").value();
    EXPECT_TRUE(check.accepts(root_, Json(tree, 0))) << entry.path();
    if (files % 8 != 0) continue;  // the walk below is the slow part
    for (const JsonNode& node : tree.nodes) {
      // What the reader refuses, the schema refuses.
      if (node.kind != JsonNode::Kind::object) continue;
      std::string broken = text;
      broken.insert(node.offset + 1, "\"blokcs\": 1, ");
      const JsonTree broken_tree = parse_json(broken, "case").value();
      EXPECT_FALSE(read_case(broken, "case").ok());
      EXPECT_FALSE(check.accepts(root_, Json(broken_tree, 0))) << entry.path() << node.offset;
      ++damaged;
    }
  }
  EXPECT_GT(files, 90);
  EXPECT_GT(damaged, 200);
}

}  // namespace
}  // namespace skcts
