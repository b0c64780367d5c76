// The two halves of validation that look at programs (spec/validate.h is the public side).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spec/error.h"
#include "spec/mix.h"
#include "spec/profile.h"

namespace skcts {

/// Errors found so far, up to a number beyond which nobody reads on.
class Findings {
 public:
  static constexpr std::size_t most = 50;
  void add(std::string field, std::string message, std::string hint = {});
  bool full() const { return errors_.size() >= most; }
  std::size_t count() const { return errors_.size(); }
  std::vector<Error> take() && { return std::move(errors_); }

 private:
  std::vector<Error> errors_;
};

/// What one program of a sub kernel can be seen to get wrong without running it: core kinds, pipes,
/// operand spaces, registers, nesting, fields that mean nothing. `path` is the program's own, e.g.
/// "mix.sub_kernels[0].aiv".
void validate_structure(const Mix& mix, const SubKernel& kernel, CoreKind kind,
                        const Profile& profile, const std::string& path, Findings& findings);

/// What shows only when the program is walked as each core would: addresses, GlobalTensor objects,
/// queues. Precondition: validate_structure found nothing and the program's unrolled length is
/// bounded.
void validate_walk(const Mix& mix, const SubKernel& kernel, CoreKind kind, const Profile& profile,
                   const std::string& path, Findings& findings);

}  // namespace skcts
