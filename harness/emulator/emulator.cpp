// From a case to an outcome: the launches of its plan, one after the other.
#include "harness/emulator/emulator.h"

#include <algorithm>
#include <charconv>
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

/// Takes over one item behind "emulator:"; the error, or nothing.
std::optional<Error> read_item(std::string_view item, EmulatorConfig& config) {
  constexpr std::string_view defect = "defect=";
  constexpr std::string_view positions = "positions=";
  if (item.starts_with(defect)) {
    auto name = read_defect(item.substr(defect.size()));
    if (!name) return name.error();
    config.defect = std::move(*name);
  } else if (item.starts_with(positions)) {
    auto seed = read_seed(item.substr(positions.size()));
    if (!seed) return seed.error();
    config.positions = *seed;
  } else if (item.starts_with("L-") || item.starts_with("l-")) {
    auto pin = parse_latitude_pin(item);
    if (!pin) return pin.error();
    config.latitudes.push_back(*pin);
  } else {
    return Error{.field = std::string(item),
                 .message =
                     "is nothing that the emulator takes; expected defect=NAME, "
                     "positions=SEED or a pin such as L-14=drained"};
  }
  return std::nullopt;
}

/// The target's name that gives this configuration.
std::string name_of(const EmulatorConfig& config) {
  std::string items;
  const auto add = [&](std::string item) { items += (items.empty() ? ":" : ",") + item; };
  if (!config.defect.empty()) add("defect=" + config.defect);
  if (config.positions) add(fmt::format("positions={}", *config.positions));
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
  ComposedLaunch composed;
  std::vector<MixSource> sources;
  std::vector<InstructionSource*> source_list;

  void run(const Case& test_case, const RunRequest& request, RunResult& result);
  bool launch(const Mix& mix, const GmLayout& layout, const Settings& settings,
              const LaunchPlan& plan, int number, bool exact, const RunRequest& request,
              RunResult& result);
  void carry_out(const Mix& mix, const GmLayout& layout, const Settings& settings, int number,
                 const RunRequest& request, RunResult& result);
  void fill_memory(const Mix& mix, const GmLayout& layout);
  std::int64_t expected_steps(const Mix& mix) const;
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

std::int64_t Emulator::State::expected_steps(const Mix& mix) const {
  std::int64_t steps = 0;  // two for each choice: half of what is issued is issued unseen
  const LaunchShape& shape = composed.shape;
  for (const SubKernelUse& use : composed.uses) {
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(use.sub_kernel)];
    steps += std::int64_t{use.aic_places} * aic_cores(sub.type, sub.blocks) * 3;
    steps += std::int64_t{use.aiv_places} * aiv_cores(sub.type, sub.blocks) * 3;
  }
  const auto cores = std::int64_t{shape.aic_count()} + shape.aiv_count();
  return steps / 2 + cores * static_cast<std::int64_t>(composed.steps.size()) + 1;
}

void Emulator::State::carry_out(const Mix& mix, const GmLayout& layout, const Settings& settings,
                                int number, const RunRequest& request, RunResult& result) {
  const LaunchShape& shape = composed.shape;
  const WorkspaceSize workspace = workspace_of(composed);
  LaunchContext context;
  context.mix = &mix;
  context.layout = &layout;
  context.settings = &settings;
  context.composed = &composed;
  context.launch = number;
  context.memory = &machine.memory();
  context.feed_base = static_cast<std::int32_t>(layout.words);
  context.feed_words = workspace.feed_words;
  context.matmul_base = context.feed_base + workspace.feed_words;
  context.counts.resize(composed.uses.size());
  for (std::size_t op = 0; op < composed.uses.size(); ++op) {
    context.counts[op].sub_kernel = composed.uses[op].sub_kernel;
  }
  MachineSetup setup;
  setup.profile = settings.profile;
  setup.latitudes = settings.latitudes;
  setup.aic_count = shape.aic_count();
  setup.aiv_count = shape.aiv_count();
  setup.aiv_per_block = shape.aiv_per_block();
  setup.resident_blocks = resident_blocks(*settings.profile, shape);
  setup.launch = number;
  setup.keep_counters = number > 0 && (settings.defect == DefectId::flags_carried_over ||
                                       settings.latitudes.holds(latitude_pin(5, "kept")));
  setup.gm_words = context.matmul_base + workspace.matmul_words;
  setup.expected_steps = expected_steps(mix);
  setup.step_limit = request.step_limit;
  machine.memory().resize(static_cast<std::size_t>(layout.words));
  machine.memory().resize(static_cast<std::size_t>(setup.gm_words), 0);

  const auto cores = static_cast<std::size_t>(setup.aic_count + setup.aiv_count);
  if (sources.size() < cores) sources.resize(cores);
  source_list.resize(cores);
  for (std::size_t c = 0; c < cores; ++c) {
    const auto index = static_cast<int>(c);
    const bool cube = index < setup.aic_count;
    sources[c].begin(
        context, {cube ? CoreKind::aic : CoreKind::aiv, cube ? index : index - setup.aic_count});
    source_list[c] = &sources[c];
  }
  machine.load(setup, source_list, chooser, request.want_trace ? &result.trace : nullptr);
  const MachineStatus status = machine.run();

  Outcome& outcome = result.outcome;
  for (std::size_t c = 0; c < cores; ++c) {
    const auto& queries = sources[c].queries();
    outcome.queries.insert(outcome.queries.end(), queries.begin(), queries.end());
  }
  outcome.counts.push_back({shape.type, shape.blocks, composed.fused, std::move(context.counts)});
  if (status == MachineStatus::stalled) {
    outcome.status = OutcomeStatus::stalled;
    outcome.waiting = machine.waiting();
  } else if (status == MachineStatus::error) {
    outcome.status = OutcomeStatus::error;
    outcome.reason = machine.error();
  }
}

/// GM at the start of a case, in the machine's own buffer.
void Emulator::State::fill_memory(const Mix& mix, const GmLayout& layout) {
  std::vector<std::uint32_t>& memory = machine.memory();
  memory.assign(static_cast<std::size_t>(layout.words), 0);
  for (std::size_t r = 0; r < mix.regions.size(); ++r) {
    std::uint32_t* words = memory.data() + layout.base[r];
    const RegionInit& init = mix.regions[r].init;
    const auto count = static_cast<std::uint32_t>(mix.regions[r].words);
    const auto given = std::min(count, static_cast<std::uint32_t>(init.values.size()));
    std::copy_n(init.values.begin(), given, words);
    for (std::uint32_t w = given; w < count; ++w) words[w] = init.first + init.step * w;
  }
}

/// One launch; false when the case ends with it.
bool Emulator::State::launch(const Mix& mix, const GmLayout& layout, const Settings& settings,
                             const LaunchPlan& plan, int number, bool exact,
                             const RunRequest& request, RunResult& result) {
  if (auto refusal = compose_into(mix, plan, settings, composed)) {
    refuse(std::move(*refusal), result.outcome);
    return false;
  }
  if (exact) {
    if (auto refusal = check_addresses(mix, layout, *settings.profile, composed)) {
      refuse(std::move(*refusal), result.outcome);
      return false;
    }
  }
  carry_out(mix, layout, settings, number, request, result);
  return result.outcome.status == OutcomeStatus::completed;
}

void Emulator::State::run(const Case& test_case, const RunRequest& request, RunResult& result) {
  Outcome& outcome = result.outcome;
  const Mix& mix = test_case.mix;
  Settings settings;
  if (auto refusal = resolve_settings(test_case, config, chooser.seed(), settings)) {
    return refuse(std::move(*refusal), outcome);
  }
  const std::vector<LaunchPlan> launches = launches_of(test_case);
  bool exact = false;
  std::optional<GmLayout> checked;
  if (auto refusal = check_case(test_case, settings, launches, checked, exact)) {
    return refuse(std::move(*refusal), outcome);
  }
  const GmLayout& layout = *checked;
  fill_memory(mix, layout);
  machine.forget_counters();
  int number = 0;
  for (const LaunchPlan& plan : launches) {
    if (plan.kind == StepKind::host_write) {
      const PlanStep& step = test_case.plan.steps[static_cast<std::size_t>(plan.plan_step)];
      std::copy(
          step.values.begin(), step.values.end(),
          machine.memory().begin() + layout.base[static_cast<std::size_t>(step.region)] + step.at);
      continue;
    }
    if (!launch(mix, layout, settings, plan, number++, exact, request, result)) break;
  }
  outcome.memory.assign(machine.memory().begin(), machine.memory().begin() + layout.words);
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
