// The text form of a strategy, and the names of what a target says.
#include "harness/target/target.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace skcts {

namespace {

constexpr std::array<std::string_view, 3> cache_names = {"keep", "random", "drop"};

std::optional<CachePolicy> find_cache(std::string_view name) {
  for (std::size_t i = 0; i < cache_names.size(); ++i) {
    if (cache_names[i] == name) return static_cast<CachePolicy>(i);
  }
  return std::nullopt;
}

std::string kind_text(const Strategy& strategy) {
  switch (strategy.kind) {
    case StrategyKind::round_robin: return "round-robin";
    case StrategyKind::random: return "random";
    case StrategyKind::pct: return fmt::format("pct:{}", strategy.depth);
    case StrategyKind::starve: return "starve";
  }
  return {};
}

/// Reads "pct" or "pct:N" with N in 1..64.
bool parse_pct(std::string_view text, Strategy& strategy) {
  strategy.kind = StrategyKind::pct;
  if (text == "pct") return true;
  if (!text.starts_with("pct:")) return false;
  text.remove_prefix(4);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), strategy.depth);
  return error == std::errc{} && end == text.data() + text.size() && strategy.depth >= 1 &&
         strategy.depth <= 64;
}

}  // namespace

std::string to_string(const Strategy& strategy) {
  return fmt::format("{}/{}", kind_text(strategy),
                     cache_names[static_cast<std::size_t>(strategy.cache)]);
}

std::optional<Strategy> parse_strategy(std::string_view text) {
  Strategy strategy;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto cache = find_cache(text.substr(slash + 1));
    if (!cache) return std::nullopt;
    strategy.cache = *cache;
    text = text.substr(0, slash);
  }
  if (text == "random") {
    strategy.kind = StrategyKind::random;
  } else if (text == "starve") {
    strategy.kind = StrategyKind::starve;
  } else if (text == "round-robin") {
    strategy.kind = StrategyKind::round_robin;
  } else if (!parse_pct(text, strategy)) {
    return std::nullopt;
  }
  return strategy;
}

namespace {

constexpr std::array<std::string_view, run_end_count> end_names = {
    "answered", "timeout", "crash", "lost", "protocol-error", "not-supported", "device-lost"};
constexpr std::array<std::string_view, count_kind_count> count_names = {
    "launch",        "refresh-per-access", "refresh-before", "refresh-after",
    "refresh-debug", "barrier-before",     "barrier-debug",  "feed-joins"};

template <class Enum, std::size_t n>
std::optional<Enum> find_in(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(RunEnd end) {
  return end_names[static_cast<std::size_t>(end)];
}
std::optional<RunEnd> find_run_end(std::string_view name) {
  return find_in<RunEnd>(end_names, name);
}

std::string_view to_string(CountKind kind) {
  return count_names[static_cast<std::size_t>(kind)];
}
std::optional<CountKind> find_count_kind(std::string_view name) {
  return find_in<CountKind>(count_names, name);
}

RunResult unanswered(RunEnd end, std::string detail) {
  RunResult result;
  result.end = end;
  result.outcome.status = OutcomeStatus::error;
  result.outcome.reason = detail;
  result.detail = std::move(detail);
  return result;
}

}  // namespace skcts
