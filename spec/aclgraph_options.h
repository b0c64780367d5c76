// The options of the path aclgraph: names with underscores, never refused (ACL-6), and the pattern
// language of their kernel lists (composition §5.5, §7.4).
#pragma once

#include <string_view>

#include "spec/options.h"

namespace skcts {

/// Reads "name=value:name=value", the written form of the list of options that a captured graph
/// is optimised with; the entries of a list stand between commas. Never refuses: what cannot be
/// used is told as a warning and leaves the default (ACL-6). Where the defaults of the two paths
/// differ, an option that is not given has this path's: early_start 0, stream_fusion 1.
OptionParse parse_aclgraph_options(std::string_view text);

/// Reads an option string as the composer of the path ("ge" or "aclgraph") does.
OptionParse parse_options_on(std::string_view path, std::string_view text);

/// Does an entry of a kernel list mean the kernel? Letters, digits, '_' and '-' stand for
/// themselves, '.' for any character, '*' behind one of these for any number of it, the name has
/// to match as a whole. Anything else in the pattern, or a '*' in front, matches nothing.
bool matches_kernel_pattern(std::string_view pattern, std::string_view name);

}  // namespace skcts
