#include "spec/allowed.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

namespace skcts {
namespace {

Containment misfit(Misfit what, std::string text) {
  Containment result;
  result.misfit = what;
  result.text = std::move(text);
  return result;
}

bool status_allowed(const Allowed& allowed, OutcomeStatus status) {
  switch (status) {
    case OutcomeStatus::completed: return allowed.completed;
    case OutcomeStatus::stalled: return allowed.stalled;
    case OutcomeStatus::error: return allowed.error;
    case OutcomeStatus::refused: return allowed.refused;
  }
  return false;
}

std::string allowed_statuses(const Allowed& allowed) {
  std::string text;
  const auto add = [&text](bool yes, std::string_view name) {
    if (!yes) return;
    if (!text.empty()) text += " or ";
    text += name;
  };
  add(allowed.completed, "completed");
  add(allowed.stalled, "stalled");
  add(allowed.error, "error");
  add(allowed.refused, "refused");
  return text.empty() ? "nothing" : text;
}

std::string sub_kernel_name(const Mix& mix, std::int32_t place) {
  if (place < 0 || place >= static_cast<std::int32_t>(mix.sub_kernels.size())) return "?";
  return mix.sub_kernels[static_cast<std::size_t>(place)].name;
}

std::string describe(const Mix& mix, const Waiting& wait) {
  std::string text = fmt::format("{} in {}", to_string(wait.core),
                                 sub_kernel_name(mix, wait.sub_kernel));
  if (wait.instruction >= 0) text += fmt::format(" instruction {}", wait.instruction);
  text += fmt::format(" ({}", to_string(wait.kind));
  if (wait.id >= 0) text += fmt::format(" {}", wait.id);
  return text + ")";
}

/// Is this stuck core what the contract says of it? After an at_or_after wait of the full-core
/// class the core may stand at anything that comes later in the launch.
bool fits(const StuckCore& expected, const Waiting& shown) {
  const Waiting& wait = expected.waiting;
  if (shown.core != wait.core || shown.launch != wait.launch) return false;
  if (!expected.at_or_after) {
    // Ids are how one engine or another counts; what is waited for is the instruction.
    if (shown.sub_kernel != wait.sub_kernel || shown.instruction != wait.instruction) return false;
    // Which core watches for an event, and which ones stand at the barrier behind it, is the
    // composer's choice.
    const auto before_sub_kernel = [](WaitKind kind) {
      return kind == WaitKind::event || kind == WaitKind::full_core;
    };
    if (shown.instruction < 0 && before_sub_kernel(shown.kind)) return before_sub_kernel(wait.kind);
    return shown.kind == wait.kind;
  }
  return true;
}

Containment waiting_fits(const Allowed& allowed, const Mix& mix, const Outcome& outcome) {
  for (const StuckCore& expected : allowed.stuck) {
    const bool found = std::any_of(outcome.waiting.begin(), outcome.waiting.end(),
                                   [&](const Waiting& shown) { return fits(expected, shown); });
    if (!found) {
      return misfit(Misfit::waiting, fmt::format("{} must be stuck and is not reported so",
                                                 describe(mix, expected.waiting)));
    }
  }
  if (!allowed.stuck_complete) return {};
  for (const Waiting& shown : outcome.waiting) {
    // Who else stands at a boundary behind a stuck core is the composer's business.
    const bool inserted = shown.kind == WaitKind::full_core || shown.kind == WaitKind::feed ||
                          shown.kind == WaitKind::matmul || shown.kind == WaitKind::event;
    if (inserted && shown.instruction < 0) continue;
    const bool known =
        std::any_of(allowed.stuck.begin(), allowed.stuck.end(), [&](const StuckCore& expected) {
          return expected.waiting.core == shown.core && expected.waiting.launch == shown.launch;
        });
    if (!known) {
      return misfit(Misfit::waiting,
                    fmt::format("{} is stuck and nothing keeps it there", describe(mix, shown)));
    }
  }
  return {};
}

bool word_fits(const Allowed& allowed, const WordAllowed& word, std::uint32_t value) {
  switch (word.kind) {
    case WordKind::exact: return word.value == value;
    case WordKind::unjudged: return true;
    case WordKind::one_of: {
      const auto& set = allowed.sets[static_cast<std::size_t>(word.set)];
      return std::binary_search(set.begin(), set.end(), value);
    }
  }
  return false;
}

std::string expected_text(const Allowed& allowed, const WordAllowed& word) {
  if (word.kind == WordKind::exact) return fmt::format("{}", word.value);
  const auto& set = allowed.sets[static_cast<std::size_t>(word.set)];
  constexpr std::size_t shown_max = 8;
  std::string text = "one of";
  for (std::size_t i = 0; i < set.size() && i < shown_max; ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", set[i]);
  }
  return set.size() > shown_max ? text + ", ..." : text;
}

Containment memory_fits(const Allowed& allowed, const std::vector<WordAllowed>& words,
                        const Mix& mix, const Outcome& outcome) {
  if (words.empty()) return {};
  if (outcome.memory.size() != words.size()) {
    return misfit(Misfit::memory, fmt::format("memory has {} words, expected {}",
                                              outcome.memory.size(), words.size()));
  }
  Containment result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!word_fits(allowed, words[i], outcome.memory[i])) {
      result.words.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (result.words.empty()) return {};
  result.misfit = Misfit::memory;
  const std::size_t first = static_cast<std::size_t>(result.words.front());
  result.text = fmt::format(
      "{} is {}, allowed is {}", word_name(mix, layout_of(mix), result.words.front()),
      outcome.memory[first], expected_text(allowed, words[first]));
  if (result.words.size() > 1) {
    result.text += fmt::format(" ({} more words differ)", result.words.size() - 1);
  }
  return result;
}

/// Words that may each hold what they hold, but not together.
Containment joint_fits(const Allowed& allowed, const Mix& mix, const Outcome& outcome) {
  Containment result;
  const JointWords* first = nullptr;
  for (const JointWords& joint : allowed.joint) {
    std::vector<std::uint32_t> shown;
    for (const std::int64_t word : joint.words) {
      if (word < 0 || word >= static_cast<std::int64_t>(outcome.memory.size())) break;
      shown.push_back(outcome.memory[static_cast<std::size_t>(word)]);
    }
    if (std::binary_search(joint.tuples.begin(), joint.tuples.end(), shown)) continue;
    if (first == nullptr) first = &joint;
    result.words.insert(result.words.end(), joint.words.begin(), joint.words.end());
  }
  if (first == nullptr) return {};
  std::sort(result.words.begin(), result.words.end());
  result.misfit = Misfit::memory;
  constexpr std::size_t shown_max = 8;
  const GmLayout layout = layout_of(mix);
  for (std::size_t i = 0; i < std::min(first->words.size(), shown_max); ++i) {
    result.text += fmt::format("{}{} is {}", i == 0 ? "" : ", ",
                               word_name(mix, layout, first->words[i]),
                               outcome.memory[static_cast<std::size_t>(first->words[i])]);
  }
  if (first->words.size() > shown_max) {
    result.text += fmt::format(" and {} more words", first->words.size() - shown_max);
  }
  result.text += ": each value alone occurs, but not together";
  return result;
}

auto place_of(const QueryRecord& record) {
  return std::tuple(record.launch, record.core, record.sub_kernel, record.instruction);
}

Containment queries_fit(const Allowed& allowed, const Mix& mix, const Outcome& outcome) {
  if (allowed.queries.size() != outcome.queries.size()) {
    return misfit(Misfit::query, fmt::format("{} queries were answered, expected {}",
                                             outcome.queries.size(), allowed.queries.size()));
  }
  for (std::size_t i = 0; i < outcome.queries.size(); ++i) {
    const ExpectedQuery& expected = allowed.queries[i];
    const QueryRecord& shown = outcome.queries[i];
    const bool same_place = place_of(expected.record) == place_of(shown);
    if (same_place && (!expected.judged || expected.record.value == shown.value)) continue;
    return misfit(Misfit::query,
                  fmt::format("{} in {} instruction {} answers {}, expected {} from {}",
                              to_string(shown.core), sub_kernel_name(mix, shown.sub_kernel),
                              shown.instruction, shown.value, expected.record.value,
                              to_string(expected.record.core)));
  }
  return {};
}

/// The first kind of insertion of which fewer were made than the contract guarantees.
std::string_view missing_insertion(const InsertedCounts& owed, const InsertedCounts& shown) {
  if (shown.refresh_per_access < owed.refresh_per_access) return "per-access refreshes";
  if (shown.refresh_before < owed.refresh_before) return "refreshes before it";
  if (shown.refresh_after < owed.refresh_after) return "refreshes after it";
  if (shown.refresh_debug < owed.refresh_debug) return "debug-dcci-all refreshes";
  if (shown.barrier_before < owed.barrier_before) return "arrivals at the boundary before it";
  if (shown.barrier_debug < owed.barrier_debug) return "debug-sync-all arrivals";
  if (shown.feed_joins < owed.feed_joins) return "SyncAll calls of idle cores";
  return {};
}

Containment counts_fit(const Allowed& allowed, const Mix& mix, const Outcome& outcome) {
  if (outcome.counts.empty() || allowed.counts.empty()) return {};
  if (outcome.counts.size() != allowed.counts.size()) {
    return misfit(Misfit::launch, fmt::format("{} launches were made, expected {}",
                                              outcome.counts.size(), allowed.counts.size()));
  }
  for (std::size_t l = 0; l < allowed.counts.size(); ++l) {
    const LaunchCounts& owed = allowed.counts[l];
    const LaunchCounts& shown = outcome.counts[l];
    if (owed.type != shown.type || owed.blocks != shown.blocks) {
      return misfit(Misfit::launch, fmt::format("launch {} is {} x {}, expected {} x {}", l,
                                                to_string(shown.type), shown.blocks,
                                                to_string(owed.type), owed.blocks));
    }
    for (const InsertedCounts& sub : owed.inserted) {
      const auto same = std::find_if(
          shown.inserted.begin(), shown.inserted.end(),
          [&](const InsertedCounts& other) { return other.sub_kernel == sub.sub_kernel; });
      const InsertedCounts none{.sub_kernel = sub.sub_kernel};
      const auto what = missing_insertion(sub, same == shown.inserted.end() ? none : *same);
      if (!what.empty()) {
        return misfit(Misfit::counts,
                      fmt::format("launch {}, {}: fewer {} than guaranteed", l,
                                  sub_kernel_name(mix, sub.sub_kernel), what));
      }
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(Misfit misfit) {
  constexpr std::array<std::string_view, 7> names = {"none",  "status", "waiting", "memory",
                                                     "query", "launch", "counts"};
  return names[static_cast<std::size_t>(misfit)];
}

Containment contains(const Allowed& allowed, const Mix& mix, const Outcome& outcome) {
  if (!status_allowed(allowed, outcome.status)) {
    std::string text = fmt::format("{}, allowed is {}", to_string(outcome.status),
                                   allowed_statuses(allowed));
    if (!outcome.reason.empty()) text += ": " + outcome.reason;
    if (!outcome.waiting.empty()) {
      text += fmt::format(": {} waits", describe(mix, outcome.waiting.front()));
    }
    return misfit(Misfit::status, std::move(text));
  }
  switch (outcome.status) {
    case OutcomeStatus::completed: {
      // The cause before its effects: a wrong launch or a missing insertion names itself better
      // than the words that it spoils.
      if (auto result = counts_fit(allowed, mix, outcome); !result) return result;
      if (auto result = queries_fit(allowed, mix, outcome); !result) return result;
      if (auto result = memory_fits(allowed, allowed.memory, mix, outcome); !result) return result;
      return joint_fits(allowed, mix, outcome);
    }
    case OutcomeStatus::stalled: {
      if (auto result = waiting_fits(allowed, mix, outcome); !result) return result;
      return memory_fits(allowed, allowed.memory_stalled, mix, outcome);
    }
    case OutcomeStatus::error:
    case OutcomeStatus::refused: return {};
  }
  return {};
}

}  // namespace skcts
