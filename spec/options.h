// SuperKernel options: the typed set, and the option string "key=value:key=value".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "spec/error.h"

namespace skcts {

enum class PreloadCode : std::uint8_t {
  per_func,  ///< the next sub kernel's code is loaded before the present one runs
  max,       ///< everything once, at the start
  none,
};

std::string_view to_string(PreloadCode preload_code);  ///< "per-func", "max", "none"

/// The options of one SuperKernel with their documented defaults on the path ge. The path aclgraph
/// reads its own names into it (spec/aclgraph_options.h); its lists hold patterns.
struct Options {
  std::int64_t func_align = 512;  ///< bytes; 0 = none, else a power of two up to 2^62
  PreloadCode preload_code = PreloadCode::per_func;
  int early_start = 1;  ///< 0 off; 1 on; 2 on, but the sub kernels' own calls do nothing
  bool stream_fusion = false;
  bool debug_dcci_all = false;
  bool debug_sync_all = false;
  bool feed_sync_all = false;
  bool profiling = false;
  std::vector<std::string> compile_options;           ///< passed on to the compiler
  std::string strict_scope_check;                     ///< empty = not given
  std::vector<std::string> dcci_before_kernel_start;  ///< op types
  std::vector<std::string> dcci_after_kernel_end;     ///< op types
  std::vector<std::string> dcci_disable_on_kernel;    ///< op types
  int split_mode = 4;                                 ///< 1..64
  int debug_aic_num = 0;  ///< 0 = not given; checked against mix and machine by CORE-6
  int debug_aiv_num = 0;
  bool per_op_max_core_num = false;  ///< aclgraph: each sub kernel is a SuperKernel (ACL-9)

  friend bool operator==(const Options&, const Options&) = default;
};

/// What became of an option string: options, or the reason why it is refused (FUSE-3).
struct OptionParse {
  std::optional<Options> options;
  std::vector<std::string> warnings;  ///< items without '=' that were ignored
  std::optional<Error> refusal;       ///< field = the option's key, where one is known
};

/// Reads an option string as a SuperKernel composer must. Surrounding double quotes and blanks
/// are stripped; a string with nothing in it means the defaults. Exactly one of options and
/// refusal is set.
OptionParse parse_options(std::string_view text);

/// Case files may use the alias dcci-after-kernel-start, which the development page prints for
/// dcci-after-kernel-end (CACHE-3). Gives the string with the key replaced, and one warning for
/// each replacement; every other byte stays. An option string that is sent to a target never
/// holds the alias: parse_options refuses it.
struct AliasedOptions {
  std::string text;
  std::vector<std::string> warnings;

  friend bool operator==(const AliasedOptions&, const AliasedOptions&) = default;
};
AliasedOptions resolve_option_aliases(std::string_view text);

/// One item of an option string, blanks trimmed.
struct OptionItem {
  std::string_view text;   ///< the item as written, blanks and quotes around the string gone
  std::string_view key;    ///< before the first '='; the whole item when there is none
  std::string_view value;  ///< after the first '='
  bool has_equals = false;

  friend bool operator==(const OptionItem&, const OptionItem&) = default;
};

/// The items between the colons, in order; none for a string with nothing in it. The views
/// point into `text`.
std::vector<OptionItem> split_option_items(std::string_view text);

/// The entries between the commas of a list, blanks around them trimmed, empty ones left out.
std::vector<std::string> split_option_list(std::string_view value);

/// True for a key that parse_options accepts.
bool is_known_option(std::string_view key);

/// All keys that parse_options accepts, in the order of the documentation.
std::span<const std::string_view> known_options();

/// The shortest option string that parses to `options`: the values that are not defaults, in
/// the order of the documentation; empty for the defaults. Precondition: the options came from
/// parse_options or keep its domains (list entries hold no ',', ':' or outer blanks).
std::string to_option_string(const Options& options);

}  // namespace skcts

template <>
struct fmt::formatter<skcts::Options> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const skcts::Options& options, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_option_string(options), context);
  }
};

template <>
struct fmt::formatter<skcts::PreloadCode> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(skcts::PreloadCode preload_code, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(preload_code), context);
  }
};
