// Reads the litmus table.
#include "spec/litmus.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "spec/case_text.h"
#include "spec/embedded.h"
#include "spec/json_reader.h"

namespace skcts {
namespace {

constexpr std::string_view folder = "spec/litmus/";
constexpr std::size_t longest_list = 1024;

class TableReader : public JsonReader {
 public:
  using JsonReader::JsonReader;

  bool table(const std::function<std::optional<std::string_view>(std::string_view)>& text_of,
             std::vector<Litmus>& to) {
    if (!expect_list(root(), "the litmus mixes", 4096)) return false;
    std::set<std::string> names;
    return each(root(), [&](const JsonNode& node, std::size_t index) {
      const Scope scope(*this, index);
      Litmus litmus;
      if (!row(node, litmus)) return false;
      if (!names.insert(litmus.name).second) {
        return fail(node, fmt::format("the name \"{}\" is taken by an earlier row", litmus.name));
      }
      const auto text = text_of(litmus.file);
      if (!text) return fail(node, fmt::format("there is no file \"{}\"", litmus.file));
      Result<Case> read = read_case(*text, std::string(folder) + litmus.file);
      if (!read) {
        case_error_ = read.error();
        return false;
      }
      litmus.test_case = std::move(read).value();
      to.push_back(std::move(litmus));
      return true;
    });
  }

  /// The error in a case file, or that in the table.
  Error failure() const { return case_error_ ? *case_error_ : error(); }

 private:
  bool row(const JsonNode& node, Litmus& to) {
    constexpr std::array<std::string_view, 11> known{"name",     "file",     "shows",  "rule",
                                                     "latitude", "outcomes", "pinned", "statuses",
                                                     "values",   "argument", "tags"};
    if (!expect_object(node, "a litmus mix") || !check_keys(node, known, "a litmus mix")) {
      return false;
    }
    for (const auto& [key, text] :
         {std::pair{"name", &to.name}, std::pair{"file", &to.file}, std::pair{"shows", &to.shows},
          std::pair{"argument", &to.argument}}) {
      const JsonNode* const child = find(node, key);
      if (child == nullptr) return fail_missing(node, key, "a litmus mix");
      const Scope scope(*this, key);
      if (!read_string(*child, *text)) return false;
    }
    return about(node, to) && counts(node, to) && statuses(node, to) && words(node, to) &&
           tags(node, to);
  }

  bool about(const JsonNode& node, Litmus& to) {
    if (const JsonNode* const child = find(node, "rule"); child != nullptr) {
      const Scope scope(*this, "rule");
      std::string name;
      if (!read_string(*child, name)) return false;
      to.rule = find_rule(name);
      if (!to.rule) return fail(*child, fmt::format("\"{}\" is no rule", name));
    }
    if (const JsonNode* const child = find(node, "latitude"); child != nullptr) {
      const Scope scope(*this, "latitude");
      std::string name;
      if (!read_string(*child, name)) return false;
      to.latitude = find_latitude(name);
      if (!to.latitude) return fail(*child, fmt::format("\"{}\" is no latitude", name));
    }
    if (!to.rule && !to.latitude) return fail(node, "a litmus mix is about a rule or a latitude");
    return true;
  }

  bool count(const JsonNode& node, std::string_view what, std::uint64_t& to) {
    const JsonNode* const child = find(node, "outcomes");
    if (child == nullptr) return fail_missing(node, "outcomes", what);
    const Scope scope(*this, "outcomes");
    return read_int(*child, 1, 1'000'000, to);
  }

  bool counts(const JsonNode& node, Litmus& to) {
    if (!count(node, "a litmus mix", to.outcomes)) return false;
    const JsonNode* const list = find(node, "pinned");
    if (list == nullptr) return true;
    const Scope scope(*this, "pinned");
    if (!expect_list(*list, "pinned counts", longest_list)) return false;
    return each(*list, [&](const JsonNode& entry, std::size_t index) {
      const Scope place(*this, index);
      constexpr std::array<std::string_view, 2> known{"pins", "outcomes"};
      LitmusPins made;
      if (!expect_object(entry, "a pinned count") || !check_keys(entry, known, "a pinned count") ||
          !count(entry, "a pinned count", made.outcomes)) {
        return false;
      }
      const JsonNode* const pins = find(entry, "pins");
      if (pins == nullptr) return fail_missing(entry, "pins", "a pinned count");
      const bool read = strings(*pins, "pins", [&](const JsonNode& child, const std::string& text) {
        const Result<LatitudePin> pin = parse_latitude_pin(text);
        if (!pin) return fail(child, pin.error().message, pin.error().hint);
        made.pins.push_back(*pin);
        return true;
      });
      to.pinned.push_back(std::move(made));
      return read;
    });
  }

  bool statuses(const JsonNode& node, Litmus& to) {
    const JsonNode* const list = find(node, "statuses");
    if (list == nullptr) return fail_missing(node, "statuses", "a litmus mix");
    const bool read =
        strings(*list, "statuses", [&](const JsonNode& child, const std::string& text) {
          for (const OutcomeStatus status : {OutcomeStatus::completed, OutcomeStatus::stalled,
                                             OutcomeStatus::error, OutcomeStatus::refused}) {
            if (text != to_string(status)) continue;
            to.statuses.push_back(status);
            return true;
          }
          return fail(child, fmt::format("\"{}\" is no status of an outcome", text));
        });
    std::ranges::sort(to.statuses);
    return read;
  }

  bool words(const JsonNode& node, Litmus& to) {
    const JsonNode* const object = find(node, "values");
    if (object == nullptr) return true;
    const Scope scope(*this, "values");
    if (!expect_object(*object, "values of words")) return false;
    return each(*object, [&](const JsonNode& list, std::size_t) {
      LitmusWord word{std::string(key_of(list)), {}};
      const Scope place(*this, word.name);
      if (!expect_list(list, "values", longest_list)) return false;
      const bool read = each(list, [&](const JsonNode& child, std::size_t index) {
        const Scope at(*this, index);
        std::uint32_t value = 0;
        if (!read_int(child, 0, UINT32_MAX, value)) return false;
        word.values.push_back(value);
        return true;
      });
      std::ranges::sort(word.values);
      to.words.push_back(std::move(word));
      return read;
    });
  }

  bool tags(const JsonNode& node, Litmus& to) {
    const JsonNode* const list = find(node, "tags");
    if (list == nullptr) return true;
    return strings(*list, "tags", [&](const JsonNode&, const std::string& text) {
      to.tags.push_back(text);
      return true;
    });
  }

  template <class Take>
  bool strings(const JsonNode& list, std::string_view key, Take&& take) {
    const Scope scope(*this, key);
    if (!expect_list(list, key, longest_list)) return false;
    return each(list, [&](const JsonNode& child, std::size_t index) {
      const Scope at(*this, index);
      std::string text;
      return read_string(child, text) && take(child, text);
    });
  }

  std::optional<Error> case_error_;
};

std::optional<std::string_view> embedded_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_litmus()) {
    if (file.name.substr(folder.size()) == name) return file.text;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Litmus>> read_litmus_table(
    std::string_view text, std::string_view file,
    const std::function<std::optional<std::string_view>(std::string_view)>& text_of) {
  const Result<JsonTree> tree = parse_json(text, file);
  if (!tree) return tree.error();
  TableReader reader(text, file, *tree);
  std::vector<Litmus> table;
  if (!reader.table(text_of, table)) return reader.failure();
  return table;
}

const std::vector<Litmus>& litmus_table() {
  static const std::vector<Litmus> table = [] {
    const std::optional<std::string_view> text = embedded_text("table.json");
    SKCTS_CHECK(text.has_value(), "spec/litmus/table.json is not compiled in");
    return read_litmus_table(*text, "spec/litmus/table.json", embedded_text).value();
  }();
  return table;
}

}  // namespace skcts
