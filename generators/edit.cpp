#include "generators/edit.h"

#include <algorithm>

namespace skcts::generators {

namespace {

/// True when `object` of the op is a name (TPipe, queue), not a GlobalTensor.
bool object_is_name(Op op) {
  return uses(op, Field::object) && op != Op::tensor_copy && op != Op::tensor_end;
}

/// Calls visit(std::int16_t&) for each use of a name, in the order of case text.
template <class Visit>
void for_each_name(Instruction& in, Visit&& visit) {
  for_each_operand(in, [&](Operand& o) {
    if (o.space == Space::local_tensor && o.index >= 0) visit(o.index);
  });
  if (!object_is_name(in.op)) return;
  if (in.object >= 0) visit(in.object);
  if (in.other >= 0) visit(in.other);
}

template <class Visit>
void for_each_tensor(Instruction& in, Visit&& visit) {
  for_each_operand(in, [&](Operand& o) {
    if (o.space == Space::tensor && o.index >= 0) visit(o.index);
  });
  if (in.op != Op::tensor_copy && in.op != Op::tensor_end) return;
  if (in.object >= 0) visit(in.object);
  if (in.other >= 0) visit(in.other);
}

/// New places of the kept items: -1 for those that are dropped.
std::vector<std::int16_t> places_of(const std::vector<bool>& used) {
  std::vector<std::int16_t> place(used.size(), -1);
  std::int16_t next = 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) place[i] = next++;
  }
  return place;
}

template <class T>
void keep(std::vector<T>& items, const std::vector<bool>& used) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (used[i]) kept.push_back(std::move(items[i]));
  }
  items = std::move(kept);
}

}  // namespace

void renumber_names(SubKernel& sub) {
  std::vector<std::int16_t> place(sub.names.size(), -1);
  std::vector<std::string> names;
  for (std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
    for_each_in(*program, [&](Instruction& in) {
      for_each_name(in, [&](std::int16_t& name) {
        std::int16_t& to = place[static_cast<std::size_t>(name)];
        if (to < 0) {
          to = static_cast<std::int16_t>(names.size());
          names.push_back(sub.names[static_cast<std::size_t>(name)]);
        }
        name = to;
      });
    });
  }
  sub.names = std::move(names);
}

void drop_unused_tensors(SubKernel& sub) {
  std::vector<bool> used(sub.tensors.size(), false);
  const auto each = [&](auto visit) {
    for (std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
      for_each_in(*program, [&](Instruction& in) { for_each_tensor(in, visit); });
    }
  };
  each([&](std::int16_t& t) { used[static_cast<std::size_t>(t)] = true; });
  if (std::find(used.begin(), used.end(), false) == used.end()) return;
  const std::vector<std::int16_t> place = places_of(used);
  each([&](std::int16_t& t) { t = place[static_cast<std::size_t>(t)]; });
  keep(sub.tensors, used);
}

std::vector<std::int16_t> drop_unused_regions(Mix& mix, std::vector<bool> used) {
  used.resize(mix.regions.size(), false);
  const auto each = [&mix](auto visit) {
    for (OutsideActor& actor : mix.outside) {
      for (OutsideStep& step : actor.steps) {
        if (step.region >= 0) visit(step.region);
        if (step.to >= 0) visit(step.to);
      }
    }
    for (SubKernel& sub : mix.sub_kernels) for_each_region(sub, visit);
  };
  each([&](std::int16_t& r) { used[static_cast<std::size_t>(r)] = true; });
  std::vector<std::int16_t> place = places_of(used);
  if (std::find(used.begin(), used.end(), false) == used.end()) return place;
  each([&](std::int16_t& r) { r = place[static_cast<std::size_t>(r)]; });
  keep(mix.regions, used);
  return place;
}

}  // namespace skcts::generators
