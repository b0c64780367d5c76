#include "harness/campaign/crosscheck_reach.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "reference_model/explorer/explorer.h"

namespace skcts::campaign {
namespace {

bool is_inserted(const Waiting& wait) {
  return wait.instruction < 0;
}

/// Undefined local words are on the whole larger than what a tiny mix writes; but where a library
/// call had its scratch, a target holds what it counted there.
bool any_undefined(const Outcome& outcome, const std::vector<std::size_t>& unjudged) {
  constexpr std::uint32_t smallest_undefined = 1U << 13;
  return std::ranges::any_of(
      unjudged, [&](std::size_t w) { return outcome.memory[w] >= smallest_undefined; });
}

/// Equal but for these words.
bool alike_without(Outcome explored, const Outcome& outcome,
                   const std::vector<std::size_t>& words) {
  for (const std::size_t w : words) explored.memory[w] = outcome.memory[w];
  return explored == outcome;
}

}  // namespace

Outcome bare(Outcome outcome) {
  outcome.counts.clear();
  outcome.reason.clear();
  if (outcome.status == OutcomeStatus::error || outcome.status == OutcomeStatus::refused) {
    outcome.rule.reset();
    outcome.memory.clear();
    outcome.queries.clear();
    outcome.waiting.clear();
  }
  std::erase_if(outcome.waiting, is_inserted);
  for (Waiting& wait : outcome.waiting) wait.id = -1;
  std::ranges::sort(outcome.waiting, {}, [](const Waiting& w) {
    return std::tuple(w.launch, w.core, w.sub_kernel, w.instruction, w.kind);
  });
  std::ranges::sort(outcome.queries);
  return outcome;
}

bool Reach::Order::operator()(const Outcome& a, const Outcome& b) const {
  return explorer::before(a, b);
}

Reach::Reach(const Allowed& allowed, const std::vector<Outcome>& explored) : allowed_(allowed) {
  for (const Outcome& outcome : explored) shown_.emplace(bare(outcome), false);
}

std::vector<std::size_t> Reach::unjudged(const Outcome& outcome) const {
  const bool stalled = outcome.status == OutcomeStatus::stalled;
  const std::vector<WordAllowed>& words = stalled ? allowed_.memory_stalled : allowed_.memory;
  std::vector<std::size_t> found;
  for (std::size_t w = 0; w < outcome.memory.size(); ++w) {
    if (w >= words.size() || words[w].kind == WordKind::unjudged) found.push_back(w);
  }
  return found;
}

bool Reach::show(const Outcome& outcome) {
  const auto same = shown_.find(outcome);
  bool found = same != shown_.end();
  if (found) mark(same->second);
  const std::vector<std::size_t> words = unjudged(outcome);
  if (words.empty()) return found;
  const bool undefined = any_undefined(outcome, words);
  for (auto& [explored, shown] : shown_) {
    if (explored.memory.size() != outcome.memory.size()) continue;
    if (!undefined && !any_undefined(explored, words)) continue;
    if (!alike_without(explored, outcome, words)) continue;
    found = true;
    mark(shown);
  }
  return found;
}

std::vector<Outcome> Reach::outcomes() const {
  std::vector<Outcome> all;
  for (const auto& [outcome, shown] : shown_) all.push_back(outcome);
  return all;
}

std::vector<Outcome> Reach::unreached() const {
  std::vector<Outcome> missing;
  for (const auto& [outcome, shown] : shown_) {
    if (!shown) missing.push_back(outcome);
  }
  return missing;
}

}  // namespace skcts::campaign
