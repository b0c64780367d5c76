// Shrink, save, read back, convict, clear.
#include "harness/campaign/proof.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/case_judgement.h"
#include "harness/campaign/journal_file.h"
#include "harness/judge/attribution.h"
#include "spec/case_text.h"
#include "spec/rule.h"
#include "spec/validate.h"

namespace skcts::campaign {
namespace {

constexpr std::array<std::string_view, 7> channel_names = {"memory",  "stall",  "refusal", "launch",
                                                           "queries", "counts", "error"};

/// The channel of a status that is not allowed.
Channel status_channel(const Allowed& allowed, const Outcome& outcome) {
  switch (outcome.status) {
    case OutcomeStatus::stalled: return Channel::stall;
    case OutcomeStatus::refused: return Channel::refusal;
    case OutcomeStatus::error: return Channel::error;
    case OutcomeStatus::completed: break;
  }
  // It completed: what was owed is missing.
  if (allowed.refused) return Channel::refusal;
  return allowed.stalled ? Channel::stall : Channel::error;
}

Channel misfit_channel(Misfit misfit) {
  switch (misfit) {
    case Misfit::waiting: return Channel::stall;
    case Misfit::query: return Channel::queries;
    case Misfit::launch: return Channel::launch;
    case Misfit::counts: return Channel::counts;
    case Misfit::none:
    case Misfit::status:
    case Misfit::memory: break;
  }
  return Channel::memory;
}

/// The words in GM are wrong, whatever else is.
bool memory_differs(const Case& test_case, const Allowed& allowed, Outcome outcome) {
  outcome.counts = allowed.counts;
  outcome.queries.clear();
  for (const ExpectedQuery& query : allowed.queries) outcome.queries.push_back(query.record);
  return contains(allowed, test_case.mix, outcome).misfit == Misfit::memory;
}

/// Writes the case and reads what was written.
Result<Case> written_and_read(const Case& saved, const std::string& folder, std::string& path) {
  const std::string text = write_case(saved);
  if (folder.empty()) return read_case(text, saved.name);
  Result<void> done = make_folder(folder);
  const std::string file = fmt::format("{}/{}.json", folder, saved.name);
  if (done) done = write_file(file, text);
  if (!done) return done.error();
  path = file;
  return read_case_file(file);
}

/// What speaks against the case as evidence against the accused; empty: nothing.
std::string doubt_of_guilt(Engine& accused, const Case& saved, const Outcome& recorded) {
  if (!saved.schedule) return "the saved case has no schedule";
  const Answer answer = accused.ask(saved, Claim::judged);
  std::optional<RuleId> property;
  if (saved.provenance) property = find_rule(saved.provenance->rule);
  RunRequest request;
  request.replay = &*saved.schedule;
  RunResult run;
  judge::Verdict verdict = accused.try_once(saved, answer, request, property, run);
  if (!run.replay_fitted) return "the recorded schedule does not fit the saved case";
  if (run.outcome != recorded) return "the saved case does not replay bit for bit";
  if (verdict.conforms()) return "the saved case is allowed";
  accused.explain(saved, answer, run.outcome, verdict);
  if (verdict.key != saved.provenance->key) {
    return fmt::format("the saved case fails as {}, not as {}", verdict.key, saved.provenance->key);
  }
  return {};
}

/// What the healthy platform does wrong in the same case; empty: nothing.
std::string doubt_of_innocence(Engine& healthy, const Case& saved, int runs) {
  const Answer answer = healthy.ask(saved, Claim::judged);
  RunRequest request;
  request.replay = &*saved.schedule;
  RunResult run;
  const judge::Verdict verdict = healthy.try_once(saved, answer, request, std::nullopt, run);
  if (!verdict.conforms()) return "the healthy platform fails it too: " + verdict.key;
  const CaseJudgement others = judge_case(healthy, saved, runs);
  if (!others.verdict.conforms()) {
    return "the healthy platform fails it too: " + others.verdict.key;
  }
  return others.contradiction;
}

}  // namespace

std::string_view to_string(Channel channel) {
  return channel_names.at(static_cast<std::size_t>(channel));
}

std::vector<Channel> channels_of(const Case& test_case, const Allowed& allowed,
                                 const Outcome& outcome, const judge::Verdict& verdict) {
  if (verdict.misfit == Misfit::status) return {status_channel(allowed, outcome)};
  std::vector<Channel> channels{misfit_channel(verdict.misfit)};
  if (outcome.status != OutcomeStatus::completed) return channels;
  const auto add = [&](bool shows, Channel channel) {
    if (shows && channel != channels.front()) channels.push_back(channel);
  };
  add(judge::launch_clue(test_case, allowed, outcome).has_value(), Channel::launch);
  add(judge::count_clue(test_case, allowed, outcome).has_value(), Channel::counts);
  add(judge::query_clue(test_case, allowed, outcome).has_value(), Channel::queries);
  add(memory_differs(test_case, allowed, outcome), Channel::memory);
  return channels;
}

Proof prove(Engine& accused, Engine& healthy, const Failure& failure,
            const ProofSettings& settings) {
  Proof proof;
  proof.small = failure;
  if (!confirm(accused, failure)) {
    proof.doubt = "the same schedule gives another outcome";
    return proof;
  }
  Failure& small = proof.small;
  small = shrink_failure(accused, failure, settings.shrink, {}, proof.shrinking);
  const Answer answer = accused.ask(small.test_case, small.claim);
  accused.explain(small.test_case, answer, small.run.outcome, small.verdict);
  proof.channels = channels_of(small.test_case, answer.allowed, small.run.outcome, small.verdict);
  Result<Case> read =
      written_and_read(case_of(small, settings.target_name), settings.folder, proof.path);
  if (!read) {
    proof.doubt = to_string(read.error());
    return proof;
  }
  proof.saved = std::move(read).value();
  const std::vector<Error> problems = validate(proof.saved);
  if (!problems.empty()) {
    proof.doubt = to_string(problems.front());
    return proof;
  }
  proof.doubt = doubt_of_guilt(accused, proof.saved, small.run.outcome);
  if (proof.holds()) proof.doubt = doubt_of_innocence(healthy, proof.saved, settings.healthy_runs);
  return proof;
}

}  // namespace skcts::campaign
