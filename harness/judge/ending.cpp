// The table of runs without an answer.
#include "harness/judge/ending.h"

#include <array>

#include <fmt/format.h>

#include "spec/check.h"

namespace skcts::judge {
namespace {

/// A column of the table that may not matter.
enum class When : std::uint8_t { any, no, yes };

struct Row {
  RunEnd end;
  When stall_allowed;
  std::optional<Probe> probe;  ///< Nothing: any.
  When again;
  Ending ending;
};

constexpr Ending settled(Status status) {
  return {Next::settle, status};
}

/// The first row that fits counts.
constexpr std::array<Row, 12> rows{{
    {RunEnd::timeout, When::any, Probe::failed, When::any, settled(Status::device_lost)},
    {RunEnd::timeout, When::yes, Probe::passed, When::any, settled(Status::pass)},
    {RunEnd::timeout, When::any, {}, When::no, {Next::ask_again_longer}},
    {RunEnd::timeout, When::any, {}, When::yes, settled(Status::timeout)},
    {RunEnd::crash, When::any, Probe::failed, When::any, settled(Status::device_lost)},
    {RunEnd::crash, When::any, {}, When::any, settled(Status::crash)},
    {RunEnd::lost, When::any, Probe::failed, When::any, settled(Status::device_lost)},
    {RunEnd::lost, When::any, {}, When::no, {Next::ask_again}},
    {RunEnd::lost, When::any, {}, When::yes, settled(Status::crash)},
    {RunEnd::protocol_error, When::any, {}, When::any, settled(Status::protocol_error)},
    {RunEnd::not_supported, When::any, {}, When::any, settled(Status::not_supported)},
    {RunEnd::device_lost, When::any, {}, When::any, settled(Status::device_lost)},
}};

bool fits(When when, bool value) {
  return when == When::any || (when == When::yes) == value;
}

/// What happened, for the failure key.
std::string_view shape_of(Status status) {
  switch (status) {
    case Status::timeout: return "no-answer";
    case Status::crash: return "died";
    case Status::device_lost: return "probe";
    case Status::protocol_error: return "words";
    default: return "end";
  }
}

}  // namespace

Ending ending_of(RunEnd end, bool stall_allowed, Probe probe, bool again) {
  for (const Row& row : rows) {
    if (row.end == end && fits(row.stall_allowed, stall_allowed) && fits(row.again, again) &&
        (!row.probe || *row.probe == probe)) {
      return row.ending;
    }
  }
  SKCTS_CHECK(false, "a run that ended as {} has no row", to_string(end));
  return {};
}

Verdict verdict_of(const Question& question, const RunResult& run, Status status) {
  Verdict verdict;
  verdict.status = status;
  if (status == Status::pass) return verdict;
  verdict.sentence = run.detail;
  if (status == Status::not_supported) return verdict;
  verdict.misfit = Misfit::status;
  verdict.rule = question.property;
  verdict.rule_is_propertys = true;
  verdict.key = failure_key(status, verdict.rule, shape_of(status));
  for (std::size_t i = 0; i < run.waiting.size() && i < 4; ++i) {
    const Waiting& waiting = run.waiting[i];
    verdict.sentence +=
        fmt::format("{} {} {} waits for {}{}", i == 0 ? " Last asked:" : ",",
                    to_string(waiting.core.kind), waiting.core.index, to_string(waiting.kind),
                    waiting.id < 0 ? "" : fmt::format(" {}", waiting.id));
  }
  if (run.waiting.size() > 4) verdict.sentence += fmt::format(", {} more", run.waiting.size() - 4);
  if (!run.waiting.empty()) verdict.sentence += ".";
  return verdict;
}

}  // namespace skcts::judge
