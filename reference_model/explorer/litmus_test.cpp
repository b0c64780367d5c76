// Every litmus mix has exactly the outcomes that its line of the table argues for.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer.h"
#include "spec/case_text.h"
#include "spec/json_tree.h"

namespace skcts::explorer {
namespace {

const std::string folder = std::string(SKCTS_SOURCE_DIR) + "/spec/litmus/";

/// A value of the table, read by key.
class Json {
 public:
  Json(const JsonTree& tree, std::uint32_t node) : tree_(&tree), node_(node) {}
  std::vector<Json> children() const {
    std::vector<Json> all;
    if (node_ == JsonNode::none) return all;
    for (std::uint32_t c = at().first_child; c != JsonNode::none; c = tree_->nodes[c].next) {
      all.emplace_back(*tree_, c);
    }
    return all;
  }
  Json operator[](std::string_view key) const {
    for (const Json& child : children()) {
      if (tree_->strings[child.at().key] == key) return child;
    }
    return {*tree_, JsonNode::none};
  }
  std::string text() const { return tree_->strings[at().string]; }
  std::size_t number() const { return at().magnitude; }

 private:
  const JsonNode& at() const { return tree_->nodes[node_]; }
  const JsonTree* tree_;
  std::uint32_t node_;
};

void expect(const Case& value, const std::vector<LatitudePin>& pins, std::size_t outcomes,
            const std::set<std::string>& statuses, const std::string& name) {
  Options options;
  options.pins = pins;
  const Exploration found = explore(value, options);
  EXPECT_TRUE(found.complete) << name << ": " << found.why;
  EXPECT_EQ(found.outcomes.size(), outcomes) << name;
  if (statuses.empty()) return;
  std::set<std::string> shown;
  for (const Outcome& outcome : found.outcomes) shown.emplace(to_string(outcome.status));
  EXPECT_EQ(shown, statuses) << name;
}

TEST(Litmus, HasTheOutcomesOfTheTable) {
  std::ifstream file(folder + "table.json");
  std::ostringstream text;
  text << file.rdbuf();
  const Result<JsonTree> tree = parse_json(text.str(), "table.json");
  ASSERT_TRUE(tree.ok()) << to_string(tree.error());
  int rows = 0;
  for (const Json& row : Json(*tree, 0).children()) {
    const std::string name = row["name"].text();
    const Result<Case> value = read_case_file(folder + row["file"].text());
    ASSERT_TRUE(value.ok()) << to_string(value.error());
    std::set<std::string> statuses;
    for (const Json& status : row["statuses"].children()) statuses.insert(status.text());
    expect(*value, {}, row["outcomes"].number(), statuses, name);
    for (const Json& pinned : row["pinned"].children()) {
      std::vector<LatitudePin> pins;
      std::string label = name;
      for (const Json& pin : pinned["pins"].children()) {
        label += " " + pin.text();
        pins.push_back(parse_latitude_pin(pin.text()).value());
      }
      expect(*value, pins, pinned["outcomes"].number(), {}, label);
    }
    ++rows;
  }
  EXPECT_GE(rows, 60);
}

}  // namespace
}  // namespace skcts::explorer
