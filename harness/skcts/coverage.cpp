// skcts coverage: what the mixes of a campaign meet in pairs, and which rare states they reach.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "generators/coverage.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/json_text.h"

namespace skcts::program {
namespace {

using generators::Axis;
using generators::CoveragePair;
using generators::CoverageTable;
using generators::Mark;

struct Met {
  std::vector<std::int64_t> pairs;  ///< Mixes that have it.
  std::array<std::int64_t, generators::mark_count> marks{};
  std::int64_t targeted = 0;  ///< Mixes that were made for a pair,
  std::int64_t discards = 0;  ///< of these without it.
};

Met look(const CoverageTable& table, const CoverageArguments& arguments) {
  Met met;
  met.pairs.assign(table.pairs().size(), 0);
  for (std::int64_t i = 0; i < arguments.cases; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const Case mix = table.make(arguments.seed, index);
    const std::vector<int> found = table.pairs_of(mix);
    for (const int pair : found) ++met.pairs[static_cast<std::size_t>(pair)];
    if (const auto target = table.target_of(index)) {
      ++met.targeted;
      if (std::ranges::find(found, *target) == found.end()) ++met.discards;
    }
    for (const Mark mark : generators::marks_of(mix)) ++met.marks[static_cast<std::size_t>(mark)];
  }
  return met;
}

struct Row {
  int pairs = 0;
  int feasible = 0;
  int covered = 0;
};

std::string name_of(const CoverageTable& table, const CoveragePair& pair) {
  const auto point = [&table](int at) { return table.points()[static_cast<std::size_t>(at)].name; };
  return fmt::format("{} with {}", point(pair.a), point(pair.b));
}

/// By the two axes.
std::map<std::pair<Axis, Axis>, Row> rows_of(const CoverageTable& table, const Met& met) {
  std::map<std::pair<Axis, Axis>, Row> rows;
  for (std::size_t i = 0; i < met.pairs.size(); ++i) {
    const CoveragePair& pair = table.pairs()[i];
    const auto axis = [&table](int at) {
      return table.points()[static_cast<std::size_t>(at)].axis;
    };
    Row& row = rows[{axis(pair.a), axis(pair.b)}];
    ++row.pairs;
    if (!pair.reason.empty()) continue;
    ++row.feasible;
    row.covered += met.pairs[i] > 0 ? 1 : 0;
  }
  return rows;
}

/// Feasible pairs that no mix had.
std::vector<std::string> missing_pairs(const CoverageTable& table, const Met& met) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < met.pairs.size(); ++i) {
    const CoveragePair& pair = table.pairs()[i];
    if (pair.reason.empty() && met.pairs[i] == 0) names.push_back(name_of(table, pair));
  }
  return names;
}

/// Reasons of pairs that no mix has, with the pairs.
std::map<std::string, std::vector<std::string>> infeasible_pairs(const CoverageTable& table) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const CoveragePair& pair : table.pairs()) {
    if (pair.reason.empty()) continue;
    by_reason[std::string(pair.reason)].push_back(name_of(table, pair));
  }
  return by_reason;
}

std::string table_text(const CoverageTable& table, const Met& met,
                       const CoverageArguments& arguments, std::string_view profile) {
  std::string text = fmt::format("{:<20} {:>6} {:>9} {:>8}\n", "axes", "pairs", "feasible", "met");
  Row all;
  for (const auto& [axes, row] : rows_of(table, met)) {
    const std::string name = fmt::format("{} x {}", to_string(axes.first), to_string(axes.second));
    text += fmt::format("{:<20} {:>6} {:>9} {:>8}\n", name, row.pairs, row.feasible, row.covered);
    all.pairs += row.pairs;
    all.feasible += row.feasible;
    all.covered += row.covered;
  }
  text += fmt::format("{:<20} {:>6} {:>9} {:>8}\n\n", "all", all.pairs, all.feasible, all.covered);
  for (const std::string& name : missing_pairs(table, met)) text += "not met: " + name + "\n";
  for (const auto& [reason, pairs] : infeasible_pairs(table)) {
    text += fmt::format("infeasible: {} pairs: {}\n", pairs.size(), reason);
    if (!arguments.infeasible) continue;
    for (const std::string& name : pairs) text += "  " + name + "\n";
  }
  text += "\n";
  for (int i = 0; i < generators::mark_count; ++i) {
    text += fmt::format("{:<28} {:>6} mixes\n", to_string(static_cast<Mark>(i)),
                        met.marks[static_cast<std::size_t>(i)]);
  }
  text += fmt::format(
      "\n{} mixes, seed {}, {}: {} of {} feasible pairs met; {} of {} mixes that were made for a "
      "pair do without it\n",
      arguments.cases, arguments.seed, profile, all.covered, all.feasible, met.discards,
      met.targeted);
  return text;
}

std::string table_json(const CoverageTable& table, const Met& met,
                       const CoverageArguments& arguments, std::string_view profile) {
  std::string rows;
  for (const auto& [axes, row] : rows_of(table, met)) {
    JsonObject object;
    object.text("first", to_string(axes.first)).text("second", to_string(axes.second));
    object.number("pairs", row.pairs).number("feasible", row.feasible).number("met", row.covered);
    rows += (rows.empty() ? "" : ", ") + object.str();
  }
  JsonObject marks;
  for (int i = 0; i < generators::mark_count; ++i) {
    marks.number(to_string(static_cast<Mark>(i)), met.marks[static_cast<std::size_t>(i)]);
  }
  JsonObject reasons;
  for (const auto& [reason, pairs] : infeasible_pairs(table)) reasons.texts(reason, pairs);
  JsonObject out;
  out.text("profile", profile);
  out.number("seed", static_cast<std::int64_t>(arguments.seed)).number("cases", arguments.cases);
  out.raw("axes", "[" + rows + "]").texts("not_met", missing_pairs(table, met));
  out.raw("infeasible", reasons.str()).raw("marks", marks.str());
  out.number("targeted", met.targeted).number("discards", met.discards);
  return out.str() + "\n";
}

}  // namespace

ExitCode measure_coverage(const CoverageArguments& arguments) {
  const Result<const Profile*> profile = choose_profile(arguments.profile);
  if (!profile) {
    complain(profile.error());
    return ExitCode::usage;
  }
  const CoverageTable table(**profile);
  const Met met = look(table, arguments);
  const std::string_view name = (*profile)->name;
  fmt::print("{}", arguments.json ? table_json(table, met, arguments, name)
                                  : table_text(table, met, arguments, name));
  const bool all_marks = std::ranges::all_of(met.marks, [](std::int64_t n) { return n > 0; });
  const bool all_pairs = missing_pairs(table, met).empty();
  return all_marks && all_pairs ? ExitCode::pass : ExitCode::nothing_ran;
}

}  // namespace skcts::program
