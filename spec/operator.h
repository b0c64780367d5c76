// An operator: one sub kernel with the GM that it works on, as its vendor hands it in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/case.h"
#include "spec/mix.h"
#include "spec/profile.h"

namespace skcts {

/// What the certificate of an operator is known to say.
struct ExpectedCertificate {
  bool certified = true;
  std::string rule;  ///< Refused: the primary rule, e.g. "PIPE-5".
  std::string note;  ///< Why.
  bool operator==(const ExpectedCertificate&) const = default;
};

struct Operator {
  std::string name;
  std::string note;
  std::string source;   ///< Where it comes from, for people.
  std::string options;  ///< SuperKernel options that it needs wherever it is fused.
  std::vector<Region> regions;
  /// Places in `regions`. What others may have written before it, and may read behind it; one may
  /// be both. The others are its own: zeroed or set for it, and touched by nobody else.
  std::vector<std::int16_t> inputs;
  std::vector<std::int16_t> outputs;
  SubKernel sub_kernel;
  std::optional<ExpectedCertificate> expect;
  bool operator==(const Operator&) const = default;
};

inline constexpr int operator_format = 1;  ///< Format number of operator text of this build.

/// The operator alone as a SuperKernel on the machine, with the options that it needs.
Case case_alone(const Operator& value, const Profile& profile);

/// What no launch of it can hold or what has no meaning, on this machine; options that are refused
/// among it. The fields are those of operator text. Empty: the operator is valid.
std::vector<Error> validate(const Operator& value, const Profile& profile);

}  // namespace skcts
