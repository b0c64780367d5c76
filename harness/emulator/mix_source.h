// The interpreter of mixes: what one core of a composed launch does, as device-level instructions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/emulator/composition.h"
#include "harness/emulator/instruction_source.h"
#include "spec/outcome.h"
#include "spec/program.h"

namespace skcts::emulator {

/// What all cores of a launch share. The log and the counts are written by the sources.
struct LaunchContext {
  const Mix* mix = nullptr;
  const GmLayout* layout = nullptr;
  const Settings* settings = nullptr;
  const ComposedLaunch* composed = nullptr;
  int launch = 0;              ///< for the query log
  std::int32_t feed_base = 0;  ///< GM word of the feed records
  std::int32_t feed_words = 0;
  std::int32_t matmul_base = 0;        ///< GM word of the Matmul slots
  std::int32_t events = 0;             ///< of the case; edges of launches are signals behind them
  std::int32_t first_edge = 0;         ///< of this launch
  std::vector<InsertedCounts> counts;  ///< by position in the launch
  const std::vector<std::uint32_t>* memory = nullptr;  ///< GM as it is
  /// What a workspace of the soft barrier held when the first core of a sub kernel arrived.
  struct SoftStart {
    std::int32_t workspace = 0;  ///< GM word
    int op = 0;
    bool equal = true;
  };
  std::vector<SoftStart> soft_starts;
  OperatorCode* code = nullptr;  ///< In place of programs; may be null.
};

/// Words of GM behind the mix that inserted code uses in a launch.
struct WorkspaceSize {
  std::int32_t feed_words = 0;
  std::int32_t matmul_words = 0;
};
WorkspaceSize workspace_of(const ComposedLaunch& launch);

class MixSource : public InstructionSource {
 public:
  /// Starts over as a core of a launch. The context must outlive the launch.
  void begin(LaunchContext& context, CoreId core);
  const DeviceInstruction* next(std::uint64_t loaded) override;
  std::string fault_text() const override { return fault_; }
  /// What the core's queries returned, in program order.
  const std::vector<QueryRecord>& queries() const { return queries_; }

 private:
  /// A place in a program: one level for each Repeat around it.
  struct Level {
    const std::vector<Instruction>* program = nullptr;
    std::size_t at = 0;
    std::int32_t turns = 1;  ///< of the Repeat whose body this is
    std::int32_t turn = 0;
    int first_place = 0;  ///< of the body
  };
  struct TensorState {
    std::int16_t region = -1;
    bool alive = true;
    bool is_const = false;
    std::int32_t read_line = -1;
    std::int32_t written_line = -1;
  };
  struct Buffer {
    std::int32_t at = 0;
    bool taken = false;
    std::int8_t free_event = -1;  ///< id of the pending free event
  };
  struct Queue {
    bool ready = false;
    Position position = Position::vecin;
    std::int16_t pipe = -1;  ///< name of the TPipe
    std::int32_t words = 0;
    std::int32_t first_buffer = 0;
    std::int32_t buffer_count = 0;
    std::int32_t turn = 0;
    std::vector<std::pair<std::int32_t, std::int8_t>> filled;  ///< (buffer, event id)
  };
  struct LocalName {
    bool known = false;
    std::int16_t queue = -1;
    std::int32_t buffer = -1;
    Space space = Space::none;
    std::int32_t at = 0;
    std::int32_t words = 0;
  };
  struct TPipeState {
    bool alive = false;
    bool primed = false;  ///< on AIC: M_MTE1 0, 1, 2 are set and taken
    std::array<std::int32_t, 5> used{};
    std::array<std::uint8_t, 49> taken_ids{};  ///< by event, a bit an id
  };
  enum class Routine : std::uint8_t {
    none,
    poll,
    soft_sync,
    ib,
    matmul_call,
    matmul_end,
    matmul_serve,
    feed_join
  };

  // mix_source.cpp: steps of the launch, program, plain instructions
  DeviceInstruction& push(DeviceOp op);
  DeviceInstruction& push_on(DeviceOp op, Pipe pipe);
  void fault(std::string text);
  void composed_step(const ComposedStep& step);
  void inserted_step(const ComposedStep& step);
  void clear_feed_share();
  bool loses_dirty_lines() const;
  void count_inserted(const ComposedStep& step);
  void enter_sub_kernel(int op);
  void leave_sub_kernel();
  bool advance(const Instruction*& instruction, int& place);
  void program_step();
  void code_step();
  void lower(const Instruction& in);
  void lower_data(const Instruction& in);
  void lower_opaque(const Instruction& in);
  void lower_scalar(const Instruction& in);
  void lower_sync(const Instruction& in);
  void lower_query(const Instruction& in);
  void lower_resource(const Instruction& in);

  // mix_source_sync.cpp
  void push_set(HardEvent event, std::uint8_t id, bool inserted);
  void push_wait(HardEvent event, std::uint8_t id, bool inserted);
  void push_private(HardEvent event, WaitKind waits_for);
  void push_raise(int id, int mode, Pipe pipe, bool lands);
  void push_wait_raise(int id, WaitKind kind);
  void push_event(const Instruction& in);
  void push_sync_all(bool aiv_only, bool lands);
  void push_all_cores(KernelType launch, bool lands);
  void push_to_cube(bool lands);
  void push_wait_for_vectors(WaitKind kind);
  void push_to_vectors(bool lands);
  void push_wait_signal(std::int32_t signal, WaitKind kind);
  /// The machine's number of an event or of an edge of this launch.
  std::int32_t signal_of(const ComposedStep& step) const {
    return step.id < context_->events ? step.id : step.id + context_->first_edge;
  }
  void push_pipe_wait(const Instruction& in);
  void push_early_actions(int config);
  void call_sync_all(const Instruction& in);
  void call_set_next_task_start(const Instruction& in);
  void call_wait_pre_task_end();
  bool flags_work();

  // operands
  std::int32_t gm_word(const Operand& operand) const;
  bool local_place(const Operand& operand, std::int32_t count, Space& space, std::int32_t& at);
  std::uint32_t value_of(const Value& value) const;
  void take_loaded_into(std::int8_t reg) { pending_reg_ = reg; }

  // mix_source_objects.cpp: GlobalTensor objects, TPipe and queues
  TensorState* tensor(std::int16_t index);
  void refresh_for_read(TensorState& tensor, std::int32_t word);
  void refresh_for_write(TensorState& tensor, std::int32_t word);
  void push_inserted_refresh(std::int32_t word);
  void end_tensor(TensorState& tensor);
  void tpipe_init(std::int16_t name);
  void init_buffer(const Instruction& in);
  void alloc_tensor(const Instruction& in);
  void enque(const Instruction& in);
  void deque(const Instruction& in);
  void free_tensor(const Instruction& in);
  void tbuf_get(const Instruction& in);
  void tpipe_destroy(std::int16_t name, bool by_hand);
  Queue* queue_of(const Instruction& in);
  LocalName* local_of(const Instruction& in);
  int take_id(TPipeState& pipe, HardEvent event);
  void release_id(TPipeState& pipe, HardEvent event, int id);
  void name_local(std::int16_t name, std::int16_t queue, std::int32_t buffer);

  // mix_source_routines.cpp: what loops
  void start_routine(Routine routine, const Instruction* in);
  void routine_step(std::uint64_t loaded);
  void poll_step(std::uint32_t loaded);
  void poll_read();
  void soft_sync_step(std::uint32_t loaded);
  std::uint32_t soft_sync_target(std::int32_t workspace);
  /// Slot `taken_as_one` of those copied, if it is one of them, counts as 1 whatever it holds.
  void copy_slots(std::int32_t from, std::int32_t slots, std::int32_t to,
                  std::int32_t taken_as_one = -1);
  /// `kind`: what the core is said to wait in.
  void write_own_slot(std::uint32_t value, WaitKind kind);
  void ib_step(std::uint32_t loaded);
  void matmul_call_step(std::uint32_t loaded);
  void matmul_serve_step(std::uint32_t loaded);
  void matmul_chunk();
  void push_request(std::uint32_t what);
  void feed_join_step(std::uint64_t loaded);
  void publish(bool aiv_only, bool end);
  void publish_raise(int id);
  void push_record(std::uint32_t flags);
  void push_watch(std::int32_t at, std::int32_t count);
  void push_await(WaitKind kind);
  void end_routine() { routine_ = Routine::none; }
  std::int32_t matmul_slot(int sub) const;

  bool cube() const { return core_.kind == CoreKind::aic; }
  bool is_3510() const { return context_->settings->profile->is_3510(); }
  /// The pipe that carries the core's stores to GM, as boundaries know it.
  Pipe own_store_pipe() const { return cube() ? Pipe::fix : Pipe::mte3; }
  const ComposedLaunch& composed() const { return *context_->composed; }
  DefectId defect() const { return context_->settings->defect; }
  bool holds(LatitudePin pin) const { return context_->settings->latitudes.holds(pin); }
  InsertedCounts& counts() { return context_->counts[static_cast<std::size_t>(op_)]; }

  LaunchContext* context_ = nullptr;
  CoreId core_;
  std::size_t step_at_ = 0;
  std::vector<DeviceInstruction> buffer_;
  std::size_t buffer_at_ = 0;
  std::size_t buffer_size_ = 0;
  std::vector<MemoryRange> ranges_;
  std::string fault_;
  std::vector<QueryRecord> queries_;

  // the sub kernel that runs
  const SubKernel* sub_ = nullptr;
  const SubKernelUse* use_ = nullptr;
  bool in_program_ = false;
  CodeStream* code_ = nullptr;  ///< Compiled code instead of the program.
  int op_ = 0;
  std::int32_t report_sub_kernel_ = -1;
  int place_ = -1;
  bool inserted_ = true;
  Indices indices_;
  std::array<Level, max_repeat_depth + 1> levels_;
  int depth_ = 0;
  int next_place_ = 0;
  std::array<std::uint32_t, register_count> registers_{};
  std::int8_t pending_reg_ = -1;
  std::vector<TensorState> tensors_;
  std::vector<Queue> queues_;  ///< by name
  std::vector<Buffer> buffers_;
  std::vector<LocalName> locals_;   ///< by name
  std::vector<TPipeState> tpipes_;  ///< by name

  // routines
  Routine routine_ = Routine::none;
  const Instruction* routine_in_ = nullptr;
  int state_ = 0;
  std::uint32_t target_ = 0;
  std::int32_t word_ = 0;
  std::int32_t local_at_ = 0;
  Space local_space_ = Space::none;
  std::uint32_t round_ = 0;
  std::uint32_t sum_ = 0;
  std::int32_t total_ = 0;
  std::uint32_t needed_ = 0;  ///< What the slots of the soft barrier have to add up to.
  std::int32_t chunk_ = 0;
  int slot_ = 0;
  std::uint32_t request_[4] = {};
  std::uint32_t served_[2] = {};
  std::uint32_t calls_ = 0;  ///< Requests this vector core has sent in this launch.
  unsigned ended_clients_ = 0;
  int calls_of_sync_all_ = 0;  ///< in this sub kernel
  // feed
  std::int32_t feed_slot_ = -1;  ///< GM word of this kind's record for the present sub kernel
  std::uint32_t feed_index_ = 0;
  int counted_boundary_ = -1;
};

}  // namespace skcts::emulator
