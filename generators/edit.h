// Small edits of programs that keep their cross references right.
#pragma once

#include <vector>

#include "spec/mix.h"

namespace skcts::generators {

/// Calls visit(Operand&) for the operands that the instruction's op uses, ranges included.
template <class Visit>
void for_each_operand(Instruction& in, Visit&& visit) {
  visit(in.dst);
  visit(in.src);
  visit(in.src_b);
  for (Range& r : in.reads) visit(r.from);
  for (Range& r : in.writes) visit(r.from);
}

/// Calls visit(Instruction&) for every instruction of a program, bodies of repeats included.
template <class Visit>
void for_each_in(std::vector<Instruction>& program, Visit&& visit) {
  for (Instruction& in : program) {
    visit(in);
    for_each_in(in.body, visit);
  }
}

template <class Visit>
void for_each_in(const std::vector<Instruction>& program, Visit&& visit) {
  for (const Instruction& in : program) {
    visit(in);
    for_each_in(in.body, visit);
  }
}

/// Calls visit(std::int16_t&) for each region that the sub kernel names: of its tensors, and of
/// operands in GM.
template <class Visit>
void for_each_region(SubKernel& sub, Visit&& visit) {
  for (Tensor& tensor : sub.tensors) {
    if (tensor.region >= 0) visit(tensor.region);
  }
  for (std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
    for_each_in(*program, [&](Instruction& in) {
      for_each_operand(in, [&](Operand& o) {
        if (o.space == Space::gm && o.index >= 0) visit(o.index);
      });
    });
  }
}

/// Orders SubKernel::names by first use (AIC program first), as case text has them, and drops
/// names that nothing uses.
void renumber_names(SubKernel& sub);

/// Drops the GlobalTensor objects that nothing uses.
void drop_unused_tensors(SubKernel& sub);

/// Drops the regions that no instruction, tensor or actor uses; `used` marks others that must stay.
/// Gives the new place of each region, -1 for those that are gone.
std::vector<std::int16_t> drop_unused_regions(Mix& mix, std::vector<bool> used);

}  // namespace skcts::generators
