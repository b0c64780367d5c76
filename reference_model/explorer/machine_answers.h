// Word 0 of every state: what the run has settled of the points that the sources leave open.
#pragma once

#include "reference_model/explorer/machine.h"

namespace skcts::explorer {

// Two bits a question: 0 while open, else position + 1.
inline constexpr Field double_set_answer{0, 0, 2};
inline constexpr Field overflow_answer{0, 2, 2};
inline constexpr Field slots_answer{0, 4, 2};

}  // namespace skcts::explorer
