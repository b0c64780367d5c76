// The exhaustive explorer: how it works, why it may be trusted, where it stops.
//
// How it works. Each launch of a case is composed (compose, builder) into a mechanism: for every
// core a straight line of scalar steps and, for every pipe, the queue of what they issue. Full-core
// synchronisation is flags 11 to 14 with guards and complement calls, SyncAll and TQue are raises
// and events, refreshes stand where an object's line markers put them, idle cores replay feed
// records. There is no edge and no rule in it. The machine (machine) gives each word, counter,
// cache line and queue some bits of a packed state. Its steps are: the next step of a scalar unit;
// the element at the head of a pipe's queue; one piece of a DMA or compute that has started; the
// landing of a refresh or of a store past the cache; the arrival of a raise; and the moves of the
// environment: write-back of a dirty line, drop of a clean one, fetch in advance. The search walks
// all states from the start; an end is a state without a step of progress.
//
// Merges, in both modes, that lose nothing:
// - A data instruction starts when everything before it in its queue has started or passed, and a
//   barrier passes when the pipe is at rest: neither can be seen, and both only allow more.
// - An instruction reads and writes in pieces (one word; 32 bytes at L-30 whole-blocks). A piece
//   reads at one instant of its interval and writes at a later one, so that two may swap. Where
//   nobody else writes what it reads, or nobody else touches what it writes, one instant is enough:
//   the read can be put off to the write, or the write drawn to the read.
// - A set or a raise is queued in its pipe, fires when all pieces before it are done, and holds up
//   nothing behind it. It fires at once when it can: counters and flags only rise by it, a wait
//   takes whichever raise is there, so that delay and overtaking (L-8) are seen by nobody but a
//   counter that would pass 15. Where the raises that feed a counter can be more than 15 in a
//   launch, each arrives by a step of its own.
// - An event flag counts the sets not yet waited for. A second set with no wait issued between
//   (L-4) is known when the core's steps are laid out and asks its question when it is issued; at
//   "hang" the scalar unit stops and what was issued goes on.
// - Local words that nobody reads have no place; those read before they were written are 0.
// - Unbounded queues and L-2 own-kind show all that the other positions show, except a stall where
//   an event is waited for before its set is issued: then L-2 is walked at each position and L-35
//   at every depth up to the longest queue behind a wait (one depth for all queues; deeper ones
//   are never full for good). Only what waits fills a queue for good, so that it does not matter
//   whether what has started still takes a place.
// - L-19 and L-34 add refreshes; write-backs and drops at any moment do the same without them.
//   L-28 permutes adds, which commute. A DMA within one instruction may overlap in any order (L-1).
//
// Latitudes. Fixed ones that shape the composition (L-3, 6, 10, 11, 12, 13, 21, 31, 38, 39) are
// walked at each position if the case asks them; L-4, L-9 and L-15 are settled by the first state
// that meets them and kept in it, over launches too; L-5 forks where a launch leaves counters and
// another follows. A pin, of the caller, the case or the profile, leaves one position.
//
// A composition that somebody else made (Options::recording) can stand in place of the explorer's
// own: the boundaries, guards and feeding of a launch are then what was recorded, step by step.
//
// Reduction. stubborn.h says what is taken and why nothing is lost. It is held against plain
// enumeration on random cases (reduction_test) and against counts that were argued by hand
// (litmus_test). With it, steps that are enough alone are taken at once and their states not kept.
// Plain enumeration remembers steps (known_steps): what a step does depends on the core's own part
// of the state and at most on memory or flags, so that it is worked out once for each combination.
//
// Where it stops: the aclgraph path; more than 250 cores; the limits. An opaque Compute with
// several written pieces reads everything at one instant, and so does a poll of the soft SyncAll
// (one element after the other could sum what never stood there together). IBSet, IBWait and the
// soft SyncAll write the first word of their slots; in their scratch stand undefined words from the
// call on. Where slots differ at the start, or others than a barrier's own cores write them, an
// early release (L-15) may come at any time, and need not come before all are there. A Matmul
// server takes one request at a time and ends with its clients. debug-sync-all's barrier lands no
// refresh (the boundary after it does). Where an event is waited for early, L-2 is walked with all
// barriers of one kind, not one by one. Where a raise finds a full counter and the machine hangs
// (L-9), the raising core stops and is named as waiting; the others go on.
#include "reference_model/explorer/explorer.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "reference_model/explorer/compose.h"
#include "reference_model/explorer/machine.h"
#include "reference_model/explorer/search.h"
#include "spec/check.h"
#include "spec/profile.h"

namespace skcts::explorer {

bool before(const Outcome& a, const Outcome& b) {
  const auto key = [](const Outcome& o) {
    return std::tuple(o.status, o.rule.has_value() ? static_cast<int>(*o.rule) : -1);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  const auto waits = [](const Waiting& x, const Waiting& y) {
    return std::tie(x.core, x.launch, x.sub_kernel, x.instruction, x.kind, x.id) <
           std::tie(y.core, y.launch, y.sub_kernel, y.instruction, y.kind, y.id);
  };
  if (a.waiting != b.waiting)
    return std::ranges::lexicographical_compare(a.waiting, b.waiting, waits);
  if (a.memory != b.memory) return a.memory < b.memory;
  return a.queries < b.queries;
}

namespace {

using Front = std::vector<Word>;

/// One launch of a plan, or words written by the host.
struct Part {
  const PlanStep* host = nullptr;
  bool fused = true;
  std::vector<std::int32_t> sub_kernels;
};

std::vector<Part> parts_of(const Plan& plan) {
  std::vector<Part> parts;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::host_write) {
      parts.push_back({&step, false, {}});
    } else if (step.kind == StepKind::fused) {
      if (!step.sub_kernels.empty()) parts.push_back({nullptr, true, step.sub_kernels});
    } else {
      for (const std::int32_t k : step.sub_kernels) parts.push_back({nullptr, false, {k}});
    }
  }
  return parts;
}

/// The most elements that can stand in a queue of the core behind a wait, the wait included.
int longest_wait(const CoreProgram& core) {
  std::array<int, pipe_count> length{};
  for (const Entry& entry : core.entries) {
    int& own = length[static_cast<std::size_t>(entry.pipe)];
    if (own > 0 || entry.kind == EntryKind::event_wait) ++own;
  }
  return *std::ranges::max_element(length);
}

class Explorer {
 public:
  Explorer(const Case& value, const Options& options, Tally& tally,
           const std::function<bool(const Outcome&)>* wanted)
      : case_(value), tally_(tally), wanted_(wanted), plan_(effective_plan(value.mix, value.plan)) {
    layout_ = layout_of(value.mix);
    gm_.initial = initial_memory(value.mix, layout_);
    piece_words_ = options.piece_words;
    pins_ = options.pins;
    recording_ = options.recording;
  }

  /// False: not supported; then tally.why.
  bool run() {
    profile_ = find_profile(case_.profile);
    if (profile_ == nullptr) return stop("no such profile");
    if (case_.path != "ge") return stop(fmt::format("path {} is not supported", case_.path));
    for (const LatitudePin& pin : profile_->settled) pinned_[pin.id] = pin.position;
    for (const std::string& text : case_.latitudes) {
      const Result<LatitudePin> pin = parse_latitude_pin(text);
      if (!pin.ok()) return stop(fmt::format("latitude pin {}", text));
      pinned_[pin->id] = pin->position;
    }
    for (const LatitudePin& pin : pins_) pinned_[pin.id] = pin.position;
    if (piece_words_ <= 0) piece_words_ = pinned(latitude_pin(30, "whole-blocks")) ? 8 : 1;
    parts_ = parts_of(plan_);
    LatitudeAssignment at;
    for (const auto& [id, position] : pinned_) at.set({id, position});
    std::vector<LatitudeId> questions;
    for (const LatitudeId id : questions_of(case_, *profile_)) {
      if (!pinned_.contains(id)) questions.push_back(id);
    }
    return each_position(questions, 0, at);
  }

  std::set<Outcome, OutcomeOrder> outcomes;
  std::optional<Witness> witness;

 private:
  bool stop(std::string why) {
    tally_.why = std::move(why);
    return false;
  }

  bool each_position(const std::vector<LatitudeId>& questions, std::size_t next,
                     LatitudeAssignment at) {
    if (next == questions.size()) return compose(at);
    const LatitudeId id = questions[next];
    for (std::uint8_t p = 0; p < latitude(id).positions().size(); ++p) {
      at.set({id, p});
      if (!each_position(questions, next + 1, at)) return false;
    }
    return true;
  }

  /// Composes the plan and walks it; where an event is waited for before its set is issued, also at
  /// the positions of L-2 and L-35 that can hold a core up there.
  bool compose(const LatitudeAssignment& at) {
    if (!compose_plan(at) || !walk_depths()) return false;
    if (!wait_first_ || pinned_.contains(2)) return true;
    LatitudeAssignment both = at;
    both.set(latitude_pin(2, "both-kinds"));
    return compose_plan(both) && walk_depths();
  }

  bool walk_depths() {
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

  bool compose_plan(const LatitudeAssignment& at) {
    const Settings settings{&case_.mix, &layout_,     profile_,
                            at,         piece_words_, recording_ ? &*recording_ : nullptr};
    programs_.clear();
    wait_first_ = false;
    longest_wait_ = 1;
    int launch = 0;
    for (const Part& part : parts_) {
      if (part.host != nullptr) {
        programs_.emplace_back();
        continue;
      }
      programs_.push_back(part.fused ? compose_fused(settings, part.sub_kernels, launch)
                                     : compose_alone(settings, part.sub_kernels[0], launch));
      ++launch;
      const std::string& step = programs_.back().not_understood;
      if (!step.empty()) return stop(fmt::format("the step '{}' is not understood", step));
      for (const CoreProgram& core : programs_.back().cores) {
        wait_first_ = wait_first_ || core.wait_first;
        longest_wait_ = std::max(longest_wait_, longest_wait(core));
      }
      if (programs_.back().cores.size() > 250) return stop("more than 250 cores");
    }
    written_words();
    return true;
  }

  bool walk_plan(int depth) {
    Front front(gm_.state_words(), 0);
    for (std::size_t w = 0; w < gm_.words.size(); ++w) {
      front[GmWords::first + w] = gm_.initial[static_cast<std::size_t>(gm_.words[w])];
    }
    return walk(0, {front}, {}, {}, freedom(depth), {});
  }

  /// GM words that some launch or the host writes.
  void written_words() {
    std::set<std::int64_t> words;
    for (const LaunchProgram& program : programs_) {
      for (const CoreProgram& core : program.cores) {
        for (const Entry& entry : core.entries) {
          for (const Piece& piece : entry.pieces) {
            for (const Address a : piece.dst) {
              if (is_gm(a)) words.insert(a);
            }
          }
        }
        for (const Step& step : core.steps) {
          const bool writes = step.kind == MicroKind::store ||
                              step.kind == MicroKind::bypass_store ||
                              step.kind == MicroKind::store_direct;
          if (writes) words.insert(step.address);
        }
      }
    }
    for (const Part& part : parts_) {
      if (part.host == nullptr) continue;
      const std::int64_t base = layout_.base[static_cast<std::size_t>(part.host->region)];
      for (std::size_t j = 0; j < part.host->values.size(); ++j) {
        words.insert(base + part.host->at + static_cast<std::int64_t>(j));
      }
    }
    gm_.words.assign(words.begin(), words.end());
  }

  bool pinned(LatitudePin pin) const {
    const auto found = pinned_.find(pin.id);
    return found != pinned_.end() && found->second == pin.position;
  }

  Freedom freedom(int depth) const {
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

  std::vector<std::uint32_t> memory_of(const Word* front) const {
    std::vector<std::uint32_t> memory = gm_.initial;
    for (std::size_t w = 0; w < gm_.words.size(); ++w) {
      memory[static_cast<std::size_t>(gm_.words[w])] = front[GmWords::first + w];
    }
    return memory;
  }

  /// False: the walk is over (found).
  bool record(Outcome outcome, const std::function<std::vector<std::string>()>& steps) {
    if (outcomes.contains(outcome)) return true;
    if (wanted_ != nullptr && (*wanted_)(outcome)) {
      witness = Witness{steps(), outcome};
      return false;
    }
    outcomes.insert(std::move(outcome));
    return true;
  }

  /// Parts from `next` on, from these fronts; `leads` are the steps that led to each (traced).
  bool walk(std::size_t next, std::vector<Front> fronts,
            std::vector<std::vector<std::string>> leads, std::vector<Residue> residue,
            Freedom freedom, std::vector<QueryRecord> queries) {
    leads.resize(fronts.size());
    if (next == parts_.size()) {
      for (std::size_t f = 0; f < fronts.size(); ++f) {
        Outcome outcome;
        outcome.memory = memory_of(fronts[f].data());
        outcome.queries = queries;
        if (!record(std::move(outcome), [&] { return leads[f]; })) return false;
      }
      return true;
    }
    const Part& part = parts_[next];
    if (part.host != nullptr) {
      host(*part.host, fronts);
      return walk(next + 1, std::move(fronts), std::move(leads), std::move(residue), freedom,
                  std::move(queries));
    }
    const LaunchProgram& program = programs_[next];
    if (program.refused) {
      Outcome outcome;
      outcome.status = OutcomeStatus::refused;
      outcome.rule = program.refused_rule;
      outcome.reason = program.reason;
      return record(std::move(outcome), [&] { return leads.front(); });
    }
    // L-5: what earlier launches left in the counters.
    if (!residue.empty()) {
      const auto pin = pinned_.find(5);
      if (pin == pinned_.end()) {
        if (!launch(next, fronts, leads, {}, freedom, queries)) return false;
      } else if (pin->second == 0) {
        residue.clear();
      }
    }
    return launch(next, fronts, leads, residue, freedom, queries);
  }

  bool launch(std::size_t next, const std::vector<Front>& fronts,
              const std::vector<std::vector<std::string>>& leads,
              const std::vector<Residue>& residue, Freedom freedom,
              const std::vector<QueryRecord>& queries) {
    const LaunchProgram& program = programs_[next];
    freedom.lost_at_end = program.fused && pinned(latitude_pin(37, "lost"));
    Machine machine(program, gm_, freedom, residue);
    Search search(machine, gm_.state_words(), tally_);
    for (const Front& front : fronts) search.start(front.data());
    const auto lead = [&](std::uint32_t state) {
      std::uint32_t start = 0;
      std::vector<std::string> steps = search.steps_to(state, start);
      std::vector<std::string> all = leads[start];
      all.insert(all.end(), steps.begin(), steps.end());
      return all;
    };
    const auto on_stall = [&](const Word* s, std::uint32_t state) {
      Outcome outcome;
      outcome.status = OutcomeStatus::stalled;
      outcome.waiting = machine.waiting(s);
      outcome.memory = memory_of(s);
      outcome.queries = queries;
      for (const QueryRecord& record : machine.queries(s)) outcome.queries.push_back(record);
      return record(std::move(outcome), [&] { return lead(state); });
    };
    const auto on_error = [&](RuleId rule, std::uint32_t state) {
      Outcome outcome;
      outcome.status = OutcomeStatus::error;
      outcome.rule = rule;
      outcome.reason = std::string(to_string(rule));
      return record(std::move(outcome), [&] { return lead(state); });
    };
    if (!search.run(on_stall, on_error)) return false;
    std::vector<Front> ends;
    std::vector<std::vector<std::string>> end_leads;
    for (std::size_t f = 0; f < search.finals().size(); ++f) {
      const Word* const front = search.finals()[f];
      ends.emplace_back(front, front + gm_.state_words());
      if (tally_.traced) end_leads.push_back(lead(search.final_state(f)));
    }
    if (ends.empty()) return true;
    std::vector<QueryRecord> logged = queries;
    for (const QueryRecord& record : machine.all_queries()) logged.push_back(record);
    return walk(next + 1, std::move(ends), std::move(end_leads), machine.residue(), freedom,
                std::move(logged));
  }

  void host(const PlanStep& step, std::vector<Front>& fronts) const {
    const std::int64_t base = layout_.base[static_cast<std::size_t>(step.region)];
    for (Front& front : fronts) {
      for (std::size_t j = 0; j < step.values.size(); ++j) {
        const int at = gm_.find(base + step.at + static_cast<std::int64_t>(j));
        front[static_cast<std::size_t>(at)] = step.values[j];
      }
    }
  }

  const Case& case_;
  Tally& tally_;
  const std::function<bool(const Outcome&)>* wanted_;
  Plan plan_;
  GmLayout layout_;
  GmWords gm_;
  int piece_words_ = 8;
  std::vector<LatitudePin> pins_;
  std::optional<Recording> recording_;
  std::map<LatitudeId, std::uint8_t> pinned_;
  const Profile* profile_ = nullptr;
  std::vector<Part> parts_;
  std::vector<LaunchProgram> programs_;
  int longest_wait_ = 1;     ///< Queues of this depth and more hold nobody up.
  bool wait_first_ = false;  ///< Some core waits for an event before its set is issued.
};

}  // namespace

Exploration explore(const Case& value, const Options& options) {
  Tally tally;
  tally.limits = options.limits;
  tally.reduction = options.reduction;
  Explorer explorer(value, options, tally, nullptr);
  Exploration found;
  found.complete = explorer.run();
  found.why = tally.why;
  found.outcomes.assign(explorer.outcomes.begin(), explorer.outcomes.end());
  found.states = tally.states;
  found.transitions = tally.transitions;
  found.peak_bytes = tally.peak_bytes;
  return found;
}

std::optional<Witness> find(const Case& value, const std::function<bool(const Outcome&)>& wanted,
                            const Options& options) {
  Tally tally;
  tally.limits = options.limits;
  tally.reduction = options.reduction;
  tally.traced = true;
  Explorer explorer(value, options, tally, &wanted);
  explorer.run();
  return explorer.witness;
}

}  // namespace skcts::explorer
