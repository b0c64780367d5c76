// Whole reports of a small journal, compared word for word.
#include <gtest/gtest.h>

#include "reports/console.h"
#include "reports/junit.h"

namespace skcts::reports {
namespace {

Journal sample() {
  Journal journal;
  append(journal, RunRecord{"1.0", "emulator:defect=x", "tiny", 9, 10, 56});
  append(journal, RuleRecord{"SYNC-1", "Sync", "SYNC_1", "stall", 10, 4, 3, 0, "", {}});
  append(journal, RuleRecord{"CORE-5", "Core", "CORE_5", "lenient", 10, 10, 10, 2, "", {}});
  append(journal, RuleRecord{"CORE-1", "Core", "CORE_1", "pass", 10, 10, 10, 0, "", {}});
  append(journal,
         RuleRecord{"CACHE-9", "Cache", "CACHE_9", "pass", 10, 9, 9, 0, "", {{"refreshes", "7"}}});
  append(journal, RuleRecord{"TASK-1", "Task", "TASK_1", "not-run", 0, 0, 0, 0, "no case", {}});
  append(journal, FindingRecord{"SYNC-1", "SYNC-1", "stall", "stall/SYNC-1/aiv-full-core",
                                "a < b & c.", "00ff", "d1", "out/findings/SYNC-1-00ff.json",
                                "skcts replay out/findings/SYNC-1-00ff.json", 7, 80});
  append(journal, CaseRecord{"spec/cases/a.json", "a", "completes", "pass", "", 24});
  append(journal, CaseRecord{"spec/cases/b.json", "b", "stalls [CORE-5]", "fail", "no stall", 24});
  append(journal, EndRecord{1, ""});
  return journal;
}

TEST(Console, PrintsTheWholeReport) {
  EXPECT_EQ(console_report(sample()),
            R"(rule      kind status        generated exercised    passed  remark
CORE-1    G    pass                 10        10        10
CORE-5    R    lenient              10        10        10  2 lenient

SYNC-1    G    stall                10         4         3

CACHE-9   A    pass                 10         9         9

TASK-1    G    not-run               0         0         0  no case

CACHE-11 waits in part for: a verdict on what a 950 may lose (L-37)

advice, measured and never failed:
  CACHE-9   refreshes                              7

written cases: 1 of 2 as written
  fail spec/cases/b.json: no stall

Finding 1: stall/SYNC-1/aiv-full-core [SYNC-1]
  a < b & c.
  case 00ff: met by the property of SYNC-1 after 7 cases, 80 runs to shrink
  saved as out/findings/SYNC-1-00ff.json
  replay: skcts replay out/findings/SYNC-1-00ff.json

42 cases on emulator:defect=x (tiny): 4 of 56 rules exercised, )"
            "failures: 1 fail, 1 stall, seed 9, exit code 1\n");
}

TEST(Console, SaysThatAJournalDidNotEnd) {
  Journal journal = sample();
  journal.ended = false;
  EXPECT_NE(closing_line(journal).find("not ended"), std::string::npos);
}

TEST(Console, TellsARuleOnceHoweverOftenItWasRun) {
  Journal journal = sample();
  RuleRecord again = journal.rules[2];
  append(journal, again);
  again.status = "fail";
  again.passed = 9;
  again.reason = "see fail/CORE-1/x";
  append(journal, again);
  append(journal, journal.cases[1]);
  const std::string report = console_report(journal);
  EXPECT_NE(report.find("CORE-1    G    fail                 30        30        29  see "
                        "fail/CORE-1/x\n"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("written cases: 1 of 2 as written\n"), std::string::npos) << report;
  const std::string xml = junit_xml(journal);
  EXPECT_NE(xml.find("tests=\"7\" failures=\"3\""), std::string::npos) << xml;
}

TEST(Junit, PrintsTheWholeFile) {
  Journal journal = sample();
  journal.rules = {journal.rules[0], journal.rules[4]};
  EXPECT_EQ(junit_xml(journal), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="skcts" tests="4" failures="2">
  <testsuite name="Sync" tests="1" failures="1" skipped="0">
    <properties>
      <property name="version" value="1.0"/>
      <property name="target" value="emulator:defect=x"/>
      <property name="profile" value="tiny"/>
      <property name="seed" value="9"/>
      <property name="cases" value="10"/>
    </properties>
    <testcase classname="tiny.Sync" name="SYNC-1">
      <failure type="stall" message="a &lt; b &amp; c."/>
      <system-out>generated 10, exercised 4, passed 3
stall/SYNC-1/aiv-full-core [SYNC-1]
a &lt; b &amp; c.
case: out/findings/SYNC-1-00ff.json
replay: skcts replay out/findings/SYNC-1-00ff.json
</system-out>
    </testcase>
  </testsuite>
  <testsuite name="Task" tests="1" failures="0" skipped="1">
    <properties>
      <property name="version" value="1.0"/>
      <property name="target" value="emulator:defect=x"/>
      <property name="profile" value="tiny"/>
      <property name="seed" value="9"/>
      <property name="cases" value="10"/>
    </properties>
    <testcase classname="tiny.Task" name="TASK-1">
      <skipped message="not-run: no case"/>
      <system-out>generated 0, exercised 0, passed 0
</system-out>
    </testcase>
  </testsuite>
  <testsuite name="Cases" tests="2" failures="1" skipped="0">
    <properties>
      <property name="version" value="1.0"/>
      <property name="target" value="emulator:defect=x"/>
      <property name="profile" value="tiny"/>
      <property name="seed" value="9"/>
      <property name="cases" value="10"/>
    </properties>
    <testcase classname="tiny.Cases" name="spec/cases/a.json"/>
    <testcase classname="tiny.Cases" name="spec/cases/b.json">
      <failure type="fail" message="no stall"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST(Junit, EscapesEveryByteThatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_escaped(std::string_view("\0\x1b[0m\x7f\r", 7)), "\\x00\\x1b[0m\\x7f\\x0d");
  EXPECT_EQ(xml_escaped("\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80");
  EXPECT_EQ(xml_escaped("\xc3"), "\\xc3");
  EXPECT_EQ(xml_escaped("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(xml_escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(xml_escaped("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
}

}  // namespace
}  // namespace skcts::reports
