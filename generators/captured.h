// What the path aclgraph makes of a sub kernel and its options, as the chapter ACL has it.
#pragma once

#include <string_view>

#include "spec/mix.h"
#include "spec/options.h"

namespace skcts::generators {

/// Whole-cache refreshes around a sub kernel (ACL-5).
struct Around {
  bool before = false;
  bool after = false;
};

Around captured_refreshes(std::string_view name, std::int32_t sk_bind, const Options& options);

/// Option and capability let a call of early start, SetNextTaskStart or WaitPreTaskEnd, take part
/// in a launch of one stream (ACL-4).
bool captured_call_works(Op call, std::int32_t sk_bind, const Options& options);

}  // namespace skcts::generators
