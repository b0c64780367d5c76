// What a formula gives for given inputs.
#pragma once

#include <algorithm>

#include "reference_model/racy_events.h"
#include "spec/arithmetic.h"

namespace skcts::model {

/// May anything come of it? `is_undefined` tells it of a Source.
template <class F>
bool gives_anything(const Formula& formula, F&& is_undefined) {
  switch (formula.function) {
    case Function::copy: return is_undefined(formula.inputs[0]);
    case Function::fill: return is_undefined(formula.operand);
    case Function::adds: return is_undefined(formula.inputs[0]) || is_undefined(formula.operand);
    case Function::add:
    case Function::mmad: return is_undefined(formula.inputs[0]) || is_undefined(formula.inputs[1]);
    case Function::opaque:
      return is_undefined(formula.operand) ||
             std::any_of(formula.inputs.begin(), formula.inputs.end(), is_undefined);
    case Function::none: return true;
  }
  return true;
}

/// `value` tells what a Source holds. Where anything may come of it the number means nothing.
template <class F>
std::uint32_t evaluate(const Formula& formula, F&& value) {
  switch (formula.function) {
    case Function::copy: return value(formula.inputs[0]);
    case Function::fill: return value(formula.operand);
    case Function::adds: return value(formula.inputs[0]) + value(formula.operand);
    case Function::add: return value(formula.inputs[0]) + value(formula.inputs[1]);
    case Function::mmad: return mmad_word(value(formula.inputs[0]), value(formula.inputs[1]));
    case Function::opaque: {
      std::uint32_t state = opaque_start;
      for (const Source& input : formula.inputs) state = opaque_fold(state, value(input));
      return opaque_word(state, value(formula.operand), formula.index);
    }
    case Function::none: return 0;
  }
  return 0;
}

}  // namespace skcts::model
