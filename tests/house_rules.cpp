// The table of arrows, the short lists of exceptions, and the checks that read them.
#include "tests/house_rules.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace skcts::repository {
namespace {

struct Library {
  std::string_view folder;
  Names may_include;  ///< Folders, besides its own.
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> table{
      {"spec", {}},
      {"generators", {"spec"}},
      {"reference_model/explorer", {"spec"}},
      {"reference_model", {"spec"}},
      {"harness/target", {"spec"}},
      {"harness/emulator", {"spec", "harness/target"}},
      {"harness/wire", {"spec", "harness/target"}},
      {"harness/adapter", {"spec", "harness/target", "harness/wire"}},
      {"harness/ascendc", {"spec", "harness/target", "harness/emulator"}},
      {"harness/judge", {"spec", "harness/target"}},
      {"harness/campaign",
       {"spec", "generators", "reference_model", "reference_model/explorer", "harness/target",
        "harness/judge"}},
      {"suites",
       {"spec", "generators", "reference_model", "reference_model/explorer", "harness/target",
        "harness/emulator", "harness/judge", "harness/campaign"}},
      {"reports", {"spec"}},
      {"harness/skcts",
       {"spec", "generators", "reference_model", "reference_model/explorer", "harness/target",
        "harness/emulator", "harness/wire", "harness/ascendc", "harness/judge", "harness/campaign",
        "suites", "reports"}},
      {"fuzz", {"spec", "harness/target", "harness/wire"}},
      {"tests", {"spec"}},
  };
  return table;
}

const Library* library_of(std::string_view path) {
  for (const Library& library : libraries()) {
    if (path.starts_with(library.folder) && path.substr(library.folder.size()).starts_with('/')) {
      return &library;
    }
  }
  return nullptr;
}

bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Own includes only: file -> the repository files it includes.
std::map<std::string, std::vector<std::string>> include_graph(const Files& files) {
  std::set<std::string> known;
  for (const SourceFile& file : files) known.insert(file.path);
  std::map<std::string, std::vector<std::string>> graph;
  for (const SourceFile& file : files) {
    if (!is_cpp(file.path)) continue;
    auto& targets = graph[file.path];
    for (const Include& include : includes_of(file.text)) {
      if (known.contains(include.target)) targets.push_back(include.target);
    }
  }
  return graph;
}

bool is_word_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether `line` holds `word` with no letter, digit or underscore before it; a word that ends in
/// '*' is the beginning of one, any other must end where it ends.
bool has_word(std::string_view line, std::string_view word) {
  const bool open = word.ends_with('*');
  if (open) word.remove_suffix(1);
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_word_part(line[at - 1]);
    if (starts && (open || end == line.size() || !is_word_part(line[end]))) return true;
  }
  return false;
}

/// Reports every line of code of the C++ files chosen by `applies` that holds one of the words.
Violations uses(const Files& files, const Names& words,
                const std::function<bool(std::string_view)>& applies, std::string_view why) {
  Violations found;
  for (const SourceFile& file : files) {
    if (!is_cpp(file.path) || !applies(file.path)) continue;
    const std::string code = code_only(file.text, false);
    int number = 0;
    for (const std::string_view line : lines_of(code)) {
      ++number;
      for (const std::string_view word : words) {
        if (!has_word(line, word)) continue;
        found.push_back(fmt::format("{}:{}: {}: {}", file.path, number, word, why));
        break;
      }
    }
  }
  return found;
}

/// The shortest chain of includes from a file of one folder to a file of another, or empty.
std::vector<std::string> chain(const std::map<std::string, std::vector<std::string>>& graph,
                               std::string_view from, std::string_view to) {
  std::map<std::string, std::string> parent;
  std::vector<std::string> queue;
  for (const auto& [path, targets] : graph) {
    if (path.starts_with(from)) {
      parent[path] = "";
      queue.push_back(path);
    }
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::string path = queue[i];
    if (path.starts_with(to)) {
      std::vector<std::string> links;
      for (std::string at = path; !at.empty(); at = parent.at(at)) links.push_back(at);
      std::ranges::reverse(links);
      return links;
    }
    const auto found = graph.find(path);
    if (found == graph.end()) continue;
    for (const std::string& target : found->second) {
      if (parent.emplace(target, path).second) queue.push_back(target);
    }
  }
  return {};
}

/// Includes by which another library gets a header of `listed`'s library that leads to `listed`.
Violations leaks(const std::map<std::string, std::vector<std::string>>& graph,
                 std::string_view listed) {
  std::set<std::string> leading{std::string(listed)};
  for (std::size_t before = 0; before != leading.size();) {
    before = leading.size();
    for (const auto& [path, targets] : graph) {
      const bool leads = std::ranges::any_of(
          targets, [&](const std::string& target) { return leading.contains(target); });
      if (leads && library_of(path) == library_of(listed)) leading.insert(path);
    }
  }
  Violations found;
  for (const auto& [path, targets] : graph) {
    if (library_of(path) == library_of(listed)) continue;
    for (const std::string& target : targets) {
      if (leading.contains(target)) {
        found.push_back(fmt::format("{} includes {}, which leads to {}", path, target, listed));
      }
    }
  }
  return found;
}

int columns(std::string_view line) {
  // Bytes 10xxxxxx continue a character.
  return static_cast<int>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

const std::vector<ThirdParty>& third_parties() {
  static const std::vector<ThirdParty> table{
      {"rapidcheck", {"generators/random.h"}},
      {"nlohmann/",
       {"spec/journal.cpp", "spec/json_tree.cpp", "reference_model/explain.cpp",
        "reference_model/trace.cpp"}},
      {"CLI/", {"harness/skcts/program.cpp"}},
      {"archive", {"harness/campaign/certificate_archive.cpp"}},
      {"boost/", {"harness/ascendc/fibre.cpp", "harness/wire/link.cpp"}},
      {"openssl/", {"harness/campaign/certificate_sign.cpp", "harness/wire/tls.cpp"}},
      {"asio", {}},
  };
  return table;
}

const Names& clock_files() {
  static const Names files{"harness/skcts/clock.h", "harness/wire/clock.h"};
  return files;
}

Violations forbidden_arrows(const Files& files) {
  std::set<std::string> known;
  for (const SourceFile& file : files) known.insert(file.path);
  Violations found;
  for (const SourceFile& file : files) {
    if (!is_cpp(file.path)) continue;
    // Operators are written as a vendor writes them, and are no part of the house.
    if (file.path.starts_with("spec/operators/source/")) continue;
    const Library* const from = library_of(file.path);
    if (from == nullptr) {
      found.push_back(file.path + ": in no library of the table");
      continue;
    }
    for (const Include& include : includes_of(file.text)) {
      const Library* const to = library_of(include.target);
      if (!known.contains(include.target)) {
        // Angle brackets around one of our paths would hide an arrow, quotes a relative one.
        const auto line = lines_of(file.text)[static_cast<std::size_t>(include.line - 1)];
        if (to != nullptr || line.find('"') != std::string_view::npos) {
          found.push_back(fmt::format("{}:{}: {} is no file from the repository root", file.path,
                                      include.line, include.target));
        }
        continue;
      }
      if (to == from || (to != nullptr && contains(from->may_include, to->folder))) continue;
      found.push_back(fmt::format("{}:{}: {} may not include {}", file.path, include.line,
                                  from->folder, include.target));
    }
  }
  return found;
}

Violations engines_that_meet(const Files& files) {
  const auto graph = include_graph(files);
  Violations found;
  for (const auto& [from, to] : {std::pair{"reference_model/", "harness/emulator/"},
                                 std::pair{"harness/emulator/", "reference_model/"}}) {
    const auto links = chain(graph, from, to);
    if (!links.empty()) found.push_back(fmt::format("{}", fmt::join(links, " -> ")));
  }
  return found;
}

Violations include_cycles(const Files& files) {
  const auto graph = include_graph(files);
  Violations found;
  std::set<std::string> done;
  std::vector<std::string> path;
  const std::function<void(const std::string&)> visit = [&](const std::string& file) {
    const auto open = std::ranges::find(path, file);
    if (open != path.end()) {
      found.push_back(
          fmt::format("{} -> {}", fmt::join(std::vector(open, path.end()), " -> "), file));
      return;
    }
    if (!done.insert(file).second) return;
    path.push_back(file);
    for (const std::string& target : graph.at(file)) visit(target);
    path.pop_back();
  };
  for (const auto& [file, targets] : graph) visit(file);
  return found;
}

Violations third_parties_astray(const Files& files, const std::vector<ThirdParty>& parties) {
  Violations found;
  const auto graph = include_graph(files);
  std::map<std::string_view, std::set<std::string_view>> seen;
  for (const SourceFile& file : files) {
    if (!is_cpp(file.path)) continue;
    const bool may_test = file.path.ends_with("_test.cpp") || file.path.ends_with("testing.h") ||
                          file.path.starts_with("suites/") ||
                          file.path.starts_with("harness/skcts/");
    for (const Include& include : includes_of(file.text)) {
      if (!may_test && (include.target.starts_with("gtest") || include.target.starts_with("gmock")))
        found.push_back(fmt::format("{}:{}: GoogleTest outside tests, suites and the program",
                                    file.path, include.line));
      for (const ThirdParty& party : parties) {
        if (!include.target.starts_with(party.prefix)) continue;
        seen[party.prefix].insert(file.path);
        if (contains(party.files, file.path)) continue;
        found.push_back(fmt::format("{}:{}: <{}> is kept to {{{}}}", file.path, include.line,
                                    include.target, fmt::join(party.files, ", ")));
      }
    }
  }
  for (const ThirdParty& party : parties) {
    for (const std::string_view listed : party.files) {
      if (!seen[party.prefix].contains(listed)) {
        found.push_back(
            fmt::format("{}: listed for {} but does not include it", listed, party.prefix));
      }
      for (const std::string& leak : leaks(graph, listed)) found.push_back(leak);
    }
  }
  return found;
}

Violations banned_rapidcheck(const Files& files) {
  static const Names words{
      "rc::check", "gen::exec", "using namespace rc", "RC_GTEST*",   "RC_ASSERT*", "RC_PRE*",
      "RC_LOG*",   "RC_TAG*",   "RC_CLASSIFY*",       "RC_DISCARD*", "RC_FAIL*",   "RC_SUCCEED*"};
  return uses(
      files, words,
      [](std::string_view path) {
        return path.starts_with("generators/") || path.starts_with("suites/") ||
               path.starts_with("harness/");
      },
      "implicit global state, or a loop that is not ours");
}

Violations clocks_and_chance(const Files& files, const Names& listed) {
  static const Names words{
      "system_clock", "steady_clock", "high_resolution_clock", "gettimeofday", "clock_gettime",
      "std::time",    "std::clock",   "random_device",         "srand",        "rand"};
  return uses(
      files, words, [&](std::string_view path) { return !contains(listed, path); },
      "no clock and no chance outside the files listed for them");
}

Violations untidy_text(const Files& files) {
  Violations found;
  for (const SourceFile& file : files) {
    int number = 0;
    for (const std::string_view line : lines_of(file.text)) {
      ++number;
      if (line.find('\t') != std::string_view::npos)
        found.push_back(fmt::format("{}:{}: a tab", file.path, number));
      if (columns(line) > 100)
        found.push_back(fmt::format("{}:{}: {} columns", file.path, number, columns(line)));
    }
    if (!file.path.ends_with(".h")) continue;
    if (!file.text.starts_with("//")) found.push_back(file.path + ": no comment on its first line");
    if (file.text.find("\n#pragma once\n") == std::string::npos)
      found.push_back(file.path + ": no #pragma once");
  }
  return found;
}

}  // namespace skcts::repository
