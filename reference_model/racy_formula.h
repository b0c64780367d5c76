// What a formula gives for given inputs.
#pragma once

#include "reference_model/racy_events.h"
#include "spec/arithmetic.h"

namespace skcts::model {

/// `value` tells what a Source holds. Function::none gives 0: nobody may rely on it.
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
