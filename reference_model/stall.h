// Which steps of a launch can ever execute, who is stuck, and what feeds which wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "reference_model/steps.h"
#include "spec/outcome.h"
#include "spec/rule.h"

namespace skcts::model {

class Footprint;
class Order;
struct HazardResult;

/// The raises of one thread with one id and mode, in issue order.
struct RaiseStream {
  std::int32_t thread = 0;
  std::int8_t id = 0;
  std::int8_t mode = 0;
  std::int32_t first = 0, count = 0;  ///< Into StallResult::raise_steps (flat step numbers).
};

/// One source of increments of a counter: its n-th increment comes when the n-th raise of each of
/// its streams has taken effect. `complete` is false when a core that has to raise never does.
struct Feeder {
  std::int8_t mode = 0;
  bool complete = true;
  std::int32_t first = 0, count = 0;  ///< Into StallResult::feeder_streams (places in `streams`).
  std::int32_t increments = 0;        ///< How many it gives in the end.
  std::int32_t group = 0;             ///< Feeders of one group are the same (of several counters).
};

/// The receive counter of one core and id. The k-th wait needs k increments of all feeders
/// together.
struct Counter {
  std::int32_t thread = 0;
  std::int8_t id = 0;
  std::int32_t first_wait = 0, wait_count = 0;      ///< Into wait_steps, in issue order.
  std::int32_t first_feeder = 0, feeder_count = 0;  ///< Into feeders.
  std::int32_t increments = 0;                      ///< Of all feeders, in the end.
  std::int32_t consumed = 0;                        ///< Waits that can execute.
};

/// A step at which something blocks for ever.
struct StuckStep {
  std::int32_t thread = 0;
  std::int32_t step = 0;  ///< In the thread.
  WaitKind kind = WaitKind::cross_core_flag;
  bool full_core = false;  ///< Of the one class: only "at or after" is known.
  bool root = false;       ///< What it waits for would not come even if others went on.
  /// Also with queues of one instruction (L-35), no overlap and all pipes drained between sub
  /// kernels (L-14, TASK-2). Elsewhere the core may stand earlier.
  bool everywhere = true;
  std::vector<std::int32_t> missing;  ///< Threads that never come (arrive, raise, write).
  RuleId rule = RuleId::sync_5;       ///< The rule that this blocked wait is charged to.
};

/// Why more may happen than the worklist shows.
enum class DoubtKind : std::uint8_t {
  cached_poll,      ///< S6: the word or the poll goes through a data cache.
  returning_poll,   ///< S6: the predicate may turn false again before it is read.
  counter_limit,    ///< S4: a counter can pass 15.
  double_set,       ///< S3: an event set twice with no wait issued between.
  pipe_shared,      ///< S2: several pipes of a core wait for one id (3510).
  soft_workspace,   ///< Soft SyncAll with unequal words in its workspace, or too many cores.
  ib_contended,     ///< An IBSet/IBWait slot with several setters or waiters.
  reserved_id,      ///< An id of the inserted synchronisation or of the Matmul service.
  full_core_order,  ///< Full-core waits inside a head or tail, or counts that differ without stall.
  early_start,      ///< Early-start calls not once on every core.
  kernel_type,      ///< L-10, L-12: undefined for this kernel type.
  waves,            ///< Needs more resident cores than there are.
  overlap,          ///< Ends only where sub kernels overlap, or cores pass their waits alone.
};
struct Doubt {
  DoubtKind kind = DoubtKind::cached_poll;
  std::int32_t thread = -1;
  std::int32_t step = -1;
  std::optional<RuleId> rule;
  std::int32_t latitude = 0;    ///< 0: none
  bool may_stall = false;       ///< Besides the worklist's answer the launch may stall,
  bool may_error = false;       ///< end with an error,
  bool may_complete = false;    ///< or complete although the worklist stalls;
  bool data_undefined = false;  ///< data after this point is not judged.
};

/// A write that must be complete before a poll can end (flat step numbers).
struct PollEdge {
  std::int32_t write = 0;
  std::int32_t poll = 0;
};

/// A flag counter that is above zero, or that raises are still pending for.
struct LeftOver {
  CoreId core;
  std::int8_t id = 0;
  std::int32_t count = 0;
  std::int32_t pending = 0;  ///< At most so many more once others raise, too.
};

/// Steps of all threads stand in one row: step i of thread t has the flat number first_step[t] + i.
struct StallResult {
  std::vector<std::int32_t> first_step;  ///< One more than threads.
  std::vector<std::uint8_t> executed;    ///< By flat number: 1 if it can ever execute.
  std::vector<std::int32_t> linear;      ///< The executed steps in one order that may happen.
  std::vector<std::int32_t> partner;     ///< By flat number: of a wait_event its set_event, or -1.
  /// Writes without which a poll cannot be fulfilled, for every poll that executes (may be none:
  /// the word had the value at the start, or several writes can fulfil it).
  std::vector<PollEdge> poll_edges;

  std::vector<Counter> counters;
  std::vector<Feeder> feeders;
  std::vector<std::int32_t> feeder_streams;
  std::vector<RaiseStream> streams;
  std::vector<std::int32_t> raise_steps;
  std::vector<std::int32_t> wait_steps;
  std::vector<std::int32_t> issued;  ///< By thread: so many steps can be issued.

  std::vector<LeftOver> left_over;  ///< When all is executed.

  bool stalled = false;          ///< Some step never executes, in every schedule.
  bool full_core_stall = false;  ///< A full-core wait lacks members.
  bool depth_stall = false;      ///< With queues of one instruction it may stall (L-35).
  /// By flat number, when it stalls: 1 if it executes on every platform; see StuckStep::everywhere.
  std::vector<std::uint8_t> executed_everywhere;
  bool same_everywhere = true;  ///< Nothing else is stuck on the platform that overlaps least.
  bool loose_polls = false;     ///< A poll may be fulfilled by any of several writes.
  std::vector<StuckStep> stuck;
  std::vector<Doubt> doubts;

  std::int32_t flat(std::int32_t thread, std::int32_t step) const {
    return first_step[static_cast<std::size_t>(thread)] + step;
  }
  /// Thread of a flat number.
  std::int32_t thread_of(std::int32_t flat_step) const;
  void clear();
};

/// What the launch finds in GM: one value a word; `known` is 0 where it is not certain.
struct GmView {
  std::span<const std::uint32_t> value;
  std::span<const std::uint8_t> known;  ///< Empty: all are.
};

class StepValues;

/// The worklist pass. Buffers are kept between calls.
class StallAnalysis {
 public:
  StallAnalysis();
  ~StallAnalysis();
  StallAnalysis(StallAnalysis&&) noexcept;
  StallAnalysis& operator=(StallAnalysis&&) noexcept;

  void run(const LaunchProgram& program, const GmView& memory, StallResult& result);
  /// Can raises of this launch take a counter that starts at `left` beyond its maximum (S4)? By
  /// counting alone, whatever is waited for in between. After run() with the same arguments.
  bool may_overflow(const LaunchProgram& program, const StallResult& result,
                    const LeftOver& left) const;
  /// Did the last program have a poll?
  bool has_polls() const { return has_polls_; }
  /// More poll edges that the order shows (earlier values of the word are overwritten by then).
  /// True if it found any: the order is then to be built again. After run() with the same
  /// arguments.
  bool add_poll_edges(const LaunchProgram& program, const Order& order, StallResult& result);
  /// S4, S6: what needs the order of the executed steps; adds to result.doubts. After run() with
  /// the same arguments.
  void check_with_order(const LaunchProgram& program, const Order& order, StallResult& result);
  /// S5, S6: polls and IB slots whose words have no one value; adds to result.doubts. True if poll
  /// edges were taken back: order and hazards are then to be made again. After check_with_order().
  bool check_with_hazards(const LaunchProgram& program, const Order& order,
                          const HazardResult& hazards, const Footprint& places,
                          StallResult& result);

 private:
  static constexpr std::size_t flag_modes = 5;
  static constexpr std::size_t flag_ids = 32;    // sixteen on 2201

  /// Threads that raise together.
  struct Members {
    std::int32_t first = 0, count = 0;
  };
  /// Gives an increment when each member has raised once more.
  struct Group {
    std::int32_t first = 0, count = 0;  ///< Into feeder_streams; fewer than `who`: never complete.
    std::int32_t level = 0;             ///< Increments so far.
    std::int32_t above = 0;             ///< Members that have raised more often than that.
    Members who;
    std::int8_t mode = 0;
    std::int8_t id = 0;
  };

  void number_steps();
  void match_events();
  bool holds_more(std::size_t thread, std::int32_t wait, std::int32_t set) const;
  void find_counters();
  Members members_of(std::int32_t thread, int mode) const;
  std::int32_t arrival_id(const Group& group, std::int32_t thread) const;
  bool feeds(const Group& group, std::int32_t thread, std::int32_t id) const {
    return arrival_id(group, thread) == id;
  }
  void make_groups();
  bool run_thread(std::int32_t thread);
  bool has_started(std::int32_t thread) const;
  bool start_blocks();
  bool run_pipes(std::int32_t thread);
  bool enabled(std::int32_t thread, const Step& step, std::int32_t flat) const;
  void execute(std::int32_t thread, const Step& step, std::int32_t flat);
  bool is_member(std::int32_t join_place, std::int32_t thread) const;
  std::int32_t stream_of(std::int32_t thread, const Step& raise) const;
  void raised(std::int32_t stream);
  void close_counters();
  void find_left_over();

  void compare_with_least_overlap(const GmView& memory);
  void prepare_least_overlap();
  bool waits_beside() const;
  void doubt_overlap(const StallResult& least);
  bool issues_alone(const Step& step) const;
  bool drains(const Step& step) const;
  bool may_cross(std::int32_t thread, const Step& step) const;
  bool heads_are_over(std::int32_t thread, const Step& pass) const;
  void raise_in_order(std::int32_t thread);
  void arrive(std::int32_t thread, const Step& step);
  void send_late_signals(std::int32_t thread);

  void check_soft_slot(std::int32_t thread, const Step& step);
  bool counts_rounds(const Step& step);
  bool is_ib_write(std::int32_t thread, std::int32_t flat) const;
  void check_ib_slot(std::int32_t thread, const Step& step, std::int32_t flat);
  void doubt_slot(std::int32_t thread, std::int32_t flat);
  void check_raced_slots(const HazardResult& hazards);
  bool doubt_poll(std::int32_t thread, std::int32_t flat);
  void explain_stuck();
  void add_stuck(std::int32_t thread, std::int32_t step);
  void explain_wait(StuckStep& stuck, const Step& step) const;
  void explain_pass(StuckStep& stuck, const Step& step) const;
  bool runs_sub_kernel(std::int32_t thread, std::int32_t sub_kernel) const;
  bool kind_runs(CoreKind kind, std::int32_t sub_kernel) const;
  bool is_lone_wait(std::int32_t thread, std::int32_t place) const;
  bool has_left(std::int32_t thread, const Step& like) const;
  bool may_be_passed(std::int64_t word, const Step& poll, std::int32_t thread) const;
  bool equal_full_core_totals() const;
  bool equal_full_core_totals(std::int32_t first, std::int32_t last) const;
  bool is_any_fed() const;

  bool find_poll_edges(const Order* order);
  void index_polls();
  const std::vector<std::int32_t>& writes_of(std::int64_t word) const;
  void check_counters(const Order& order);
  void check_unawaited();
  void check_polls(const Order& order);
  bool poll_needs(std::int32_t write, std::int32_t poll) const;
  bool poll_stays(const Order& order, std::int32_t thread, std::int32_t place) const;
  bool poll_is_fresh(const Order& order, std::int32_t thread, std::int32_t place) const;
  bool store_is_harmless(const Order& order, std::int32_t store, std::int32_t poll,
                         const std::vector<std::int32_t>& needed) const;

  const LaunchProgram* program_ = nullptr;
  StallResult* result_ = nullptr;
  bool has_polls_ = false;
  bool least_overlap_ = false;  ///< Queues of one, sub kernels strictly one after the other.
  std::unique_ptr<StallAnalysis> least_;
  std::unique_ptr<StallResult> least_result_;
  std::vector<std::vector<std::int32_t>> late_signals_;  ///< By thread: joins to arrive at.
  std::vector<std::int32_t> boundary_at_;                ///< By sub kernel: its join, or -1.
  std::vector<std::vector<std::int32_t>> heads_;         ///< By join: own waits (flat numbers).
  std::vector<std::vector<std::int32_t>> raises_;        ///< By thread, in issue order,
  std::vector<std::size_t> arriving_;                    ///< and how many have taken effect.
  /// Stores through the cache by line, as flat numbers; writes to polled words by word, as places
  /// in values_->writes(); what polls cannot do without.
  std::unordered_map<std::int64_t, std::vector<std::int32_t>> stores_of_line_;
  std::unordered_map<std::int64_t, std::vector<std::int32_t>> writes_of_word_;
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> needed_;
  std::unordered_map<std::int64_t, std::uint32_t> soft_rounds_;  ///< By slot: so far.
  std::vector<std::int32_t> stream_at_;   ///< [(thread*16 + id)*4 + mode]: stream, or -1.
  std::vector<std::int32_t> counter_at_;  ///< [thread*16 + id]: counter, or -1.
  std::vector<std::int32_t> raised_;      ///< By stream: executed raises.
  std::vector<std::int32_t> stream_group_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> arrived_;  ///< By join.
  std::vector<std::int32_t> issue_;    ///< By thread: next step to issue.
  std::int32_t started_ = 0;           ///< Blocks, where they run in waves.
  std::vector<std::int32_t> queued_;   ///< By thread: steps issued and not executed.
  std::vector<std::int32_t> queue_head_, queue_tail_;  ///< [thread*8 + pipe], flat numbers.
  std::vector<std::int32_t> link_;  ///< By flat number: next in a queue or a chain.
  std::vector<std::int32_t> open_set_, last_set_, open_wait_, last_wait_;  ///< By event.
  std::vector<std::uint8_t> set_last_;  ///< By event: the last step of it to be issued is a set.
  std::vector<std::size_t> used_events_;
  std::unique_ptr<StepValues> values_;
};

}  // namespace skcts::model
