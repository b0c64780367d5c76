// Happens-before between the executed steps of a launch (semantics §2).
//
// An agent is one pipe of one thread. Everything that orders steps of different agents orders a
// whole prefix of an agent: barriers, events, raises and joins all speak of "the earlier work of a
// pipe". So one number an agent, how many of its steps have ended, says all that is known at a
// point, and a step carries such a vector for its start. Knowledge of other threads enters a thread
// only where its issue blocks (wait, pass, poll), hence everything issued between two such points
// shares one row of foreign counts; a step itself keeps only the counts of its own thread's pipes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_model/stall.h"
#include "reference_model/steps.h"

namespace skcts::model {

/// A stretch of steps of one thread, [first, last), as flat numbers.
struct Run {
  std::int32_t thread = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
};

/// Built once a launch, which has to stay where it is; buffers are kept. Steps are named by their
/// flat numbers.
class Order {
 public:
  /// `stall` tells which steps execute and what feeds which wait.
  void build(const LaunchProgram& program, const StallResult& stall);

  /// End of a before start of b, in every schedule. A step that blocks issue (wait, pass, poll)
  /// starts when it is released. False if one of them never executes, and for a == b. An arrive is
  /// over when its pipe is; whether its join was released is what landed() tells.
  bool before(std::int32_t a, std::int32_t b) const {
    const Record& x = records_[static_cast<std::size_t>(a)];
    const Record& y = records_[static_cast<std::size_t>(b)];
    if (x.thread == y.thread) return y.own[static_cast<std::size_t>(x.pipe)] > x.position;
    return rows_[y.row + static_cast<std::size_t>(x.agent)] > x.position;
  }

  /// The same for what a writes in the block of 32 bytes that holds the GM word: a poll that needed
  /// this block of the write has seen it, though the rest of the write may be on its way (L-30).
  bool block_before(std::int32_t a, std::int64_t word, std::int32_t b) const {
    return before(a, b) || block_polled(a, word, b);
  }
  bool block_polled(std::int32_t a, std::int64_t word, std::int32_t b) const;

  /// Was the n-th (from 0) boundary arrival of the thread released before the start of b? Refreshes
  /// that precede it in program order have then landed (CACHE-1).
  bool landed(std::int32_t thread, std::int32_t n, std::int32_t b) const {
    const Record& y = records_[static_cast<std::size_t>(b)];
    if (y.thread == thread) return y.own[landing_slot] > n;
    const std::size_t agent =
        static_cast<std::size_t>(agents_[static_cast<std::size_t>(thread)][landing_slot]);
    return rows_[y.row + agent] > n;
  }

  bool executed(std::int32_t step) const {
    return records_[static_cast<std::size_t>(step)].position != never;
  }
  std::int32_t thread_of(std::int32_t step) const {
    return records_[static_cast<std::size_t>(step)].thread;
  }
  /// All executed steps in one order that keeps before(), each thread in issue order. Steps that
  /// never execute may stand in between.
  std::span<const Run> runs() const { return runs_; }

  /// False when a wait with several feeders got less than it might know.
  bool exact() const { return exact_; }
  /// False when a wait that holds one pipe got less than it knows.
  bool knows_pipes() const { return knows_pipes_; }

 private:
  static constexpr std::size_t landing_slot = 7;  ///< Beside the seven pipes.
  static constexpr std::size_t slots = 8;
  static constexpr std::int32_t never = INT32_MAX;
  using Counts = std::array<std::int32_t, slots>;

  struct Record {
    Counts own{};
    std::size_t row = 0;            ///< Offset into rows_.
    std::int32_t position = never;  ///< In its agent.
    std::int32_t thread = 0;
    std::int32_t agent = 0;
    std::int32_t pipe = 0;
    std::int32_t landing = -1;  ///< Of a boundary arrival: its number in the thread.
  };
  struct ThreadState {
    std::array<Counts, slots> clock{};  ///< By pipe: what is known when its next step starts.
    Counts count{};                     ///< Steps so far.
    Counts raised{};                    ///< What its raises so far have carried.
    Counts taken{};                     ///< By pipe: `learnt` when it last took the scalar's clock.
    std::int32_t learnt = 1;            ///< Grows when the scalar learns more than its own steps.
    std::int32_t next = 0;              ///< Flat number.
    std::int32_t end = 0;
    std::int32_t landings = 0;
    std::size_t row = 0;
    /// A pipe that waited by itself (3510) knows this, too; 0: nothing.
    std::array<std::size_t, slots> pipe_row{};
    bool waits_on_pipes = false;
  };
  struct Arrival {
    std::int32_t flat = 0;
    std::int32_t next = -1;  ///< Place of another one at the same join, or -1.
  };
  struct JoinState {
    std::size_t row = SIZE_MAX;  ///< What its members knew; SIZE_MAX: nobody has passed yet.
    std::size_t includes = 0;    ///< A row that went into it.
    std::int32_t last = -1;      ///< Into arrivals_.
    std::int32_t count = 0;
  };
  // What is noted of a step: its pipe and flags.
  static constexpr std::uint8_t note_pipe = 7;
  static constexpr std::uint8_t note_blocks = 8;
  static constexpr std::uint8_t note_executed = 16;
  struct Place {
    std::int32_t counter = -1;
    std::int32_t turn = 0;
  };

  void number_agents();
  void index_waits();
  void advance(std::int32_t thread, std::int32_t last);
  void issue(std::int32_t number, ThreadState& thread, const Step& step, std::int32_t flat);
  static void know_all(const ThreadState& thread, Counts& counts);
  void block(std::int32_t flat);
  void pass(std::int32_t flat, const Step& step);
  void wait(std::int32_t flat);
  void wait_for_many(std::int32_t flat, const Counter& counter, std::int32_t turn);
  void poll(std::int32_t flat);
  // order_pipes.cpp
  void wait_on_pipe(std::int32_t thread, std::size_t pipe, std::int32_t flat);
  void meet_pipes(std::int32_t thread, std::size_t pipe, const Step& step, std::int32_t flat);
  std::size_t row_of_pipe(const ThreadState& thread, std::size_t pipe);
  std::size_t row_of_all(const ThreadState& thread);
  std::size_t both(std::size_t row, std::size_t other);
  bool seen_whole(std::int32_t write, std::int32_t poll) const;
  std::int64_t polled_block(const PollEdge& edge) const;
  std::size_t increment_row(std::int32_t feeder, std::int32_t turn);
  bool is_chain(const Counter& counter) const;
  bool depends_on(std::int32_t raise, std::int32_t wait) const;
  bool must_follow(std::int32_t raise, std::int32_t wait) const;
  bool reach(std::int32_t flat);
  void add_step(std::size_t row, std::int32_t flat);
  void add_row(std::size_t row, std::size_t other);
  std::size_t new_row();
  void learn(std::int32_t thread, std::size_t row, std::size_t includes);
  const Step& step_at(std::int32_t flat) const;

  const LaunchProgram* program_ = nullptr;
  const StallResult* stall_ = nullptr;
  std::vector<Record> records_;
  std::vector<std::array<std::int32_t, slots>> agents_;
  std::size_t width_ = 0;  ///< Of a row.
  std::vector<std::int32_t> rows_;
  std::vector<ThreadState> threads_;
  std::vector<Run> runs_;
  std::vector<std::uint8_t> notes_;  ///< By flat number.
  std::vector<Arrival> arrivals_;
  std::vector<JoinState> joins_;
  std::vector<Place> wait_place_;            ///< By flat number.
  std::vector<std::size_t> increment_rows_;  ///< Of several raises together.
  std::vector<std::int32_t> first_increment_;
  std::vector<std::uint8_t> chain_;  ///< By counter.
  std::vector<std::int32_t> linear_place_;
  bool knows_pipes_ = true;
  bool exact_ = true;
};

}  // namespace skcts::model
