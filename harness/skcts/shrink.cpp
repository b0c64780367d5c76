// skcts shrink: the smallest case that shows the same as a given one.
//
// What a case shows is its failure on the target, by key; if it does not fail there, what the model
// says is wrong with it, by rule and behaviour. The smallest case so far is always on disk.
#include "generators/shrink.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/campaign/engine.h"
#include "harness/campaign/finding.h"
#include "harness/campaign/journal_file.h"
#include "harness/campaign/strategies.h"
#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/interrupt.h"
#include "harness/skcts/pattern.h"
#include "harness/skcts/terminal.h"
#include "spec/case_id.h"
#include "spec/case_text.h"

namespace skcts::program {
namespace {

constexpr int strategies_tried = 48;

std::int64_t instructions_of(const std::vector<Instruction>& program) {
  std::int64_t sum = 0;
  for (const Instruction& instruction : program) sum += 1 + instructions_of(instruction.body);
  return sum;
}

std::string size_of(const Case& test_case) {
  std::int64_t instructions = 0;
  for (const SubKernel& k : test_case.mix.sub_kernels) {
    instructions += instructions_of(k.aic) + instructions_of(k.aiv);
  }
  return fmt::format("{} sub kernels with {} instructions", test_case.mix.sub_kernels.size(),
                     instructions);
}

/// Where the small case goes: "a.json" has "a.small.json" beside it.
std::string path_of(const ShrinkArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  std::string stem = arguments.file;
  if (stem.ends_with(".json")) stem.resize(stem.size() - 5);
  return stem + ".small.json";
}

/// What the file says it comes from stays with what is made of it.
void keep_origin(const Case& original, const std::string& file, Provenance& from) {
  from.source = original.provenance ? original.provenance->source : file;
  if (!original.provenance) return;
  from.seed = original.provenance->seed;
  from.index = original.provenance->index;
  from.note = original.provenance->note;
}

/// The requests of a case: its own schedule, then strategies that its id draws.
std::vector<Strategy> ways_of_running(const Case& test_case) {
  return campaign::strategies_for(text_hash(case_id(test_case)), 0, strategies_tried);
}

std::optional<campaign::Failure> failure_of(campaign::Engine& engine, const Case& test_case) {
  campaign::Failure failure{.test_case = test_case};
  campaign::Answer answer = engine.ask(test_case, campaign::Claim::judged);
  failure.broken = campaign::broken_rules(*answer.analysis);
  if (!engine.ask(test_case, campaign::Claim::legal).contradiction.empty()) {
    failure.claim = campaign::Claim::judged;
  }
  std::optional<RuleId> property = answer.analysis->rule;
  if (!property && test_case.provenance) property = find_rule(test_case.provenance->rule);
  failure.property = property.value_or(RuleId::fuse_1);
  const auto fails = [&](const RunRequest& request) {
    failure.strategy = request.strategy;
    failure.verdict = engine.try_once(test_case, answer, request, failure.property, failure.run);
    return !failure.verdict.conforms();
  };
  if (test_case.schedule) {
    RunRequest request;
    request.strategy = parse_strategy(test_case.schedule->strategy).value_or(Strategy{});
    request.strategy.seed = test_case.schedule->seed;
    request.replay = &*test_case.schedule;
    if (fails(request)) return failure;
  }
  for (const Strategy& strategy : ways_of_running(test_case)) {
    RunRequest request;
    request.strategy = strategy;
    if (fails(request)) return failure;
  }
  return std::nullopt;
}

class Shrinking {
 public:
  Shrinking(const ShrinkArguments& arguments, Case original, campaign::Engine& engine,
            std::string target)
      : original_(std::move(original)),
        engine_(engine),
        target_(std::move(target)),
        file_(arguments.file),
        path_(path_of(arguments)),
        budget_{arguments.runs},
        end_(seconds_now() + parse_duration(arguments.budget).value()) {}

  ExitCode run() {
    const std::optional<campaign::Failure> failure = failure_of(engine_, original_);
    if (failure) return shrink_failure(*failure);
    const campaign::Answer answer = engine_.ask(original_, campaign::Claim::judged);
    if (answer.analysis->rule) return shrink_fault(*answer.analysis);
    complain(Error{.file = file_,
                   .message = fmt::format("it conforms on {} under {} strategies, and the model "
                                          "finds no rule broken: there is nothing to keep",
                                          target_, strategies_tried),
                   .hint = "--target names the platform that fails it"});
    return ExitCode::nothing_ran;
  }

 private:
  [[nodiscard]] bool time_is_up() const {
    return seconds_now() > end_ || !Interrupt::noted().empty();
  }

  ExitCode shrink_failure(const campaign::Failure& failure) {
    fmt::print("{} on {}\n", printable(failure.verdict.key), printable(target_));
    const auto keep = [&](const campaign::Failure& smaller) {
      Case saved = campaign::case_of(smaller, target_);
      keep_origin(original_, file_, *saved.provenance);
      save(saved);
    };
    campaign::Failure small = campaign::shrink_failure(
        engine_, failure, budget_, [this] { return time_is_up(); }, stats_, keep);
    engine_.explain(small.test_case, engine_.ask(small.test_case, small.claim), small.run.outcome,
                    small.verdict);
    keep(small);
    fmt::print("{}\n", printable(small.verdict.sentence));
    return tell(small.test_case);
  }

  /// Nothing fails on the target: keeps what the model finds wrong.
  ExitCode shrink_fault(const model::Analysis& fault) {
    fmt::print("{} [{}], by the model\n", to_string(fault.behaviour), to_string(*fault.rule));
    const auto keep = [&](const Case& candidate) {
      Case saved = candidate;
      saved.schedule.reset();
      saved.expect.reset();
      saved.provenance.emplace();
      keep_origin(original_, file_, *saved.provenance);
      saved.provenance->rule = to_string(*fault.rule);
      saved.name = fmt::format("{}-{}", to_string(*fault.rule), case_id(saved));
      save(saved);
    };
    const auto same = [&](const Case& candidate) {
      if (time_is_up()) return false;
      const campaign::Answer answer = engine_.ask(candidate, campaign::Claim::judged);
      if (answer.analysis->rule != fault.rule || answer.analysis->behaviour != fault.behaviour) {
        return false;
      }
      keep(candidate);
      return true;
    };
    const Case small = generators::shrink(original_, same, budget_, &stats_);
    keep(small);
    return tell(small);
  }

  void save(const Case& smaller) {
    if (saved_.ok()) saved_ = campaign::write_file(path_, write_case(smaller));
  }

  ExitCode tell(const Case& small) {
    if (!saved_) return complain(saved_.error()), ExitCode::own_error;
    fmt::print("{} -> {} in {} runs\n{}\n", size_of(original_), size_of(small), stats_.runs,
               printable(path_));
    if (!stats_.budget_ended && !time_is_up()) return ExitCode::pass;
    fmt::print("the budget ended: smaller cases may exist\n");
    return ExitCode::budget_ended;
  }

  Case original_;
  campaign::Engine& engine_;
  std::string target_;
  std::string file_;
  std::string path_;
  generators::ShrinkBudget budget_;
  double end_;
  generators::ShrinkStats stats_;
  Result<void> saved_;
};

}  // namespace

ExitCode shrink_case(const ShrinkArguments& arguments) {
  std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  std::string target_text = arguments.target;
  if (target_text.empty() && test_case->provenance) target_text = test_case->provenance->target;
  if (target_text.empty()) target_text = "emulator";
  Result<std::unique_ptr<Target>> target = open_target(target_text);
  if (!target) return complain(target.error()), ExitCode::usage;
  const Interrupt interrupt;
  campaign::Engine engine(**target);
  return Shrinking(arguments, std::move(*test_case), engine, target_text).run();
}

}  // namespace skcts::program
