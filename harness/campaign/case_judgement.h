// A written case, held against model and target under many strategies.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/campaign/engine.h"
#include "harness/judge/judge.h"
#include "reference_model/model.h"
#include "spec/case.h"

namespace skcts::campaign {

struct CaseJudgement {
  model::Analysis analysis;
  /// The first verdict that does not conform; else lenient if one was, else pass.
  judge::Verdict verdict;
  /// How the model differs from the case's expectation, in words; empty: it does not.
  std::string contradiction;
  /// Why the expectation was not held against the model, which says what the case expects at the
  /// default positions of the latitudes: the target stands at another one. Empty: it was.
  std::string skipped;
  std::set<std::string> outcomes;  ///< Digests of the outcomes seen.
  std::vector<Outcome> shown;      ///< The first of each.
  int runs = 0;

  /// Verdicts conform, and the model says what the case expects.
  bool as_it_must_be() const { return verdict.conforms() && contradiction.empty(); }
};

/// Runs the case's own schedule, if it has one, and then `runs` strategies drawn from its id.
CaseJudgement judge_case(Engine& engine, const Case& test_case, int runs);

/// "stalls [CORE-5]": a behaviour with the rule behind it.
std::string behaviour_text(Behaviour behaviour, std::string_view rule);

}  // namespace skcts::campaign
