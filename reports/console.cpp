// Plain text for terminals and logs.
#include "reports/console.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "reports/iterations.h"
#include "spec/rule.h"

namespace skcts::reports {
namespace {

/// Rows sorted by the contract's order; rules that this build does not know stay last.
std::vector<const RuleRecord*> sorted_rules(const Journal& journal) {
  std::vector<const RuleRecord*> rows;
  for (const RuleRecord& record : journal.rules) rows.push_back(&record);
  const auto rank = [](const RuleRecord* record) {
    const auto id = find_rule(record->rule);
    return id ? static_cast<int>(*id) : static_cast<int>(rule_count);
  };
  std::ranges::stable_sort(rows, {}, rank);
  return rows;
}

std::string measured_text(const RuleRecord& record) {
  std::string text;
  for (const Measurement& m : record.measured) {
    if (!text.empty()) text += ", ";
    text += m.name + " " + m.value;
  }
  return text;
}

bool is_advice(const RuleRecord& record) {
  const auto id = find_rule(record.rule);
  return id && rule(*id).kind == RuleKind::advice;
}

/// What was measured of advice has a table of its own.
std::string remark(const RuleRecord& record) {
  std::string text = record.reason;
  if (record.lenient > 0) {
    text += fmt::format("{}{} lenient", text.empty() ? "" : "; ", record.lenient);
  }
  const std::string measured = is_advice(record) ? std::string() : measured_text(record);
  if (!measured.empty()) text += (text.empty() ? "" : "; ") + measured;
  return text;
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

/// What cannot be exercised yet; neighbours that wait for the same share a line.
std::string waiting_rules() {
  std::string text;
  const std::span<const Rule> all = rules();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Rule& first = all[i];
    if (!first.part_needs.empty()) {
      text += fmt::format("{} waits in part for: {}\n", first.name, first.part_needs);
    }
    if (first.needs.empty()) continue;
    while (i + 1 < all.size() && all[i + 1].needs == first.needs) ++i;
    text += &all[i] == &first
                ? fmt::format("{} waits for: {}\n", first.name, first.needs)
                : fmt::format("{} to {} wait for: {}\n", first.name, all[i].name, first.needs);
  }
  return text;
}

std::string rule_table(const Journal& journal) {
  std::string text = fmt::format("{:<9} {:<4} {:<13} {:>9} {:>9} {:>9}  {}\n", "rule", "kind",
                                 "status", "generated", "exercised", "passed", "remark");
  std::string chapter;
  for (const RuleRecord* const record : sorted_rules(journal)) {
    const auto id = find_rule(record->rule);
    const std::string here = record->rule.substr(0, record->rule.find('-'));
    if (!chapter.empty() && here != chapter) text += "\n";
    chapter = here;
    text += trimmed(fmt::format("{:<9} {:<4} {:<13} {:>9} {:>9} {:>9}  {}", record->rule,
                                id ? std::string(1, kind_letter(rule(*id).kind)) : "?",
                                record->status, record->generated, record->exercised,
                                record->passed, remark(*record))) +
            "\n";
  }
  const std::string waiting = waiting_rules();
  return waiting.empty() ? text : text + "\n" + waiting;
}

std::string advice_table(const Journal& journal) {
  std::string text;
  for (const RuleRecord* const record : sorted_rules(journal)) {
    if (!is_advice(*record)) continue;
    for (const Measurement& m : record->measured) {
      text += fmt::format("  {:<9} {:<38} {}\n", record->rule, m.name, m.value);
    }
  }
  return text.empty() ? text : "\nadvice, measured and never failed:\n" + text;
}

std::string case_list(const Journal& journal) {
  if (journal.cases.empty()) return {};
  std::string bad;
  std::size_t good = 0;
  for (const CaseRecord& record : journal.cases) {
    if (record.status == "pass" || record.status == "lenient") {
      ++good;
      continue;
    }
    bad += fmt::format("  {} {}: {}\n", record.status, record.file, record.reason);
  }
  return fmt::format("\nwritten cases: {} of {} as written\n{}", good, journal.cases.size(), bad);
}

std::string finding_list(const Journal& journal) {
  std::string text;
  int number = 0;
  for (const FindingRecord& finding : journal.findings) {
    text += fmt::format("\nFinding {}: {} [{}]\n", ++number, finding.key,
                        finding.rule.empty() ? "no rule" : finding.rule);
    text += fmt::format("  {}\n", finding.sentence);
    text += fmt::format("  case {}: met by the property of {} after {} case{}, {} runs to shrink\n",
                        finding.case_id, finding.found_by, finding.cases_to_find,
                        finding.cases_to_find == 1 ? "" : "s", finding.shrink_runs);
    if (!finding.path.empty()) text += fmt::format("  saved as {}\n", finding.path);
    if (!finding.replay.empty()) text += fmt::format("  replay: {}\n", finding.replay);
  }
  return text;
}

std::string closing_line(const Journal& journal) {
  const Journal once = without_iterations(journal);
  auto cases = static_cast<std::int64_t>(journal.cases.size());
  std::int64_t exercised = 0;
  std::map<std::string, int> failures;
  for (const RuleRecord& record : once.rules) {
    cases += record.generated;
    exercised += record.exercised > 0 ? 1 : 0;
  }
  for (const FindingRecord& finding : journal.findings) ++failures[finding.status];
  for (const CaseRecord& record : once.cases) {
    if (record.status != "pass" && record.status != "lenient") ++failures[record.status];
  }
  std::string kinds;
  for (const auto& [status, count] : failures) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, status);
  }
  std::string line =
      fmt::format("{} cases on {} ({}): {} of {} rules exercised, {}, seed {}", cases,
                  journal.run.target, journal.run.profile, exercised, journal.run.rules,
                  kinds.empty() ? "no failure" : "failures: " + kinds, journal.run.seed);
  if (!journal.ended) return line + ", not ended\n";
  line += fmt::format(", exit code {}", journal.end.exit_code);
  if (!journal.end.reason.empty()) line += fmt::format(" ({})", journal.end.reason);
  return line + "\n";
}

std::string report_body(const Journal& journal) {
  const Journal once = without_iterations(journal);
  return rule_table(once) + advice_table(once) + case_list(once) + finding_list(once) + "\n";
}

std::string console_report(const Journal& journal) {
  return report_body(journal) + closing_line(journal);
}

}  // namespace skcts::reports
