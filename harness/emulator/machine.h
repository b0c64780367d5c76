// The machine: cores with a scalar unit, pipes and a data cache, cross-core flags, and GM.
//
// One launch is loaded with an instruction source a core and stepped until nothing can move. What
// happens next is always a choice of the Chooser; the machine itself has no order of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/emulator/agents.h"
#include "harness/emulator/chooser.h"
#include "harness/emulator/instruction_source.h"
#include "harness/emulator/memory.h"
#include "harness/target/target.h"
#include "spec/latitude.h"
#include "spec/profile.h"

namespace skcts::emulator {

/// What of a launch the machine has to know.
struct MachineSetup {
  const Profile* profile = nullptr;
  LatitudeAssignment latitudes;
  int aic_count = 0;
  int aiv_count = 0;
  int aiv_per_block = 1;
  int resident_blocks = 0;     ///< Blocks that can be there at once; the rest start in waves.
  int launch = 0;              ///< For reports.
  bool keep_counters = false;  ///< Flag counters stay as the last launch left them.
  std::int32_t gm_words = 0;   ///< GM including the workspaces of inserted code.
  std::int64_t expected_steps = 0;
  std::int64_t step_limit = 0;  ///< So many steps are made, over all launches of a run.
};

enum class MachineStatus : std::uint8_t { completed, stalled, error };

class Machine {
 public:
  /// GM, kept between launches; resized and written by the owner.
  std::vector<std::uint32_t>& memory() { return gm_; }

  /// Forgets the flag counters that launches left behind.
  void forget_counters();

  /// Loads a launch: sources[i] feeds AIC i for i < aic_count, then the AIVs in index order.
  void load(const MachineSetup& setup, const std::vector<InstructionSource*>& sources,
            Chooser& chooser, std::vector<TraceEvent>* trace);

  /// Steps until nothing can move, something fails, or the step limit is reached.
  MachineStatus run();

  std::int64_t steps() const { return steps_; }
  void clear_steps() { steps_ = 0; }
  const std::string& error() const { return error_; }
  /// Every core and pipe that is stuck.
  std::vector<Waiting> waiting() const;

 private:
  /// Which words of a data instruction move with the first of two moves: bit i stands for the
  /// words [i * piece, (i + 1) * piece).
  struct Pieces {
    std::int32_t piece = 1;
    std::uint32_t read_first = 0;
    std::uint32_t written_first = 0;
  };
  struct Running {
    DeviceInstruction instruction;
    std::uint32_t turn = 0;  ///< How many of the pipe started before it.
    std::uint8_t phase = 0;
    std::uint8_t manner = 0;  ///< When words move: see Manner in machine_pipes.cpp.
    Pieces pieces;
    std::int64_t began = 0;
    std::vector<std::uint32_t> staged;
  };
  static constexpr int max_running = 4;
  /// A set or raise whose turn has come while work in front of it still runs.
  struct Pending {
    DeviceInstruction instruction;
    std::uint32_t turn = 0;  ///< It waits for what started before this many had started.
  };
  struct PipeState {
    std::vector<DeviceInstruction> ring;  ///< Size is a power of two.
    std::uint32_t head = 0;
    std::uint32_t queued = 0;
    int running_count = 0;
    std::uint32_t turn = 0;  ///< Data instructions started so far.
    std::array<Running, max_running> running;
    std::vector<Pending> pending;
  };
  struct Raise {
    std::uint8_t id = 0;
    std::uint8_t mode = 0;
    bool lands = false;
    std::uint32_t landings_before = 0;
    std::uint32_t number = 0;  ///< Among the core's raises, in program order.
    std::int32_t traced = -1;  ///< Its event in the trace, which ends when it arrives.
  };
  struct Landing {
    bool is_word = false;
    std::int32_t at = 0;  ///< line, or word
    std::uint32_t sequence = 0;
    std::array<std::uint32_t, line_words> words{};
  };
  struct Watch {
    bool active = false;
    bool hit = false;
    std::int32_t from = 0;
    std::int32_t to = 0;
  };
  struct Core {
    CoreId id;
    int block = 0;
    InstructionSource* source = nullptr;
    const DeviceInstruction* held = nullptr;
    bool started = false;
    bool ended = false;
    bool issuing = false;  ///< Inside pull().
    bool hung = false;     ///< Issues nothing more (L-4=hang, L-9=hang); `hangs_at` says where.
    Waiting hangs_at;
    std::uint64_t loaded = 0;
    int outstanding = 0;  ///< Instructions queued or running.
    std::array<PipeState, queue_count> pipes;
    std::array<std::uint8_t, 7 * 7 * event_ids> event_count{};
    std::array<std::uint8_t, 7 * 7 * event_ids> event_was_set{};  ///< Last issued: a set.
    std::array<std::uint8_t, 16> counters{};
    std::array<std::array<std::uint16_t, 4>, 16> arrived{};
    std::vector<Raise> raises;
    std::uint32_t raises_issued = 0;
    std::uint32_t raises_arrived = 0;
    std::vector<Landing> landings;
    std::uint32_t landing_sequence = 0;
    DataCache cache;
    Watch watch;
    std::array<LocalMemory, 5> local;  ///< UB, L1, L0A, L0B, L0C
    std::vector<std::vector<MemoryRange>> range_slots;
    std::vector<std::int32_t> free_range_slots;
  };

  static constexpr std::size_t event_index(HardEvent event, std::uint8_t id) {
    return (static_cast<std::size_t>(event.source) * 7 +
            static_cast<std::size_t>(event.destination)) *
               event_ids +
           id;
  }
  std::uint32_t* local(Core& core, Space space, std::int32_t from, std::int32_t count);
  void fail(std::string reason);

  // machine.cpp: loading, the scalar unit
  void load_core(std::uint32_t c, InstructionSource* source);
  void start_block(int block);
  void block_may_end(int block);
  void pull(std::uint32_t c);
  bool can_issue(const Core& core) const;
  bool is_unseen(const Core& core) const;
  void wake_scalar(std::uint32_t c);
  void issue(std::uint32_t c);
  void issue_held(std::uint32_t c);
  void issue_scalar(std::uint32_t c, Core& core, const DeviceInstruction& in);
  void issue_flag_on_scalar(std::uint32_t c, Core& core, const DeviceInstruction& in);
  void enqueue(std::uint32_t c, Core& core, const DeviceInstruction& in);
  bool check_double_set(std::uint32_t c, const DeviceInstruction& in);
  void hang(std::uint32_t c, Waiting at);
  void update_scalar(std::uint32_t c) { set_agent(c, part_scalar, can_issue(cores_[c])); }
  void set_agent(std::uint32_t c, std::uint32_t part, bool enabled) {
    enabled_.set(c * agents_per_core + part, enabled);
  }
  void trace_step(const Core& core, const DeviceInstruction& in, std::int64_t began);

  // machine_pipes.cpp
  static const DeviceInstruction& head_of(const PipeState& state) {
    return state.ring[state.head & (state.ring.size() - 1)];
  }
  void update_start(std::uint32_t c, int pipe) {
    const PipeState& state = cores_[c].pipes[static_cast<std::size_t>(pipe)];
    const bool can =
        state.queued > 0 && state.running_count < overlap_ && is_data(head_of(state).op);
    set_agent(c, part_start + static_cast<std::uint32_t>(pipe), can);
  }
  void start(std::uint32_t c, int pipe);
  void settle(std::uint32_t c, unsigned pipes);
  bool has_turn(const Core& core, const PipeState& state, const DeviceInstruction& in) const;
  unsigned carry_out(std::uint32_t c, const DeviceInstruction& in);
  void finish(std::uint32_t c, int pipe);
  void choose_manner(Running& entry);
  template <class Move>
  void move_pieces(const Running& entry, std::uint32_t which, Move&& move);
  void read_part(Core& core, Running& entry, std::int32_t from, std::int32_t to);
  void read_opaque(Core& core, Running& entry);
  void write_part(Core& core, Running& entry, std::int32_t from, std::int32_t to);
  void write_opaque(Core& core, Running& entry);

  // machine_memory.cpp: GM, the cache, landings, the environment
  void gm_read(std::int32_t at, std::uint32_t* to, std::int32_t count) const;
  void gm_write(std::int32_t at, const std::uint32_t* from, std::int32_t count);
  void gm_add(std::int32_t at, const std::uint32_t* from, std::int32_t count);
  void gm_changed(std::int32_t from, std::int32_t to);
  bool in_gm(std::int32_t at) const { return at >= 0 && at < setup_.gm_words; }
  CachedLine& fetch(std::uint32_t c, std::int32_t line);
  std::uint32_t cached_load(std::uint32_t c, std::int32_t at);
  void cached_store(std::uint32_t c, std::int32_t at, std::uint32_t value);
  void after_cached_access(std::uint32_t c, std::int32_t at);
  void refresh_place(std::uint32_t c, int place, bool keep);
  void drop_place(std::uint32_t c, int place);
  void add_landing(std::uint32_t c, Landing landing);
  void land(std::uint32_t c, std::size_t which);
  void land_line(std::uint32_t c, std::int32_t line);
  void land_all(std::uint32_t c);
  void land_before(std::uint32_t c, std::uint32_t sequence);
  void environment_step();
  void environment_act();
  void prefetch();
  bool environment_when_idle();

  // machine_flags.cpp
  void deliver(std::uint32_t c);
  void update_deliver(std::uint32_t c);
  std::size_t next_in_order(const Core& core) const;
  void arrive(std::uint32_t c, std::uint8_t id, std::uint8_t mode);
  void count_up(std::uint32_t c, std::uint8_t id);
  bool take_arrivals(std::uint32_t first, std::uint32_t count, std::uint8_t id, std::uint8_t mode);

  bool holds(LatitudePin pin) const { return setup_.latitudes.holds(pin); }
  std::uint32_t first_aiv() const { return static_cast<std::uint32_t>(setup_.aic_count); }

  MachineSetup setup_;
  Chooser* chooser_ = nullptr;
  std::vector<TraceEvent>* trace_ = nullptr;
  std::vector<std::uint32_t> gm_;
  std::vector<Core> cores_;  ///< Kept between launches; the first core_count_ are in use.
  std::uint32_t core_count_ = 0;
  EnabledSet enabled_;
  std::vector<std::int32_t> block_left_;  ///< Cores of each block that have not ended.
  int next_block_ = 0;
  int running_blocks_ = 0;
  std::array<std::array<std::int32_t, 16>, 2> mode0_arrived_{};  ///< Cores with an arrival.
  int watchers_ = 0;
  int cached_lines_ = 0;  ///< Over all cores.
  std::uint32_t environment_in_ = 0;
  std::uint32_t queue_depth_ = 16;
  int overlap_ = max_running;
  bool failed_ = false;
  std::string error_;
  std::int64_t steps_ = 0;
};

}  // namespace skcts::emulator
