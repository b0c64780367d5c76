// Writes the steps of one core of a launch: instructions of a sub kernel, and what is put around.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference_model/explorer/budget.h"
#include "reference_model/explorer/program.h"
#include "spec/latitude.h"
#include "spec/mix.h"
#include "spec/profile.h"

namespace skcts::explorer {

/// What holds for a whole composition.
struct Settings {
  const Mix* mix = nullptr;
  const GmLayout* layout = nullptr;
  const Profile* profile = nullptr;
  LatitudeAssignment at;  ///< Fixed latitudes that the composition asks for; pins of the others.
  /// A boundary stands behind a last sub kernel that raises events, too.
  bool border_behind = false;
  bool may_drain = false;  ///< L-14 is open: each border may drain or not.
  int piece_words = 8;
  Claim* claim = nullptr;                ///< What is composed is taken from it.
  const Recording* recording = nullptr;  ///< Replaces the composition of fused launches.
  const std::vector<std::string>* events = nullptr;  ///< Of the case, by place.
  std::vector<int> places_of(const std::vector<std::string>& names) const;
};

/// How a sub kernel runs on one core.
struct Run {
  const SubKernel* kernel = nullptr;
  int place = 0;  ///< In Mix::sub_kernels.
  bool fused = true;
  bool refreshes = false;   ///< GetValue, SetValue and object ends bring refreshes.
  bool tells_next = false;  ///< SetNextTaskStart takes effect.
  std::vector<int> raises;  ///< Events that it then arrives at.
  bool publishes = false;   ///< Block 0 of a fed sub kernel.
  bool flags_off = false;   ///< Launched without the flag scheduler (L-10).
  int server = -1;          ///< Matmul: core number of the server; -1: nobody
  bool client = false;      ///< Its end is told to the server.
  /// What WaitPreTaskEnd does here: nothing, or these waits and raises.
  std::vector<std::pair<bool, int>> wait_list;  ///< (true = wait, id)
  Indices indices;
  int task_ratio = 1;
};

class CoreBuilder {
 public:
  CoreBuilder(const Settings& settings, CoreId core, int block, int sub);

  /// The sub kernel's program, its objects' ends included.
  void run(const Run& run);
  /// A hard SyncAll of the SuperKernel's own or of a user (publish excluded).
  void sync_all(bool aiv_only, int sub_kernel, int place);

  void pipe_all();
  void settle();
  void refresh_all();
  /// Raise at a boundary: after the named pipe's work and after pending refreshes. A platform that
  /// drains (L-14) makes PIPE_ALL before it: the scalar unit goes on when the pipes are empty.
  void boundary_raise(Pipe pipe, int id, int sub_kernel, int place);
  void scalar_raise(int mode, int id);
  /// Until an event of the case was raised.
  void await(int event, int sub_kernel);
  /// The launch begins only behind what was added until now.
  void begin() { program_.gates = static_cast<int>(program_.steps.size()); }
  /// Arrives at an event of the case as boundary_raise() does at a boundary.
  void event_raise(Pipe pipe, int event, int sub_kernel, int place);
  /// The steps of an outside actor: each is over before the next one starts.
  void outside(const OutsideActor& actor);
  void wait(int id, WaitKind kind, int sub_kernel, int place);
  void boundary_list(const std::vector<std::pair<bool, int>>& list, int sub_kernel, int place);
  /// `last`: the record that says the end.
  void feed(int publisher, int record, int last, int sub_kernel);
  /// Behind it: the SyncAll of the record; `other`: one that asks for the other SyncAll.
  void fed_sync(bool aiv_only, int other, int sub_kernel);
  void publish();
  void serve(int clients, int sub_kernel);
  void fail(RuleId rule, int sub_kernel, int place);
  /// Waves: before the first step of a block that starts when `ended` blocks have ended.
  void enter(int ended);
  void leave();

  CoreProgram take() { return std::move(program_); }

 private:
  struct Queue {
    Space memory = Space::ub;
    std::int16_t tpipe = -1;
    Position position = Position::vecin;
    std::int64_t base = 0, buffer_words = 0;
    std::vector<int> free_event;  ///< by buffer; -1: none pending
    std::vector<bool> out;
    std::size_t next = 0;
    std::deque<std::pair<std::size_t, int>> queued;  ///< buffer, event id
  };
  struct Local {
    Space memory = Space::ub;
    std::int64_t base = 0;
    std::size_t buffer = 0;
  };
  struct Object {
    bool alive = true;
    std::int64_t last_read = -1, last_written = -1;
  };
  struct TPipe {
    bool live = false, destroyed = false;
  };

  void instruction(const Instruction& in);
  void move(const Instruction& in);
  void compute(const Instruction& in);
  void scalar(const Instruction& in);
  void load(const Instruction& in);
  void store(const Instruction& in);
  void poll(const Instruction& in);
  void synchronise(const Instruction& in);
  void cross_core(const Instruction& in);
  void hard_sync(const Instruction& in);
  void soft_sync(const Instruction& in);
  void ib(const Instruction& in);
  void query(const Instruction& in);
  void resource(const Instruction& in);
  void queue_call(const Instruction& in);
  void destroy(std::int16_t tpipe);
  void matmul(const Instruction& in);
  void outside_step(const OutsideStep& step);
  /// What comes before a raise that stands for the end of a sub kernel.
  void drain_border();
  void end_object(std::size_t object);

  void set_event(HardEvent event, int id);
  void wait_event(HardEvent event, int id);
  int take_id(HardEvent event);
  void release_id(HardEvent event, int id);
  int event_place(HardEvent event, int id);
  bool is_no_event(HardEvent event) const;

  Address address(const Operand& operand, std::int64_t extra = 0) const;
  std::int64_t line_of(const Operand& operand) const { return address(operand) / 16; }
  Source source(const Value& value) const;
  void refresh_line(std::int64_t line);
  Step step(MicroKind kind) const;
  Entry entry(EntryKind kind, Pipe pipe) const;
  /// Nothing more is added once there is no room: then the composition is good for nothing.
  void add(Step step);
  void issue(Entry entry);
  bool claim(std::uint64_t items, std::uint64_t words) const;
  /// Cuts dst (with a and b beside it) into pieces.
  std::vector<Piece> cut(Calculation calculation, const std::vector<Address>& dst,
                         const std::vector<Address>& a, const std::vector<Address>& b) const;
  std::vector<Address> words(const Operand& from, std::int64_t count) const;
  bool holds(LatitudePin pin) const { return settings_->at.holds(pin); }

  const Settings* settings_;
  CoreProgram program_;
  std::map<std::pair<HardEvent, int>, int> event_places_;
  std::vector<int> balance_;    ///< By event place: sets that count - waits issued.
  std::vector<bool> set_last_;  ///< By event place: the last of the two was a set.
  int records_ = 0;             ///< Feed records published so far.

  // One sub kernel.
  const Run* run_ = nullptr;
  Indices now_;
  int place_ = -1;
  std::vector<Object> objects_;
  std::map<std::int16_t, TPipe> tpipes_;
  std::map<std::int16_t, Queue> queues_;
  std::map<std::int16_t, Local> locals_;
  std::map<Space, std::int64_t> allocated_;
  std::map<HardEvent, unsigned> taken_;
};

}  // namespace skcts::explorer
