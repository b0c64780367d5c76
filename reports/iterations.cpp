#include "reports/iterations.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace skcts::reports {
namespace {

void add(RuleRecord& to, const RuleRecord& more) {
  to.generated += more.generated;
  to.exercised += more.exercised;
  to.passed += more.passed;
  to.lenient += more.lenient;
}

void add(CaseRecord& to, const CaseRecord& more) {
  to.runs += more.runs;
}

template <class Record>
void merge(std::vector<Record>& records, std::string Record::*name) {
  std::vector<Record> merged;
  for (Record& record : records) {
    const auto first = std::ranges::find(merged, record.*name, name);
    if (first == merged.end()) {
      merged.push_back(std::move(record));
      continue;
    }
    add(*first, record);
    if (first->status != "pass" || record.status == "pass") continue;
    first->status = std::move(record.status);
    first->reason = std::move(record.reason);
  }
  records = std::move(merged);
}

}  // namespace

Journal without_iterations(Journal journal) {
  merge(journal.rules, &RuleRecord::rule);
  merge(journal.cases, &CaseRecord::file);
  return journal;
}

}  // namespace skcts::reports
