// A greedy pairwise covering array, row by row, since a row may turn out not to exist.
#include "harness/campaign/covering.h"

#include <utility>

#include "spec/check.h"

namespace skcts::campaign {

PairsLeft::PairsLeft(std::vector<int> counts) : counts_(std::move(counts)) {
  for (const int count : counts_) {
    first_.push_back(levels_);
    levels_ += count;
  }
  const auto all = static_cast<std::size_t>(levels_);
  states_.assign(all * all, State::open);
  const int factors = static_cast<int>(counts_.size());
  for (int a = 0; a < factors; ++a) {
    for (int b = a + 1; b < factors; ++b) {
      for (int i = 0; i < counts_[static_cast<std::size_t>(a)]; ++i) {
        for (int j = 0; j < counts_[static_cast<std::size_t>(b)]; ++j) {
          order_.push_back({{a, i}, {b, j}});
        }
      }
    }
  }
  all_ = static_cast<std::int64_t>(order_.size());
}

std::size_t PairsLeft::place(FactorLevel a, FactorLevel b) const {
  SKCTS_CHECK(a.factor != b.factor, "a pair within factor {}", a.factor);
  if (b.factor < a.factor) std::swap(a, b);
  const int row = first_[static_cast<std::size_t>(a.factor)] + a.level;
  const int column = first_[static_cast<std::size_t>(b.factor)] + b.level;
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(levels_) +
         static_cast<std::size_t>(column);
}

std::optional<LevelPair> PairsLeft::next() {
  for (; cursor_ < order_.size(); ++cursor_) {
    const LevelPair& pair = order_[cursor_];
    if (states_[place(pair.a, pair.b)] == State::open) return pair;
  }
  return std::nullopt;
}

int PairsLeft::gain(const std::vector<int>& row, const std::vector<bool>& chosen,
                    FactorLevel more) const {
  int sum = 0;
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (!chosen[f] || static_cast<int>(f) == more.factor) continue;
    const FactorLevel other{static_cast<int>(f), row[f]};
    sum += states_[place(other, more)] == State::open ? 1 : 0;
  }
  return sum;
}

std::vector<int> PairsLeft::row_with(
    const LevelPair& pair, const std::function<bool(const std::vector<int>&)>& fits) const {
  std::vector<int> row = bare_row(pair);
  std::vector<bool> chosen(row.size(), false);
  chosen[static_cast<std::size_t>(pair.a.factor)] = true;
  chosen[static_cast<std::size_t>(pair.b.factor)] = true;
  for (std::size_t f = 0; f < row.size(); ++f) {
    if (chosen[f]) continue;
    int best = 0;
    int most = 0;
    for (int level = 0; level < counts_[f]; ++level) {
      row[f] = level;
      const int now = gain(row, chosen, {static_cast<int>(f), level});
      if (now <= most || !fits(row)) continue;
      most = now;
      best = level;
    }
    row[f] = best;
    chosen[f] = true;
  }
  return row;
}

std::vector<int> PairsLeft::bare_row(const LevelPair& pair) const {
  std::vector<int> row(counts_.size(), 0);
  row[static_cast<std::size_t>(pair.a.factor)] = pair.a.level;
  row[static_cast<std::size_t>(pair.b.factor)] = pair.b.level;
  return row;
}

void PairsLeft::meet(const std::vector<int>& row) {
  const int factors = static_cast<int>(row.size());
  for (int a = 0; a < factors; ++a) {
    for (int b = a + 1; b < factors; ++b) {
      State& state = states_[place({a, row[static_cast<std::size_t>(a)]},
                                   {b, row[static_cast<std::size_t>(b)]})];
      if (state != State::open) continue;
      state = State::met;
      ++met_;
    }
  }
}

void PairsLeft::give_up(const LevelPair& pair) {
  State& state = states_[place(pair.a, pair.b)];
  if (state == State::open) state = State::given_up;
}

}  // namespace skcts::campaign
