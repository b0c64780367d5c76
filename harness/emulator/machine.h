// The machine: cores with a scalar unit, pipes and a data cache, cross-core flags, and GM.
//
// One launch, or several that run side by side, are loaded with an instruction source a core and
// stepped until nothing can move. What happens next is always a choice of the Chooser; the machine
// itself has no order of its own. Outside actors live through a whole case and move beside them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/emulator/agents.h"
#include "harness/emulator/chooser.h"
#include "harness/emulator/defects.h"
#include "harness/emulator/instruction_source.h"
#include "harness/emulator/memory.h"
#include "harness/target/target.h"
#include "spec/latitude.h"
#include "spec/mix.h"
#include "spec/profile.h"

namespace skcts::emulator {

/// What of one launch the machine has to know.
struct LaunchSetup {
  int aic_count = 0;
  int aiv_count = 0;
  int aiv_per_block = 1;
  int resident_blocks = 0;      ///< Blocks that can be there at once; the rest start in waves.
  int launch = 0;               ///< For reports.
  std::int32_t sub_kernel = 0;  ///< Its first, for reports of what has not begun.
  int stream = 0;               ///< Launches of one stream run in the order of the setup.
  bool all_at_once = true;      ///< Begins with all its cores; else block by block (L-22).
  bool keeps_cores = true;      ///< Gives its cores back at its end; else each block at its own.
  std::vector<std::int32_t> starts_after;  ///< Signals; the launch begins when all are complete.
  std::vector<std::int32_t> ends_with;     ///< Signals that its end gives.
};

/// What the machine runs at a time: one launch, or the launches of a `beside` step.
struct MachineSetup {
  const Profile* profile = nullptr;
  LatitudeAssignment latitudes;
  std::vector<LaunchSetup> launches;
  bool gated = false;  ///< Launches have to wait for cores, for each other or for signals.
  DefectId defect = DefectId::none;
  bool keep_lines = false;       ///< Lines that the last launch left in the caches are still there.
  bool keep_counters = false;    ///< Flag counters stay as the last launch left them.
  std::int32_t queue_depth = 0;  ///< Entries of a pipe's queue; 0: as L-35 says.
  std::int32_t gm_words = 0;     ///< GM including the workspaces of inserted code.
  std::int64_t expected_steps = 0;
  std::int64_t step_limit = 0;  ///< So many steps are made, over all launches of a run.
};

/// Something that is waited for: complete when it was given `needed` times. The events of a case
/// come first and stay from launch to launch, the edges inside a launch follow them.
struct Signal {
  std::int32_t needed = 1;
  std::int32_t given = 0;
  bool complete() const { return given >= needed; }
};

/// One step of an outside actor, with addresses in GM.
struct ActorStep {
  OutsideKind kind = OutsideKind::raise;
  std::int32_t signal = -1;
  std::int32_t at = 0;
  std::int32_t to = 0;
  std::vector<std::uint32_t> words;  ///< write: the values; copy: as many words are moved
};

enum class MachineStatus : std::uint8_t { completed, stalled, error };

class Machine {
 public:
  /// GM, kept between launches; resized and written by the owner.
  std::vector<std::uint32_t>& memory() { return gm_; }

  /// Forgets the flag counters that launches left behind.
  void forget_counters();

  /// Starts a case with this many events and these actors, each a list of steps.
  void begin_case(int events, std::vector<std::vector<ActorStep>> actors, std::int32_t gm_words);
  /// So many signals behind the events are edges of the launches that are loaded next.
  void set_edges(const std::vector<std::int32_t>& needed);
  void set_needed(std::int32_t signal, std::int32_t needed) {
    signals_[static_cast<std::size_t>(signal)].needed = needed;
  }
  int event_count() const { return event_count_; }
  /// No launch runs: actors move on, as far as chance has it or (`to_the_end`) as far as they can.
  void drift(Chooser& chooser, bool to_the_end);

  /// Loads launches, one after the other: sources[i] feeds AIC i of the first for i < aic_count,
  /// then its AIVs in index order.
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
  static constexpr int max_flags = 32;  ///< Ids of five bits; only the 950 uses the upper half.
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
    std::int32_t signal = -1;  ///< mode signal_mode
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
    std::uint32_t group = 0;
    InstructionSource* source = nullptr;
    const DeviceInstruction* held = nullptr;
    bool started = false;
    bool ended = false;
    bool issuing = false;  ///< Inside pull().
    bool put_off = false;  ///< Its last refresh comes when all cores are as far.
    bool hung = false;     ///< Issues nothing more (L-4=hang, L-9=hang); `hangs_at` says where.
    Waiting hangs_at;
    std::uint64_t loaded = 0;
    int outstanding = 0;  ///< Instructions queued or running.
    std::array<PipeState, queue_count> pipes;
    std::array<std::uint8_t, 7 * 7 * event_ids> event_count{};
    std::array<std::uint8_t, 7 * 7 * event_ids> event_was_set{};  ///< Last issued: a set.
    std::array<std::uint8_t, max_flags> counters{};
    std::array<std::array<std::uint16_t, 3>, max_flags> arrived{};
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
  /// A launch with its cores: AICs from `first_aic` on, then its AIVs from `first_aiv` on.
  struct Group {
    const LaunchSetup* setup = nullptr;
    std::uint32_t first_aic = 0;
    std::uint32_t first_aiv = 0;
    std::vector<std::int32_t> block_left;  ///< Cores of each block that have not ended.
    int next_block = 0;
    int running_blocks = 0;
    int cores_left = 0;   ///< Cores that have not ended,
    int put_off = 0;      ///< and how many of them have only their last refresh to make.
    int blocks_left = 0;  ///< Blocks that have not ended.
    bool ended() const { return blocks_left == 0; }
    std::array<std::array<std::int32_t, max_flags>, 2> mode0_arrived{};  ///< Cores with an arrival.
  };
  struct Actor {
    std::vector<ActorStep> steps;
    std::size_t at = 0;
    bool read = false;  ///< A copy has read, and will write next.
    std::vector<std::uint32_t> staged;
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
  void load_core(std::uint32_t c, const Group& group, InstructionSource* source);
  void start_block(Group& group, int block);
  void block_may_end(Group& group, int block);
  void move(std::uint32_t agent);
  void pull(std::uint32_t c);
  void may_put_off(std::uint32_t c);
  void let_put_off_go(Group& group);
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
    const bool can = state.queued > 0 &&
                     state.running_count < overlap_[static_cast<std::size_t>(pipe)] &&
                     is_data(head_of(state).op);
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
  void append_range(Core& core, const MemoryRange& range, std::vector<std::uint32_t>& out);
  void finish_computation(Core& core, Running& entry);

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
  void write_back(std::uint32_t c, int place);
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
  void arrive_in_block(std::uint32_t c, std::uint8_t id);
  void count_up(std::uint32_t c, std::uint8_t id);
  bool take_arrivals(std::uint32_t first, std::uint32_t count, std::uint8_t id, std::uint8_t mode);

  // machine_outside.cpp: launches that wait, actors, signals
  void layout(const MachineSetup& setup);
  void give(std::int32_t signal);
  bool has_turn_to_begin(const Group& group) const;
  bool can_begin(const Group& group) const;
  bool cores_free(const Group& group, int blocks) const;
  bool waits_for_signals(const LaunchSetup& launch) const;
  void take_cores(const Group& group, int blocks);
  void begin(Group& group);
  void group_ended(Group& group);
  void update_gates();
  bool can_act(const Actor& actor) const;
  void perform(Actor& actor);
  void act(std::size_t which);
  void update_actors();
  bool only_actors_can_move() const;
  void add_unbegun(std::vector<Waiting>& result) const;
  std::uint32_t actor_agent(std::size_t actor) const {
    return (core_count_ + static_cast<std::uint32_t>(actor)) * agents_per_core;
  }
  std::uint32_t gate_agent(std::size_t group) const {
    return (core_count_ + static_cast<std::uint32_t>(actors_.size() + group)) * agents_per_core;
  }

  bool broken(DefectId defect) const { return setup_.defect == defect; }
  bool holds(LatitudePin pin) const { return setup_.latitudes.holds(pin); }
  Group& group_of(const Core& core) { return groups_[core.group]; }
  int launch_of(const Core& core) const { return groups_[core.group].setup->launch; }

  MachineSetup setup_;
  Chooser* chooser_ = nullptr;
  std::vector<TraceEvent>* trace_ = nullptr;
  std::vector<std::uint32_t> gm_;
  std::vector<Core> cores_;  ///< Kept between launches; the first core_count_ are in use.
  std::uint32_t core_count_ = 0;
  EnabledSet enabled_;
  std::vector<Group> groups_;  ///< Kept between launches; the first group_count_ are in use.
  std::size_t group_count_ = 0;
  int groups_left_ = 0;  ///< Launches that have not ended.
  int free_aic_ = 0;     ///< Cores of the chip, where launches are gated.
  int free_aiv_ = 0;
  std::vector<Signal> signals_;
  int event_count_ = 0;
  std::vector<Actor> actors_;
  std::uint32_t actors_enabled_ = 0;
  bool loaded_ = false;  ///< Launches are loaded: agents are enabled as they can move.
  int watchers_ = 0;
  int cached_lines_ = 0;  ///< Over all cores.
  std::uint32_t environment_in_ = 0;
  std::uint32_t queue_depth_ = 16;
  std::array<int, queue_count> overlap_{};  ///< Instructions of a pipe that may run at a time.
  bool failed_ = false;
  std::string error_;
  std::int64_t steps_ = 0;
};

}  // namespace skcts::emulator
