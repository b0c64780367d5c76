#include "reference_model/races.h"

#include <algorithm>

#include <fmt/format.h>

#include "spec/program.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

bool is_store(const Step& step) {
  return step.kind == StepKind::store || step.kind == StepKind::store_bypass;
}

}  // namespace

const Step& RaceJudge::step_at(std::int32_t flat) const {
  const std::int32_t thread = order_.thread_of(flat);
  return program_.threads[at(thread)].steps[at(flat - stall_.first_step[at(thread)])];
}

CoreId RaceJudge::core_of(std::int32_t flat) const {
  return program_.threads[at(order_.thread_of(flat))].core;
}

bool RaceJudge::is_same_core(std::int32_t flat, std::int32_t other) const {
  const Thread& one = program_.threads[at(order_.thread_of(flat))];
  const Thread& two = program_.threads[at(order_.thread_of(other))];
  return one.part == two.part && one.core == two.core;
}

bool RaceJudge::is_between_launches(const Conflict& conflict) const {
  return program_.threads[at(order_.thread_of(conflict.first))].part !=
         program_.threads[at(order_.thread_of(conflict.second))].part;
}

/// Launches side by side: what is missing is an event, or what makes a scalar access seen.
RuleId RaceJudge::rule_between_launches(const Conflict& conflict) const {
  if (conflict.hazard == Hazard::h1) return RuleId::sync_11;
  if (conflict.hazard == Hazard::h5) return RuleId::cache_8;
  if (conflict.hazard == Hazard::h3 && !shares_stored_word(conflict)) return RuleId::cache_8;
  return order_.before(conflict.first, conflict.second) ? RuleId::cache_7 : RuleId::sync_11;
}

RaceJudge::Place RaceJudge::place_of(std::int32_t flat) const {
  const std::int32_t thread = order_.thread_of(flat);
  const std::vector<Step>& steps = program_.threads[at(thread)].steps;
  const std::size_t own = at(flat - stall_.first_step[at(thread)]);
  Place place;
  place.sub_kernel = steps[own].sub_kernel;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind != StepKind::mark || step.sub_kernel != place.sub_kernel) continue;
    if (step.mark == MarkKind::head_end && i > own) place.head = true;
    if (i > own) continue;
    if (step.mark == MarkKind::tail_begin) place.tail = true;
    if (step.mark == MarkKind::tpipe_begin) ++place.tpipe;
  }
  return place;
}

RuleId RaceJudge::rule(const Conflict& found) const {
  Conflict conflict = found;
  // An access that began early (a fetch) may come first though the step itself comes later.
  if (order_.before(conflict.second, conflict.first)) {
    std::swap(conflict.first, conflict.second);
    std::swap(conflict.first_piece, conflict.second_piece);
  }
  const Place x = place_of(conflict.first);
  const Place y = place_of(conflict.second);
  const bool outside = x.sub_kernel < 0 || y.sub_kernel < 0;
  if (!outside && is_between_launches(conflict)) return rule_between_launches(conflict);
  // Who stands earlier in the launch need not come first in the order at hand.
  const bool swapped = x.sub_kernel > y.sub_kernel;
  const Place& earlier = swapped ? y : x;
  const Place& later = swapped ? x : y;
  const bool reaches_out = x.sub_kernel != y.sub_kernel && (earlier.tail || later.head);
  if (reaches_out && !order_.before(conflict.first, conflict.second)) return RuleId::task_5;
  // An outside actor works beside every launch: what is missing is an event.
  if (outside && conflict.hazard == Hazard::h1) return RuleId::sync_11;
  switch (conflict.hazard) {
    case Hazard::local: return local_rule(conflict, x, y);
    case Hazard::h1: return dma_rule(conflict, x, y);
    default: return cached_rule(conflict, x, y);
  }
}

RuleId RaceJudge::local_rule(const Conflict&, const Place& x, const Place& y) const {
  if (x.sub_kernel != y.sub_kernel) return RuleId::pipe_5;
  return x.tpipe != y.tpipe && x.tpipe >= 0 && y.tpipe >= 0 ? RuleId::pipe_2 : RuleId::pipe_6;
}

/// An uncached store that no DataSyncBarrier ends before the other access, though the steps
/// themselves are in order: what is missing is that barrier.
bool RaceJudge::is_unended_store(std::int32_t flat) const {
  return step_at(flat).kind == StepKind::store_bypass;
}

RuleId RaceJudge::dma_rule(const Conflict& conflict, const Place& x, const Place& y) const {
  if (is_unended_store(conflict.first) && order_.before(conflict.first, conflict.second)) {
    return RuleId::cache_7;
  }
  if (x.sub_kernel != y.sub_kernel) return RuleId::pipe_5;
  if (is_same_core(conflict.first, conflict.second)) return local_rule(conflict, x, y);
  if (beyond_ratio(conflict, x.sub_kernel)) return RuleId::ratio_4;
  return only_vector_barrier(conflict) ? RuleId::sync_8 : RuleId::sync_11;
}

RuleId RaceJudge::cached_rule(const Conflict& conflict, const Place& x, const Place& y) const {
  const bool in_order = order_.before(conflict.first, conflict.second);
  const bool same_core = is_same_core(conflict.first, conflict.second);
  if (x.sub_kernel != y.sub_kernel) {
    const bool is_data = step_at(conflict.first).kind == StepKind::data;
    if (!in_order && is_data) return RuleId::pipe_5;
    if (conflict.first_piece >= 0 && is_store(step_at(conflict.first)) &&
        x.sub_kernel < y.sub_kernel && left_dirty(conflict.first_piece, x.sub_kernel)) {
      return RuleId::cache_11;
    }
  }
  if (conflict.hazard == Hazard::h5) {
    return beyond_ratio(conflict, x.sub_kernel) && x.sub_kernel == y.sub_kernel ? RuleId::ratio_4
                                                                                : RuleId::cache_8;
  }
  if (conflict.hazard == Hazard::h3 && !shares_stored_word(conflict)) return RuleId::cache_8;
  if (in_order || x.sub_kernel != y.sub_kernel) return RuleId::cache_7;
  if (same_core) return RuleId::pipe_6;
  if (beyond_ratio(conflict, x.sub_kernel)) return RuleId::ratio_4;
  // No order at all: the flag is missing, unless the stores were not even sent off.
  for (const auto& [flat, piece] : {std::pair{conflict.first, conflict.first_piece},
                                    std::pair{conflict.second, conflict.second_piece}}) {
    if (piece < 0 || !is_store(step_at(flat))) continue;
    if (analysis_.pieces().pieces()[at(piece)].land_step < 0) return RuleId::cache_7;
  }
  return only_vector_barrier(conflict) ? RuleId::sync_8 : RuleId::sync_11;
}

/// Did the sub kernel of an episode's first store end (or pass its SetNextTaskStart) without the
/// refresh?
bool RaceJudge::left_dirty(std::int32_t piece, std::int32_t sub_kernel) const {
  const Piece& episode = analysis_.pieces().pieces()[at(piece)];
  if (episode.close < 0) return true;
  const Place closed = place_of(episode.close);
  return closed.sub_kernel > sub_kernel || closed.tail;
}

/// Does the DMA write of an H3 pair write a word that the episode stored?
bool RaceJudge::shares_stored_word(const Conflict& conflict) const {
  const bool first_is_episode = conflict.first_piece >= 0;
  const std::int32_t piece = first_is_episode ? conflict.first_piece : conflict.second_piece;
  const Step& write = step_at(first_is_episode ? conflict.second : conflict.first);
  const Piece& episode = analysis_.pieces().pieces()[at(piece)];
  for (std::int32_t e = episode.first_event; e >= 0; e = analysis_.pieces().events()[at(e)].next) {
    const CacheEvent& event = analysis_.pieces().events()[at(e)];
    if (event.kind != CacheEvent::Kind::store) continue;
    for (std::int32_t r = write.writes_begin; r < write.writes_end; ++r) {
      const WordRange& range = program_.ranges[at(r)];
      if (range.space == Space::gm && range.first <= event.word &&
          event.word < range.first + range.count) {
        return true;
      }
    }
  }
  return false;
}

/// RATIO-4: a vector core that the sub kernel would not have alone takes part.
bool RaceJudge::beyond_ratio(const Conflict& conflict, std::int32_t sub_kernel) const {
  const Thread& thread = program_.threads[at(order_.thread_of(conflict.first))];
  const LaunchShape& shape = program_.shape_of(thread);
  if (!shape.fused || shape.ratio != 2 || sub_kernel < 0) return false;
  const SubKernel& owner = mix_.sub_kernels[at(program_.shape.sub_kernels[at(sub_kernel)])];
  if (owner.type != KernelType::mix_aic_1_1) return false;
  for (const std::int32_t flat : {conflict.first, conflict.second}) {
    const CoreId core = core_of(flat);
    if (core.kind == CoreKind::aiv && core.index % 2 == 1) return true;
  }
  return false;
}

/// A cube access and a vector one in a sub kernel where the vector core calls SyncAll<true> and no
/// flag is even tried between the two.
bool RaceJudge::only_vector_barrier(const Conflict& conflict) const {
  const bool first_is_cube = core_of(conflict.first).kind == CoreKind::aic;
  if (first_is_cube == (core_of(conflict.second).kind == CoreKind::aic)) return false;
  const std::int32_t vector = first_is_cube ? conflict.second : conflict.first;
  const std::int32_t cube = first_is_cube ? conflict.first : conflict.second;
  const std::int32_t place = step_at(vector).sub_kernel;
  const auto any_step = [&](std::int32_t flat, auto&& wanted) {
    const std::vector<Step>& steps = program_.threads[at(order_.thread_of(flat))].steps;
    const std::size_t here = at(flat - stall_.first_step[at(order_.thread_of(flat))]);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].sub_kernel == place && wanted(steps[i], i < here)) return true;
    }
    return false;
  };
  const bool called = any_step(vector, [&](const Step& step, bool) {
    if (step.kind != StepKind::pass) return false;
    const Join& join = program_.joins[at(step.join)];
    return join.kind == JoinKind::sync_all && !join.aic;
  });
  if (!called) return false;
  const auto raises_behind = [](const Step& step, bool earlier) {
    return !earlier && step.kind == StepKind::raise;
  };
  const auto waits_before = [](const Step& step, bool earlier) {
    return earlier && step.kind == StepKind::wait;
  };
  return !(any_step(cube, raises_behind) && any_step(vector, waits_before)) &&
         !(any_step(vector, raises_behind) && any_step(cube, waits_before));
}

Access RaceJudge::access(std::int32_t flat, std::int32_t address, bool write,
                         const GmLayout& layout, std::int32_t launch) const {
  const Step& step = step_at(flat);
  const Footprint& footprint = analysis_.footprint();
  Access made;
  made.launch = program_.number_of(program_.threads[at(order_.thread_of(flat))], launch);
  made.core = core_of(flat);
  made.sub_kernel = step.sub_kernel < 0 ? -1 : program_.shape.sub_kernels[at(step.sub_kernel)];
  made.instruction = step.instruction;
  made.pipe = step.pipe;
  made.write = write;
  const std::int32_t begin = write ? step.writes_begin : step.reads_begin;
  const std::int32_t end = write ? step.writes_end : step.reads_end;
  for (std::int32_t r = begin; r < end; ++r) {
    const WordRange& range = program_.ranges[at(r)];
    const std::int32_t first = footprint.address(r);
    // The range that holds the word; for a line's conflict any of the line will do.
    if (address + 15 < first || first + range.count <= address) continue;
    const std::int32_t skip = std::max(address - first, 0);
    made.space = range.space;
    made.word = range.first + skip;
    made.words = range.count - skip;
    if (first <= address) break;
  }
  const std::int32_t actor = program_.threads[at(order_.thread_of(flat))].outside;
  std::string name = actor >= 0 ? mix_.outside[at(actor)].name : "?";
  std::string op = "step";
  if (made.sub_kernel >= 0) {
    const SubKernel& owner = mix_.sub_kernels[at(made.sub_kernel)];
    name = owner.name;
    if (made.instruction >= 0) {
      const Instruction* in = instruction_at(owner.program(made.core.kind), made.instruction);
      if (in != nullptr) op = std::string(to_string(in->op));
    }
  }
  std::string where = made.space == Space::gm
                          ? word_name(mix_, layout, made.word)
                          : fmt::format("{}[{}]", to_string(made.space), made.word);
  if (made.words > 1) {
    where.pop_back();
    const std::size_t bracket = where.find('[');
    if (bracket != std::string::npos) {
      where += fmt::format("..{}]", std::stoll(where.substr(bracket + 1)) + made.words - 1);
    }
  }
  if (actor < 0) op = skcts::to_string(made.core) + " " + op;
  made.text =
      fmt::format("{} {} {} {}", name, actor < 0 ? op : "DMA", write ? "writes" : "reads", where);
  return made;
}

std::string RaceJudge::missing_edge(const Conflict& conflict, RuleId rule) const {
  switch (rule) {
    case RuleId::task_5:
      return "what follows SetNextTaskStart or precedes WaitPreTaskEnd runs beside the other";
    case RuleId::pipe_5:
      return fmt::format(
          "nothing makes the {} work of the earlier sub kernel end before the "
          "later one starts",
          skcts::to_string(step_at(conflict.first).pipe));
    case RuleId::pipe_2: return "no PipeBarrier<PIPE_ALL> between the two TPipe objects";
    case RuleId::pipe_6: return "no event, barrier or queue between the two on this core";
    case RuleId::sync_8: return "SyncAll<true> orders vector cores only";
    case RuleId::cache_11: return "the stored line is not refreshed before its sub kernel ends";
    case RuleId::cache_8: return "the line is held dirty by one core while another writes to it";
    case RuleId::cache_7:
      return conflict.hazard == Hazard::h2 || conflict.hazard == Hazard::h6
                 ? "no refresh and barrier of the writer, or no refresh of the reader, between"
                 : "no refresh with DataSyncBarrier between the scalar access and the other";
    case RuleId::ratio_4:
      return "this vector core has no share of the work at the sub kernel's own ratio";
    default: return "no flag or barrier leads from the end of one to the start of the other";
  }
}

Race RaceJudge::describe(const Conflict& conflict, const GmLayout& layout,
                         std::int32_t launch) const {
  Race race;
  race.rule = rule(conflict);
  race.hazard = std::string(to_string(conflict.hazard));
  const auto writes = [&](std::int32_t flat) {
    const Step& step = step_at(flat);
    if (step.writes_begin == step.writes_end) return false;
    if (step.reads_begin == step.reads_end) return true;
    // A step that reads and writes: the side that meets the word.
    const Footprint& footprint = analysis_.footprint();
    for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
      const std::int32_t first = footprint.address(r);
      if (first <= conflict.address + 15 &&
          conflict.address < first + program_.ranges[at(r)].count) {
        return true;
      }
    }
    return false;
  };
  race.first = access(conflict.first, conflict.address, writes(conflict.first), layout, launch);
  race.second = access(conflict.second, conflict.address, writes(conflict.second), layout, launch);
  race.missing_edge = missing_edge(conflict, race.rule);
  race.text = fmt::format("{}; {}: {} [{}]", race.first.text, race.second.text, race.missing_edge,
                          skcts::to_string(race.rule));
  return race;
}

Race RaceJudge::describe_undefined(const Poison& read, const GmLayout& layout,
                                   std::int32_t launch) const {
  Race race;
  race.rule = RuleId::pipe_7;
  race.hazard = "local";
  race.first = access(read.step, read.first, false, layout, launch);
  race.second = race.first;
  race.missing_edge = "the sub kernel did not write this local memory before";
  race.text = fmt::format("{}: {} [PIPE-7]", race.first.text, race.missing_edge);
  return race;
}

}  // namespace skcts::model
