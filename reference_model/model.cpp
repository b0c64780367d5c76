// The model: a case, its positions of latitudes, its runs.
#include "reference_model/model.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>

#include "reference_model/outside.h"
#include "reference_model/plan_run.h"
#include "reference_model/relaxed_contract.h"
#include "reference_model/verdict.h"
#include "spec/aclgraph_options.h"
#include "spec/check.h"

namespace skcts::model {

struct Model::Impl {
  PlanRun runner;
  std::size_t search_states = default_search_states;
  PlanResult fused, alone, elsewhere;
  bool legal = false;  ///< Portable but for refusals.
  std::vector<std::uint32_t> alone_memory;

  /// What is asked for besides the predicate.
  struct Wish {
    bool words = false;
    bool alone = true;  ///< The stand-alone reference: behaviour wrong-data, portable.
    const Relaxation* relaxed = nullptr;
  };
  void run(const Case& test_case, const std::vector<LatitudePin>& pins, Wish wish,
           Analysis& analysis);
  void run_alone(const CaseSetting& setting, const Plan& plan);
  void run_without_early_start(const CaseSetting& setting, const Plan& plan, bool words);
};

namespace {

void start(const CaseSetting& setting, PlanResult& result) {
  GmState memory = std::move(result.memory);
  result = PlanResult();
  result.memory = std::move(memory);
  result.memory.reset(initial_memory(setting.test_case.mix, setting.layout));
}

void hold(CaseSetting& setting, LatitudePin pin) {
  setting.latitudes.set(pin);
  setting.pinned |= std::uint64_t{1} << (pin.id - 1);
}

/// A platform may refuse what a latitude leaves open: the latitude, its position, and the word.
struct OpenRefusal {
  LatitudePin position;
  const char* what;
};

/// Latitudes at a position of which this instruction is refused when it is compiled.
std::optional<OpenRefusal> open_refusal(const SubKernel& sub, CoreKind kind,
                                        const Instruction& in) {
  switch (in.op) {
    case Op::set_flag:
    case Op::wait_flag:
      if ((in.id & 7) >= 6) return OpenRefusal{latitude_pin(3, "refused"), "event ids 6 and 7"};
      if (kind == CoreKind::aic &&
          (in.event.source == Pipe::s || in.event.destination == Pipe::s)) {
        return OpenRefusal{latitude_pin(6, "refused"), "events of the scalar unit of a cube core"};
      }
      return std::nullopt;
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag:
      if ((in.id & 15) > 10) return OpenRefusal{latitude_pin(11, "up-to-10"), "flag ids above 10"};
      return std::nullopt;
    case Op::sync_all:
      if (sub.type != KernelType::aiv_only) return std::nullopt;
      return OpenRefusal{latitude_pin(13, "refused"), "SyncAll in an AIV_ONLY kernel"};
    default: return std::nullopt;
  }
}

void find_open_refusals(const SubKernel& sub, CoreKind kind,
                        const std::vector<Instruction>& program, std::vector<OpenRefusal>& found) {
  for (const Instruction& in : program) {
    if (in.op == Op::repeat) find_open_refusals(sub, kind, in.body, found);
    const std::optional<OpenRefusal> one = open_refusal(sub, kind, in);
    if (!one) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&](const OpenRefusal& other) {
      return other.position == one->position;
    });
    if (!known) found.push_back(*one);
  }
}

/// Of all sub kernels that the plan launches.
std::vector<OpenRefusal> open_refusals(const Mix& mix, const Plan& plan) {
  std::vector<OpenRefusal> found;
  std::vector<PlanStep> steps = plan.steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const PlanStep step = steps[s];
    steps.insert(steps.end(), step.beside.begin(), step.beside.end());
    for (const std::int32_t place : step.sub_kernels) {
      const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(place)];
      find_open_refusals(sub, CoreKind::aic, sub.aic, found);
      find_open_refusals(sub, CoreKind::aiv, sub.aiv, found);
    }
  }
  return found;
}

void refuse(Analysis& analysis, std::optional<RuleId> rule, const Error& error) {
  analysis.behaviour = Behaviour::refused;
  analysis.rule = rule;
  analysis.sentence = to_string(error);
  analysis.allowed.completed = false;
  analysis.allowed.refused = true;
  analysis.allowed.rule = rule;
}

/// Everything may happen. Queries and launches stay as they are.
void leave_open(const std::string& why, std::int64_t words, Analysis& analysis) {
  analysis.behaviour = Behaviour::nondeterministic_data;
  analysis.sentence = why;
  analysis.exact = analysis.portable = false;
  analysis.stall_open.add(Inexact::outside_world);
  analysis.data_open.add(Inexact::outside_world);
  analysis.rule.reset();
  analysis.also.clear();
  analysis.waiting.clear();
  analysis.races.clear();
  Allowed& allowed = analysis.allowed;
  allowed.completed = allowed.stalled = allowed.error = allowed.refused = true;
  allowed.rule.reset();
  allowed.exact_stall = allowed.exact_data = false;
  allowed.stuck.clear();
  allowed.stuck_complete = false;
  allowed.memory.assign(static_cast<std::size_t>(words), {WordKind::unjudged, 0, -1});
  allowed.memory_stalled.clear();
  allowed.joint.clear();
  allowed.sets.clear();
  allowed.counts.clear();
}

}  // namespace

void Model::Impl::run_alone(const CaseSetting& setting, const Plan& plan) {
  start(setting, alone);
  runner.run(setting, plan, true, false, alone);
  if (alone.one_memory() && alone.left_open.empty()) alone_memory = alone.memory.value;
}

namespace {

/// L-21 as a position: own calls do nothing.
constexpr LatitudePin calls_do_nothing = latitude_pin(21, "no-effect");

bool names_another_pipe(const std::vector<Instruction>& program, CoreKind kind) {
  return std::any_of(program.begin(), program.end(), [&](const Instruction& in) {
    if (!in.body.empty() && names_another_pipe(in.body, kind)) return true;
    if (in.op != Op::set_next_task_start) return false;
    return kind == CoreKind::aic ? in.aic_pipe != Pipe::fix : in.pipe != Pipe::mte3;
  });
}

/// L-21 is a question of A2, where sub kernels take part in early start.
bool asks_what_calls_do(const Profile& profile, const Options& options) {
  return options.early_start == 1 && profile.architecture == Architecture::a2;
}

/// L-21: can it make a difference that early-start calls may do nothing on this profile? Without
/// them sub kernels overlap less: nothing new comes of that where each core makes its call, on the
/// pipe that is signalled anyway.
bool may_differ_without_calls(const CaseSetting& setting, const PlanResult& run) {
  if (setting.is_pinned(21) || !asks_what_calls_do(setting.profile, setting.options)) return false;
  const std::vector<SubKernel>& kernels = setting.test_case.mix.sub_kernels;
  const bool called = std::any_of(kernels.begin(), kernels.end(), [](const SubKernel& sub) {
    return calls(sub, Op::set_next_task_start) || calls(sub, Op::wait_pre_task_end);
  });
  if (!called || run.refusal) return false;
  if (!run.completes_only() || !run.broken.empty() || run.undefined) return true;
  return std::any_of(kernels.begin(), kernels.end(), [](const SubKernel& sub) {
    return names_another_pipe(sub.aic, CoreKind::aic) || names_another_pipe(sub.aiv, CoreKind::aiv);
  });
}

}  // namespace

/// The same with early-start calls that do nothing; what may happen then is added.
void Model::Impl::run_without_early_start(const CaseSetting& setting, const Plan& plan,
                                          bool words) {
  Options without_calls = setting.options;
  without_calls.early_start = 2;  // sub kernels take no part
  CaseSetting there{setting.test_case, setting.profile, without_calls,   setting.layout,
                    setting.latitudes, setting.pinned,  setting.relaxed, setting.search_states};
  hold(there, calls_do_nothing);
  start(there, elsewhere);
  WitnessNotes* const listener = runner.listener();
  runner.tell(nullptr);
  runner.show(nullptr);
  runner.run(there, plan, false, words, elsewhere);
  runner.tell(listener);
  const bool same = elsewhere.stalls == fused.stalls && elsewhere.may_stall == fused.may_stall &&
                    elsewhere.error == fused.error && elsewhere.undefined == fused.undefined &&
                    elsewhere.memory.value == fused.memory.value;
  unite(fused, elsewhere);
  if (!same) fused.latitudes.push_back(calls_do_nothing.id);
}

void Model::Impl::run(const Case& test_case, const std::vector<LatitudePin>& pins, Wish wish,
                      Analysis& analysis) {
  const Profile* profile = find_profile(test_case.profile);
  SKCTS_CHECK(profile != nullptr, "case with the unknown profile {}", test_case.profile);
  const std::string& written = test_case.mix.options;
  const OptionParse parsed = parse_options_on(
      test_case.path, wish.relaxed == nullptr ? written : relaxed_options(written, *wish.relaxed));
  const Plan plan = written_plan(test_case);
  const bool any_fused = has_fused_step(test_case.mix, test_case.path, plan.steps);
  if (parsed.refusal && any_fused) return refuse(analysis, RuleId::fuse_3, *parsed.refusal);
  Options options = parsed.options.value_or(Options());
  const GmLayout layout = layout_of(test_case.mix);
  CaseSetting setting{test_case, *profile, options, layout, latitude_defaults(*profile)};
  for (const LatitudePin& pin : profile->settled) hold(setting, pin);
  for (const LatitudePin& pin : pins_of(test_case)) hold(setting, pin);
  for (const LatitudePin& pin : pins) hold(setting, pin);

  // Early start of the SuperKernel alone: sub kernels take no part.
  if (asks_what_calls_do(*profile, options) && setting.is_pinned(21) &&
      setting.may_be(calls_do_nothing)) {
    options.early_start = 2;
  }
  const std::vector<OpenRefusal> refusals = open_refusals(test_case.mix, plan);
  for (const OpenRefusal& refusal : refusals) {
    if (!setting.is_pinned(refusal.position.id) || !setting.may_be(refusal.position)) continue;
    const std::string text =
        fmt::format("{} are refused ({})", refusal.what, to_string(refusal.position));
    return refuse(analysis, std::nullopt, {.message = text});
  }

  std::string open = undecided(test_case, *profile);
  setting.open_ended = !open.empty();
  setting.search_states = search_states;
  setting.relaxed = wish.relaxed;
  start(setting, fused);
  runner.run(setting, plan, false, wish.words, fused);
  if (open.empty() && may_differ_without_calls(setting, fused)) {
    run_without_early_start(setting, plan, wish.words);
  }
  if (open.empty()) open = fused.left_open;
  alone_memory.clear();
  if (wish.alone && open.empty()) run_alone(setting, plan);
  const Verdict verdict = verdict_of(fused, alone_memory);
  analysis.behaviour = verdict.behaviour;
  analysis.rule = verdict.rule;
  analysis.exact = fused.exact_stall() && fused.exact_data();
  analysis.stall_open = fused.stall_open;
  analysis.data_open = fused.data_open;
  legal = wish.alone && open.empty() && !verdict.rule && alone.left_open.empty() &&
          is_clean(fused) && is_clean(alone) && fused.memory.value == alone.memory.value;
  analysis.portable = legal;
  fill_allowed(fused, verdict, analysis.allowed);
  for (const OpenRefusal& refusal : refusals) {
    if (!setting.may_be(refusal.position)) continue;
    analysis.allowed.refused = true;
    analysis.portable = false;
    if (!wish.words) continue;
    analysis.also.push_back({Behaviour::refused,
                             std::nullopt,
                             {refusal.position.id},
                             fmt::format("{} may be refused", refusal.what)});
  }
  analysis.allowed.stuck = std::move(fused.stuck);
  analysis.allowed.stuck_complete = fused.stuck_complete;
  analysis.allowed.queries = std::move(fused.queries);
  analysis.allowed.counts = std::move(fused.counts);
  analysis.alone_memory = alone_memory;
  if (!open.empty()) leave_open(open, layout.words, analysis);
  if (!wish.words) return;
  analysis.launches = fused.launches;
  if (!open.empty()) return;
  analysis.latitudes = fused.latitudes;
  add_also(analysis, fused, verdict);
  analysis.sentence = sentence_of(test_case.mix, fused, verdict);
  analysis.waiting = std::move(fused.waiting);
  const std::optional<RuleId> rule = stall_rule(fused);
  for (StuckWait& wait : analysis.waiting) {
    if (rule && !wait.root) wait.rule = *rule;  // it only waits for one that is stuck
  }
  analysis.races = std::move(fused.races);
}

namespace {

/// One of the allowed memories, as unlike the other one as the first word that is open allows.
std::vector<std::uint32_t> other_memory(const Allowed& allowed,
                                        const std::vector<std::uint32_t>& alone) {
  std::vector<std::uint32_t> memory;
  for (std::size_t w = 0; w < allowed.memory.size(); ++w) {
    const WordAllowed& word = allowed.memory[w];
    std::uint32_t value = word.value;
    if (word.kind == WordKind::one_of) {
      const std::vector<std::uint32_t>& set = allowed.sets[static_cast<std::size_t>(word.set)];
      value = w < alone.size() && set.front() == alone[w] ? set.back() : set.front();
    }
    memory.push_back(word.kind == WordKind::unjudged ? 0 : value);
  }
  for (const JointWords& joint : allowed.joint) {
    const auto differs = [&](const std::vector<std::uint32_t>& tuple) {
      for (std::size_t i = 0; i < tuple.size(); ++i) {
        const auto word = static_cast<std::size_t>(joint.words[i]);
        if (word >= alone.size() || alone[word] != tuple[i]) return true;
      }
      return false;
    };
    const auto found = std::ranges::find_if(joint.tuples, differs);
    if (found == joint.tuples.end()) continue;
    for (std::size_t i = 0; i < found->size(); ++i) {
      memory[static_cast<std::size_t>(joint.words[i])] = (*found)[i];
    }
  }
  return memory;
}

}  // namespace

Model::Model(std::size_t search_states) : impl_(std::make_unique<Impl>()) {
  impl_->search_states = search_states;
}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

namespace {

bool has_any(const Mix& mix, std::initializer_list<Op> ops) {
  return std::ranges::any_of(mix.sub_kernels, [&](const SubKernel& sub) {
    return std::ranges::any_of(ops, [&](Op op) { return calls(sub, op); });
  });
}

/// Does the mix hold anything that the latitude speaks of?
bool may_lean_on(const Case& test_case, LatitudeId latitude) {
  switch (latitude) {
    case 21: return has_any(test_case.mix, {Op::set_next_task_start, Op::wait_pre_task_end});
    case 36:
      return has_any(test_case.mix, {Op::get_value, Op::set_value, Op::assign, Op::raw_load,
                                     Op::raw_store, Op::poll});
    default: return true;
  }
}

}  // namespace

/// A latitude is leaned on when another position of it gives another verdict.
void Model::add_leaning(const Case& test_case, const std::vector<LatitudePin>& pins,
                        Analysis& analysis) {
  if (analysis.behaviour == Behaviour::completes && !analysis.rule) return;
  constexpr std::array order = {latitude_pin(14, "drained"), latitude_pin(21, "takes-effect"),
                                latitude_pin(36, "own-accesses"), latitude_pin(39, "lists-win")};
  // Where words race, a narrower position may leave one value.
  constexpr std::array values = {latitude_pin(1, "in-turn"),     latitude_pin(2, "both-kinds"),
                                 latitude_pin(23, "at-refresh"), latitude_pin(24, "never"),
                                 latitude_pin(25, "at-once"),    latitude_pin(30, "whole-blocks")};
  std::vector<LatitudePin> others(order.begin(), order.end());
  // Where the search of racing words did not fit, it would not at another position either.
  const bool searched = !analysis.data_open.has(Inexact::search_limit);
  if (analysis.behaviour == Behaviour::nondeterministic_data && searched) {
    others.insert(others.end(), values.begin(), values.end());
  }
  std::vector<LatitudePin> all_held = pins_of(test_case);
  all_held.insert(all_held.end(), pins.begin(), pins.end());
  for (const LatitudePin& other : others) {
    const bool pinned = std::any_of(all_held.begin(), all_held.end(),
                                    [&](const LatitudePin& pin) { return pin.id == other.id; });
    if (pinned || !may_lean_on(test_case, other.id)) continue;
    std::vector<LatitudePin> held = pins;
    held.push_back(other);
    Analysis there;
    impl_->run(test_case, held, {.words = false, .alone = true}, there);
    if (there.behaviour != analysis.behaviour || there.rule != analysis.rule) {
      analysis.latitudes.push_back(other.id);
    }
  }
  std::ranges::sort(analysis.latitudes);
  const auto doubled = std::ranges::unique(analysis.latitudes);
  analysis.latitudes.erase(doubled.begin(), doubled.end());
  for (Also& also : analysis.also) {
    const bool open = also.behaviour == Behaviour::may_stall ||
                      also.behaviour == Behaviour::nondeterministic_data;
    if (open) also.latitudes = analysis.latitudes;
  }
}

Analysis Model::analyse(const Case& test_case, const std::vector<LatitudePin>& pins,
                        Leaning leaning) {
  Analysis analysis;
  impl_->run(test_case, pins, {.words = true, .alone = true}, analysis);
  if (leaning == Leaning::found) add_leaning(test_case, pins, analysis);
  return analysis;
}

Allowed Model::allowed(const Case& test_case, const std::vector<LatitudePin>& pins) {
  Analysis analysis;
  impl_->run(test_case, pins, {.words = false, .alone = false}, analysis);
  return std::move(analysis.allowed);
}

Allowed Model::allowed(const Case& test_case, const std::vector<LatitudePin>& pins,
                       const Relaxation& relaxed) {
  const bool refused = relaxed.weakening == Weakening::refused;
  if (refused || relaxed.weakening == Weakening::failed) {
    Allowed allowed;
    allowed.completed = false;
    (refused ? allowed.refused : allowed.error) = true;
    allowed.rule = relaxed.rule;
    return allowed;
  }
  Analysis analysis;
  impl_->run(relaxed_case(test_case, relaxed), pins,
             {.words = false, .alone = false, .relaxed = &relaxed}, analysis);
  return std::move(analysis.allowed);
}

Witness Model::witness(const Case& test_case, const Outcome& outcome,
                       const std::vector<LatitudePin>& pins) {
  const GmLayout layout = layout_of(test_case.mix);
  WitnessNotes notes(test_case.mix, layout, outcome.memory);
  Analysis analysis;
  impl_->runner.tell(&notes);
  impl_->run(test_case, pins, {.words = false, .alone = false}, analysis);
  impl_->runner.tell(nullptr);
  const Containment found = contains(analysis.allowed, test_case.mix, outcome);
  Witness witness;
  witness.allowed = static_cast<bool>(found);
  witness.words = found.words;
  witness.text = found.text;
  if (witness.allowed && outcome.status == OutcomeStatus::completed) {
    witness.steps = notes.sentences();
  } else if (outcome.status == OutcomeStatus::stalled) {
    witness.steps = notes.stops();
  }
  return witness;
}

void Model::show(const Case& test_case, const std::vector<LatitudePin>& pins,
                 LaunchListener& listener) {
  Analysis analysis;
  impl_->runner.show(&listener);
  impl_->run(test_case, pins, {.words = false, .alone = false}, analysis);
  impl_->runner.show(nullptr);
}

std::vector<std::string> Model::one_way(const Case& test_case, const Analysis& analysis,
                                        const std::vector<LatitudePin>& pins) {
  Outcome outcome;
  switch (analysis.behaviour) {
    case Behaviour::stalls:
    case Behaviour::may_stall: outcome.status = OutcomeStatus::stalled; break;
    case Behaviour::nondeterministic_data:
      outcome.memory = other_memory(analysis.allowed, analysis.alone_memory);
      break;
    default: return {};
  }
  return witness(test_case, outcome, pins).steps;
}

bool Model::is_legal(const Case& test_case, std::string* why) {
  Analysis analysis;
  impl_->run(test_case, {}, {.words = why != nullptr, .alone = true}, analysis);
  if (impl_->legal || why == nullptr) return impl_->legal;
  const PlanResult& alone = impl_->alone;
  if (analysis.behaviour != Behaviour::completes || analysis.rule) {
    *why = fmt::format("{}: {}", to_string(analysis.behaviour), analysis.sentence);
  } else if (!is_clean(alone)) {
    const Verdict verdict = verdict_of(alone, {});
    *why = fmt::format("launched alone: {}", sentence_of(test_case.mix, alone, verdict));
  } else {
    *why = "the fused memory differs from that of the sub kernels launched one by one";
  }
  return false;
}

Analysis analyse(const Case& test_case, const std::vector<LatitudePin>& pins) {
  return Model().analyse(test_case, pins);
}

}  // namespace skcts::model
