// What an exploration may hold and do, and what it has held and done so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reference_model/explorer/explorer.h"

namespace skcts::explorer {

/// Bytes are taken before they are allocated. Who is refused goes on without them as it can: the
/// exploration is over at the next look at within(), and nothing of what it finds later counts.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}

  bool take(std::uint64_t bytes) {
    if (!why_.empty()) return false;
    if (bytes > limits_.max_bytes || held_ > limits_.max_bytes - bytes) {
      stop(fmt::format("more than {} bytes", limits_.max_bytes));
      return false;
    }
    held_ += bytes;
    peak_ = std::max(peak_, held_);
    return true;
  }
  void give(std::uint64_t bytes) { held_ -= bytes; }
  std::uint64_t peak() const { return peak_; }

  void work(std::uint64_t looks) { work_ += looks; }
  std::uint64_t worked() const { return work_; }
  std::uint64_t most_work() const { return limits_.work(); }

  /// The first reason counts.
  void stop(std::string_view what) {
    if (why_.empty()) why_ = fmt::format("too large: {}", what);
  }
  /// False: a bound is reached; then why().
  bool within(std::uint64_t states) {
    if (states > limits_.max_states) stop(fmt::format("more than {} states", limits_.max_states));
    return within();
  }
  bool within() {
    if (work_ > limits_.work()) stop(fmt::format("more than {} steps of work", limits_.work()));
    return why_.empty();
  }
  const std::string& why() const { return why_; }

 private:
  Limits limits_;
  std::uint64_t held_ = 0, peak_ = 0, work_ = 0;
  std::string why_;
};

/// Bytes of a budget that are given back in the end.
class Claim {
 public:
  explicit Claim(Budget& budget) : budget_(&budget) {}
  Claim(Claim&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  Claim& operator=(Claim&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Claim() { clear(); }

  bool add(std::uint64_t bytes) {
    if (!budget_->take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void drop(std::uint64_t bytes) {
    budget_->give(bytes);
    bytes_ -= bytes;
  }
  void clear() { budget_->give(std::exchange(bytes_, 0)); }
  std::uint64_t bytes() const { return bytes_; }
  Budget& budget() const { return *budget_; }

 private:
  Budget* budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace skcts::explorer
