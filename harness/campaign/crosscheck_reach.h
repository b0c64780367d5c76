// Which of the explored outcomes a target has shown.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "spec/allowed.h"
#include "spec/outcome.h"

namespace skcts::campaign {

/// What engines must agree on: no counts, no reasons, no ids of waits, no waits that a composer
/// inserted (who else stands at a boundary is its business); errors and refusals without rule,
/// memory and queries.
Outcome bare(Outcome outcome);

/// The explored outcomes of a case, as bare() leaves them distinct, and those among them that were
/// shown.
class Reach {
 public:
  /// `allowed` must outlive it.
  Reach(const Allowed& allowed, const std::vector<Outcome>& explored);

  /// Marks what `outcome` (a bare one) shows; false: the explorer does not reach it. Undefined
  /// words are whatever an engine likes: with one in either of two outcomes, they are compared
  /// without the words that nobody judges, and all explored outcomes that are then alike count as
  /// shown.
  bool show(const Outcome& outcome);

  [[nodiscard]] std::int64_t explored() const { return static_cast<std::int64_t>(shown_.size()); }
  [[nodiscard]] std::int64_t reached() const { return reached_; }
  [[nodiscard]] bool all() const { return reached_ == explored(); }
  /// The explored ones, in the order of explorer::before().
  [[nodiscard]] std::vector<Outcome> outcomes() const;
  /// Those of them that were not shown.
  [[nodiscard]] std::vector<Outcome> unreached() const;

 private:
  struct Order {
    bool operator()(const Outcome& a, const Outcome& b) const;
  };

  [[nodiscard]] std::vector<std::size_t> unjudged(const Outcome& outcome) const;
  void mark(bool& shown) {
    reached_ += shown ? 0 : 1;
    shown = true;
  }

  const Allowed& allowed_;
  std::map<Outcome, bool, Order> shown_;
  std::int64_t reached_ = 0;
};

}  // namespace skcts::campaign
