// The kill matrix as a table and as JSON.
#include "harness/skcts/score_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/skcts/json_text.h"
#include "spec/rule.h"

namespace skcts::program {
namespace {

using campaign::Cell;
using campaign::FalseAlarm;
using campaign::Fate;
using campaign::Kill;
using campaign::MutantScore;
using campaign::Score;

constexpr int most_told = 10;  ///< Lines of one kind of trouble.

std::string_view rule_text(std::optional<RuleId> rule) {
  return rule ? to_string(*rule) : "-";
}

std::string channels_text(const Kill& kill) {
  std::string text;
  for (const campaign::Channel channel : kill.channels) {
    text += fmt::format("{}{}", text.empty() ? "" : "+", to_string(channel));
  }
  return text;
}

std::string cell_text(const Cell& cell) {
  if (cell.killed > 0) return fmt::to_string(cell.killed);
  return cell.ended ? "." : "";
}

using Lines = std::vector<std::vector<std::string>>;

std::vector<std::string> line_of(const MutantScore& row) {
  std::vector<std::string> line{row.name, std::string(to_string(row.rule))};
  if (row.kill) {
    line.push_back(fmt::to_string(row.kill->cases));
    line.push_back(fmt::format("{:.2f}", row.kill->seconds));
    line.push_back(fmt::format("{}{}", rule_text(row.kill->rule), row.own_rule() ? "" : " !"));
    line.push_back(channels_text(*row.kill));
  } else {
    line.insert(line.end(), {std::string(to_string(row.fate)), "", "", ""});
  }
  for (const Cell& cell : row.cells) line.push_back(cell_text(cell));
  return line;
}

std::string aligned(const Lines& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i)
      text += fmt::format("{:<{}}  ", line[i], widths[i]);
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string matrix(const Score& score) {
  Lines lines{{"defect", "breaks", "cases", "seconds", "charged to", "shown by"}};
  for (const std::string& suite : score.suites) lines.front().push_back(suite);
  for (const MutantScore& row : score.mutants) lines.push_back(line_of(row));
  return aligned(lines) +
         "(cases of all suites in turn to the kill; below each suite: of its own; '.' none of "
         "those "
         "tried, blank: not tried; '!' another rule than the one that is broken)\n";
}

/// Kills by the chapter of the rule that is broken.
std::string classes(const Score& score) {
  struct Class {
    std::int64_t all = 0;
    std::vector<std::int64_t> cases;
  };
  std::map<Chapter, Class> by_chapter;
  for (const MutantScore& row : score.mutants) {
    Class& of = by_chapter[rule(row.rule).chapter];
    ++of.all;
    if (row.kill) of.cases.push_back(row.kill->cases);
  }
  std::string out;
  for (auto& [chapter, of] : by_chapter) {
    out += fmt::format("{}{} {}/{}", out.empty() ? "by chapter: " : ", ", to_string(chapter),
                       of.cases.size(), of.all);
    if (of.cases.empty()) continue;
    std::ranges::sort(of.cases);
    out += fmt::format(" (median {})", of.cases[(of.cases.size() - 1) / 2]);
  }
  return out + "\n";
}

std::string troubles_of(const MutantScore& row) {
  std::string out;
  if (row.kill && !row.own_rule()) {
    out += fmt::format("{} breaks {}, charged to {}: {}\n", row.name, to_string(row.rule),
                       rule_text(row.kill->rule), row.kill->key);
  }
  if (row.kill && !row.channel.empty() && !row.own_channel()) {
    out += fmt::format("{} is said to show by {}, shown by {}: {}\n", row.name, row.channel,
                       channels_text(*row.kill), row.kill->key);
  }
  if (row.fate == Fate::survived) {
    out += fmt::format("{} survived {} cases\n", row.name, row.tried);
  }
  if (row.fate == Fate::not_tried) {
    out += fmt::format("{} not tried to the end: {} cases\n", row.name, row.tried);
  }
  for (const std::string& doubt : row.doubts) out += fmt::format("{}: {}\n", row.name, doubt);
  return out;
}

std::string alarms(std::string_view what, const std::vector<FalseAlarm>& all) {
  std::string out;
  int told = 0;
  for (const FalseAlarm& alarm : all) {
    if (told++ == most_told) {
      return out + fmt::format("{}: and {} more\n", what, all.size() - most_told);
    }
    out += fmt::format("{}: {} index {} on {}: {}: {}\n", what, to_string(alarm.property),
                       alarm.index, alarm.profile, alarm.key, alarm.sentence);
  }
  return out;
}

std::string share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "0 of 0";
  return fmt::format("{} of {} ({:.1f} %)", part, whole,
                     100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

struct Sums {
  std::int64_t own_rule = 0;
  std::int64_t own_channel = 0;
  std::int64_t with_channel = 0;  ///< Killed, and a channel is said.
  std::int64_t not_tried = 0;
  std::int64_t survived = 0;
};

Sums sums_of(const Score& score) {
  Sums sums;
  for (const MutantScore& row : score.mutants) {
    sums.own_rule += row.own_rule() ? 1 : 0;
    sums.own_channel += row.own_channel() ? 1 : 0;
    sums.with_channel += row.kill && !row.channel.empty() ? 1 : 0;
    sums.not_tried += row.fate == Fate::not_tried ? 1 : 0;
    sums.survived += row.fate == Fate::survived ? 1 : 0;
  }
  return sums;
}

std::string summary(const Score& score) {
  const Sums sums = sums_of(score);
  std::string out = fmt::format("killed {}/{}", score.killed(), score.mutants.size());
  if (sums.survived > 0) out += fmt::format(", survived {}", sums.survived);
  if (sums.not_tried > 0) out += fmt::format(", not tried {}", sums.not_tried);
  out += fmt::format("; cases to kill: median {}, 90 % within {}, all within {}; {:.1f} s{}\n",
                     score.cases_to_kill(50), score.cases_to_kill(90), score.cases_to_kill(100),
                     score.seconds, score.stopped ? ", the budget ended" : "");
  out +=
      fmt::format("charged to the rule that is broken: {}; shown as said: {}; ",
                  share(sums.own_rule, score.killed()), share(sums.own_channel, sums.with_channel));
  out += fmt::format(
      "without a defect: {} cases, {} killed; without what a defect needs: {} cases, "
      "{} defects shown\n",
      score.cases, score.false_kills.size(), score.controls(), score.strays.size());
  return out;
}

std::string list_of(const std::vector<std::string>& objects, std::string_view separator) {
  return fmt::format("[{}]", fmt::join(objects, separator));
}

std::string json_of(const Cell& cell) {
  return JsonObject()
      .number("tried", cell.tried)
      .number("killed", cell.killed)
      .flag("ended", cell.ended)
      .str();
}

std::string json_of(const Kill& kill) {
  std::vector<std::string> channels;
  for (const campaign::Channel channel : kill.channels) channels.emplace_back(to_string(channel));
  return JsonObject()
      .text("found_by", to_string(kill.found_by))
      .number("cases", kill.cases)
      .raw("seconds", fmt::format("{:.4f}", kill.seconds))
      .raw("proof_seconds", fmt::format("{:.4f}", kill.proof_seconds))
      .text("rule", rule_text(kill.rule))
      .text("key", kill.key)
      .text("sentence", kill.sentence)
      .texts("channels", channels)
      .number("sub_kernels", kill.sub_kernels)
      .text("path", kill.path)
      .str();
}

std::string json_of(const MutantScore& row, const std::vector<std::string>& suites) {
  JsonObject cells;
  for (std::size_t i = 0; i < suites.size(); ++i) cells.raw(suites[i], json_of(row.cells[i]));
  JsonObject object;
  object.text("defect", row.name)
      .text("rule", to_string(row.rule))
      .text("channel", row.channel)
      .text("fate", to_string(row.fate))
      .number("tried", row.tried);
  if (row.kill) {
    object.flag("own_rule", row.own_rule()).flag("own_channel", row.own_channel());
    object.raw("kill", json_of(*row.kill));
  }
  object.text("control", row.control).number("controls", row.controls);
  return object.texts("doubts", row.doubts).raw("suites", cells.str()).str();
}

std::string json_of(const std::vector<FalseAlarm>& alarms) {
  std::vector<std::string> objects;
  for (const FalseAlarm& alarm : alarms) {
    objects.push_back(JsonObject()
                          .text("property", to_string(alarm.property))
                          .text("profile", alarm.profile)
                          .raw("index", fmt::to_string(alarm.index))
                          .text("key", alarm.key)
                          .text("sentence", alarm.sentence)
                          .str());
  }
  return list_of(objects, ", ");
}

}  // namespace

std::string score_table(const Score& score) {
  std::string out = matrix(score) + "\n";
  for (const MutantScore& row : score.mutants) out += troubles_of(row);
  out += alarms("killed without a defect", score.false_kills);
  out += alarms("the suite's own fault", score.own_faults);
  for (const Score::Stray& stray : score.strays) {
    out += fmt::format("{} shows without {}: {} index {} on {}: {}\n", stray.mutant, stray.control,
                       to_string(stray.seen.property), stray.seen.index, stray.seen.profile,
                       stray.seen.key);
  }
  return out + classes(score) + summary(score);
}

std::string score_json(const Score& score) {
  const Sums sums = sums_of(score);
  std::vector<std::string> rows;
  for (const MutantScore& row : score.mutants) rows.push_back("\n  " + json_of(row, score.suites));
  std::vector<std::string> strays;
  for (const Score::Stray& stray : score.strays) {
    strays.push_back(JsonObject()
                         .text("defect", stray.mutant)
                         .text("control", stray.control)
                         .text("property", to_string(stray.seen.property))
                         .text("profile", stray.seen.profile)
                         .raw("index", fmt::to_string(stray.seen.index))
                         .text("key", stray.seen.key)
                         .str());
  }
  return JsonObject()
             .flag("clean", score.clean())
             .number("defects", std::ssize(score.mutants))
             .number("killed", score.killed())
             .number("survived", sums.survived)
             .number("not_tried", sums.not_tried)
             .number("median_cases", score.cases_to_kill(50))
             .number("p90_cases", score.cases_to_kill(90))
             .number("max_cases", score.cases_to_kill(100))
             .number("own_rule", sums.own_rule)
             .number("own_channel", sums.own_channel)
             .flag("stopped", score.stopped)
             .raw("seconds", fmt::format("{:.3f}", score.seconds))
             .number("healthy_cases", score.cases)
             .raw("killed_without_defect", json_of(score.false_kills))
             .raw("own_faults", json_of(score.own_faults))
             .raw("shown_without_feature", list_of(strays, ", "))
             .raw("rows", list_of(rows, ","))
             .str() +
         "\n";
}

}  // namespace skcts::program
