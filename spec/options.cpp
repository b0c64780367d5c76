// The option string: splitting, domains, refusals (composition §7.1) and canonical printing.
#include "spec/options.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cstddef>

namespace skcts {

namespace {

constexpr std::string_view blanks = " \t\n\r\v\f";

/// The key that the development page prints for dcci-after-kernel-end.
constexpr std::string_view after_alias = "dcci-after-kernel-start";
constexpr std::string_view after_key = "dcci-after-kernel-end";

constexpr std::array<std::string_view, 16> option_names = {
    "func-align",
    "preload-code",
    "early-start",
    "stream-fusion",
    "debug-dcci-all",
    "debug-sync-all",
    "feed-sync-all",
    "profiling",
    "compile-options",
    "strict-scope-check",
    "dcci-before-kernel-start",
    after_key,
    "dcci-disable-on-kernel",
    "split-mode",
    "debug-aic-num",
    "debug-aiv-num",
};

/// Keys that a public composer looks up but never accepts in a string.
constexpr std::array<std::string_view, 2> refused_names = {"link-mode", "preload-data"};

std::string_view trim(std::string_view text, std::string_view outer = blanks) {
  const std::size_t first = text.find_first_not_of(outer);
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(outer) - first + 1);
}

/// What stands between blanks and double quotes around an option string.
std::string_view strip_quotes(std::string_view text) {
  return trim(trim(trim(text), "\""));
}

Error bad_value(std::string_view key, std::string_view value, std::string_view expected) {
  return {.field = std::string(key),
          .message = fmt::format("option value is '{}'; expected {}", value, expected)};
}

/// A number written in decimal digits only: no sign, no blank inside.
template <class Number>
std::optional<Number> read_digits(std::string_view value) {
  Number number = 0;
  const char* end = value.data() + value.size();
  if (value.empty() || value.front() < '0' || value.front() > '9') return std::nullopt;
  const auto [stop, code] = std::from_chars(value.data(), end, number);
  if (code != std::errc() || stop != end) return std::nullopt;
  return number;
}

using Refusal = std::optional<Error>;
using Reader = Refusal (*)(std::string_view key, std::string_view value, Options& options);

Refusal read_func_align(std::string_view key, std::string_view value, Options& options) {
  const auto number = read_digits<std::int64_t>(value);
  if (!number || *number == 1 || (*number & (*number - 1)) != 0) {
    return bad_value(key, value, "0 or a power of two from 2 to 2^62");
  }
  options.func_align = *number;
  return std::nullopt;
}

Refusal read_preload_code(std::string_view key, std::string_view value, Options& options) {
  for (const auto mode : {PreloadCode::per_func, PreloadCode::max, PreloadCode::none}) {
    if (value == to_string(mode)) {
      options.preload_code = mode;
      return std::nullopt;
    }
  }
  Error error = bad_value(key, value, "max, per-func or none");
  constexpr std::array<std::string_view, 3> names = {"max", "per-func", "none"};
  error.hint = did_you_mean(value, names);
  return error;
}

Refusal read_early_start(std::string_view key, std::string_view value, Options& options) {
  if (value != "0" && value != "1" && value != "2") {
    return bad_value(key, value, "0, 1 or 2");
  }
  options.early_start = value.front() - '0';
  return std::nullopt;
}

template <bool Options::*member>
Refusal read_switch(std::string_view key, std::string_view value, Options& options) {
  if (value != "0" && value != "1") return bad_value(key, value, "0 or 1");
  options.*member = value == "1";
  return std::nullopt;
}

template <std::vector<std::string> Options::*member>
Refusal read_list(std::string_view, std::string_view value, Options& options) {
  options.*member = split_option_list(value);
  return std::nullopt;
}

/// GE knows bypass and abort; the option itself takes any text.
Refusal read_strict_scope_check(std::string_view, std::string_view value, Options& options) {
  options.strict_scope_check = value;
  return std::nullopt;
}

Refusal read_split_mode(std::string_view key, std::string_view value, Options& options) {
  const auto number = read_digits<int>(value);
  if (!number || *number < 1 || *number > 64) return bad_value(key, value, "1..64");
  options.split_mode = *number;
  return std::nullopt;
}

/// Ratio, machine and need are CORE-6's business: they depend on the mix.
template <int Options::*member>
Refusal read_core_count(std::string_view key, std::string_view value, Options& options) {
  const auto number = read_digits<int>(value);
  if (!number) return bad_value(key, value, "a number of cores from 0 up, in digits");
  options.*member = *number;
  return std::nullopt;
}

constexpr std::array<Reader, option_names.size()> readers = {
    read_func_align,
    read_preload_code,
    read_early_start,
    read_switch<&Options::stream_fusion>,
    read_switch<&Options::debug_dcci_all>,
    read_switch<&Options::debug_sync_all>,
    read_switch<&Options::feed_sync_all>,
    read_switch<&Options::profiling>,
    read_list<&Options::compile_options>,
    read_strict_scope_check,
    read_list<&Options::dcci_before_kernel_start>,
    read_list<&Options::dcci_after_kernel_end>,
    read_list<&Options::dcci_disable_on_kernel>,
    read_split_mode,
    read_core_count<&Options::debug_aic_num>,
    read_core_count<&Options::debug_aiv_num>,
};

std::optional<std::size_t> find_option(std::string_view key) {
  const auto found = std::find(option_names.begin(), option_names.end(), key);
  if (found == option_names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - option_names.begin());
}

Error unknown_key(std::string_view key) {
  Error error{.field = std::string(key)};
  const bool is_refused =
      std::find(refused_names.begin(), refused_names.end(), key) != refused_names.end();
  if (is_refused) {
    error.message = "is not supported: no composer accepts it in an option string";
    return error;
  }
  error.message = fmt::format("unknown option; expected one of {}", join_names(option_names));
  if (key == after_alias) {
    error.hint =
        fmt::format("the option is '{}'; only case files may use the alias (CACHE-3)", after_key);
  } else if (key.find('_') != std::string_view::npos) {
    error.hint = "option names are written with hyphens";
    const std::string_view nearest = nearest_name(key, option_names);
    if (!nearest.empty()) error.hint += fmt::format(": '{}'", nearest);
  } else {
    error.hint = did_you_mean(key, option_names);
  }
  return error;
}

/// Reads one "key=value" into `options`; `seen` says which options were given before.
Refusal read_item(const OptionItem& item, std::bitset<option_names.size()>& seen,
                  Options& options) {
  if (item.key.empty()) {
    return Error{.field = std::string(item.text),
                 .message = "the option has no name; expected name=value"};
  }
  if (item.value.empty()) {
    return Error{.field = std::string(item.key),
                 .message = "the option has no value; expected name=value",
                 .hint = "leave the option out to take its default"};
  }
  const auto index = find_option(item.key);
  if (!index) return unknown_key(item.key);
  if (seen.test(*index)) {
    return Error{.field = std::string(item.key),
                 .message = "the option is given twice; expected it once"};
  }
  seen.set(*index);
  return readers[*index](item.key, item.value, options);
}

}  // namespace

std::string_view to_string(PreloadCode preload_code) {
  switch (preload_code) {
    case PreloadCode::per_func:
      return "per-func";
    case PreloadCode::max:
      return "max";
    case PreloadCode::none:
      return "none";
  }
  SKCTS_CHECK(false, "preload code {}", static_cast<int>(preload_code));
}

std::vector<OptionItem> split_option_items(std::string_view text) {
  std::vector<OptionItem> items;
  text = strip_quotes(text);
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view item = trim(text.substr(0, colon));
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const bool has_equals = equals != std::string_view::npos;
    items.push_back({.text = item,
                     .key = trim(item.substr(0, equals)),
                     .value = has_equals ? trim(item.substr(equals + 1)) : item.substr(0, 0),
                     .has_equals = has_equals});
  }
  return items;
}

std::vector<std::string> split_option_list(std::string_view value) {
  std::vector<std::string> entries;
  while (true) {
    const std::size_t comma = value.find(',');
    const std::string_view entry = trim(value.substr(0, comma));
    if (!entry.empty()) entries.emplace_back(entry);
    if (comma == std::string_view::npos) return entries;
    value.remove_prefix(comma + 1);
  }
}

OptionParse parse_options(std::string_view text) {
  OptionParse parse;
  Options options;
  std::bitset<option_names.size()> seen;
  for (const OptionItem& item : split_option_items(text)) {
    if (!item.has_equals) {
      parse.warnings.push_back(
          fmt::format("option item '{}' was ignored: it is not of the form name=value", item.text));
      continue;
    }
    parse.refusal = read_item(item, seen, options);
    if (parse.refusal) return parse;
  }
  parse.options = std::move(options);
  return parse;
}

AliasedOptions resolve_option_aliases(std::string_view text) {
  AliasedOptions resolved;
  std::size_t copied = 0;
  for (const OptionItem& item : split_option_items(text)) {
    if (!item.has_equals || item.key != after_alias) continue;
    const auto start = static_cast<std::size_t>(item.key.data() - text.data());
    resolved.text += text.substr(copied, start - copied);
    resolved.text += after_key;
    copied = start + item.key.size();
    resolved.warnings.push_back(
        fmt::format("option '{}' is read as '{}' (CACHE-3)", after_alias, after_key));
  }
  resolved.text += text.substr(copied);
  return resolved;
}

bool is_known_option(std::string_view key) {
  return find_option(key).has_value();
}

std::span<const std::string_view> known_options() {
  return option_names;
}

std::string to_option_string(const Options& options) {
  static const Options defaults;
  std::string text;
  const auto put = [&text](std::string_view key, const auto& value, const auto& default_value) {
    if (value == default_value) return;
    if (!text.empty()) text += ':';
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      text += fmt::format("{}={}", key, fmt::join(value, ","));
    } else if constexpr (std::is_same_v<Value, bool>) {
      text += fmt::format("{}={}", key, value ? 1 : 0);
    } else {
      text += fmt::format("{}={}", key, value);
    }
  };
  const auto put_member = [&](std::size_t index, auto member) {
    put(option_names[index], options.*member, defaults.*member);
  };
  put_member(0, &Options::func_align);
  put_member(1, &Options::preload_code);
  put_member(2, &Options::early_start);
  put_member(3, &Options::stream_fusion);
  put_member(4, &Options::debug_dcci_all);
  put_member(5, &Options::debug_sync_all);
  put_member(6, &Options::feed_sync_all);
  put_member(7, &Options::profiling);
  put_member(8, &Options::compile_options);
  put_member(9, &Options::strict_scope_check);
  put_member(10, &Options::dcci_before_kernel_start);
  put_member(11, &Options::dcci_after_kernel_end);
  put_member(12, &Options::dcci_disable_on_kernel);
  put_member(13, &Options::split_mode);
  put_member(14, &Options::debug_aic_num);
  put_member(15, &Options::debug_aiv_num);
  return text;
}

}  // namespace skcts
