// Rows of levels such that each pair of levels of two factors stands in one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace skcts::campaign {

/// A level of a factor.
struct FactorLevel {
  int factor = 0;
  int level = 0;
  auto operator<=>(const FactorLevel&) const = default;
};

/// Two levels of different factors, the lower factor first.
struct LevelPair {
  FactorLevel a;
  FactorLevel b;
  auto operator<=>(const LevelPair&) const = default;
};

/// The pairs that were not met yet.
class PairsLeft {
 public:
  /// `counts`: levels of each factor.
  explicit PairsLeft(std::vector<int> counts);

  [[nodiscard]] std::int64_t all() const { return all_; }
  [[nodiscard]] std::int64_t met() const { return met_; }
  /// The first pair that is neither met nor given up.
  [[nodiscard]] std::optional<LevelPair> next();
  /// A row with the pair that meets many more; where a level adds nothing it is the default, 0.
  /// `fits` is asked for each row as far as it is chosen, the rest at 0: false takes a level out.
  [[nodiscard]] std::vector<int> row_with(
      const LevelPair& pair, const std::function<bool(const std::vector<int>&)>& fits) const;
  /// The pair with all else at its default.
  [[nodiscard]] std::vector<int> bare_row(const LevelPair& pair) const;
  void meet(const std::vector<int>& row);
  void give_up(const LevelPair& pair);

 private:
  enum class State : std::uint8_t { open, met, given_up };
  [[nodiscard]] std::size_t place(FactorLevel a, FactorLevel b) const;
  [[nodiscard]] int gain(const std::vector<int>& row, const std::vector<bool>& chosen,
                         FactorLevel more) const;

  std::vector<int> counts_;
  std::vector<int> first_;  ///< Number of the first level of each factor, counted over all.
  int levels_ = 0;
  std::vector<State> states_;
  std::size_t cursor_ = 0;
  std::vector<LevelPair> order_;
  std::int64_t all_ = 0;
  std::int64_t met_ = 0;
};

}  // namespace skcts::campaign
