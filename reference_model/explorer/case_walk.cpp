// Positions are walked one after the other: outcomes are those of all of them.
#include "reference_model/explorer/case_walk.h"

#include <algorithm>
#include <array>

#include "spec/profile.h"

namespace skcts::explorer {

namespace {

/// The most elements that can stand in a queue of the core behind a wait, the wait included.
int longest_wait(const CoreProgram& core) {
  std::array<int, pipe_count> length{};
  for (const Entry& entry : core.entries) {
    int& own = length[static_cast<std::size_t>(entry.pipe)];
    if (own > 0 || entry.kind == EntryKind::event_wait) ++own;
  }
  return *std::ranges::max_element(length);
}

}  // namespace

CaseWalk::CaseWalk(const Case& value, const Options& options, Tally& tally, Findings& findings)
    : case_(value),
      options_(options),
      tally_(tally),
      findings_(findings),
      plan_(effective_plan(value.mix, value.plan)),
      parts_(parts_of(value.mix, plan_)),
      layout_(layout_of(value.mix)),
      gm_claim_(tally.budget),
      events_(events_of(value.mix)),
      programs_claim_(tally.budget) {}

bool CaseWalk::run() {
  profile_ = find_profile(case_.profile);
  if (profile_ == nullptr) return unsupported("no such profile");
  if (std::string what = unsupported_in(case_, *profile_); !what.empty()) {
    return unsupported(std::move(what));
  }
  const bool outside = !events_.empty() || !case_.mix.outside.empty();
  if (options_.recording && outside) return unsupported("not supported: a recording with events");
  for (const LatitudePin& pin : profile_->settled) pinned_[pin.id] = pin.position;
  for (const std::string& text : case_.latitudes) {
    const Result<LatitudePin> pin = parse_latitude_pin(text);
    if (!pin.ok()) return unsupported(fmt::format("latitude pin {}", text));
    pinned_[pin->id] = pin->position;
  }
  for (const LatitudePin& pin : options_.pins) pinned_[pin.id] = pin.position;
  piece_words_ = options_.piece_words;
  if (piece_words_ <= 0) piece_words_ = pinned(latitude_pin(30, "whole-blocks")) ? 8 : 1;
  const auto gm_words = static_cast<std::uint64_t>(layout_.words);
  if (!gm_claim_.add(2 * gm_words * sizeof(std::uint32_t))) return false;
  gm_.initial = initial_memory(case_.mix, layout_);
  LatitudeAssignment at;
  for (const auto& [id, position] : pinned_) at.set({id, position});
  std::vector<LatitudeId> questions;
  for (const LatitudeId id : questions_of(case_, parts_, *profile_)) {
    if (!pinned_.contains(id)) questions.push_back(id);
  }
  return each_position(questions, 0, at);
}

bool CaseWalk::each_position(const std::vector<LatitudeId>& questions, std::size_t next,
                             LatitudeAssignment at) {
  if (next == questions.size()) return borders(at);
  const LatitudeId id = questions[next];
  for (std::uint8_t p = 0; p < latitude(id).positions().size(); ++p) {
    at.set({id, p});
    if (!each_position(questions, next + 1, at)) return false;
  }
  return true;
}

/// Whether a boundary stands behind the last sub kernel of a launch is up to the composer. What the
/// end of a sub kernel promises to an event is the same with it and without.
bool CaseWalk::borders(const LatitudeAssignment& at) {
  border_behind_ = false;
  if (!compose(at)) return false;
  border_behind_ = border_shows();
  return !border_behind_ || compose(at);
}

bool CaseWalk::border_shows() const {
  const auto kernel = [&](std::int32_t k) -> const SubKernel& {
    return case_.mix.sub_kernels[static_cast<std::size_t>(k)];
  };
  return std::ranges::any_of(parts_, [&](const Part& part) {
    if (!part.fused || part.sub_kernels.empty()) return false;
    if (kernel(part.sub_kernels.back()).send.empty()) return false;
    return std::ranges::any_of(part.sub_kernels,
                               [&](std::int32_t k) { return uses_full_core(kernel(k)); });
  });
}

/// Composes the plan and walks it; where an event is waited for before its set is issued, also at
/// the positions of L-2 and L-35 that can hold a core up there.
bool CaseWalk::compose(const LatitudeAssignment& at) {
  if (!compose_plan(at) || !walk_depths()) return false;
  if (!wait_first_ || pinned_.contains(2)) return true;
  LatitudeAssignment both = at;
  both.set(latitude_pin(2, "both-kinds"));
  return compose_plan(both) && walk_depths();
}

bool CaseWalk::walk_depths() {
  // Two that lie next to each other for one depth: what waits at the head may take a place or
  // not. (What has started ends without the core's help: whether it takes one holds nobody up
  // for good.)
  std::vector<int> depths;
  const auto pin = pinned_.find(35);
  if (!wait_first_) {
    depths = {0};
  } else if (pin == pinned_.end()) {
    for (int depth = 0; depth < longest_wait_; ++depth) depths.push_back(depth);
  } else if (pin->second == latitude_pin(35, "unbounded").position) {
    depths = {0};
  } else {
    const int named =
        pin->second == latitude_pin(35, "depth-1").position ? 1 : profile_->pipe_queue_depth;
    for (const int depth : {named, named + 1}) {
      depths.push_back(depth < longest_wait_ ? depth : 0);
    }
    if (depths[0] == depths[1]) depths.pop_back();
  }
  for (const int depth : depths) {
    if (!walk_plan(depth)) return false;
  }
  return true;
}

bool CaseWalk::compose_plan(const LatitudeAssignment& at) {
  programs_.clear();
  programs_claim_.clear();
  Settings settings{.mix = &case_.mix,
                    .layout = &layout_,
                    .profile = profile_,
                    .at = at,
                    .border_behind = border_behind_,
                    .may_drain = !pinned_.contains(14),
                    .piece_words = piece_words_,
                    .claim = &programs_claim_,
                    .recording = options_.recording ? &*options_.recording : nullptr,
                    .events = &events_};
  wait_first_ = false;
  longest_wait_ = 1;
  int launch = 0;
  for (const Part& part : parts_) {
    if (part.host != nullptr) {
      programs_.emplace_back();
    } else if (!compose_part(settings, part, part.pause ? launch : launch++)) {
      return false;
    }
  }
  return written_words();
}

bool CaseWalk::compose_part(const Settings& settings, const Part& part, int launch) {
  if (part.pause) {
    programs_.emplace_back();
    programs_.back().launch = launch;
    programs_.back().fused = false;
  } else {
    programs_.push_back(part.fused ? compose_fused(settings, part.sub_kernels, launch)
                                   : compose_alone(settings, part.sub_kernels[0], launch));
  }
  for (CoreProgram& actor : outside_programs(settings)) {
    programs_.back().cores.push_back(std::move(actor));
  }
  if (!tally_.budget.within()) return false;
  const LaunchProgram& made = programs_.back();
  if (!made.not_understood.empty()) {
    return unsupported(fmt::format("the step '{}' is not understood", made.not_understood));
  }
  for (const CoreProgram& core : made.cores) {
    wait_first_ = wait_first_ || core.wait_first;
    longest_wait_ = std::max(longest_wait_, longest_wait(core));
  }
  return true;
}

bool CaseWalk::walk_plan(int depth) {
  PlanWalk walk(parts_, programs_, layout_, gm_, pinned_, tally_, findings_);
  return walk.run(freedom(depth));
}

/// GM words that some launch or the host writes. False: there is no room for them.
bool CaseWalk::written_words() {
  std::vector<bool> written(static_cast<std::size_t>(layout_.words), false);
  const auto note = [&](Address a) {
    if (is_gm(a)) written[static_cast<std::size_t>(a)] = true;
  };
  for (const LaunchProgram& program : programs_) {
    for (const CoreProgram& core : program.cores) {
      for (const Entry& entry : core.entries) {
        for (const Piece& piece : entry.pieces) std::ranges::for_each(piece.dst, note);
      }
      for (const Step& step : core.steps) {
        const bool writes = step.kind == MicroKind::store || step.kind == MicroKind::bypass_store ||
                            step.kind == MicroKind::store_direct;
        if (writes) note(step.address);
      }
    }
  }
  for (const Part& part : parts_) {
    if (part.host == nullptr) continue;
    const std::int64_t base = layout_.base[static_cast<std::size_t>(part.host->region)];
    for (std::size_t j = 0; j < part.host->values.size(); ++j) {
      note(base + part.host->at + static_cast<std::int64_t>(j));
    }
  }
  const auto count = static_cast<std::size_t>(std::ranges::count(written, true));
  tally_.budget.work(written.size() / 64);
  // Fronts have these words before any machine says whether it has places for them.
  if (!programs_claim_.add(count * (sizeof(std::int64_t) + sizeof(Word)))) return false;
  gm_.events = events_.size();
  gm_.words.clear();
  gm_.words.reserve(count);
  for (std::size_t w = 0; w < written.size(); ++w) {
    if (written[w]) gm_.words.push_back(static_cast<std::int64_t>(w));
  }
  return true;
}

Freedom CaseWalk::freedom(int depth) const {
  Freedom made;
  made.write_backs = !pinned(latitude_pin(23, "at-refresh"));
  made.drops = !pinned(latitude_pin(24, "never"));
  made.prefetches = !pinned(latitude_pin(36, "own-accesses"));
  made.lands_at_once = pinned(latitude_pin(25, "at-once"));
  made.delays = !pinned(latitude_pin(8, "program-order"));
  if (const auto pin = pinned_.find(15); pin != pinned_.end())
    made.unequal_slots = 1U << pin->second;
  made.queue_depth = depth;
  if (const auto pin = pinned_.find(4); pin != pinned_.end()) made.double_set = 1U << pin->second;
  if (const auto pin = pinned_.find(9); pin != pinned_.end()) made.overflow = 1U << pin->second;
  return made;
}

}  // namespace skcts::explorer
