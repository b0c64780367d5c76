// Progress goes to standard error, so that standard output holds the report alone.
#include "harness/skcts/progress.h"

#include <fmt/format.h>

#include "harness/skcts/clock.h"
#include "harness/skcts/terminal.h"

namespace skcts::program {

namespace {
constexpr double redraw_seconds = 0.1;
}

void ProgressDisplay::wipe() {
  if (!line_open_) return;
  print_err("\r\x1b[K");
  line_open_ = false;
}

void ProgressDisplay::record(const JournalRecord& record) {
  if (const auto* rule = std::get_if<RuleRecord>(&record)) {
    ++ended_;
    cases_ += rule->generated;
    wipe();
    if (terminal_) return;
    print_err(fmt::format("[{:>2}/{}] {}.{}: {}, {} of {} cases exercised it\n", ended_,
                          properties_, rule->suite, rule->test, rule->status, rule->exercised,
                          rule->generated));
  } else if (const auto* written = std::get_if<CaseRecord>(&record)) {
    ++ended_;
    ++cases_;
    wipe();
    if (terminal_ || written->status == "pass") return;
    print_err(
        fmt::format("[{:>2}/{}] {}: {}\n", ended_, properties_, written->file, written->status));
  } else if (const auto* finding = std::get_if<FindingRecord>(&record)) {
    wipe();
    print_err(fmt::format("finding: {}\n", printable(finding->key)));
  }
}

void ProgressDisplay::progress(const campaign::Progress& progress) {
  if (!terminal_) return;
  const double now = seconds_now();
  if (now - shown_at_ < redraw_seconds) return;
  shown_at_ = now;
  line_open_ = true;
  print_err(fmt::format("\r\x1b[K[{:>2}/{}] {} {}/{}, {} cases, {} findings", ended_ + 1,
                        properties_, to_string(progress.rule), progress.done, progress.total,
                        cases_ + progress.done, progress.findings));
}

}  // namespace skcts::program
