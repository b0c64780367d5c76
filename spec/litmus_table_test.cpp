// The litmus mixes: every file valid and canonical, the table complete and consistent with it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spec/case_id.h"
#include "spec/case_text.h"
#include "spec/json_tree.h"
#include "spec/latitude.h"
#include "spec/outcome.h"
#include "spec/rule.h"
#include "spec/validate.h"

namespace skcts {
namespace {

const std::filesystem::path root = std::filesystem::path(SKCTS_SOURCE_DIR) / "spec/litmus";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct PinnedCount {
  std::vector<std::string> pins;
  std::uint64_t outcomes = 0;
};

struct Row {
  std::map<std::string, std::string> text;  ///< name, file, shows, rule, latitude, argument, none
  std::map<std::string, std::vector<std::string>> lists;  ///< tags, statuses, depends, holds
  std::uint64_t outcomes = 0;
  std::vector<PinnedCount> pinned;
  std::vector<std::string> words;  ///< Keys of `values`.
};

/// Reads a list of objects as rows.
class RowReader {
 public:
  explicit RowReader(const std::string& file) {
    Result<JsonTree> tree = parse_json(text_of(root / file), file);
    EXPECT_TRUE(tree.ok()) << to_string(tree.error());
    if (tree.ok()) tree_ = std::move(tree.value());
  }

  std::vector<Row> rows() const {
    std::vector<Row> found;
    if (tree_.nodes.empty()) return found;
    for (const std::uint32_t row : children(0)) found.push_back(read(row));
    return found;
  }

 private:
  std::vector<std::uint32_t> children(std::uint32_t parent) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t child = tree_.nodes[parent].first_child; child != JsonNode::none;
         child = tree_.nodes[child].next) {
      found.push_back(child);
    }
    return found;
  }

  std::string key(std::uint32_t node) const { return tree_.strings[tree_.nodes[node].key]; }

  std::vector<std::string> strings(std::uint32_t list) const {
    std::vector<std::string> found;
    for (const std::uint32_t child : children(list)) {
      found.push_back(tree_.strings[tree_.nodes[child].string]);
    }
    return found;
  }

  PinnedCount read_pinned(std::uint32_t object) const {
    PinnedCount found;
    for (const std::uint32_t field : children(object)) {
      if (key(field) == "pins") found.pins = strings(field);
      if (key(field) == "outcomes") found.outcomes = tree_.nodes[field].magnitude;
    }
    return found;
  }

  Row read(std::uint32_t object) const {
    Row row;
    for (const std::uint32_t field : children(object)) {
      const JsonNode& node = tree_.nodes[field];
      if (node.kind == JsonNode::Kind::string) {
        row.text[key(field)] = tree_.strings[node.string];
      } else if (key(field) == "outcomes") {
        row.outcomes = node.magnitude;
      } else if (key(field) == "pinned") {
        for (const std::uint32_t entry : children(field)) row.pinned.push_back(read_pinned(entry));
      } else if (key(field) == "values") {
        for (const std::uint32_t word : children(field)) row.words.push_back(key(word));
      } else {
        row.lists[key(field)] = strings(field);
      }
    }
    return row;
  }

  JsonTree tree_;
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows = RowReader("table.json").rows();
  return rows;
}

std::string value_or_empty(const Row& row, const std::string& key) {
  const auto found = row.text.find(key);
  return found == row.text.end() ? std::string() : found->second;
}

bool has_tag(const Row& row, const std::string& tag) {
  const auto tags = row.lists.find("tags");
  if (tags == row.lists.end()) return false;
  return std::find(tags->second.begin(), tags->second.end(), tag) != tags->second.end();
}

TEST(LitmusTable, EveryRowNamesACanonicalValidCaseThatHoldsItsArgument) {
  ASSERT_GE(table().size(), 70u);
  std::map<std::string, std::string> ids;
  for (const Row& row : table()) {
    const std::string file = value_or_empty(row, "file");
    ASSERT_TRUE(std::filesystem::is_regular_file(root / file)) << file;
    const std::string text = text_of(root / file);
    const Result<CaseReading> read = read_case_with_warnings(text, file);
    ASSERT_TRUE(read.ok()) << to_string(read.error());
    EXPECT_TRUE(read->warnings.empty()) << file;
    EXPECT_EQ(write_case(read->value), text) << file;
    for (const Error& error : validate(read->value)) {
      ADD_FAILURE() << file << ": " << to_string(error);
    }
    EXPECT_EQ(read->value.name, value_or_empty(row, "name")) << file;
    EXPECT_EQ(read->value.note, value_or_empty(row, "argument")) << file;
    EXPECT_FALSE(read->value.note.empty()) << file;
    const auto [known, is_new] = ids.emplace(case_id(read->value), file);
    EXPECT_TRUE(is_new) << file << " asks the question of " << known->second;
    for (const std::string& word : row.words) {
      const std::string region = word.substr(0, word.find('['));
      const std::vector<Region>& regions = read->value.mix.regions;
      EXPECT_TRUE(std::any_of(regions.begin(), regions.end(),
                              [&](const Region& r) { return r.name == region; }))
          << file << ": " << word;
    }
  }
}

TEST(LitmusTable, EveryFileIsInTheTable) {
  std::set<std::string> listed;
  for (const Row& row : table()) {
    EXPECT_TRUE(listed.insert(value_or_empty(row, "file")).second) << value_or_empty(row, "file");
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().parent_path() == root) continue;
    EXPECT_TRUE(listed.contains(entry.path().lexically_relative(root).string())) << entry.path();
  }
}

TEST(LitmusTable, CountsRulesLatitudesAndStatusesMakeSense) {
  std::set<std::string> statuses;
  for (const OutcomeStatus status : {OutcomeStatus::completed, OutcomeStatus::stalled,
                                     OutcomeStatus::error, OutcomeStatus::refused}) {
    statuses.emplace(to_string(status));
  }
  std::set<std::string> names;
  for (const Row& row : table()) {
    const std::string name = value_or_empty(row, "name");
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(value_or_empty(row, "shows").empty()) << name;
    const std::string rule = value_or_empty(row, "rule");
    const std::string latitude = value_or_empty(row, "latitude");
    EXPECT_FALSE(rule.empty() && latitude.empty()) << name;
    EXPECT_TRUE(rule.empty() || find_rule(rule).has_value()) << name << ": " << rule;
    EXPECT_TRUE(latitude.empty() || find_latitude(latitude).has_value()) << name;
    ASSERT_TRUE(row.lists.contains("statuses")) << name;
    const std::vector<std::string>& own = row.lists.at("statuses");
    EXPECT_GE(row.outcomes, own.size()) << name;
    EXPECT_FALSE(own.empty()) << name;
    for (const std::string& status : own) EXPECT_TRUE(statuses.contains(status)) << name;
    for (const PinnedCount& pinned : row.pinned) {
      EXPECT_GE(pinned.outcomes, 1u) << name;
      EXPECT_LE(pinned.outcomes, row.outcomes) << name << ": pins only take outcomes away";
      EXPECT_FALSE(pinned.pins.empty()) << name;
      for (const std::string& pin : pinned.pins) {
        EXPECT_TRUE(parse_latitude_pin(pin).ok()) << name << ": " << pin;
      }
    }
  }
}

TEST(LitmusTable, EveryPointWhereBothSidesMightErrTogetherHasAPair) {
  for (const char* tag : {"raise-wait-matching",
                          "event-flags",
                          "lowering",
                          "fills-only-at-accesses",
                          "refresh-site",
                          "object-lifetime",
                          "end-of-launch",
                          "pipes-drained",
                          "reach",
                          "indices",
                          "feed-idle-kinds",
                          "publisher",
                          "atomic-adds",
                          "uninitialised-local",
                          "queue-depth",
                          "waves",
                          "hazard-H1",
                          "hazard-H2",
                          "hazard-H3",
                          "hazard-H4",
                          "hazard-H5",
                          "hazard-H6"}) {
    const auto count = std::count_if(table().begin(), table().end(),
                                     [&](const Row& row) { return has_tag(row, tag); });
    EXPECT_GE(count, 2) << tag;
  }
}

TEST(LitmusTable, EveryLatitudeHasAMixThatDependsOnItOrAReason) {
  std::map<std::string, const Row*> by_name;
  for (const Row& row : table()) by_name[value_or_empty(row, "name")] = &row;
  const std::vector<Row> rows = RowReader("latitudes.json").rows();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(latitude_count));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Latitude& entry = latitude(static_cast<LatitudeId>(i + 1));
    EXPECT_EQ(value_or_empty(rows[i], "latitude"), entry.name);
    const bool has_reason = !value_or_empty(rows[i], "none").empty();
    EXPECT_NE(has_reason, rows[i].lists.contains("depends")) << entry.name;
    EXPECT_TRUE(has_reason || entry.positions().size() > 1) << entry.name;
    for (const auto& [list, names] : rows[i].lists) {
      for (const std::string& name : names) {
        ASSERT_TRUE(by_name.contains(name)) << entry.name << ": " << name;
        if (list != "depends") continue;
        const std::vector<PinnedCount>& pinned = by_name[name]->pinned;
        EXPECT_TRUE(std::any_of(
            pinned.begin(), pinned.end(),
            [&](const PinnedCount& p) {
              return p.outcomes < by_name[name]->outcomes &&
                     std::any_of(p.pins.begin(), p.pins.end(), [&](const std::string& pin) {
                       return pin.starts_with(std::string(entry.name) + "=");
                     });
            }))
            << entry.name << ": " << name;
      }
    }
  }
}

}  // namespace
}  // namespace skcts
