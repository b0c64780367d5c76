// Writes the instructions of a tiny mix: who acts, how a word is written and read, how one core
// tells another.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "generators/random.h"
#include "generators/tiny.h"
#include "spec/case.h"

namespace skcts::generators {

/// One core of a sub kernel, as conditions on the indices that it sees.
struct Actor {
  CoreKind kind = CoreKind::aiv;
  Where where;
};

/// How a GM word is reached.
enum class Way : std::uint8_t { dma, fix, bypass, raw, object, call_operator };

class TinyBuilder {
 public:
  TinyBuilder(Choice& choice, Case& out);

  Choice& choice() { return choice_; }
  Mix& mix() { return out_.mix; }
  Case& out() { return out_; }

  /// Starts the next sub kernel.
  void begin(KernelType type, int blocks);
  SubKernel& sub() { return out_.mix.sub_kernels.back(); }
  /// The cores of the sub kernel; an actor of a lone core may have no condition.
  std::vector<Actor> actors();
  /// Two different cores where there are two, in random order.
  std::pair<Actor, Actor> two_actors();
  Actor any_actor();
  /// All cores of a kind.
  static Actor everyone(CoreKind kind) { return {kind, {}}; }

  Instruction& put(const Actor& actor, Op op);
  void barrier(const Actor& actor, Pipe pipe);
  /// SetFlag and WaitFlag from one pipe to another. `percent`: how likely each of them is there.
  void order(const Actor& actor, Pipe from, Pipe to, int percent = 100);
  void dcci(const Actor& actor, int region, int word);
  void dsb(const Actor& actor);

  /// Regions. Shared words, sources of DMA, results.
  int shared() const { return shared_; }
  int add_region(std::string name, int words, int first, int step);
  Operand gm(int region, int word) const;
  Operand local(Space space, int words);
  /// A word of the shared region, mostly in the first line.
  int word();
  std::int32_t constant() { return constant_ += 1; }

  /// A way that the actor has, out of those wanted.
  Way pick_way(const Actor& actor, const std::vector<Way>& ways);
  /// Stores fresh values at the word (DMA: at its block). `atomic`: adds them, by DMA only.
  void write(const Actor& actor, Way way, int word, bool atomic = false);
  /// Loads the word (DMA: its block) and makes what was read a result.
  void read(const Actor& actor, Way way, int word);
  /// What lets another core see a store: dcci and DataSyncBarrier, or a drained pipe. Each part is
  /// there with that probability.
  void publish(const Actor& actor, Way way, int word, int percent);
  /// What makes the next load fresh: dcci of the line.
  void refresh(const Actor& actor, Way way, int word, int percent);
  /// A GlobalTensor object of the shared region in this sub kernel.
  int object(bool is_const = false);

  /// `to` goes on after `from` has come here; `data` is the pipe that carried the data.
  void signal(const Actor& from, const Actor& to, Pipe data);
  void raise(const Actor& actor, int mode, Pipe pipe, int id);
  void await(const Actor& actor, int id);

  /// The pipe by which a way stores on a core.
  static Pipe store_pipe(const Actor& actor, Way way);
  bool half() { return choice_.chance(50); }

 private:
  void result_word(const Actor& actor, int reg);
  void result_block(const Actor& actor, const Operand& from);
  Operand fresh_block(const Actor& actor, Pipe pipe);
  std::int8_t next_reg() { return static_cast<std::int8_t>(reg_++ % register_count); }

  Choice& choice_;
  Case& out_;
  int shared_ = 0;
  int source_ = 1;
  int results_ = 2;
  int next_source_ = 0;
  int result_blocks_ = 0;
  int result_words_ = 0;
  int reg_ = 0;
  int event_id_ = 0;
  std::int32_t constant_ = 500;
  int local_[6] = {};
};

}  // namespace skcts::generators
