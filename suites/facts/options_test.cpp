// The facts about option strings, against the parser that both engines use.
#include "spec/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/facts/classification.h"
#include "suites/facts/facts.h"

namespace skcts::facts {
namespace {

/// The option string that stands for a recorded value of early-start.
std::string option_of(std::string parsed) {
  if (parsed == "early-start=EarlyStartEnableV2") return "early-start=1";
  return parsed;
}

TEST(OptionFacts, AcceptedAndRefusedStrings) {
  int accepted = 0;
  int refused = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("option_parse") || fact.path != "ge" || !classify(fact).launch) continue;
    SCOPED_TRACE(fmt::format("{} ({})", fact.name, fact.origin));
    const OptionParse parse = parse_options(fact.options);
    ASSERT_EQ(parse.options.has_value(), *fact.expect.accepted);
    if (!parse.options) {
      ++refused;
      continue;
    }
    ++accepted;
    std::string same;
    for (const std::string& option : fact.expect.parsed) {
      same += (same.empty() ? "" : ":") + option_of(option);
    }
    EXPECT_EQ(*parse.options, *parse_options(same).options) << "expected: " << same;
    EXPECT_EQ(static_cast<int>(parse.warnings.size()), fact.expect.warnings);
  }
  EXPECT_EQ(accepted, 6);
  EXPECT_EQ(refused, 21);
}

TEST(OptionFacts, ListsOfOpTypes) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("dcci_list_parse") || !classify(fact).launch) continue;
    SCOPED_TRACE(fact.name);
    ++checked;
    const OptionParse parse = parse_options(fact.options);
    ASSERT_TRUE(parse.options.has_value());
    EXPECT_EQ(parse.options->dcci_before_kernel_start, fact.expect.list);
  }
  EXPECT_EQ(checked, 1);
}

TEST(OptionFacts, WhatEarlyStartComesTo) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    // Two streams switch it off; that is theirs.
    if (!fact.expect.early_start || fact.expect.double_stream) continue;
    SCOPED_TRACE(fact.name);
    ++checked;
    EXPECT_EQ(parse_options(fact.options).options->early_start, *fact.expect.early_start);
  }
  EXPECT_EQ(checked, 97);
}

TEST(OptionFacts, RefusedStringsOfWholeCompositions) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("codegen") || fact.expect.error != "EB0500") continue;
    if (!classify(fact).launch) continue;
    if (fact.options.starts_with("debug-")) continue;  // a string that is fine, for another mix
    SCOPED_TRACE(fact.name);
    ++checked;
    EXPECT_FALSE(parse_options(fact.options).options.has_value()) << fact.options;
  }
  EXPECT_EQ(checked, 3);
}

}  // namespace
}  // namespace skcts::facts
