// A small XML writer: elements are written in place, every text goes through xml_escaped.
#include "reports/junit.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "reports/iterations.h"

namespace skcts::reports {
namespace {

/// Bytes of the UTF-8 character that text starts with, or 0 if it starts with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> lowest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool no_xml = surrogate || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return code < lowest[length] || no_xml ? 0 : length;
}

bool failed(const RuleRecord& record) {
  return record.status != "pass" && record.status != "lenient" && record.status != "waived" &&
         record.status != "not-run" && record.status != "not-supported";
}

bool skipped(const RuleRecord& record) {
  return record.status == "not-run" || record.status == "not-supported";
}

std::string failure_element(const Journal& journal, const RuleRecord& record) {
  std::string message = record.reason;
  for (const FindingRecord& finding : journal.findings) {
    if (finding.found_by != record.rule) continue;
    message = finding.sentence;
    break;
  }
  return fmt::format("      <failure type=\"{}\" message=\"{}\"/>\n", xml_escaped(record.status),
                     xml_escaped(message));
}

std::string system_out(const Journal& journal, const RuleRecord& record) {
  std::string text = fmt::format("generated {}, exercised {}, passed {}\n", record.generated,
                                 record.exercised, record.passed);
  for (const Measurement& m : record.measured) text += m.name + ": " + m.value + "\n";
  for (const FindingRecord& finding : journal.findings) {
    if (finding.found_by != record.rule) continue;
    text += fmt::format("{} [{}]\n{}\ncase: {}\nreplay: {}\n", finding.key,
                        finding.rule.empty() ? "no rule" : finding.rule, finding.sentence,
                        finding.path, finding.replay);
  }
  return fmt::format("      <system-out>{}</system-out>\n", xml_escaped(text));
}

std::string test_case(const Journal& journal, const RuleRecord& record) {
  std::string text = fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\">\n",
                                 xml_escaped(journal.run.profile), xml_escaped(record.suite),
                                 xml_escaped(record.rule));
  if (failed(record)) text += failure_element(journal, record);
  if (skipped(record)) {
    text += fmt::format("      <skipped message=\"{}: {}\"/>\n", xml_escaped(record.status),
                        xml_escaped(record.reason));
  }
  return text + system_out(journal, record) + "    </testcase>\n";
}

bool as_written(const CaseRecord& record) {
  return record.status == "pass" || record.status == "lenient";
}

std::string written_case(const Journal& journal, const CaseRecord& record) {
  std::string text = fmt::format("    <testcase classname=\"{}.Cases\" name=\"{}\"",
                                 xml_escaped(journal.run.profile), xml_escaped(record.file));
  if (as_written(record)) return text + "/>\n";
  return text + fmt::format(">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
                            xml_escaped(record.status), xml_escaped(record.reason));
}

std::string properties(const Journal& journal) {
  const auto line = [](std::string_view name, std::string_view value) {
    return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(value));
  };
  return "    <properties>\n" + line("version", journal.run.version) +
         line("target", journal.run.target) + line("profile", journal.run.profile) +
         line("seed", fmt::to_string(journal.run.seed)) +
         line("cases", fmt::to_string(journal.run.cases)) + "    </properties>\n";
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    const bool control = byte < 0x20 && byte != '\n' && byte != '\t';
    if (length == 0 || control || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
      text.remove_prefix(1);
      continue;
    }
    switch (text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string junit_xml(const Journal& all) {
  const Journal journal = without_iterations(all);
  std::map<std::string, std::vector<const RuleRecord*>> suites;
  std::vector<std::string> order;
  std::size_t failures = 0;
  for (const RuleRecord& record : journal.rules) {
    if (!suites.contains(record.suite)) order.push_back(record.suite);
    suites[record.suite].push_back(&record);
    failures += failed(record) ? 1 : 0;
  }
  std::size_t bad_cases = 0;
  for (const CaseRecord& record : journal.cases) bad_cases += as_written(record) ? 0 : 1;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"skcts\" tests=\"{}\" failures=\"{}\">\n",
                      journal.rules.size() + journal.cases.size(), failures + bad_cases);
  for (const std::string& suite : order) {
    std::size_t bad = 0;
    std::size_t left_out = 0;
    std::string cases;
    for (const RuleRecord* const record : suites[suite]) {
      bad += failed(*record) ? 1 : 0;
      left_out += skipped(*record) ? 1 : 0;
      cases += test_case(journal, *record);
    }
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                        xml_escaped(suite), suites[suite].size(), bad, left_out);
    text += properties(journal) + cases + "  </testsuite>\n";
  }
  if (!journal.cases.empty()) {
    text += fmt::format("  <testsuite name=\"Cases\" tests=\"{}\" failures=\"{}\" skipped=\"0\">\n",
                        journal.cases.size(), bad_cases);
    text += properties(journal);
    for (const CaseRecord& record : journal.cases) text += written_case(journal, record);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace skcts::reports
