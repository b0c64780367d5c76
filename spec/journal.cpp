// Journal lines: a field table a record type, written and read by the same code.
#include "spec/journal.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace skcts {
namespace {

using Json = nlohmann::ordered_json;

/// Calls visit(name, field) for each field, in the order of the text.
template <class Record, class Visit>
void fields(Record& record, RunRecord*, Visit&& visit) {
  visit("version", record.version);
  visit("target", record.target);
  visit("profile", record.profile);
  visit("seed", record.seed);
  visit("cases", record.cases);
  visit("rules", record.rules);
}
template <class Record, class Visit>
void fields(Record& record, RuleRecord*, Visit&& visit) {
  visit("rule", record.rule);
  visit("suite", record.suite);
  visit("test", record.test);
  visit("status", record.status);
  visit("generated", record.generated);
  visit("exercised", record.exercised);
  visit("passed", record.passed);
  visit("lenient", record.lenient);
  visit("reason", record.reason);
  visit("measured", record.measured);
}
template <class Record, class Visit>
void fields(Record& record, CaseRecord*, Visit&& visit) {
  visit("file", record.file);
  visit("test", record.test);
  visit("expect", record.expect);
  visit("status", record.status);
  visit("reason", record.reason);
  visit("runs", record.runs);
}
template <class Record, class Visit>
void fields(Record& record, FindingRecord*, Visit&& visit) {
  visit("rule", record.rule);
  visit("found_by", record.found_by);
  visit("status", record.status);
  visit("key", record.key);
  visit("sentence", record.sentence);
  visit("case_id", record.case_id);
  visit("outcome", record.outcome);
  visit("path", record.path);
  visit("replay", record.replay);
  visit("cases_to_find", record.cases_to_find);
  visit("shrink_runs", record.shrink_runs);
}
template <class Record, class Visit>
void fields(Record& record, EndRecord*, Visit&& visit) {
  visit("exit_code", record.exit_code);
  visit("reason", record.reason);
}

constexpr std::string_view kind_name(const RunRecord*) {
  return "run";
}
constexpr std::string_view kind_name(const RuleRecord*) {
  return "rule";
}
constexpr std::string_view kind_name(const CaseRecord*) { return "case"; }
constexpr std::string_view kind_name(const FindingRecord*) {
  return "finding";
}
constexpr std::string_view kind_name(const EndRecord*) {
  return "end";
}

struct Writer {
  Json& to;
  template <class T>
  void operator()(const char* name, const T& field) const {
    to[name] = field;
  }
  void operator()(const char* name, const std::vector<Measurement>& field) const {
    Json object = Json::object();
    for (const Measurement& m : field) object[m.name] = m.value;
    to[name] = std::move(object);
  }
};

struct Reader {
  const Json& from;
  std::string& problem;
  template <class T>
  void operator()(const char* name, T& field) const {
    const auto found = from.find(name);
    if (found == from.end()) {
      if (problem.empty()) problem = fmt::format("no field '{}'", name);
      return;
    }
    bool fits = false;
    if constexpr (std::is_same_v<T, std::string>) {
      fits = found->is_string();
    } else {
      fits = found->is_number_integer();
    }
    if (fits) {
      found->get_to(field);
    } else if (problem.empty()) {
      problem = fmt::format("field '{}' has the wrong type", name);
    }
  }
  void operator()(const char* name, std::vector<Measurement>& field) const {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_object()) {
      if (problem.empty()) problem = fmt::format("'{}' is no object", name);
      return;
    }
    for (const auto& [key, value] : found->items()) {
      field.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
    }
  }
};

template <class Record>
std::string write(const Record& record) {
  Json object = Json::object();
  object["record"] = kind_name(&record);
  if constexpr (std::is_same_v<Record, RunRecord>) object["format"] = journal_format;
  fields(record, static_cast<Record*>(nullptr), Writer{object});
  // Bytes that are not UTF-8 (a target's own words) must not stop a journal.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class Record>
bool read_as(const Json& object, Journal& journal, std::string& problem) {
  if (object.value("record", "") != kind_name(static_cast<Record*>(nullptr))) return false;
  Record record;
  fields(record, static_cast<Record*>(nullptr), Reader{object, problem});
  if (problem.empty()) append(journal, record);
  return true;
}

/// What is wrong with one complete line; empty when it was taken.
std::string read_line(std::string_view line, bool first, Journal& journal) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("record") || !object["record"].is_string()) {
    return "no journal record";
  }
  if (first != (object["record"] == "run")) {
    return first ? "a journal begins with its run record" : "a second run record";
  }
  if (first && object.value("format", Json()) != journal_format) {
    return fmt::format("this build reads journal format {}", journal_format);
  }
  std::string problem;
  const bool known = read_as<RunRecord>(object, journal, problem) ||
                     read_as<RuleRecord>(object, journal, problem) ||
                     read_as<CaseRecord>(object, journal, problem) ||
                     read_as<FindingRecord>(object, journal, problem) ||
                     read_as<EndRecord>(object, journal, problem);
  return known ? problem : fmt::format("unknown record '{}'", object["record"].dump());
}

}  // namespace

std::string to_line(const JournalRecord& record) {
  return std::visit([](const auto& r) { return write(r); }, record);
}

void append(Journal& journal, const JournalRecord& record) {
  if (const auto* run = std::get_if<RunRecord>(&record)) {
    journal.run = *run;
  } else if (const auto* rule = std::get_if<RuleRecord>(&record)) {
    journal.rules.push_back(*rule);
  } else if (const auto* written = std::get_if<CaseRecord>(&record)) {
    journal.cases.push_back(*written);
  } else if (const auto* finding = std::get_if<FindingRecord>(&record)) {
    journal.findings.push_back(*finding);
  } else {
    journal.end = std::get<EndRecord>(record);
    journal.ended = true;
  }
}

Result<Journal> read_journal(std::string_view text, std::string_view file) {
  Journal journal;
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t length = text.find('\n');
    if (length == std::string_view::npos) break;  // torn off while it was written
    ++line_number;
    const std::string problem = read_line(text.substr(0, length), line_number == 1, journal);
    if (!problem.empty()) {
      return Error{.file = std::string(file),
                   .line = line_number,
                   .message = problem,
                   .hint = "a journal is what 'skcts run --out DIR' writes to DIR/journal.jsonl"};
    }
    text.remove_prefix(length + 1);
  }
  if (line_number == 0) {
    return Error{.file = std::string(file), .message = "the journal is empty"};
  }
  return journal;
}

}  // namespace skcts
