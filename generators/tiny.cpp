#include "generators/tiny.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "generators/edit.h"
#include "generators/random.h"
#include "generators/tiny_groups.h"
#include "spec/validate.h"

namespace skcts::generators {

namespace {

constexpr std::array<std::string_view, std::size(all_tiny_groups)> group_names{
    "dma",         "scalar", "bypass", "events",      "flags",     "sync-all", "soft-barrier", "ib",
    "early-start", "queues", "matmul", "atomic-adds", "placement", "polls",    "plans",
};

/// Draws again when an edit has left something invalid.
constexpr int max_attempts = 32;
/// From here on the edits are left out; what the groups write is valid.
constexpr int attempts_with_edits = 24;
/// Instructions that all sub kernels may have together.
constexpr int most_instructions = 26;

void write_group(TinyBuilder& b, TinyGroup group) {
  switch (group) {
    case TinyGroup::dma: return write_dma(b);
    case TinyGroup::scalar: return write_scalar(b);
    case TinyGroup::bypass: return write_bypass(b);
    case TinyGroup::events: return write_events(b);
    case TinyGroup::flags: return write_flags(b);
    case TinyGroup::sync_all: return write_sync_all(b);
    case TinyGroup::soft_barrier: return write_soft_barrier(b);
    case TinyGroup::ib: return write_ib(b);
    case TinyGroup::early_start: return write_early_start(b);
    case TinyGroup::queues: return write_queues(b);
    case TinyGroup::matmul: return write_matmul(b);
    case TinyGroup::atomic_adds: return write_atomic_adds(b);
    case TinyGroup::placement: return write_placement(b);
    case TinyGroup::polls: return write_polls(b);
    case TinyGroup::plans: return write_plans(b);
  }
}

/// A program of the mix with something in it, drawn by length.
std::vector<Instruction>* draw_program(Choice& choice, Mix& mix) {
  int count = 0;
  for (const SubKernel& sub : mix.sub_kernels) {
    count += static_cast<int>(sub.aic.size() + sub.aiv.size());
  }
  if (count == 0) return nullptr;
  int at = choice.below(count);
  for (SubKernel& sub : mix.sub_kernels) {
    for (std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
      at -= static_cast<int>(program->size());
      if (at < 0) return program;
    }
  }
  return nullptr;
}

void retarget(Choice& choice, Instruction& in) {
  if (in.op == Op::cross_core_set_flag) {
    if (choice.chance(50)) {
      in.pipe = Pipe::mte2;
    } else {
      in.id += 1;
    }
  } else if (in.op == Op::set_flag || in.op == Op::wait_flag) {
    in.id += choice.chance(50) ? 1 : 8;
  } else if (in.op == Op::pipe_barrier) {
    in.pipe = choice.chance(50) ? Pipe::all : Pipe::mte2;
  } else if (in.op == Op::dsb) {
    in.dsb = Dsb::ub;
  }
}

/// Nothing in half of the mixes, else one small change.
void edit(Choice& choice, Mix& mix) {
  constexpr int weights[] = {55, 25, 9, 5, 6};
  const int kind = choice.weighted(weights);
  std::vector<Instruction>* const program = draw_program(choice, mix);
  if (kind == 0 || program == nullptr) return;
  const int size = static_cast<int>(program->size());
  const auto at = static_cast<std::ptrdiff_t>(choice.below(size));
  switch (kind) {
    case 1: program->erase(program->begin() + at); return;
    case 2:
      if (at + 1 < size)
        std::swap((*program)[static_cast<std::size_t>(at)],
                  (*program)[static_cast<std::size_t>(at + 1)]);
      return;
    case 3: {
      const Instruction again = (*program)[static_cast<std::size_t>(at)];
      program->insert(program->begin() + at, again);
      return;
    }
    default: return retarget(choice, (*program)[static_cast<std::size_t>(at)]);
  }
}

/// What a core sees of itself may differ from launch to launch.
void ask(Choice& choice, Mix& mix) {
  constexpr Op queries[] = {Op::get_block_num, Op::get_block_idx, Op::get_sub_block_idx,
                            Op::get_task_ratio};
  std::vector<Instruction>* const program = draw_program(choice, mix);
  if (program == nullptr) return;
  Instruction in;
  in.op = choice.pick(queries);
  program->insert(program->begin(), in);
}

/// Holding a latitude keeps the number of states small, and asks every engine to honour it.
void pin_latitudes(Choice& choice, Case& out) {
  if (choice.chance(80)) out.latitudes.emplace_back("L-30=whole-blocks");
  if (choice.chance(75)) out.latitudes.emplace_back("L-36=own-accesses");
  if (choice.chance(15)) {
    constexpr std::string_view some[] = {"L-14=drained",  "L-8=program-order", "L-35=depth-1",
                                         "L-1=in-turn",   "L-25=at-once",      "L-24=never",
                                         "L-2=both-kinds"};
    out.latitudes.emplace_back(choice.pick(some));
  }
}

void drop_unused(Mix& mix, Plan& plan) {
  std::vector<bool> used(mix.regions.size(), false);
  for (const PlanStep& step : plan.steps) {
    if (step.region >= 0) used[static_cast<std::size_t>(step.region)] = true;
  }
  for (SubKernel& sub : mix.sub_kernels) {
    renumber_names(sub);
    drop_unused_tensors(sub);
  }
  const std::vector<std::int16_t> place = drop_unused_regions(mix, used);
  for (PlanStep& step : plan.steps) {
    if (step.region >= 0) step.region = place[static_cast<std::size_t>(step.region)];
  }
}

int instructions_of(const Mix& mix) {
  int count = 0;
  for (const SubKernel& sub : mix.sub_kernels) {
    count += static_cast<int>(sub.aic.size() + sub.aiv.size());
  }
  return count;
}

Case draw(std::uint64_t seed, TinyGroup group, bool with_edit) {
  Choice choice(seed);
  Case out;
  out.profile = "tiny";
  TinyBuilder b(choice, out);
  write_group(b, group);
  if (with_edit) edit(choice, out.mix);
  if (choice.chance(6)) ask(choice, out.mix);
  if (group != TinyGroup::plans && choice.chance(5)) {
    PlanStep step;
    step.kind = StepKind::alone;
    for (std::size_t k = 0; k < out.mix.sub_kernels.size(); ++k) {
      step.sub_kernels.push_back(static_cast<std::int32_t>(k));
    }
    out.plan.steps.push_back(std::move(step));
  }
  pin_latitudes(choice, out);
  drop_unused(out.mix, out.plan);
  return out;
}

}  // namespace

std::string_view to_string(TinyGroup group) {
  return group_names[static_cast<std::size_t>(group)];
}

std::optional<TinyGroup> find_tiny_group(std::string_view name) {
  for (const TinyGroup group : all_tiny_groups) {
    if (to_string(group) == name) return group;
  }
  return std::nullopt;
}

Case tiny_mix(std::uint64_t seed, std::uint64_t index, TinyGroup group) {
  const std::uint64_t base =
      mix_hash(case_hash(seed, index), 0x7469'6e79 + static_cast<std::uint64_t>(group));
  Case out;
  for (int attempt = 0;; ++attempt) {
    SKCTS_CHECK(attempt < max_attempts, "no valid tiny mix: seed {}, index {}, {}", seed, index,
                to_string(group));
    out = draw(mix_hash(base, static_cast<std::uint64_t>(attempt)), group,
               attempt < attempts_with_edits);
    if (instructions_of(out.mix) > most_instructions) continue;
    if (validate(out).empty()) break;
  }
  Provenance from;
  from.source = "generated";
  from.seed = seed;
  from.index = index;
  out.provenance = std::move(from);
  out.name = fmt::format("tiny-{}-{}-{}", to_string(group), seed, index);
  return out;
}

std::vector<LatitudePin> drawn_positions(std::uint64_t seed, std::uint64_t number) {
  std::vector<LatitudePin> drawn;
  if (number == 0) return drawn;
  Choice choice(mix_hash(case_hash(seed, 0x6c61'7469), number));
  for (const Latitude& each : latitudes()) {
    // The end of a SuperKernel (L-37) is open on the 950 only.
    if (each.kind != LatitudeClass::fixed || each.id == 37) continue;
    const int count = static_cast<int>(each.positions().size());
    const int position = choice.chance(75) ? 0 : choice.below(count);
    drawn.push_back({each.id, static_cast<std::uint8_t>(position)});
  }
  return drawn;
}

}  // namespace skcts::generators
