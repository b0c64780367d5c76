// From a case to an outcome: the launches of its plan, one after the other.
#include "harness/emulator/emulator.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/emulator/check_case.h"
#include "harness/emulator/composition.h"
#include "harness/emulator/launch.h"
#include "harness/emulator/machine.h"
#include "harness/emulator/mix_source.h"

namespace skcts::emulator {

namespace {

Result<std::string> read_defect(std::string_view name) {
  if (find_defect(name) != nullptr) return std::string(name);
  std::vector<std::string_view> names;
  for (const Defect& defect : defects()) names.push_back(defect.name);
  return Error{.field = "defect=" + std::string(name),
               .message = fmt::format("there is no defect '{}'", name),
               .hint = did_you_mean(name, names)};
}

Result<std::uint64_t> read_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc{} && end == text.data() + text.size()) return seed;
  return Error{.field = "positions=" + std::string(text),
               .message = fmt::format("'{}' is no seed; expected a number from 0 up", text)};
}

Result<int> read_depth(std::string_view text) {
  int depth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
  constexpr int most = 1 << 20;
  if (error == std::errc{} && end == text.data() + text.size() && depth >= 1 && depth <= most) {
    return depth;
  }
  return Error{
      .field = "queue-depth=" + std::string(text),
      .message = fmt::format("'{}' is no depth; expected a number from 1 to {}", text, most)};
}

/// Takes over one item behind "emulator:"; the error, or nothing.
std::optional<Error> read_item(std::string_view item, EmulatorConfig& config) {
  constexpr std::string_view defect = "defect=";
  constexpr std::string_view positions = "positions=";
  constexpr std::string_view depth = "queue-depth=";
  if (item.starts_with(defect)) {
    auto name = read_defect(item.substr(defect.size()));
    if (!name) return name.error();
    config.defect = std::move(*name);
  } else if (item.starts_with(positions)) {
    auto seed = read_seed(item.substr(positions.size()));
    if (!seed) return seed.error();
    config.positions = *seed;
  } else if (item.starts_with(depth)) {
    auto entries = read_depth(item.substr(depth.size()));
    if (!entries) return entries.error();
    config.queue_depth = *entries;
  } else if (item.starts_with("L-") || item.starts_with("l-")) {
    auto pin = parse_latitude_pin(item);
    if (!pin) return pin.error();
    config.latitudes.push_back(*pin);
  } else {
    return Error{.field = std::string(item),
                 .message =
                     "is nothing that the emulator takes; expected defect=NAME, "
                     "positions=SEED, queue-depth=N or a pin such as L-14=drained"};
  }
  return std::nullopt;
}

/// The target's name that gives this configuration.
std::string name_of(const EmulatorConfig& config) {
  std::string items;
  const auto add = [&](std::string item) { items += (items.empty() ? ":" : ",") + item; };
  if (!config.defect.empty()) add("defect=" + config.defect);
  if (config.positions) add(fmt::format("positions={}", *config.positions));
  if (config.queue_depth) add(fmt::format("queue-depth={}", *config.queue_depth));
  for (const LatitudePin& pin : config.latitudes) add(to_string(pin));
  return "emulator" + items;
}

/// What an emulator says it stands at: the latitude of counters between launches always, and all
/// fixed ones that it was given or that were drawn.
std::vector<LatitudePin> declared_positions(const EmulatorConfig& config) {
  std::vector<LatitudePin> declared = {latitude_pin(5, "cleared")};
  const auto declare = [&](LatitudePin pin) {
    std::erase_if(declared, [&](const LatitudePin& other) { return other.id == pin.id; });
    declared.push_back(pin);
  };
  // What a profile settles is not drawn there, and the case says which profile it is.
  const auto settled = [](LatitudePin pin) {
    return std::ranges::any_of(profiles(), [&](const Profile& profile) {
      return std::ranges::any_of(profile.settled,
                                 [&](const LatitudePin& own) { return own.id == pin.id; });
    });
  };
  if (config.positions) {
    for (const LatitudePin pin : drawn_positions(*config.positions, LatitudeClass::fixed)) {
      if (!settled(pin)) declare(pin);
    }
  }
  for (const LatitudePin pin : config.latitudes) {
    if (latitude(pin.id).kind == LatitudeClass::fixed) declare(pin);
  }
  return declared;
}

}  // namespace

Result<EmulatorConfig> parse_emulator_config(std::string_view text) {
  EmulatorConfig config;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (auto error = read_item(text.substr(0, comma), config)) return *error;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return *read_item(text, config);
  }
  return config;
}

struct Emulator::State {
  explicit State(EmulatorConfig c) : config(std::move(c)) {
    description.name = name_of(config);
    description.declares_counts = true;
    description.honours_schedules = true;
    description.exact_consequences = true;
    description.latitudes = declared_positions(config);
  }

  EmulatorConfig config;
  TargetDescription description;
  Chooser chooser;
  Machine machine;
  MachineSetup setup;
  std::vector<ComposedLaunch> composed;  ///< Of the launches that run at a time.
  std::vector<LaunchContext> contexts;   ///< The same.
  std::vector<MixSource> sources;
  std::vector<InstructionSource*> source_list;
  // What the present run is about.
  const Case* test_case = nullptr;
  Settings settings;
  std::optional<GmLayout> layout;
  std::vector<std::string> events;
  bool exact = false;  ///< Addresses have to be looked at core by core.

  const Mix& mix() const { return test_case->mix; }
  void run(const Case& value, const RunRequest& request, RunResult& result);
  void begin_case();
  void host_write(const LaunchPlan& plan);
  std::optional<Refusal> compose_all(std::span<const LaunchPlan> plans);
  void set_up(std::span<const LaunchPlan> plans, int number, const RunRequest& request);
  void set_up_launch(const LaunchPlan& plan, const ComposedLaunch& launch, LaunchSetup& out) const;
  void set_up_edges();
  void clear_workspaces(std::int32_t end);
  void begin_sources();
  void run_launches(const RunRequest& request, RunResult& result);
  void fill_memory();
  std::int64_t expected_steps(const ComposedLaunch& launch) const;
};

namespace {

void refuse(Refusal refusal, Outcome& outcome) {
  outcome.status = OutcomeStatus::refused;
  outcome.reason = std::move(refusal.reason);
  outcome.rule = refusal.rule;
}

/// How many blocks of a launch fit on the chip at once.
int resident_blocks(const Profile& profile, const LaunchShape& shape) {
  int fit = shape.blocks;
  if (shape.aic_count() > 0) fit = std::min(fit, profile.aic_count);
  if (shape.aiv_count() > 0) {
    fit = std::min(fit, profile.aiv_count / std::max(1, shape.aiv_count() / shape.blocks));
  }
  return std::max(fit, 1);
}

}  // namespace

std::int64_t Emulator::State::expected_steps(const ComposedLaunch& launch) const {
  std::int64_t steps = 0;  // two for each choice: half of what is issued is issued unseen
  const LaunchShape& shape = launch.shape;
  for (const SubKernelUse& use : launch.uses) {
    const SubKernel& sub = mix().sub_kernels[static_cast<std::size_t>(use.sub_kernel)];
    steps += std::int64_t{use.aic_places} * aic_cores(sub.type, sub.blocks) * 3;
    steps += std::int64_t{use.aiv_places} * aiv_cores(sub.type, sub.blocks) * 3;
  }
  const auto cores = std::int64_t{shape.aic_count()} + shape.aiv_count();
  return steps / 2 + cores * static_cast<std::int64_t>(launch.steps.size()) + 1;
}

/// GM at the start of a case, in the machine's own buffer.
void Emulator::State::fill_memory() {
  std::vector<std::uint32_t>& memory = machine.memory();
  memory.assign(static_cast<std::size_t>(layout->words), 0);
  for (std::size_t r = 0; r < mix().regions.size(); ++r) {
    std::uint32_t* words = memory.data() + layout->base[r];
    const RegionInit& init = mix().regions[r].init;
    const auto count = static_cast<std::uint32_t>(mix().regions[r].words);
    const auto given = std::min(count, static_cast<std::uint32_t>(init.values.size()));
    std::copy_n(init.values.begin(), given, words);
    for (std::uint32_t w = given; w < count; ++w) words[w] = init.first + init.step * w;
  }
}

/// GM, flags, events and actors as they are when a case begins.
void Emulator::State::begin_case() {
  fill_memory();
  if (config.code != nullptr) config.code->begin_case();
  machine.forget_counters();
  events = events_of(mix());
  const auto word = [&](std::int16_t region, std::int32_t at) {
    return static_cast<std::int32_t>(layout->base[static_cast<std::size_t>(region)]) + at;
  };
  std::vector<std::vector<ActorStep>> actors;
  for (const OutsideActor& actor : mix().outside) {
    std::vector<ActorStep>& steps = actors.emplace_back();
    for (const OutsideStep& step : actor.steps) {
      ActorStep& made = steps.emplace_back();
      made.kind = step.kind;
      if (step.kind == OutsideKind::wait || step.kind == OutsideKind::raise) {
        made.signal = event_index(events, step.event);
        continue;
      }
      made.at = word(step.region, step.at);
      made.words = step.values;
      if (step.kind != OutsideKind::copy) continue;
      made.to = word(step.to, step.to_at);
      made.words.assign(static_cast<std::size_t>(step.count), 0);
    }
  }
  machine.begin_case(static_cast<int>(events.size()), std::move(actors),
                     static_cast<std::int32_t>(layout->words));
}

void Emulator::State::host_write(const LaunchPlan& plan) {
  const PlanStep& step = test_case->plan.steps[static_cast<std::size_t>(plan.plan_step)];
  std::copy(
      step.values.begin(), step.values.end(),
      machine.memory().begin() + layout->base[static_cast<std::size_t>(step.region)] + step.at);
}

/// Composes the launches that run at a time, or says why one of them is refused.
std::optional<Refusal> Emulator::State::compose_all(std::span<const LaunchPlan> plans) {
  if (composed.size() < plans.size()) composed.resize(plans.size());
  const Profile& profile = *settings.profile;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ComposedLaunch& launch = composed[i];
    if (auto refusal = compose_into(mix(), plans[i], settings, launch)) return refusal;
    if (exact) {
      if (auto refusal = check_addresses(mix(), *layout, profile, launch)) return refusal;
    }
    const bool batch =
        plans[i].stream >= 0 &&
        test_case->plan.steps[static_cast<std::size_t>(plans[i].plan_step)].sharing ==
            CoreSharing::batch;
    if (batch && resident_blocks(profile, launch.shape) < launch.shape.blocks) {
      return Refusal{fmt::format("a batch launch of {} cube and {} vector cores; {} has {} and {}",
                                 launch.shape.aic_count(), launch.shape.aiv_count(), profile.name,
                                 profile.aic_count, profile.aiv_count),
                     RuleId::core_8};
    }
  }
  return std::nullopt;
}

void Emulator::State::set_up_launch(const LaunchPlan& plan, const ComposedLaunch& launch,
                                    LaunchSetup& out) const {
  const LaunchShape& shape = launch.shape;
  out.aic_count = shape.aic_count();
  out.aiv_count = shape.aiv_count();
  out.aiv_per_block = shape.aiv_per_block();
  out.resident_blocks = resident_blocks(*settings.profile, shape);
  out.sub_kernel = launch.uses.front().sub_kernel;
  out.stream = std::max(plan.stream, 0);
  out.all_at_once = out.keeps_cores = true;
  if (plan.stream >= 0) {
    const PlanStep& step = test_case->plan.steps[static_cast<std::size_t>(plan.plan_step)];
    const bool batch = step.sharing == CoreSharing::batch;
    out.keeps_cores = batch && settings.defect != DefectId::batch_block_by_block;
    out.all_at_once =
        batch ? out.keeps_cores : settings.latitudes.holds(latitude_pin(22, "one-stream"));
  }
  out.starts_after.clear();
  out.ends_with.clear();
  if (launch.fused) return;
  const SubKernel& sub = mix().sub_kernels[static_cast<std::size_t>(out.sub_kernel)];
  const bool dropped = settings.defect == DefectId::event_wait_dropped;
  for (const std::string& event : sub.recv) {
    if (!dropped) out.starts_after.push_back(event_index(events, event));
  }
  if (settings.defect == DefectId::notify_dropped) return;
  for (const std::string& event : sub.send) out.ends_with.push_back(event_index(events, event));
}

/// The signals of edges: those of all launches stand behind each other.
void Emulator::State::set_up_edges() {
  std::vector<std::int32_t> edges;
  for (std::size_t i = 0; i < setup.launches.size(); ++i) {
    contexts[i].first_edge = static_cast<std::int32_t>(edges.size());
    edges.insert(edges.end(), composed[i].edges.begin(), composed[i].edges.end());
    for (const ComposedLaunch::SharedEvent& shared : composed[i].shared_events) {
      machine.set_needed(shared.event, shared.cores);
    }
  }
  machine.set_edges(edges);
}

void Emulator::State::set_up(std::span<const LaunchPlan> plans, int number,
                             const RunRequest& request) {
  setup.profile = settings.profile;
  setup.latitudes = settings.latitudes;
  setup.defect = settings.defect;
  setup.queue_depth = settings.queue_depth;
  setup.launches.resize(plans.size());
  setup.gated = plans.front().stream >= 0;
  setup.keep_counters = number > 0 && !setup.gated &&
                        (settings.defect == DefectId::flags_carried_over ||
                         settings.latitudes.holds(latitude_pin(5, "kept")));
  setup.keep_lines = number > 0 && !setup.gated && settings.defect == DefectId::lines_carried_over;
  setup.expected_steps = 0;
  setup.step_limit = request.step_limit;
  contexts.resize(plans.size());
  std::int32_t end = static_cast<std::int32_t>(layout->words);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const ComposedLaunch& launch = composed[i];
    set_up_launch(plans[i], launch, setup.launches[i]);
    setup.launches[i].launch = number + static_cast<int>(i);
    if (!setup.launches[i].starts_after.empty()) setup.gated = true;
    setup.expected_steps += expected_steps(launch);
    const WorkspaceSize workspace = workspace_of(launch);
    LaunchContext& context = contexts[i];
    context = {};
    context.mix = &mix();
    context.layout = &*layout;
    context.settings = &settings;
    context.composed = &launch;
    context.launch = number + static_cast<int>(i);
    context.memory = &machine.memory();
    context.code = config.code;
    context.events = static_cast<std::int32_t>(events.size());
    context.feed_base = end;
    context.feed_words = workspace.feed_words;
    context.matmul_base = end + workspace.feed_words;
    end = context.matmul_base + workspace.matmul_words;
    context.counts.resize(launch.uses.size());
    for (std::size_t op = 0; op < launch.uses.size(); ++op) {
      context.counts[op].sub_kernel = launch.uses[op].sub_kernel;
    }
  }
  setup.gm_words = end;
  clear_workspaces(end);
  set_up_edges();
}

/// What inserted code keeps behind the mix's GM, up to `end`: zero at the start of a launch.
void Emulator::State::clear_workspaces(std::int32_t end) {
  std::vector<std::uint32_t>& memory = machine.memory();
  const auto words = static_cast<std::size_t>(end);
  if (settings.defect != DefectId::stale_workspace) {
    memory.resize(static_cast<std::size_t>(layout->words));
    memory.resize(words, 0);
    return;
  }
  // The feed records of an earlier launch stay, and nothing else.
  if (memory.size() < words) memory.resize(words, 0);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    std::fill_n(memory.begin() + contexts[i].matmul_base, workspace_of(composed[i]).matmul_words,
                0u);
  }
}

void Emulator::State::begin_sources() {
  std::size_t cores = 0;
  for (const LaunchSetup& launch : setup.launches) {
    cores += static_cast<std::size_t>(launch.aic_count + launch.aiv_count);
  }
  if (sources.size() < cores) sources.resize(cores);
  source_list.resize(cores);
  std::size_t c = 0;
  for (std::size_t i = 0; i < setup.launches.size(); ++i) {
    const LaunchSetup& launch = setup.launches[i];
    for (int index = 0; index < launch.aic_count + launch.aiv_count; ++index, ++c) {
      const bool cube = index < launch.aic_count;
      sources[c].begin(contexts[i], {cube ? CoreKind::aic : CoreKind::aiv,
                                     cube ? index : index - launch.aic_count});
      source_list[c] = &sources[c];
    }
  }
}

void Emulator::State::run_launches(const RunRequest& request, RunResult& result) {
  begin_sources();
  machine.load(setup, source_list, chooser, request.want_trace ? &result.trace : nullptr);
  const MachineStatus status = machine.run();
  Outcome& outcome = result.outcome;
  for (std::size_t c = 0; c < source_list.size(); ++c) {
    const auto& queries = sources[c].queries();
    outcome.queries.insert(outcome.queries.end(), queries.begin(), queries.end());
  }
  for (std::size_t i = 0; i < setup.launches.size(); ++i) {
    const LaunchShape& shape = composed[i].shape;
    outcome.counts.push_back(
        {shape.type, shape.blocks, composed[i].fused, std::move(contexts[i].counts)});
  }
  if (status == MachineStatus::stalled) {
    outcome.status = OutcomeStatus::stalled;
    outcome.waiting = machine.waiting();
  } else if (status == MachineStatus::error) {
    outcome.status = OutcomeStatus::error;
    outcome.reason = machine.error();
  }
}

void Emulator::State::run(const Case& value, const RunRequest& request, RunResult& result) {
  Outcome& outcome = result.outcome;
  test_case = &value;
  settings = {};
  if (auto refusal = resolve_settings(value, config, chooser.seed(), settings)) {
    return refuse(std::move(*refusal), outcome);
  }
  if (auto refusal = check_plan(value)) return refuse(std::move(*refusal), outcome);
  const std::vector<LaunchPlan> launches = launches_of(value, settings.defect);
  if (auto refusal = check_case(value, settings, launches, layout, exact)) {
    return refuse(std::move(*refusal), outcome);
  }
  // The option string is the case's: a refused one launches nothing, what comes earlier neither.
  const bool fuses_later =
      launches.size() > 1 && std::ranges::any_of(launches, [](const LaunchPlan& launch) {
        return launch.kind == StepKind::fused;
      });
  if (fuses_later) {
    Options options;
    if (auto refusal = read_options(mix(), settings, options)) {
      return refuse(std::move(*refusal), outcome);
    }
  }
  begin_case();
  int number = 0;
  for (std::size_t at = 0; at < launches.size();) {
    machine.drift(chooser, false);
    const LaunchPlan& first = launches[at];
    if (first.kind == StepKind::host_write) {
      host_write(first);
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (first.stream >= 0 && end < launches.size() &&
           launches[end].plan_step == first.plan_step) {
      ++end;
    }
    const std::span<const LaunchPlan> together(launches.data() + at, end - at);
    if (auto refusal = compose_all(together)) {
      refuse(std::move(*refusal), outcome);
      break;
    }
    set_up(together, number, request);
    run_launches(request, result);
    if (outcome.status != OutcomeStatus::completed) break;
    // Whose cores the next launch gets is open: nothing is left on them.
    if (first.stream >= 0) machine.forget_counters();
    number += static_cast<int>(end - at);
    at = end;
  }
  if (outcome.status == OutcomeStatus::completed) machine.drift(chooser, true);
  outcome.memory.assign(machine.memory().begin(), machine.memory().begin() + layout->words);
}

Emulator::Emulator(EmulatorConfig config) : state_(std::make_unique<State>(std::move(config))) {
  const std::string& name = state_->config.defect;
  SKCTS_CHECK(name.empty() || find_defect(name) != nullptr, "there is no defect '{}'", name);
}

Emulator::~Emulator() = default;

const TargetDescription& Emulator::description() const {
  return state_->description;
}

RunResult Emulator::run(const Case& test_case, const RunRequest& request) {
  RunResult result;
  state_->chooser.begin(request.strategy, request.replay);
  state_->machine.clear_steps();
  state_->run(test_case, request, result);
  result.schedule = state_->chooser.finish();
  result.replay_fitted = state_->chooser.fitted();
  result.steps = state_->machine.steps();
  return result;
}

Result<std::unique_ptr<Target>> make_emulator(EmulatorConfig config) {
  if (!config.defect.empty()) {
    auto checked = parse_emulator_config("defect=" + config.defect);
    if (!checked) return checked.error();
  }
  return std::unique_ptr<Target>(std::make_unique<Emulator>(std::move(config)));
}

}  // namespace skcts::emulator
