#include "reference_model/gm_state.h"

#include <algorithm>
#include <optional>

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

namespace {

using Tuples = std::vector<std::vector<std::uint32_t>>;
constexpr std::size_t most_tuples = 4096;

/// The values of some words of one state: all tuples, or nothing if they are too many.
class Projection {
 public:
  Projection(const GmState& state, const std::vector<std::int64_t>& words)
      : state_(state), words_(words) {}

  std::optional<Tuples> tuples() const {
    Tuples all(1, std::vector<std::uint32_t>(words_.size(), 0));
    std::vector<std::uint8_t> placed(words_.size(), 0);
    for (const JointWords& group : state_.joint) {
      if (!state_.counts(group) || place(group.words.front()) == words_.size()) continue;
      for (const std::int64_t word : group.words) placed[place(word)] = 1;
      if (!extend(all, group)) return std::nullopt;
    }
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (placed[w] != 0) continue;
      const Val own = state_.word(words_[w]);
      JointWords alone{.words = {words_[w]}, .tuples = {}};
      if (own.set < 0) {
        alone.tuples = {{own.value}};
      } else {
        for (const std::uint32_t value : state_.sets[at(own.set)]) alone.tuples.push_back({value});
      }
      if (!extend(all, alone)) return std::nullopt;
    }
    return all;
  }

 private:
  std::size_t place(std::int64_t word) const {
    const auto found = std::lower_bound(words_.begin(), words_.end(), word);
    return found != words_.end() && *found == word ? at(found - words_.begin()) : words_.size();
  }

  bool extend(Tuples& all, const JointWords& group) const {
    if (all.size() * group.tuples.size() > most_tuples) return false;
    Tuples longer;
    for (const auto& known : all) {
      for (const auto& tuple : group.tuples) {
        longer.push_back(known);
        for (std::size_t i = 0; i < tuple.size(); ++i) {
          longer.back()[place(group.words[i])] = tuple[i];
        }
      }
    }
    all = std::move(longer);
    return true;
  }

  const GmState& state_;
  const std::vector<std::int64_t>& words_;
};

bool same_word(const GmState& a, const GmState& b, std::int64_t word) {
  const Val x = a.word(word);
  const Val y = b.word(word);
  if (x.set < 0 || y.set < 0) return x == y;
  return a.sets[at(x.set)] == b.sets[at(y.set)];
}

/// Words that differ, and those that are tied to them in either state.
std::vector<std::int64_t> differing(const GmState& a, const GmState& b) {
  std::vector<std::uint8_t> in(a.value.size(), 0);
  const auto judged = [&](std::int64_t word) {
    return a.word(word).set != Val::unjudged && b.word(word).set != Val::unjudged;
  };
  for (std::size_t w = 0; w < in.size(); ++w) {
    const auto word = static_cast<std::int64_t>(w);
    in[w] = judged(word) && !same_word(a, b, word) ? 1 : 0;
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (const GmState* one : {&a, &b}) {
      const GmState& other = one == &a ? b : a;
      for (const JointWords& group : one->joint) {
        if (!one->counts(group)) continue;
        const bool hit =
            std::any_of(group.words.begin(), group.words.end(),
                        [&](std::int64_t w) { return in[at(w)] != 0; }) ||
            std::find(other.joint.begin(), other.joint.end(), group) == other.joint.end();
        for (const std::int64_t word : group.words) {
          if (!hit || in[at(word)] != 0 || !judged(word)) continue;
          in[at(word)] = 1;
          grew = true;
        }
      }
    }
  }
  std::vector<std::int64_t> words;
  for (std::size_t w = 0; w < in.size(); ++w) {
    if (in[w] != 0) words.push_back(static_cast<std::int64_t>(w));
  }
  return words;
}

}  // namespace

bool GmState::unite(const GmState& other) {
  if (all_exact() && other.all_exact() && value == other.value) return true;
  if (set.empty()) set.assign(value.size(), Val::exact);
  const std::vector<std::int64_t> words = differing(*this, other);
  std::optional<Tuples> own = Projection(*this, words).tuples();
  const std::optional<Tuples> others = Projection(other, words).tuples();
  const bool exact = own && others;
  // Word by word what either may hold.
  std::vector<std::vector<std::uint32_t>> columns;
  for (const std::int64_t word : words) {
    std::vector<std::uint32_t>& column = columns.emplace_back();
    for (const GmState* one : {static_cast<const GmState*>(this), &other}) {
      const Val held = one->word(word);
      if (held.set < 0) {
        column.push_back(held.value);
      } else {
        const std::vector<std::uint32_t>& values = one->sets[at(held.set)];
        column.insert(column.end(), values.begin(), values.end());
      }
    }
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
  }
  std::erase_if(joint, [&](const JointWords& group) {
    return std::binary_search(words.begin(), words.end(), group.words.front());
  });
  JointWords tied;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t word = at(words[i]);
    value[word] = columns[i].size() == 1 ? columns[i].front() : 0;
    set[word] = Val::exact;
    if (columns[i].size() == 1) continue;
    set[word] = static_cast<std::int32_t>(sets.size());
    sets.push_back(std::move(columns[i]));
    tied.words.push_back(words[i]);
    places.push_back(i);
  }
  if (exact && !tied.words.empty()) {
    own->insert(own->end(), others->begin(), others->end());
    for (const auto& tuple : *own) {
      std::vector<std::uint32_t>& kept = tied.tuples.emplace_back();
      for (const std::size_t place : places) kept.push_back(tuple[place]);
    }
    std::sort(tied.tuples.begin(), tied.tuples.end());
    tied.tuples.erase(std::unique(tied.tuples.begin(), tied.tuples.end()), tied.tuples.end());
    joint.push_back(std::move(tied));
  }
  for (std::size_t w = 0; w < value.size(); ++w) {
    const bool open = other.word(static_cast<std::int64_t>(w)).set == Val::unjudged;
    if (open) set[w] = Val::unjudged;
  }
  if (std::all_of(set.begin(), set.end(), [](auto s) { return s == Val::exact; })) {
    set.clear();
    sets.clear();
    joint.clear();
  }
  return exact;
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
