// The journal of a run: one JSON object a line, written as the run goes, read by the reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/error.h"

namespace skcts {

inline constexpr int journal_format = 1;  ///< Format number written and read by this build.

/// The first line: what was run against what.
struct RunRecord {
  std::string version;  ///< Of the program.
  std::string target;   ///< As given on the command line.
  std::string profile;
  std::uint64_t seed = 0;
  std::int64_t cases = 0;  ///< Mixes a property.
  std::int32_t rules = 0;  ///< Rules that can be exercised.
  bool operator==(const RunRecord&) const = default;
};

/// Something a property measured, e.g. {"refreshes", "12.5 a mix"}.
struct Measurement {
  std::string name;
  std::string value;
  bool operator==(const Measurement&) const = default;
};

/// One rule, when its property has ended.
struct RuleRecord {
  std::string rule;            ///< "CORE-3"
  std::string suite;           ///< "Core"
  std::string test;            ///< "CORE_3"
  std::string status;          ///< A status name of the judge.
  std::int64_t generated = 0;  ///< Cases made for it.
  std::int64_t exercised = 0;  ///< Of these, cases that can show a breach of the rule.
  std::int64_t passed = 0;     ///< Of these, cases whose outcomes were all allowed.
  std::int64_t lenient = 0;    ///< Of these, cases where an owed stall did not come.
  std::string reason;          ///< Why it was not run, or empty.
  std::vector<Measurement> measured;
  bool operator==(const RuleRecord&) const = default;
};

/// One written case of the suite, held against model and target.
struct CaseRecord {
  std::string file;    ///< As compiled in, from the repository root.
  std::string test;    ///< Its GoogleTest test in suite "Cases".
  std::string expect;  ///< "stalls [CORE-5]"
  std::string status;  ///< A status name of the judge.
  std::string reason;  ///< What is not as it must be, or empty.
  std::int64_t runs = 0;
  bool operator==(const CaseRecord&) const = default;
};

/// One failure, shrunk and saved.
struct FindingRecord {
  std::string rule;      ///< The rule it is charged to; empty: none known.
  std::string found_by;  ///< The rule whose property found it.
  std::string status;
  std::string key;
  std::string sentence;
  std::string case_id;
  std::string outcome;             ///< Digest of the outcome that the saved schedule gives.
  std::string path;                ///< Of the case file; empty where nothing is saved.
  std::string replay;              ///< The command that runs it again.
  std::int64_t cases_to_find = 0;  ///< Cases the property ran until it was met, this one counted.
  std::int64_t shrink_runs = 0;
  bool operator==(const FindingRecord&) const = default;
};

/// The last line. A journal without it was torn off.
struct EndRecord {
  std::int32_t exit_code = 0;
  std::string reason;  ///< Where the exit code does not follow from the records before.
  bool operator==(const EndRecord&) const = default;
};

using JournalRecord = std::variant<RunRecord, RuleRecord, CaseRecord, FindingRecord, EndRecord>;

/// One line of a journal, with its LF.
std::string to_line(const JournalRecord& record);

struct Journal {
  RunRecord run;
  std::vector<RuleRecord> rules;  ///< In the order they ended.
  std::vector<CaseRecord> cases;
  std::vector<FindingRecord> findings;
  bool ended = false;
  EndRecord end;
  bool operator==(const Journal&) const = default;
};

/// The journal that these records make; the first must be a RunRecord.
void append(Journal& journal, const JournalRecord& record);

/// Reads a whole journal. A torn last line is left out; anything else that is not a record of
/// this format is an error with its line.
Result<Journal> read_journal(std::string_view text, std::string_view file);

}  // namespace skcts
