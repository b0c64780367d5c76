// Which sub kernels touch which regions and flags, as far as their order matters.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/mix.h"

namespace skcts::generators {

/// How a sub kernel touches a region.
struct Touch {
  bool reads = false;
  bool writes = false;
  bool cached = false;  ///< By scalar through the data cache.
  bool late = false;    ///< After SetNextTaskStart: beside later sub kernels.
  bool waits = false;   ///< A flag or workspace that cores wait on: it is used once.
  [[nodiscard]] bool any() const { return reads || writes || waits; }
};

class Touches {
 public:
  explicit Touches(const Mix& mix);

  [[nodiscard]] int regions() const { return static_cast<int>(regions_); }
  [[nodiscard]] const Touch& of(int sub, int region) const {
    return touch_[static_cast<std::size_t>(sub)][static_cast<std::size_t>(region)];
  }
  /// One writes what the other touches.
  [[nodiscard]] bool share_data(int a, int b) const;
  /// They raise or wait for one id, or both have a Matmul service.
  [[nodiscard]] bool share_flags(int a, int b) const;
  /// Cores of the sub kernel wait for each other.
  [[nodiscard]] bool waits_inside(int sub) const {
    return waits_inside_[static_cast<std::size_t>(sub)];
  }

 private:
  void look_at(int sub, const SubKernel& kernel, const Instruction& in, bool late);

  std::size_t regions_ = 0;
  std::vector<std::vector<Touch>> touch_;
  std::vector<std::uint32_t> flags_;
  std::vector<bool> waits_inside_;
};

}  // namespace skcts::generators
