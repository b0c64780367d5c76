// Has a case what a fault needs to show? The control of a defect: without it, nothing may show.
#pragma once

#include <optional>
#include <string_view>

#include "generators/features.h"
#include "spec/case.h"
#include "spec/error.h"

namespace skcts::campaign {

/// A case with what its control asks of it, looked at once.
class Marks {
 public:
  /// The case must be valid and outlive this.
  explicit Marks(const Case& test_case);
  /// Does the case have one thing? Names: a feature of the generators ("sync-all-fed"); "op:NAME",
  /// an instruction in some program; "option:NAME", an item of the option string; "pair:aic-mix",
  /// two sub kernels of these kinds that follow each other in a launch with early start; or one of
  /// the names in control.cpp. Precondition: check_control() takes the name.
  [[nodiscard]] bool has(std::string_view name) const;
  /// "a+b|c": both a and b, or c.
  [[nodiscard]] bool hold(std::string_view control) const;

 private:
  const Case* case_;
  generators::FeatureSet features_;
};

/// The error in the text of a control, or nothing.
std::optional<Error> check_control(std::string_view control);

}  // namespace skcts::campaign
