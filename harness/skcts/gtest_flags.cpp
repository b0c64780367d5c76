// Which of GoogleTest's flags `run` takes.
#include "harness/skcts/gtest_flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace skcts::program {
namespace {

enum class Takes : std::uint8_t { text, number, color, output, yes_or_no };

struct Flag {
  std::string_view name;
  Takes takes;
};

constexpr std::array flags_taken{
    Flag{"--gtest_filter", Takes::text},
    Flag{"--gtest_list_tests", Takes::yes_or_no},
    Flag{"--gtest_also_run_disabled_tests", Takes::yes_or_no},
    Flag{"--gtest_repeat", Takes::number},
    Flag{"--gtest_shuffle", Takes::yes_or_no},
    Flag{"--gtest_random_seed", Takes::number},
    Flag{"--gtest_color", Takes::color},
    Flag{"--gtest_brief", Takes::yes_or_no},
    Flag{"--gtest_print_time", Takes::yes_or_no},
    Flag{"--gtest_output", Takes::output},
    Flag{"--gtest_fail_fast", Takes::yes_or_no},
    Flag{"--gtest_break_on_failure", Takes::yes_or_no},
    Flag{"--gtest_catch_exceptions", Takes::yes_or_no},
    Flag{"--gtest_throw_on_failure", Takes::yes_or_no},
};

std::optional<std::int32_t> number_in(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What is wrong with the value of a flag, or nothing. `value` begins behind the '='.
std::string fault(Takes takes, std::optional<std::string_view> value) {
  switch (takes) {
    case Takes::text: return value ? "" : "needs a value, such as Core.*";
    case Takes::number: {
      const auto number = value ? number_in(*value) : std::nullopt;
      return number && *number >= 0 ? "" : "needs a whole number from 0";
    }
    case Takes::color:
      return value && (*value == "auto" || *value == "yes" || *value == "no")
                 ? ""
                 : "needs auto, yes or no";
    case Takes::output:
      return value && (*value == "xml" || *value == "json" || value->starts_with("xml:") ||
                       value->starts_with("json:"))
                 ? ""
                 : "needs xml:FILE or json:FILE";
    case Takes::yes_or_no:
      return !value || *value == "0" || *value == "1" || *value == "true" || *value == "false"
                 ? ""
                 : "needs 0 or 1, or nothing";
  }
  return "";
}

}  // namespace

Result<void> check_gtest_flags(std::span<const std::string> flags) {
  for (const std::string& flag : flags) {
    const std::size_t equals = flag.find('=');
    const std::string_view name = std::string_view(flag).substr(0, equals);
    const auto found = std::ranges::find(flags_taken, name, &Flag::name);
    if (found == flags_taken.end()) {
      std::vector<std::string_view> names;
      for (const Flag& known : flags_taken) names.push_back(known.name);
      const std::string near = did_you_mean(name, names);
      return Error{.field = "run",
                   .message = fmt::format("'{}' is no flag of GoogleTest that run takes", flag),
                   .hint = near.empty() ? "known: " + join_names(names) : near};
    }
    const std::string wrong =
        fault(found->takes, equals == flag.npos
                                ? std::nullopt
                                : std::optional(std::string_view(flag).substr(equals + 1)));
    if (!wrong.empty())
      return Error{.field = "run", .message = fmt::format("'{}' {}", flag, wrong)};
  }
  return {};
}

Result<void> check_shard(const char* total, const char* index) {
  if (total == nullptr && index == nullptr) return {};
  const auto shards = total == nullptr ? std::nullopt : number_in(total);
  const auto shard = index == nullptr ? std::nullopt : number_in(index);
  if (shards && shard && *shards >= 1 && *shard >= 0 && *shard < *shards) return {};
  const auto shown = [](const char* text) { return text == nullptr ? "(not set)" : text; };
  return Error{.message = fmt::format("GTEST_TOTAL_SHARDS is {} and GTEST_SHARD_INDEX is {}; "
                                      "expected two whole numbers, the index below the total",
                                      shown(total), shown(index)),
               .hint = "unset both to run everything"};
}

}  // namespace skcts::program
