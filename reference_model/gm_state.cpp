#include "reference_model/gm_state.h"

#include <algorithm>

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void GmState::reset(std::span<const std::uint32_t> initial) {
  value.assign(initial.begin(), initial.end());
  set.clear();
  sets.clear();
  joint.clear();
}

Val GmState::word(std::int64_t index) const {
  return {value[at(index)], set.empty() ? Val::exact : set[at(index)]};
}

void GmState::host_write(std::int64_t index, std::uint32_t word) {
  value[at(index)] = word;
  if (!set.empty()) set[at(index)] = Val::exact;
  for (JointWords& group : joint) {
    const auto found = std::find(group.words.begin(), group.words.end(), index);
    if (found == group.words.end()) continue;
    const auto place = found - group.words.begin();
    group.words.erase(found);
    for (auto& tuple : group.tuples) tuple.erase(tuple.begin() + place);
    std::sort(group.tuples.begin(), group.tuples.end());
    group.tuples.erase(std::unique(group.tuples.begin(), group.tuples.end()), group.tuples.end());
  }
  std::erase_if(joint, [](const JointWords& group) { return group.words.empty(); });
}

bool GmState::counts(const JointWords& group) const {
  return !set.empty() && std::all_of(group.words.begin(), group.words.end(),
                                     [&](std::int64_t word) { return set[at(word)] >= 0; });
}

std::vector<JointWords> GmState::report_joint() const {
  std::vector<JointWords> result;
  for (const JointWords& group : joint) {
    if (group.words.size() > 1 && counts(group)) result.push_back(group);
  }
  return result;
}

std::vector<std::uint8_t> GmState::known() const {
  std::vector<std::uint8_t> result(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) result[i] = set[i] == Val::exact ? 1 : 0;
  return result;
}

void GmState::report(std::vector<WordAllowed>& words,
                     std::vector<std::vector<std::uint32_t>>& used) const {
  words.resize(value.size());
  if (set.empty()) {
    for (std::size_t i = 0; i < value.size(); ++i) words[i] = {.value = value[i]};
    return;
  }
  std::vector<std::int32_t> place(sets.size(), -1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    WordAllowed& word = words[i];
    word = {};
    if (set[i] == Val::exact) {
      word.value = value[i];
    } else if (set[i] < 0) {
      word.kind = WordKind::unjudged;
    } else {
      std::int32_t& number = place[at(set[i])];
      if (number < 0) {
        number = static_cast<std::int32_t>(used.size());
        used.push_back(sets[at(set[i])]);
      }
      word.kind = WordKind::one_of;
      word.set = number;
    }
  }
}

}  // namespace skcts::model
