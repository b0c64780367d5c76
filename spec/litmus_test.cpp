// The litmus mixes: every file valid and canonical, the table complete and consistent with it.
#include "spec/litmus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
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

using testing::HasSubstr;

const std::filesystem::path root = std::filesystem::path(SKCTS_SOURCE_DIR) / "spec/litmus";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A row of latitudes.json: its texts and its lists of names, by key.
struct LatitudeRow {
  std::map<std::string, std::string> text;                ///< latitude, none
  std::map<std::string, std::vector<std::string>> lists;  ///< depends, holds
};

std::vector<LatitudeRow> latitude_rows() {
  std::vector<LatitudeRow> rows;
  const Result<JsonTree> read = parse_json(text_of(root / "latitudes.json"), "latitudes.json");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  if (!read.ok()) return rows;
  const JsonTree& tree = *read;
  const auto each = [&](const JsonNode& parent, const auto& visit) {
    for (std::uint32_t child = parent.first_child; child != JsonNode::none;
         child = tree.nodes[child].next) {
      visit(tree.nodes[child]);
    }
  };
  each(tree.nodes.front(), [&](const JsonNode& object) {
    LatitudeRow& row = rows.emplace_back();
    each(object, [&](const JsonNode& field) {
      const std::string& key = tree.strings[field.key];
      if (field.kind == JsonNode::Kind::string) {
        row.text[key] = tree.strings[field.string];
      } else {
        each(field,
             [&](const JsonNode& name) { row.lists[key].push_back(tree.strings[name.string]); });
      }
    });
  });
  return rows;
}

TEST(LitmusTable, EveryRowNamesACanonicalValidCaseThatHoldsItsArgument) {
  ASSERT_GE(litmus_table().size(), 70u);
  std::map<std::string, std::string> ids;
  for (const Litmus& litmus : litmus_table()) {
    const std::string& file = litmus.file;
    ASSERT_TRUE(std::filesystem::is_regular_file(root / file)) << file;
    const std::string text = text_of(root / file);
    const Result<CaseReading> read = read_case_with_warnings(text, file);
    ASSERT_TRUE(read.ok()) << to_string(read.error());
    EXPECT_TRUE(read->warnings.empty()) << file;
    EXPECT_EQ(read->value, litmus.test_case) << file;
    EXPECT_EQ(write_case(litmus.test_case), text) << file;
    for (const Error& error : validate(litmus.test_case)) {
      ADD_FAILURE() << file << ": " << to_string(error);
    }
    EXPECT_EQ(litmus.test_case.name, litmus.name) << file;
    EXPECT_EQ(litmus.test_case.note, litmus.argument) << file;
    EXPECT_FALSE(litmus.argument.empty()) << file;
    const auto [known, is_new] = ids.emplace(case_id(litmus.test_case), file);
    EXPECT_TRUE(is_new) << file << " asks the question of " << known->second;
    for (const LitmusWord& word : litmus.words) {
      const std::string region = word.name.substr(0, word.name.find('['));
      const std::vector<Region>& regions = litmus.test_case.mix.regions;
      EXPECT_TRUE(std::any_of(regions.begin(), regions.end(),
                              [&](const Region& r) { return r.name == region; }))
          << file << ": " << word.name;
    }
  }
}

TEST(LitmusTable, EveryFileIsInTheTable) {
  std::set<std::string> listed;
  for (const Litmus& litmus : litmus_table()) {
    EXPECT_TRUE(listed.insert(litmus.file).second) << litmus.file;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file() || entry.path().parent_path() == root) continue;
    EXPECT_TRUE(listed.contains(entry.path().lexically_relative(root).string())) << entry.path();
  }
}

TEST(LitmusTable, CountsAndStatusesMakeSense) {
  std::set<std::string> names;
  for (const Litmus& litmus : litmus_table()) {
    EXPECT_TRUE(names.insert(litmus.name).second) << litmus.name;
    EXPECT_FALSE(litmus.shows.empty()) << litmus.name;
    EXPECT_TRUE(litmus.rule || litmus.latitude) << litmus.name;
    EXPECT_GE(litmus.outcomes, litmus.statuses.size()) << litmus.name;
    EXPECT_FALSE(litmus.statuses.empty()) << litmus.name;
    for (const LitmusPins& pinned : litmus.pinned) {
      EXPECT_GE(pinned.outcomes, 1u) << litmus.name;
      EXPECT_LE(pinned.outcomes, litmus.outcomes)
          << litmus.name << ": pins only take outcomes away";
      EXPECT_FALSE(pinned.pins.empty()) << litmus.name;
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
    const auto count =
        std::count_if(litmus_table().begin(), litmus_table().end(), [&](const Litmus& litmus) {
          return std::find(litmus.tags.begin(), litmus.tags.end(), tag) != litmus.tags.end();
        });
    EXPECT_GE(count, 2) << tag;
  }
}

/// A row of the table of pairs in the README: its tag, then the names two by two.
std::vector<std::vector<std::string>> pair_rows() {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(text_of(root / "README.md"));
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| point |")) inside = true;
    if (!inside || !line.starts_with("| ") || line.find('`') == line.npos) continue;
    std::vector<std::string>& names = rows.emplace_back();
    for (std::size_t at = line.find('`'); at != line.npos; at = line.find('`', at + 1)) {
      const std::size_t end = line.find('`', at + 1);
      if (end == line.npos) break;
      names.push_back(line.substr(at + 1, end - at - 1));
      at = end;
    }
  }
  return rows;
}

TEST(LitmusTable, ThePairsOfTheReadmeDiffer) {
  const auto find = [](const std::string& name) {
    const auto at = std::ranges::find(litmus_table(), name, &Litmus::name);
    return at == litmus_table().end() ? nullptr : &*at;
  };
  const std::vector<std::vector<std::string>> rows = pair_rows();
  EXPECT_EQ(rows.size(), 16U);  // The points of semantics §8.
  std::set<std::string> tags;
  for (const std::vector<std::string>& row : rows) {
    ASSERT_GE(row.size(), 3U) << row.front();
    ASSERT_EQ(row.size() % 2, 1U) << row.front();
    EXPECT_TRUE(tags.insert(row.front()).second) << row.front();
    bool differ = false;
    for (std::size_t k = 1; k + 1 < row.size(); k += 2) {
      const Litmus* const one = find(row[k]);
      const Litmus* const other = find(row[k + 1]);
      ASSERT_NE(one, nullptr) << row[k];
      ASSERT_NE(other, nullptr) << row[k + 1];
      EXPECT_THAT(one->tags, testing::Contains(row.front())) << row[k];
      EXPECT_THAT(other->tags, testing::Contains(row.front())) << row[k + 1];
      differ = differ || one->outcomes != other->outcomes || one->statuses != other->statuses ||
               one->words != other->words;
    }
    EXPECT_TRUE(differ) << row.front();
  }
}

TEST(LitmusTable, EveryLatitudeHasAMixThatDependsOnItOrAReason) {
  std::map<std::string, const Litmus*> by_name;
  for (const Litmus& litmus : litmus_table()) by_name[litmus.name] = &litmus;
  const std::vector<LatitudeRow> rows = latitude_rows();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(latitude_count));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    LatitudeRow row = rows[i];
    const Latitude& entry = latitude(static_cast<LatitudeId>(i + 1));
    EXPECT_EQ(row.text["latitude"], entry.name);
    const bool has_reason = !row.text["none"].empty();
    EXPECT_NE(has_reason, row.lists.contains("depends")) << entry.name;
    EXPECT_TRUE(has_reason || entry.positions().size() > 1) << entry.name;
    for (const auto& [list, names] : row.lists) {
      for (const std::string& name : names) {
        ASSERT_TRUE(by_name.contains(name)) << entry.name << ": " << name;
        if (list != "depends") continue;
        const Litmus& litmus = *by_name[name];
        EXPECT_TRUE(std::any_of(litmus.pinned.begin(), litmus.pinned.end(),
                                [&](const LitmusPins& pinned) {
                                  return pinned.outcomes < litmus.outcomes &&
                                         std::any_of(pinned.pins.begin(), pinned.pins.end(),
                                                     [&](const LatitudePin& pin) {
                                                       return pin.id == entry.id;
                                                     });
                                }))
            << entry.name << ": " << name;
      }
    }
  }
}

TEST(LitmusTable, ErrorsSayWhere) {
  const auto error_of = [](const std::string& row) {
    const auto no_file = [](std::string_view) { return std::optional<std::string_view>(); };
    const Result<std::vector<Litmus>> read = read_litmus_table("[" + row + "]", "t.json", no_file);
    return read ? std::string() : to_string(read.error());
  };
  const std::string start = R"({"name": "a", "file": "a.json", "shows": "s", "argument": "w", )";
  EXPECT_THAT(error_of(start + R"("rule": "SYNC-99"})"), HasSubstr("is no rule"));
  EXPECT_THAT(error_of(start + R"("latitude": "L-99"})"), HasSubstr("is no latitude"));
  EXPECT_THAT(error_of(start + R"("outcomes": 1})"), HasSubstr("a rule or a latitude"));
  const std::string about = start + R"("rule": "SYNC-1", )";
  EXPECT_THAT(error_of(about + R"("outcomes": 0})"), HasSubstr("t.json:1:"));
  EXPECT_THAT(error_of(about + R"("outcomes": 1, "statuses": ["gone"]})"),
              HasSubstr("[0].statuses[0]: \"gone\" is no status"));
  EXPECT_THAT(error_of(about + R"("outcomes": 1, "statuses": ["completed"], )"
                               R"("pinned": [{"pins": ["L-14=dry"], "outcomes": 1}]})"),
              HasSubstr("[0].pinned[0].pins[0]"));
  EXPECT_THAT(error_of(about + R"("outcomes": 1, "statuses": ["completed"]})"),
              HasSubstr("there is no file"));
  EXPECT_THAT(error_of(about + R"("oucomes": 1})"), HasSubstr("oucomes"));
}

}  // namespace
}  // namespace skcts
