// What others do with the regions of an operator: sub kernels that write its inputs before it and
// read its outputs behind it, each portable by itself.
#pragma once

#include "spec/mix.h"
#include "spec/operator.h"
#include "spec/profile.h"

namespace skcts::campaign {

/// Before the operator: sub kernels that store into its inputs the words that the operator was
/// handed in with; the inputs themselves start with others. By scalars, one reads them first and
/// leaves their lines in the caches of the cores that the operator will run on.
/// The regions of `mix` start with those of the operator.
void add_writers(bool scalars, const Operator& value, const Profile& profile, Mix& mix);
/// Behind it: one that copies its outputs into regions of its own, on another core.
void add_readers(bool scalars, const Operator& value, const Profile& profile, Mix& mix);

}  // namespace skcts::campaign
