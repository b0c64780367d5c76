// How words that race get their exact values, why that is sound, and where it stops.
//
// hazards.h names the accesses that have no single value, values.cpp says why all others have one.
// So all that is left is to try, for the former, every order that happens-before leaves open, with
// everything that a cache may do. Launches are large and races small; the work is to cut the small
// thing out (racy_events.h) before it is searched (racy_search.h).
//
// *What takes part.* Poison flows: a read is tainted when it is poisoned or its word holds what a
// tainted write left there. A word is searched if any access to it is tainted. Of its accesses all
// take part, tainted or not, since any of them may be what a racing one sees; what an untainted
// access reads is a known value and needs no event. A line that some core caches and that holds a
// searched word takes part with every cached access to it: a store to a neighbour makes the line
// dirty, a load decides when it was fetched. Other words of the line have their one value whatever
// happens (the hazard theorem) and are not followed.
//
// *Events.* One moment each: a word read or written by a DMA or compute (L-30: or a block of 32
// bytes), a scalar access, a refresh, the landing of its write-back, the taking effect of an
// uncached store, the flush at the end. An event begins after what Order puts before its step; it
// is over for certain where hazards.h says the access is. All events of an instruction lie between
// its start and end; a written word follows the reads it is made from. Between events a cache
// may write its dirty line back whole, and drop a clean one: the second only matters when the next
// access finds it gone, so it is part of that access. Registers are variables: control is static,
// so who uses a loaded value is known.
//
// *Parts.* Searched words belong together if one event touches both, a value flows, or a cache
// ties a line. That is not all: two words without any of this may still be tied by order (a message
// and its flag). Races in two parts can only hinder each other when something after a race of the
// first comes before a race of the second, and back: parts in such a circle are searched together.
// All others are independent, and the set of memories is the product of theirs.
//
// *Soundness.* Every execution puts the events of a part into some order that keeps happens-before,
// with some write-backs and drops between: it is one of the searched ones. Inputs from outside are
// untainted and so have one value. The other way round, each searched order is that of an execution
// as far as the contract says, since Order is complete where it says it is exact.
//
// *Leaving out.* Reads that nobody uses and writes that nobody can see are dropped first. The
// search follows stubborn sets (racy_search.cpp) and meets states again; tests hold it against
// plain enumeration.
//
// *Launches in a row.* What one leaves open is a list of tuples a part; the next starts from each
// of them, the parts it touches being joined. What it does not touch is carried along.
//
// *Undefined words* flow through a search as one value of their own, "anything": local words that
// nobody wrote, what a library call leaves in its scratch memory, what an at_least poll returns. A
// GM word that may hold it in the end is not judged.
//
// *Where it stops.* At most SearchFreedom::states states a launch, small parts first. A part that
// does not fit, or that a cached poll looks into, keeps the wide sets of values.cpp. A circle of
// parts that does not fit is searched part by part, which is sound but not exact. In all these
// cases exact() is false.
#include "reference_model/tight_values.h"

#include <algorithm>
#include <numeric>

#include "reference_model/racy_search.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

void tidy(std::vector<std::uint32_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

}  // namespace

void TightValues::clear() {
  parts_.clear();
  untouched_.clear();
  states_ = 0;
  open_ = {};
}

void TightValues::search(const LaunchProgram& program, const StallResult& stall, const Order& order,
                         const HazardAnalysis& analysis, const HazardResult& hazards,
                         const SearchFreedom& freedom, const GmState& gm) {
  clear();
  freedom_ = freedom;
  std::vector<JointWords> joint;
  std::vector<std::uint8_t> open(gm.set.size());
  for (std::size_t w = 0; w < open.size(); ++w) {
    open[w] = gm.set[w] == Val::exact ? 0 : gm.set[w] == Val::unjudged ? 1 : 2;
  }
  for (const JointWords& group : gm.joint) {
    if (!gm.counts(group)) continue;
    joint.push_back(group);
    for (const std::int64_t word : group.words) open[at(word)] = 0;
  }
  RacyEvents events(program, stall, order, analysis, hazards, freedom);
  events.build(gm.value, open, joint);
  for (const std::int32_t g : events.untouched()) untouched_.push_back(joint[at(g)]);
  if (!events.all_ties_known()) open_.add(Inexact::search_limit);

  // Those that order ties are one; small ones first.
  std::vector<std::vector<std::int32_t>> work = events.tied();
  std::vector<std::uint8_t> in_circle(events.parts().size(), 0);
  for (const auto& circle : work) {
    for (const std::int32_t p : circle) in_circle[at(p)] = 1;
  }
  for (std::size_t p = 0; p < events.parts().size(); ++p) {
    const RacyPart& part = events.parts()[p];
    if (in_circle[p] != 0 || !part.racy) continue;
    if (part.unknown) {
      open_.add(part.too_large ? Inexact::search_limit : Inexact::undefined_input);
    } else {
      work.push_back({static_cast<std::int32_t>(p)});
    }
  }
  const auto size = [&](const std::vector<std::int32_t>& which) {
    return std::accumulate(
        which.begin(), which.end(), std::size_t{0},
        [&](std::size_t sum, std::int32_t p) { return sum + events.parts()[at(p)].events.size(); });
  };
  std::stable_sort(work.begin(), work.end(),
                   [&](const auto& a, const auto& b) { return size(a) < size(b); });
  for (const std::vector<std::int32_t>& which : work) {
    const std::size_t left = freedom_.states - std::min(freedom_.states, states_);
    if (which.size() == 1) {
      if (!search_part(events.parts()[at(which[0])], false, left)) open_.add(Inexact::search_limit);
      continue;
    }
    if (search_part(events.merge(which), false, left / 2)) continue;
    open_.add(Inexact::search_limit);
    for (const std::int32_t p : which) {
      search_part(events.parts()[at(p)], true, left / 2 / which.size());
    }
  }
}

bool TightValues::search_part(RacyPart part, bool cut_off, std::size_t limit) {
  if (part.unknown || limit == 0) return false;
  SearchedPart& searched = parts_.emplace_back();
  searched.part = std::move(part);
  searched.cut_off = cut_off;
  RacySearch search(searched.part, freedom_);
  SearchResult result = search.run(limit);
  states_ += result.states;
  const std::size_t words = result.tuples.size() * at(searched.part.gm_count);
  if (!result.complete || result.tuples.empty() || words > most_tuple_words) {
    parts_.pop_back();
    return false;
  }
  searched.tuples = std::move(result.tuples);
  searched.anything = std::move(result.anything);
  return true;
}

void TightValues::lay_over(GmState& gm) const {
  gm.joint = untouched_;
  if (gm.set.empty()) {
    if (parts_.empty()) return;
    gm.set.assign(gm.value.size(), Val::exact);
  }
  for (const SearchedPart& searched : parts_) {
    const std::vector<std::vector<std::uint32_t>>& tuples = searched.tuples;
    JointWords group;
    std::vector<std::size_t> columns;
    std::size_t product = 1;
    std::vector<std::vector<std::uint32_t>> sets;
    for (std::size_t w = 0; w < at(searched.part.gm_count); ++w) {
      const std::int32_t word = searched.part.words[w];
      if (searched.anything[w] != 0) {
        gm.value[at(word)] = 0;
        gm.set[at(word)] = Val::unjudged;
        continue;
      }
      std::vector<std::uint32_t> values;
      for (const auto& tuple : tuples) values.push_back(tuple[w]);
      tidy(values);
      gm.value[at(word)] = values.front();
      gm.set[at(word)] = Val::exact;
      if (values.size() == 1) continue;
      gm.value[at(word)] = 0;
      gm.set[at(word)] = static_cast<std::int32_t>(gm.sets.size());
      gm.sets.push_back(values);
      if (product <= tuples.size()) product *= values.size();
      columns.push_back(w);
      group.words.push_back(word);
      sets.push_back(std::move(values));
    }
    if (group.words.size() < 2 || product == tuples.size()) {
      for (std::size_t i = 0; i < sets.size(); ++i) {
        JointWords& alone = gm.joint.emplace_back();
        alone.words = {group.words[i]};
        for (const std::uint32_t value : sets[i]) alone.tuples.push_back({value});
      }
      continue;
    }
    for (const auto& tuple : tuples) {
      std::vector<std::uint32_t>& kept = group.tuples.emplace_back();
      for (const std::size_t w : columns) kept.push_back(tuple[w]);
    }
    gm.joint.push_back(std::move(group));
  }
}

}  // namespace skcts::model
