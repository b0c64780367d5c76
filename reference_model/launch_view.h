// A launch as the analysis has it, for those who tell of it: trace, graph of waits, cost.
#pragma once

#include <cstdint>

#include "reference_model/order.h"
#include "reference_model/stall.h"
#include "reference_model/steps.h"

namespace skcts::model {

struct LaunchView {
  std::int32_t number = 0;  ///< In the plan.
  const LaunchProgram& program;
  const StallResult& stall;
  const Order& order;
};

/// Is told of each launch of a plan once it is analysed; what a view refers to is gone afterwards.
class LaunchListener {
 public:
  virtual ~LaunchListener() = default;
  virtual void launch(const LaunchView& view) = 0;
};

}  // namespace skcts::model
