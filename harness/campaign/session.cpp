// The loop over a property's experiments.
#include "harness/campaign/session.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/case_judgement.h"
#include "harness/campaign/journal_file.h"
#include "spec/case_text.h"
#include "spec/check.h"

namespace skcts::campaign {

namespace {
constexpr std::string_view stopped_early = "the run was stopped";
constexpr std::string_view lost_before = "the target was lost before";

/// What is worth a smaller case: the others cost a deadline or a restart for each candidate.
bool is_shrunk(judge::Status status) {
  return status == judge::Status::fail || status == judge::Status::stall ||
         status == judge::Status::crash;
}

bool all_answered(const Observed& part) {
  return std::ranges::all_of(part.runs,
                             [](const RunResult& run) { return run.end == RunEnd::answered; });
}
}  // namespace

std::string suite_name(RuleId id) {
  std::string name(to_string(rule(id).chapter));
  for (std::size_t i = 1; i < name.size(); ++i) {
    name[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return name;
}

std::string test_name(RuleId id) {
  std::string name(to_string(id));
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

/// What grows while a property runs.
struct Session::Running {
  PropertyResult result;
  Measures measures;
  std::int64_t done = 0;
  int shrinks = 0;
  std::int64_t dropped = 0;  ///< Indices for which the property had no experiment.
  std::string unsupported;   ///< What the target does not claim, of the first such experiment.
  judge::Status worst = judge::Status::pass;
  bool ended_early = false;
};

PropertyResult Session::run(const Property& property) {
  Running running;
  RuleRecord& record = running.result.record;
  record.rule = to_string(property.rule);
  record.suite = suite_name(property.rule);
  record.test = test_name(property.rule);
  if (target_lost_) {
    running.result.status = judge::Status::device_lost;
    record.status = to_string(running.result.status);
    record.reason = lost_before;
    sink_.record(record);
    return std::move(running.result);
  }
  if (stopped()) {
    record.status = to_string(running.result.status);
    record.reason = stopped_early;
    return std::move(running.result);
  }
  const TargetDescription& target = engine_.target().description();
  if (property.not_on) record.reason = property.not_on(*settings_.profile);
  if (property.needs_counts && !target.declares_counts) {
    record.reason = "the target declares no counts";
  }
  if (!record.reason.empty()) {
    running.worst = judge::Status::not_supported;
  } else {
    std::int64_t total = settings_.cases;
    if (property.most_cases > 0) total = std::min(total, property.most_cases);
    for (std::int64_t i = 0; i < total && !stopped(); ++i) {
      run_experiment(property, static_cast<std::uint64_t>(i), running);
      running.done = i + 1;
      sink_.progress({property.rule, running.done, total,
                      static_cast<std::int64_t>(running.result.findings.size())});
    }
    running.ended_early = running.done < total;
  }
  finish(property, running);
  return std::move(running.result);
}

CaseRecord Session::run_case(const Case& test_case, std::string file, std::string test) {
  CaseRecord record;
  record.file = std::move(file);
  record.test = std::move(test);
  if (target_lost_) {
    record.status = to_string(judge::Status::device_lost);
    record.reason = lost_before;
    sink_.record(record);
    return record;
  }
  if (stopped()) {
    record.status = to_string(judge::Status::not_run);
    record.reason = stopped_early;
    return record;
  }
  const CaseJudgement judgement = judge_case(engine_, test_case, settings_.runs_per_case);
  if (test_case.expect) {
    record.expect = behaviour_text(test_case.expect->behaviour, test_case.expect->rule);
  }
  record.runs = judgement.runs;
  judge::Status status = judgement.verdict.status;
  target_lost_ = status == judge::Status::device_lost;
  record.reason =
      judgement.verdict.sentence.empty() ? judgement.skipped : judgement.verdict.sentence;
  if (!judgement.contradiction.empty()) {
    status = judge::worse(status, judge::Status::internal_error);
    record.reason = judgement.contradiction;
  }
  record.status = to_string(status);
  sink_.record(record);
  return record;
}

void Session::run_experiment(const Property& property, std::uint64_t index, Running& running) {
  const Source source{settings_.seed, settings_.profile};
  const std::optional<Experiment> experiment = property.make(source, index);
  if (!experiment || experiment->parts.empty()) {
    ++running.dropped;
    return;
  }
  RuleRecord& record = running.result.record;
  ++record.generated;
  Observation observation;
  observation.declares_counts = engine_.target().description().declares_counts;
  observation.features = generators::features_of(experiment->parts.front().test_case);
  bool conforms = true;
  judge::Status worst = judge::Status::pass;
  for (const Part& part : experiment->parts) {
    observation.parts.emplace_back().part = &part;
    const judge::Status status = run_part(property, part, index, observation.parts.back(), running);
    conforms = conforms && judge::exit_code_of(status) == judge::ExitCode::pass;
    worst = judge::worse(worst, status);
  }
  if (worst == judge::Status::not_supported) {
    if (running.unsupported.empty()) {
      for (const Observed& part : observation.parts) {
        for (const RunResult& run : part.runs) running.unsupported = run.detail;
      }
    }
    return;  // others may be supported
  }
  running.worst = judge::worse(running.worst, worst);
  if (worst == judge::Status::device_lost) target_lost_ = true;
  const bool answered = conforms || std::ranges::all_of(observation.parts, &all_answered);
  const bool exercised = answered && property.exercises(observation);
  if (exercised) ++record.exercised;
  if (exercised && conforms) ++record.passed;
  if (exercised && worst == judge::Status::lenient) ++record.lenient;
  if (exercised && conforms && property.measure) property.measure(observation, running.measures);
}

judge::Status Session::run_part(const Property& property, const Part& part, std::uint64_t index,
                                Observed& observed, Running& running) {
  Answer answer = engine_.ask(part.test_case, part.claim);
  if (!answer.contradiction.empty()) {
    contradicted(property, part, index, answer, running);
    return judge::Status::internal_error;
  }
  judge::Status worst = judge::Status::pass;
  for (const Strategy& strategy : part.strategies) {
    RunRequest request;
    request.strategy = strategy;
    request.want_trace = property.needs_trace;
    RunResult run;
    judge::Verdict verdict = engine_.try_once(part.test_case, answer, request, property.rule, run);
    worst = judge::worse(worst, verdict.status);
    if (judge::exit_code_of(verdict.status) != judge::ExitCode::pass) {
      Failure failure{.test_case = part.test_case,
                      .claim = part.claim,
                      .strategy = strategy,
                      .run = run,
                      .verdict = std::move(verdict),
                      .property = property.rule,
                      .seed = settings_.seed,
                      .index = index};
      if (part.claim != Claim::legal) failure.broken = broken_rules(*answer.analysis);
      failed(std::move(failure), running);
    }
    observed.runs.push_back(std::move(run));
  }
  observed.allowed = std::move(answer.allowed);
  observed.analysis = std::move(answer.analysis);
  return worst;
}

void Session::failed(Failure failure, Running& running) {
  if (running.result.findings.empty() && running.result.record.reason.empty()) {
    running.result.record.reason = "see " + failure.verdict.key;
  }
  if (static_cast<int>(running.result.findings.size()) >= settings_.findings_per_property ||
      running.shrinks >= settings_.shrinks_per_property ||
      !keys_.insert(failure.verdict.key).second) {
    return;
  }
  generators::ShrinkStats stats;
  if (!is_shrunk(failure.verdict.status)) return save(failure, stats, running);
  if (!confirm(engine_, failure)) {
    failure.verdict.status = judge::Status::flaky;
    failure.verdict.key =
        judge::failure_key(judge::Status::flaky, failure.verdict.rule, "two-outcomes");
    failure.verdict.sentence =
        "The same case and schedule gave two outcomes. First: " + failure.verdict.sentence;
    if (keys_.insert(failure.verdict.key).second) save(failure, stats, running);
    return;
  }
  ++running.shrinks;
  Failure small = shrink_failure(engine_, failure, settings_.shrink, settings_.stop, stats);
  engine_.explain(small.test_case, engine_.ask(small.test_case, small.claim), small.run.outcome,
                  small.verdict);
  if (small.verdict.key != failure.verdict.key) {
    if (running.result.findings.empty()) {
      running.result.record.reason = "see " + small.verdict.key;
    }
    if (!keys_.insert(small.verdict.key).second) return;
  }
  save(small, stats, running);
}

void Session::contradicted(const Property& property, const Part& part, std::uint64_t index,
                           const Answer& answer, Running& running) {
  Failure failure{.test_case = part.test_case,
                  .claim = part.claim,
                  .property = property.rule,
                  .seed = settings_.seed,
                  .index = index};
  failure.verdict.status = judge::Status::internal_error;
  failure.verdict.rule = answer.analysis->rule;
  failure.verdict.key = judge::failure_key(judge::Status::internal_error, answer.analysis->rule,
                                           to_string(answer.analysis->behaviour));
  failure.verdict.sentence =
      fmt::format("{} ({}, index {})", answer.contradiction, part.name, index);
  if (!keys_.insert(failure.verdict.key).second) return;
  generators::ShrinkStats stats;
  failure.test_case = generators::shrink(
      failure.test_case,
      [&](const Case& candidate) {
        if (stopped()) return false;
        const Answer again = engine_.ask(candidate, part.claim);
        return !again.contradiction.empty() && again.analysis->rule == answer.analysis->rule &&
               again.analysis->behaviour == answer.analysis->behaviour;
      },
      settings_.shrink, &stats);
  save(failure, stats, running);
}

void Session::save(const Failure& failure, const generators::ShrinkStats& stats, Running& running) {
  Case saved = case_of(failure, settings_.target_name);
  // Two failures may shrink to one case under two schedules.
  const std::string name = saved.name;
  for (int copy = 2; !names_.insert(saved.name).second; ++copy) {
    saved.name = fmt::format("{}-{}", name, copy);
  }
  std::string path;
  if (!settings_.out_folder.empty()) {
    const std::string folder = settings_.out_folder + "/findings";
    path = fmt::format("{}/{}.json", folder, saved.name);
    Result<void> done = make_folder(folder);
    if (done) done = write_file(path, write_case(saved));
    if (!done) {
      path.clear();
      if (saved_.ok()) saved_ = done;
    }
  }
  FindingRecord record = record_of(failure, saved, settings_.target_name, path);
  record.cases_to_find = running.result.record.generated;
  record.shrink_runs = stats.runs;
  running.result.record.reason.clear();
  running.result.findings.push_back(record);
  sink_.record(record);
}

void Session::finish(const Property& property, Running& running) {
  RuleRecord& record = running.result.record;
  judge::Status status = running.worst;
  if (record.exercised == 0 && status == judge::Status::pass && !running.unsupported.empty()) {
    status = judge::Status::not_supported;
    record.reason = running.unsupported;
  }
  if (judge::exit_code_of(status) == judge::ExitCode::pass &&
      status != judge::Status::not_supported && record.exercised == 0) {
    status = judge::Status::not_run;
    record.reason =
        running.ended_early ? std::string(stopped_early)
        : record.generated == 0
            ? fmt::format("no case could be made on profile {}", settings_.profile->name)
            : fmt::format("none of {} cases exercised it", record.generated);
  }
  if (running.ended_early && record.reason.empty()) record.reason = stopped_early;
  record.status = to_string(status);
  if (property.summarize && record.exercised > 0) {
    record.measured = property.summarize(running.measures);
  }
  running.result.status = status;
  sink_.record(record);
}

}  // namespace skcts::campaign
