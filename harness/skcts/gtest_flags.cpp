// Which of GoogleTest's flags `run` takes.
#include "harness/skcts/gtest_flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
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

/// Flags of GoogleTest that run does not take.
constexpr std::array<std::string_view, 12> flags_refused{
    "--gtest_help",
    "--gtest_flagfile",
    "--gtest_stream_result_to",
    "--gtest_internal_run_death_test",
    "--gtest_death_test_style",
    "--gtest_death_test_use_fork",
    "--gtest_install_failure_signal_handler",
    "--gtest_print_utf8",
    "--gtest_stack_trace_depth",
    "--gtest_show_internal_stack_frames",
    "--gtest_recreate_environments_when_repeating",
    "--gtest_use_own_flagfile",
};

/// Variables that no flag of ours stands for and that GoogleTest acts on.
constexpr std::array variables_refused{
    "GTEST_FLAGFILE",
    "GTEST_STREAM_RESULT_TO",
    "GTEST_DEATH_TEST_STYLE",
    "GTEST_DEATH_TEST_USE_FORK",
    "GTEST_INSTALL_FAILURE_SIGNAL_HANDLER",
    "GTEST_STACK_TRACE_DEPTH",
    "GTEST_RECREATE_ENVIRONMENTS_WHEN_REPEATING",
    "GTEST_SHARD_STATUS_FILE",
    "TEST_PREMATURE_EXIT_FILE",
};

std::vector<std::string_view> names_taken() {
  std::vector<std::string_view> names;
  for (const Flag& known : flags_taken) names.push_back(known.name);
  return names;
}

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
      return value && (*value == "xml" || *value == "json" ||
                       (value->starts_with("xml:") && value->size() > 4) ||
                       (value->starts_with("json:") && value->size() > 5))
                 ? ""
                 : "needs xml:FILE or json:FILE";
    case Takes::yes_or_no:
      return !value || *value == "0" || *value == "1" || *value == "true" || *value == "false"
                 ? ""
                 : "needs 0 or 1, or nothing";
  }
  return "";
}

/// The flag without its value, and the value, if there is a '='.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view flag) {
  const std::size_t equals = flag.find('=');
  if (equals == std::string_view::npos) return {flag, std::nullopt};
  return {flag.substr(0, equals), flag.substr(equals + 1)};
}

/// "GTEST_FILTER" of "--gtest_filter".
std::string variable_of(std::string_view flag) {
  std::string name(flag.substr(2));
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

/// What is wrong with a variable that stands for a flag. GoogleTest takes anything but "0" as yes
/// there, also "false".
std::string fault_of_variable(Takes takes, std::string_view value) {
  if (takes == Takes::yes_or_no) return value == "0" || value == "1" ? "" : "needs 0 or 1";
  if (takes == Takes::output && value.empty()) return "";
  return fault(takes, value);
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

}  // namespace

Result<void> check_gtest_flags(std::span<const std::string> flags) {
  for (const std::string& flag : flags) {
    const auto [name, value] = split(flag);
    const auto found = std::ranges::find(flags_taken, name, &Flag::name);
    if (found == flags_taken.end()) {
      const std::vector<std::string_view> names = names_taken();
      const bool theirs = std::ranges::find(flags_refused, name) != flags_refused.end();
      const std::string near = theirs ? std::string() : did_you_mean(name, names);
      return Error{.field = "run",
                   .message = theirs ? fmt::format("'{}' is not taken here", flag)
                                     : fmt::format("'{}' is no flag of GoogleTest", flag),
                   .hint = near.empty() ? "taken: " + join_names(names) : near};
    }
    const std::string wrong = fault(found->takes, value);
    if (!wrong.empty()) {
      return Error{.field = "run", .message = fmt::format("'{}' {}", flag, wrong)};
    }
  }
  return {};
}

Result<void> check_gtest_environment(const Environment& environment) {
  for (const Flag& flag : flags_taken) {
    const std::string name = variable_of(flag.name);
    const char* const value = environment(name.c_str());
    const std::string wrong = value == nullptr ? "" : fault_of_variable(flag.takes, value);
    if (wrong.empty()) continue;
    return Error{.field = "run",
                 .message = fmt::format("the environment's {}='{}' {}", name, value, wrong),
                 .hint = fmt::format("unset it, or use {}", flag.name)};
  }
  for (const char* const name : variables_refused) {
    const char* const value = environment(name);
    if (value == nullptr) continue;
    return Error{.field = "run",
                 .message = fmt::format("the environment's {}='{}' is not taken here", name, value),
                 .hint = "unset it"};
  }
  return check_shard(environment("GTEST_TOTAL_SHARDS"), environment("GTEST_SHARD_INDEX"));
}

bool lists_tests(std::span<const std::string> flags) {
  bool lists = false;
  for (const std::string& flag : flags) {
    const auto [name, value] = split(flag);
    if (name == "--gtest_list_tests") lists = !value || (*value != "0" && *value != "false");
  }
  return lists;
}

std::optional<std::string> gtest_output(std::span<const std::string> flags,
                                        const Environment& environment) {
  std::optional<std::string> output;
  if (const char* const file = environment("XML_OUTPUT_FILE")) output = fmt::format("xml:{}", file);
  if (const char* const text = environment("GTEST_OUTPUT")) output = text;
  for (const std::string& flag : flags) {
    const auto [name, value] = split(flag);
    if (name == "--gtest_output" && value) output = *value;
  }
  if (output && output->empty()) output.reset();
  return output;
}

}  // namespace skcts::program
