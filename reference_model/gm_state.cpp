// GM between launches, as words and sets.
#include "reference_model/values.h"

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
}

Val GmState::word(std::int64_t index) const {
  return {value[at(index)], set.empty() ? Val::exact : set[at(index)]};
}

void GmState::host_write(std::int64_t index, std::uint32_t word) {
  value[at(index)] = word;
  if (!set.empty()) set[at(index)] = Val::exact;
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
