// What a core of the emulator carries out, and where it comes from.
//
// A core pulls one device-level instruction at a time from its source. The interpreter of mixes
// (mix_source.h) is one source; whatever else can say what a core does next may be another.
#pragma once

#include <cstdint>
#include <string>

#include "harness/target/operator_code.h"
#include "spec/instruction.h"
#include "spec/outcome.h"
#include "spec/pipe.h"

namespace skcts::emulator {

/// The steps that the machine knows. Addresses are words: in GM from its start, in a local memory
/// from its start.
enum class DeviceOp : std::uint8_t {
  // Carried out by `pipe`, with a start and a finish in between which others may run.
  copy_in,     ///< local dst := GM src, `count` words
  copy_out,    ///< GM dst := (or +=, atomic_add) local src
  copy_local,  ///< local dst := local src
  fill_gm,     ///< GM dst := value, `count` words
  duplicate,   ///< local dst := value
  adds,        ///< local dst := src + value
  add,         ///< local dst := src + src_b
  mmad,        ///< local dst := mmad_word(src, src_b)
  opaque,      ///< reads `read_count` ranges, writes the `write_count` ranges behind them
  // Carried out by `pipe` in one step, in its turn.
  set_flag,         ///< after the earlier work of `pipe` (S: at once)
  wait_flag,        ///< holds `pipe` back (S: the core)
  barrier,          ///< nothing of `pipe` behind it starts before everything in front has finished
  raise,            ///< cross-core flag `id` in `mode` (signal_mode: gives signal `dst`), after the
                    ///< earlier work of `pipe` (S: at once)
  pipe_wait_raise,  ///< takes one from the counter of flag `id`; holds `pipe` back while it is zero
  // Carried out by the scalar unit when it is issued.
  load,          ///< cached load of GM src; `pair`: two words
  store,         ///< cached store of value to GM dst; `pair`: of value and value_high
  load_bypass,   ///< uncached load of GM src
  store_bypass,  ///< uncached store of value to GM dst; lands by the next data_sync
  load_local,    ///< local src; with count > 1 the sum of `count` words, 8 words apart
  store_local,   ///< local dst := value
  refresh_line,  ///< clean and invalidate the line that holds GM word dst
  refresh_all,   ///< clean and invalidate every line
  discard_all,   ///< invalidate every line, dirty ones too
  data_sync,     ///< waits for what earlier scalar accesses have under way towards GM
  wait_raise,    ///< takes one from the counter of flag `id`; holds the core back while it is zero
  pipe_all,      ///< holds the core back until its pipes are empty
  watch,         ///< from now on a change of the `count` GM words from src on is remembered
  await_change,  ///< holds the core back until such a change
  wait_signal,   ///< holds the core back until signal `src` is complete
  give_signal,   ///< gives signal `dst`, at once
  nothing,
  fault,  ///< the program cannot go on: InstructionSource::fault_text() says why
};

/// Has a start and a finish.
constexpr bool is_data(DeviceOp op) {
  return op <= DeviceOp::opaque;
}
/// Goes through the queue of a pipe (unless the pipe is S).
constexpr bool is_queued(DeviceOp op) {
  return op <= DeviceOp::pipe_wait_raise;
}

/// Flag modes: as the hardware has them (4: the 950 alone), and one that gives a signal instead.
inline constexpr std::uint8_t block_mode = 4;
inline constexpr std::uint8_t signal_mode = 5;

/// In-core events: the hardware's eight ids, and one that only inserted code uses.
inline constexpr int event_ids = 9;
inline constexpr std::uint8_t private_event_id = 8;

/// Words behind the end of every local memory that only inserted code uses.
inline constexpr std::int32_t private_words = 2048;

/// refresh_all: `value` of the one that ends a launch of one sub kernel alone, or a SuperKernel.
inline constexpr std::uint32_t at_end_alone = 1;
inline constexpr std::uint32_t at_sk_end = 2;

/// A stretch of GM or of a local memory.
struct MemoryRange {
  Space space = Space::none;
  std::int32_t at = 0;
  std::int32_t count = 0;
};

struct DeviceInstruction {
  DeviceOp op = DeviceOp::nothing;
  Pipe pipe = Pipe::s;
  HardEvent event;        ///< set_flag, wait_flag
  std::uint8_t id = 0;    ///< event id or flag id, as the hardware cuts it
  std::uint8_t mode = 0;  ///< raise
  Space dst_space = Space::none;
  Space src_space = Space::none;
  Space src_b_space = Space::none;
  WaitKind waits_for = WaitKind::cross_core_flag;  ///< what a stalled core is said to wait for
  bool atomic_add = false;
  bool pair = false;
  bool lands = false;  ///< raise: the refreshes issued before it have landed when it is delivered
  bool whole = false;  ///< data: all words move together
  bool inserted = false;  ///< not an instruction of the program: reported without a place
  std::int32_t dst = 0;
  std::int32_t src = 0;
  std::int32_t src_b = 0;
  std::int32_t count = 0;
  std::uint32_t value = 0;
  std::uint32_t value_high = 0;
  const MemoryRange* ranges = nullptr;  ///< opaque: valid until the next call of next()
  Computation* computation = nullptr;  ///< opaque: what it does; none: folds and mixes words
  std::uint16_t read_count = 0;
  std::uint16_t write_count = 0;
  std::int32_t sub_kernel = -1;
  std::int32_t place = -1;
};

/// What one core executes. An object belongs to one core of one launch.
class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  /// The next instruction, or nullptr at the end; valid until the next call. `loaded` is what the
  /// last instruction loaded (a pair: the second word in the high half), else the value before.
  virtual const DeviceInstruction* next(std::uint64_t loaded) = 0;
  /// Why the last instruction was a fault.
  virtual std::string fault_text() const { return {}; }
};

/// A word or two on an instruction, for timelines: "copy_out GM[64..72)".
std::string describe(const DeviceInstruction& instruction);

}  // namespace skcts::emulator
