// A function that can be left in the middle and gone on with: one for each core.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace skcts::ascendc {

/// Stacks of one size, kept for the next fibre. A page below each is not accessible, so that an
/// operator that needs more dies at once.
class StackPool {
 public:
  explicit StackPool(std::size_t bytes = std::size_t{256} << 10) : bytes_(bytes) {}
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();
  std::size_t bytes() const { return bytes_; }
  /// The lowest byte of a stack; the highest is `bytes()` behind it.
  void* take();
  void give_back(void* stack) { free_.push_back(stack); }
  std::size_t free_count() const { return free_.size(); }

 private:
  std::size_t bytes_;
  std::vector<void*> free_;
};

/// Runs `body` on a stack of its own, a piece at a time.
class Fibre {
 public:
  Fibre();
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Starts over. What ran before is given up. The pool outlives the fibre.
  void start(StackPool& pool, std::function<void()> body);
  /// Goes on with the body until it pauses or ends; false: it had ended before, or ends now.
  bool resume();
  /// Inside the body: back to whoever resumed it.
  void pause();
  /// Gives up a body that has not ended. Nothing is unwound: what it holds on the heap is lost.
  void abandon();
  bool running() const;

 private:
  void drop_stack();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skcts::ascendc
