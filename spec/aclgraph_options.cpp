// Options of a captured graph: domains and defaults (composition §7.4), patterns (§5.5).
#include "spec/aclgraph_options.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <vector>

namespace skcts {

namespace {

enum class Domain : std::uint8_t { number, list, text };

struct AclgraphOption {
  std::string_view name;
  Domain domain;
  int low = 0;  ///< of a number
  int high = 0;
  int fallback = 0;  ///< its default
  void (*store)(Options& options, int number) = nullptr;  ///< null where nothing depends on it
  std::vector<std::string> Options::*list = nullptr;
};

constexpr std::array<AclgraphOption, 18> table = {{
    {"preload_code", Domain::number, 0, 2, 1,
     [](Options& o, int n) {
       o.preload_code = n == 0   ? PreloadCode::max
                        : n == 1 ? PreloadCode::per_func
                                 : PreloadCode::none;
     }},
    {"split_mode", Domain::number, 1, 4, 4, [](Options& o, int n) { o.split_mode = n; }},
    {"stream_fusion", Domain::number, 0, 1, 1,
     [](Options& o, int n) { o.stream_fusion = n != 0; }},
    {"dcci_disable_on_kernel", Domain::list, 0, 0, 0, nullptr, &Options::dcci_disable_on_kernel},
    {"dcci_before_kernel_start", Domain::list, 0, 0, 0, nullptr,
     &Options::dcci_before_kernel_start},
    {"dcci_after_kernel_end", Domain::list, 0, 0, 0, nullptr, &Options::dcci_after_kernel_end},
    {"debug_sync_all", Domain::number, 0, 1, 0,
     [](Options& o, int n) { o.debug_sync_all = n != 0; }},
    {"early_start", Domain::number, 0, 1, 0, [](Options& o, int n) { o.early_start = n; }},
    {"debug_per_op_max_core_num", Domain::number, 0, 1, 0,
     [](Options& o, int n) { o.per_op_max_core_num = n != 0; }},
    {"constant_codegen", Domain::number, 0, 1, 0},
    {"auto_op_parallel", Domain::number, 0, 1, 0},
    {"debug_op_exec_trace", Domain::number, 0, 1, 0},
    {"debug_cross_core_sync_check", Domain::number, 0, 1, 0},
    {"ubuf_lock_ignore_kernel", Domain::list},
    {"opt_extend_option", Domain::text},
    {"debug_extend_option", Domain::text},
    {"aggressive_opt_strategies", Domain::text},
    {"kernel_map", Domain::text},
}};

constexpr std::array<std::string_view, table.size()> names = [] {
  std::array<std::string_view, table.size()> made;
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = table[i].name;
  return made;
}();

/// A number of one digit in the option's domain, or nothing.
std::optional<int> read_number(const AclgraphOption& option, std::string_view value) {
  if (value.size() != 1 || value.front() < '0' || value.front() > '9') return std::nullopt;
  const int number = value.front() - '0';
  if (number < option.low || number > option.high) return std::nullopt;
  return number;
}

/// Stores the value; gives a warning where it cannot be used.
std::string read_value(const AclgraphOption& option, const OptionItem& item, Options& options) {
  switch (option.domain) {
    case Domain::text: return {};
    case Domain::list: {
      std::vector<std::string> entries = split_option_list(item.value);
      if (option.list != nullptr) options.*option.list = std::move(entries);
      return {};
    }
    case Domain::number: break;
  }
  const std::optional<int> number = read_number(option, item.value);
  if (!number) {
    return fmt::format("option '{}' is '{}', not {} to {}: its default {} stays", option.name,
                       item.value, option.low, option.high, option.fallback);
  }
  if (option.store != nullptr) option.store(options, *number);
  return {};
}

}  // namespace

OptionParse parse_aclgraph_options(std::string_view text) {
  OptionParse parse;
  Options& options = parse.options.emplace();
  for (const AclgraphOption& option : table) {
    if (option.store != nullptr) option.store(options, option.fallback);
  }
  const auto warn = [&parse](std::string warning) {
    if (!warning.empty()) parse.warnings.push_back(std::move(warning));
  };
  std::bitset<table.size()> seen;
  for (const OptionItem& item : split_option_items(text)) {
    const auto found = std::find(names.begin(), names.end(), item.key);
    if (!item.has_equals) {
      warn(fmt::format("option item '{}' is ignored: it is not of the form name=value",
                       item.text));
    } else if (found == names.end()) {
      const std::string hint = did_you_mean(item.key, names);
      warn(fmt::format("unknown option '{}' is ignored{}{}", item.key, hint.empty() ? "" : "; ",
                       hint));
    } else if (const auto index = static_cast<std::size_t>(found - names.begin());
               seen.test(index)) {
      warn(fmt::format("option '{}' is given twice: the first one stands", item.key));
    } else {
      seen.set(index);
      warn(read_value(table[index], item, options));
    }
  }
  return parse;
}

OptionParse parse_options_on(std::string_view path, std::string_view text) {
  return path == "aclgraph" ? parse_aclgraph_options(text) : parse_options(text);
}

bool matches_kernel_pattern(std::string_view pattern, std::string_view name) {
  const auto stands_for_itself = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.';
  };
  // reached[i]: what was read of the pattern matches the first i characters of the name.
  std::vector<bool> reached(name.size() + 1, false);
  reached[0] = true;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at++];
    if (!stands_for_itself(c)) return false;
    const bool repeats = at < pattern.size() && pattern[at] == '*';
    if (repeats) ++at;
    const auto fits = [&](std::size_t i) { return c == '.' || name[i] == c; };
    if (repeats) {
      for (std::size_t i = 0; i < name.size(); ++i) {
        if (reached[i] && fits(i)) reached[i + 1] = true;
      }
    } else {
      for (std::size_t i = name.size(); i > 0; --i) reached[i] = reached[i - 1] && fits(i - 1);
      reached[0] = false;
    }
  }
  return reached[name.size()];
}

}  // namespace skcts
