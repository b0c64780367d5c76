// The console report of a journal: rule table, findings, closing line.
#pragma once

#include <string>

#include "spec/journal.h"

namespace skcts::reports {

/// One row a rule that was selected, sorted as the contract sorts them, chapter by chapter:
/// status, mixes generated, exercised and passed, what was measured, and why it was not run.
/// Rules that wait for a feature stand below with what they wait for.
std::string rule_table(const Journal& journal);

/// What the properties of advice measured, a line each; empty when nothing was.
std::string advice_table(const Journal& journal);

/// How many written cases there were, and those that are not as written, each with the reason.
/// Empty when none was run.
std::string case_list(const Journal& journal);

/// Every finding: its rule and key, the sentence, and the command that replays it. Empty when
/// there is none.
std::string finding_list(const Journal& journal);

/// One line: cases, rules exercised of all that can be, failures by kind, seed, exit code.
std::string closing_line(const Journal& journal);

/// All but the closing line, one after the other; what was run several times is told once.
std::string report_body(const Journal& journal);

/// The body and the closing line.
std::string console_report(const Journal& journal);

}  // namespace skcts::reports
