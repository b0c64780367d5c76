// The known good case that a target behind a connection is asked after it did not answer.
#pragma once

#include <optional>

#include "harness/target/target.h"
#include "harness/wire/client.h"

namespace skcts::program {

/// A copy through local memory on one core, with the memory that the model gives it. Nothing where
/// the target does not claim what that needs.
std::optional<wire::ProbeCase> probe_for(const TargetDescription& target);

/// A case in which a core waits for a flag that nobody raises.
Case stalling_case(const TargetDescription& target);

}  // namespace skcts::program
