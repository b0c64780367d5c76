// Writes a launch out: what each core issues, with everything that the contract inserts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference_model/contract.h"
#include "reference_model/relaxation.h"
#include "reference_model/stall.h"
#include "reference_model/steps.h"

namespace skcts::model {

/// Cross-core flags of a launch: served, or what a platform makes of them without the scheduler
/// (L-10): a raise reaches nobody and a wait never ends, or neither does anything.
enum class FlagService : std::uint8_t { on, hangs, falls_through };

/// What SyncAll<true> is on a cube core (L-12): a join of the cubes, nothing at all, or one of
/// these or an error.
enum class CubeSyncAll : std::uint8_t { open, joins_cubes, no_effect };

/// The pipe whose work a border between sub kernels always waits for (PIPE-5).
Pipe signal_pipe(CoreKind kind);

/// Steps [first, last) of an outside actor, which it may take beside the launch.
struct ActorPart {
  std::int32_t actor = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
};

/// What a launch is lowered from.
struct LaunchInput {
  const Mix& mix;
  const GmLayout& layout;
  const Options& options;
  const LaunchShape& shape;
  bool lists_win = false;               ///< L-39.
  bool drained = false;                 ///< L-14.
  FlagService flags = FlagService::on;  ///< L-10.
  CubeSyncAll cube_sync_all = CubeSyncAll::open;
  bool raises_in_order = false;         ///< L-8.
  /// The hardware orders vector work by its data; waits hold a pipe; flag ids have five bits.
  bool is_3510 = false;
  const Relaxation* relaxed = nullptr;  ///< One guarantee weakened, or none.
  std::span<const LeftOver> residue;    ///< Raises of earlier launches that still count.
  std::span<const ActorPart> actors;
  /// Events that happened before the launch; null: none.
  const std::set<std::string, std::less<>>* raised = nullptr;
};

/// One of several launches side by side.
struct BesideLaunch {
  LaunchInput input;
  std::int32_t stream = 0;
  std::vector<std::int32_t> after;         ///< Launches of these that have ended before it begins.
  std::vector<std::string> raises_at_end;  ///< Events of a sub kernel that is launched alone.
};

/// Buffers of queues and TPipes of one core, as docs/case-language.md lays them out.
class CoreResources {
 public:
  struct Buffer {
    std::int32_t free_event = -1;   ///< Id of the pending free event, or -1.
    std::int32_t queue_event = -1;  ///< Id of the pending enqueue event, or -1.
    bool taken = false;
  };
  struct Queue {
    std::int32_t name = -1;
    std::int32_t tpipe = -1;
    Position position = Position::vecin;
    std::int64_t base = 0;
    std::int64_t words = 0;  ///< Of one buffer.
    std::size_t next = 0;
    std::vector<Buffer> buffers;
    std::vector<std::size_t> queued;  ///< Oldest first.
  };
  struct Taken {
    std::int32_t name = -1;
    std::int32_t queue = -1;  ///< Place in `queues`.
    std::size_t buffer = 0;
  };

  std::vector<Queue> queues;
  std::vector<Taken> taken;
  std::vector<std::pair<std::int32_t, bool>> tpipes;         ///< Name, destroyed.
  std::array<std::int64_t, 9> allocated{};                   ///< By Space.
  std::vector<std::pair<HardEvent, std::uint8_t>> used_ids;  ///< Bits of ids in use.

  void reset();
  Queue* find_queue(std::int32_t name);
  Taken* find_taken(std::int32_t name);
  std::int32_t take_id(HardEvent event);
  void release_id(HardEvent event, std::int32_t id);
  bool& destroyed(std::int32_t tpipe);
};

/// One lowering at a time; buffers are kept between launches.
class Lowering {
 public:
  void run(const LaunchInput& input, LaunchProgram& program);
  /// Several launches at a time; `program` gets a part for each.
  void run_beside(std::span<const BesideLaunch> launches, LaunchProgram& program);
  /// What is undefined already by the text of the program (early start, soft barriers, IB slots).
  const std::vector<Doubt>& doubts() const { return doubts_; }
  /// Under a relaxation: an access left its region, which a target may answer with an error.
  bool left_region() const { return left_region_; }
  /// GM words of slots that the protocol of a library call has for itself: nothing is said of them.
  const std::vector<WordRange>& private_words() const { return private_words_; }

 private:
  struct ObjectState {
    bool alive = false;
    std::int64_t last_read = -1;
    std::int64_t last_written = -1;
  };
  using JoinKey = std::array<std::int64_t, 4>;

  void fixed_joins();
  void stream_joins();
  void actors();
  void actor(const ActorPart& part);
  void actor_write(std::int64_t first, const std::vector<std::uint32_t>& values);
  std::int32_t event_join(const std::string& event);
  void pass_events(std::int32_t place);
  void raise_events(std::int32_t place, Pipe pipe);
  std::vector<std::int32_t> running_threads(std::int32_t place);
  Pipe pipe_at_end() const;
  void core(CoreId core);
  void enter(std::int32_t place, bool runs_it, bool own);
  void body(std::int32_t place);
  void leave(std::int32_t place, bool runs_it, bool own);
  void feed(std::int32_t place, bool again);
  void instruction(const Instruction& in);
  void moves_and_computes(const Instruction& in);
  void scalars(const Instruction& in);
  void in_core_sync(const Instruction& in);
  void poll(const Instruction& in);
  void sync_all(const Instruction& in);
  void vector_sync_on_cube();
  bool in_tail_or_head() const;
  void soft_sync_all(const Instruction& in);
  std::uint32_t word_at_start(std::int64_t word) const;
  void ib(const Instruction& in);
  void matmul(const Instruction& in);
  void early_start(const Instruction& in);
  void called_again(bool sets);
  void wait_in_vain(JoinKind kind);
  void resources(const Instruction& in);
  void init_buffer(const Instruction& in);
  void queue_call(const Instruction& in);
  void destroy(std::int32_t tpipe);
  void objects(const Instruction& in);
  void refresh_for_read(std::int16_t object, std::int64_t line);
  void end_object(std::int16_t object);

  Step& add(StepKind kind, Pipe pipe);
  void add_mark(MarkKind mark, std::int32_t id = -1);
  void add_refresh(std::int64_t line, Origin origin);
  void add_barrier(Pipe pipe);
  void add_arrive(std::int32_t join, Pipe pipe, Origin origin);
  void add_pass(std::int32_t join, Origin origin);
  void set_event(HardEvent event, std::int32_t id);
  void wait_event(HardEvent event, std::int32_t id);
  void read(Step& step, const Operand& from, std::int32_t count);
  void write(Step& step, const Operand& to, std::int32_t count);
  void read_words(Step& step, WordRange range);
  void write_words(Step& step, WordRange range);
  void take_value(Step& step, const Value& value);
  void keep_private(WordRange range);
  void opaque_write(Pipe pipe, WordRange range);
  WordRange resolve(const Operand& at, std::int32_t count);
  std::int32_t join_of(const JoinKey& key, JoinKind kind, bool& made);
  void all_members(Join& join, bool aic, bool aiv);
  void doubt(DoubtKind kind, RuleId rule, bool may_stall, bool undefined);

  const SubKernel& sub(std::int32_t place) const;
  std::int32_t in_mix(std::int32_t place) const {
    return in_->shape.sub_kernels[static_cast<std::size_t>(place)];
  }

  // What is weakened (lower_relaxed.cpp). `here`: in this sub kernel on this kind of core.
  std::int32_t flag_id(std::int32_t id) const { return id & (in_->is_3510 ? 31 : 15); }
  bool weak_here(Weakening what) const {
    return in_->relaxed != nullptr && in_->relaxed->hits(what, in_mix(place_), core_.kind);
  }
  bool runs_here(std::int32_t place) const;
  bool syncs_as_own(std::int32_t place, bool runs_it) const;
  std::size_t fed_call_count(std::size_t calls) const;
  Indices indices_here() const;
  std::int64_t query_here(Op query) const;
  bool weak_flag(Weakening what, std::int32_t id) const;
  bool weak_wait(std::int32_t id);
  void raise(const Instruction& in);
  std::int32_t blocks_here() const;
  bool is_outside(const WordRange& range) const;
  WordRange read_garbage(Step& step, const WordRange& range) const;
  bool leaves_region(std::int32_t region, std::int64_t first, std::int64_t count);
  bool is_beyond(const Operand& at, std::int64_t word);
  bool weak_object(Weakening what, std::int16_t object) const;
  bool weak_event(HardEvent event) const;
  bool weak_barrier(Pipe pipe) const;
  bool is_boundary_open(std::int32_t border) const;
  bool is_inserted(std::int32_t border) const;
  bool is_signalled(std::int32_t border) const;
  void weaken_boundary(std::int32_t border);
  std::int32_t boundary_to_pass(std::int32_t border) const;
  void arrive_at_boundary(std::int32_t border, Pipe pipe);
  void lose_dirty_lines();
  void lose_refreshed_stores();
  bool weak_anywhere(Weakening what) const {
    return in_->relaxed != nullptr && in_->relaxed->weakening == what;
  }
  bool is_own_call_weak(bool sets) const;
  bool is_event_open() const;
  bool is_later_wait_open(std::int32_t border) const;
  bool is_kept_from_cube(bool from_cube) const;
  std::int32_t weak_raise_mode(std::int32_t mode) const;

  const LaunchInput* in_ = nullptr;
  LaunchProgram* out_ = nullptr;
  std::vector<Doubt> doubts_;
  std::vector<WordRange> private_words_;
  bool left_region_ = false;

  // The core and sub kernel being written out.
  CoreId core_;
  std::int32_t thread_ = 0;
  std::int32_t place_ = 0;
  std::int32_t instruction_ = -1;
  Indices at_;
  RefreshPlacement refresh_;
  std::vector<ObjectState> objects_;
  CoreResources resources_;
  bool signalled_ = false;
  bool waited_ = false;
  int early_by_ = 0;  ///< > 0: so many full-core waits on, one is released too early.
  std::int32_t hard_calls_[2] = {0, 0};  ///< SyncAll<false>, SyncAll<true> in this sub kernel.

  bool two_streams_ = false;
  std::vector<std::int32_t> after_stream_;   ///< By place: the join of its stream, or -1.
  std::vector<std::int32_t> before_stream_;  ///< By place: the join of the next one, or -1.
  std::int32_t own_order_ = -1;              ///< Of the core at hand: what it has to pass next.
  bool events_raised_ = false;
  std::map<std::string, std::int32_t, std::less<>> event_joins_;

  std::map<JoinKey, std::int32_t> joins_;
  std::vector<std::int32_t> boundary_join_, debug_join_;
  std::vector<std::int32_t> weak_join_;  ///< By boundary: what `to` cores pass; -1: no other.
  std::map<std::array<std::int32_t, 2>, std::int32_t> flag_waits_;  ///< {thread, id}: so far.
  std::map<std::array<std::int32_t, 3>, std::int32_t> flag_raises_;  ///< {thread, place, id}.
  std::vector<std::vector<std::int32_t>> fed_calls_;  ///< [2*place + kind]: joins of core 0.
  std::vector<std::uint8_t> fed_;                     ///< By place.
  std::map<std::array<std::int64_t, 2>, std::int32_t> soft_rounds_;  ///< {thread, word}.
  std::map<std::int64_t, std::int32_t> soft_total_;
  std::map<std::array<std::int64_t, 2>, std::int32_t> ib_rounds_;  ///< {word, 0 set / 1 wait}.
  std::map<std::array<std::int64_t, 2>, std::int32_t> ib_owner_;
  std::map<std::array<std::int64_t, 2>, std::int32_t> service_;  ///< {aic, client}: thread.
};

}  // namespace skcts::model
