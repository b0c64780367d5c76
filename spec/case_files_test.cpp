// Every case file in spec/cases: canonical, valid, within the schema, and robust against damage.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "spec/case_id.h"
#include "spec/case_text.h"
#include "spec/json_tree.h"
#include "spec/validate.h"

namespace skcts {
namespace {

struct CaseFile {
  std::string path;  ///< Relative to spec/cases.
  std::string text;
};

const std::vector<CaseFile>& case_files() {
  static const std::vector<CaseFile> files = [] {
    const std::filesystem::path root = std::filesystem::path(SKCTS_SOURCE_DIR) / "spec/cases";
    std::vector<CaseFile> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".json" || entry.path().filename() == "index.json") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      found.push_back({entry.path().lexically_relative(root).string(), text.str()});
    }
    std::sort(found.begin(), found.end(),
              [](const CaseFile& a, const CaseFile& b) { return a.path < b.path; });
    return found;
  }();
  return files;
}

TEST(CaseFiles, AreKeptInCanonicalForm) {
  ASSERT_GT(case_files().size(), 90u);
  for (const CaseFile& file : case_files()) {
    const Result<CaseReading> read = read_case_with_warnings(file.text, file.path);
    ASSERT_TRUE(read.ok()) << to_string(read.error());
    EXPECT_TRUE(read->warnings.empty()) << file.path;
    EXPECT_EQ(write_case(read->value), file.text) << file.path;
  }
}

TEST(CaseFiles, AreValid) {
  for (const CaseFile& file : case_files()) {
    for (const Error& error : validate(read_case(file.text, file.path).value())) {
      ADD_FAILURE() << file.path << ": " << to_string(error);
    }
  }
}

TEST(CaseFiles, SayWhatIsExpectedAndWhereTheyComeFrom) {
  std::map<std::string, std::string> ids;
  for (const CaseFile& file : case_files()) {
    const Case c = read_case(file.text, file.path).value();
    EXPECT_TRUE(c.expect.has_value()) << file.path;
    EXPECT_TRUE(c.provenance && !c.provenance->source.empty()) << file.path;
    EXPECT_FALSE(c.note.empty()) << file.path;
    const auto [known, is_new] = ids.emplace(case_id(c), file.path);
    EXPECT_TRUE(is_new) << file.path << " asks the question of " << known->second;
  }
}

using Row = std::map<std::string, std::string>;

/// The rows of an index: id, status and reason of each.
std::vector<Row> index_of(const std::string& folder) {
  std::ifstream file(folder + "index.json");
  std::stringstream text;
  text << file.rdbuf();
  const Result<JsonTree> tree = parse_json(text.str(), "index.json");
  if (!tree.ok()) return {};
  std::vector<Row> rows;
  const JsonNode& list = tree->nodes[0];
  for (std::uint32_t row = list.first_child; row != JsonNode::none; row = tree->nodes[row].next) {
    Row& fields = rows.emplace_back();
    for (std::uint32_t child = tree->nodes[row].first_child; child != JsonNode::none;
         child = tree->nodes[child].next) {
      fields[tree->strings[tree->nodes[child].key]] = tree->strings[tree->nodes[child].string];
    }
  }
  return rows;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(CaseFiles, EveryReportIsListedAndEveryCaseOfOneIsThere) {
  const std::string root = std::string(SKCTS_SOURCE_DIR) + "/spec/cases/reports/";
  std::set<std::string> listed;
  for (Row& fields : index_of(root)) {
    EXPECT_TRUE(listed.insert(fields["id"]).second) << fields["id"];
    EXPECT_FALSE(fields["reason"].empty()) << fields["id"];
    EXPECT_TRUE(fields["status"] == "case" || fields["status"] == "platform") << fields["id"];
    if (fields["status"] != "case") continue;
    const std::string name = lower_case(fields["id"]);
    for (const char* suffix : {"", "-healthy", "-control"}) {
      EXPECT_TRUE(std::filesystem::exists(root + name + suffix + ".json")) << name << suffix;
    }
    const Result<Case> healthy = read_case_file(root + name + "-healthy.json");
    ASSERT_TRUE(healthy.ok());
    EXPECT_EQ(healthy->expect->behaviour, Behaviour::completes) << name;
    EXPECT_EQ(healthy->expect->rule, "") << name;
  }
  EXPECT_EQ(listed.size(), 33u);
}

/// D-1 to D-12: each has a case that shows something, and each file named after one is listed.
TEST(CaseFiles, EveryDerivedCheckIsListedAndHasItsCases) {
  const std::string root = std::string(SKCTS_SOURCE_DIR) + "/spec/cases/derived/";
  std::set<std::string> listed, cases;
  for (Row& fields : index_of(root)) {
    EXPECT_TRUE(listed.insert(fields["id"]).second) << fields["id"];
    EXPECT_EQ(fields["status"], "case") << fields["id"];
    EXPECT_FALSE(fields["reason"].empty()) << fields["id"];
    std::string name = lower_case(fields["id"]);
    if (name.size() == 3) name.insert(2, "0");
    bool shows = false;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(name + ".") && !file.starts_with(name + "-")) continue;
      cases.insert(file);
      const Result<Case> read = read_case_file(entry.path().string());
      ASSERT_TRUE(read.ok()) << file;
      EXPECT_EQ(read->provenance->source, fields["id"]) << file;
      shows =
          shows || read->expect->behaviour != Behaviour::completes || !read->expect->rule.empty();
    }
    EXPECT_TRUE(shows) << fields["id"];
  }
  EXPECT_EQ(listed.size(), 12u);
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string file = entry.path().filename().string();
    EXPECT_TRUE(file == "index.json" || cases.contains(file)) << file;
  }
}

TEST(CaseFiles, ThePageOnWritingCasesTellsTheTruth) {
  std::ifstream file(std::string(SKCTS_SOURCE_DIR) + "/docs/writing-a-case.md");
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string page = stream.str();
  constexpr std::string_view fence = "```json\n";
  const std::size_t start = page.find(fence) + fence.size();
  std::string example = page.substr(start, page.find("```\n", start) - start);
  const Result<Case> read = read_case(example, "case.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(write_case(*read), example);
  EXPECT_TRUE(validate(*read).empty());
  const std::size_t word = example.find("\"pipe\": \"FIX\", \"id\"");
  ASSERT_NE(word, std::string::npos);
  example.replace(word, 6, "\"pip\"");
  EXPECT_NE(page.find(to_string(read_case(example, "case.json").error())), std::string::npos)
      << to_string(read_case(example, "case.json").error());
}

/// An error of a text always has a line inside it (or just behind its end).
void expect_place(const Error& error, const std::string& text, const std::string& what) {
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  EXPECT_GE(error.line, 1) << what << ": " << to_string(error);
  EXPECT_LE(error.line, lines) << what << ": " << to_string(error);
  EXPECT_GE(error.column, 1) << what << ": " << to_string(error);
  EXPECT_FALSE(error.message.empty()) << what;
}

TEST(DamagedFiles, TruncatedOnesAreErrorsAtTheirEnd) {
  for (const CaseFile& file : case_files()) {
    const std::size_t last_brace = file.text.rfind('}');
    for (std::size_t length = 0; length <= last_brace; length += 7) {
      const std::string text = file.text.substr(0, length);
      const Result<Case> read = read_case(text, file.path);
      ASSERT_FALSE(read.ok()) << file.path << " cut at " << length;
      expect_place(read.error(), text, file.path);
    }
  }
}

TEST(DamagedFiles, AChangedByteIsReadOrRefusedWithItsPlace) {
  std::mt19937 random(20240229);
  int refused = 0;
  int taken = 0;
  for (const CaseFile& file : case_files()) {
    for (std::size_t at = random() % 5; at < file.text.size(); at += 1 + random() % 9) {
      std::string text = file.text;
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1 + random() % 255));
      const Result<Case> read = read_case(text, file.path);
      if (read) {
        ++taken;
        static_cast<void>(validate(*read));
        static_cast<void>(write_case(*read));
      } else {
        ++refused;
        expect_place(read.error(), text, file.path);
      }
    }
  }
  EXPECT_GT(refused, 10000);
  EXPECT_GT(taken, 1000) << "notes and names may change";
}

/// Where the scalar or string that starts at `offset` ends.
std::size_t token_end(const std::string& text, std::size_t offset) {
  std::size_t end = offset + 1;
  if (text[offset] == '"') {
    while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  while (end < text.size() && std::string_view(",]} \n").find(text[end]) == std::string::npos)
    ++end;
  return end;
}

TEST(DamagedFiles, AWrongTypeIsAnErrorAtItsPlace) {
  for (const CaseFile& file : case_files()) {
    const JsonTree tree = parse_json(file.text, file.path).value();
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
      const JsonNode& node = tree.nodes[i];
      if (node.first_child != JsonNode::none) continue;
      std::string text = file.text;
      text.replace(node.offset, token_end(text, node.offset) - node.offset, "null");
      const Result<Case> read = read_case(text, file.path);
      ASSERT_FALSE(read.ok()) << file.path << ": " << text.substr(node.offset, 40);
      const TextPlace place = place_in(text, node.offset);
      EXPECT_EQ(read.error().line, place.line) << to_string(read.error());
      EXPECT_EQ(read.error().column, place.column) << to_string(read.error());
      EXPECT_FALSE(read.error().field.empty()) << to_string(read.error());
    }
  }
}

TEST(DamagedFiles, ADuplicateKeyIsAnErrorAtItsLine) {
  for (const CaseFile& file : case_files()) {
    const JsonTree tree = parse_json(file.text, file.path).value();
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
      const JsonNode& node = tree.nodes[i];
      if (node.key == JsonNode::none) continue;
      std::string text = file.text;
      const std::string key = json_quoted(tree.strings[node.key]);
      text.insert(node.key_offset, fmt::format("{}: 1,\n", key));
      const Result<Case> read = read_case(text, file.path);
      ASSERT_FALSE(read.ok()) << file.path;
      EXPECT_EQ(read.error().line, place_in(file.text, node.key_offset).line + 1)
          << to_string(read.error());
      EXPECT_EQ(read.error().message, "duplicate key " + key);
    }
  }
}

TEST(DamagedFiles, AMissingOrForeignKeyNamesTheObject) {
  for (const CaseFile& file : case_files()) {
    const JsonTree tree = parse_json(file.text, file.path).value();
    for (const JsonNode& node : tree.nodes) {
      if (node.kind != JsonNode::Kind::object) continue;
      std::string text = file.text;
      text.insert(node.offset + 1, "\"blokcs\": 1, ");
      const Result<Case> read = read_case(text, file.path);
      ASSERT_FALSE(read.ok()) << file.path;
      EXPECT_TRUE(read.error().message.starts_with("unknown key \"blokcs\"") ||
                  read.error().message.starts_with("a step has one of"))
          << to_string(read.error());
      EXPECT_EQ(read.error().line, place_in(text, node.offset).line) << to_string(read.error());
    }
  }
}

}  // namespace
}  // namespace skcts
