// The exhaustive explorer: how it works, why it may be trusted, where it stops.
//
// How it works. Each launch of a case is composed (compose, builder) into a mechanism: for every
// core a straight line of scalar steps and, for every pipe, the queue of what they issue. Full-core
// synchronisation is flags 11 to 14 with guards and complement calls, SyncAll and TQue are raises
// and events, refreshes stand where an object's line markers put them, idle cores replay feed
// records and stop at the last one, perhaps before they have joined for those between (where calls
// are in step it is not there yet). There is no edge and no rule in it. The machine (machine) gives
// each word, counter, cache line and queue some bits of a packed state. Its steps are: the next
// step of a scalar unit; the element at the head of a pipe's queue; one piece of a DMA or compute
// that has started; the landing of a refresh or of a store past the cache; the arrival of a raise;
// and the moves of the environment: write-back of a dirty line, drop of a clean one, fetch in
// advance. The search walks all states from the start; an end is a state without a step of
// progress.
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
// - A border that drains (L-14) makes PIPE_ALL before it signals. Only where a pipe may never be
//   empty, again behind a wait without its set, is there an end that a border which does not drain
//   has not: there the core may stay or go on, at each border anew.
// - L-19 and L-34 add refreshes; write-backs and drops at any moment do the same without them.
//   L-28 permutes adds, which commute. A DMA within one instruction may overlap in any order (L-1).
//
// Latitudes. Fixed ones that shape the composition (L-3, 6, 10, 11, 12, 13, 21, 31, 38, 39) are
// walked at each position if the case asks them; L-4, L-9 and L-15 are settled by the first state
// that meets them and kept in it, over launches too; L-5 forks where a launch leaves counters and
// another follows. A pin, of the caller, the case or the profile, leaves one position.
//
// The outside. An event of the case is a bit beside GM. The cores of a sub kernel's kinds arrive at
// it as they do at a boundary, and the last to arrive raises it; whoever waits for it looks at the
// bit before the sub kernel's first step. An outside actor is one more thread of DMA pieces in
// every machine, and its part of the state goes with GM from launch to launch. With the last launch
// it comes to its end; any other launch is over when its own cores have ended, and the steps that
// the actor has left are taken beside the next one. (Until then the reduction takes no step of an
// actor without one towards the end of the launch: it may belong behind it.) The host's writes have
// a pause before them, in which actors alone go on. A launch by itself fetches nothing before its
// events. Left open is a boundary behind a last sub kernel that raises events (composed both ways
// where a full-core wait could tell). The option string, which is the mix's, and what an operator's
// own calls say are refused before anything runs; a launch that is too wide, or has streams that it
// cannot have, is refused when its turn comes, which it never does behind one that stalls.
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
// Bounds. Everything that grows is taken from one budget (budget) before it is allocated: GM and
// its copies, composed programs and what a machine keeps of them (512 bytes a step or piece, 160 a
// word that it names: more than they take), states, steps remembered, fronts between launches,
// outcomes. A state is a key of the bits that the numbers of its parts need, 8 to 16 bytes in small
// cases, with 12 to 24 in the table that finds it. Places in a state are numbered with 16 bits, so
// that a launch with more than 60,000 words of state, pieces on a core or written words of GM has
// no machine. What states alone do not bound (a way of many steps between two states, very many
// steps of one state, very many positions) is bounded by work. Launches stand on a stack of their
// own, not on that of the program.
//
// Where it stops: what parts.cpp calls not supported; more than 250 cores; the bounds. An opaque
// Compute with several written pieces reads everything at one instant, and so does a poll of the
// soft SyncAll (one element after the other could sum what never stood there together). IBSet,
// IBWait and the soft SyncAll write the first word of their slots; in their scratch stand undefined
// words from the call on. Where slots differ at the start, or others than a barrier's own cores
// write them, an early release (L-15) may come at any time, and need not come before all are there.
// A Matmul server takes one request at a time and ends with its clients. debug-sync-all's barrier
// lands no refresh (the boundary after it does). Where an event is waited for early, L-2 is walked
// with all barriers of one kind, not one by one. Where a raise finds a full counter and the machine
// hangs (L-9), the raising core stops and is named as waiting; the others go on.
#include "reference_model/explorer/explorer.h"

#include <algorithm>
#include <tuple>

#include "reference_model/explorer/case_walk.h"

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

Exploration explore(const Case& value, const Options& options) {
  Tally tally(options.limits);
  tally.reduction = options.reduction;
  Findings findings(tally.budget, nullptr);
  Exploration found;
  found.complete = CaseWalk(value, options, tally, findings).run();
  found.why = tally.unsupported.empty() ? tally.budget.why() : tally.unsupported;
  found.outcomes = findings.take();
  found.states = tally.states;
  found.transitions = tally.transitions;
  found.peak_bytes = tally.budget.peak();
  found.work = tally.budget.worked();
  return found;
}

std::optional<Witness> find(const Case& value, const std::function<bool(const Outcome&)>& wanted,
                            const Options& options) {
  Tally tally(options.limits);
  tally.reduction = options.reduction;
  tally.traced = true;
  Findings findings(tally.budget, &wanted);
  CaseWalk(value, options, tally, findings).run();
  return findings.witness;
}

}  // namespace skcts::explorer
