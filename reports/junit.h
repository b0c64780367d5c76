// JUnit XML of a journal, as CI systems read it.
#pragma once

#include <string>
#include <string_view>

#include "spec/journal.h"

namespace skcts::reports {

/// One testcase a rule and profile, one testsuite a chapter. A rule with findings has a failure
/// with the first one's status as its type; all of them stand in the system output with the path
/// of the saved case and the replay command. Written cases make a testsuite of their
/// own. not-run and not-supported are skipped. What was run several times is told once.
std::string junit_xml(const Journal& journal);

/// Text as XML content or attribute value: markup escaped, control characters that XML 1.0 cannot
/// hold written as \xNN, bytes that are not UTF-8 too.
std::string xml_escaped(std::string_view text);

}  // namespace skcts::reports
