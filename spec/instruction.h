// One step of one core, named as the Ascend C interface it stands for.
//
// An Instruction is a flat value: which of its fields mean something for an op, and what they mean,
// stands in the table at the bottom of this page (and as data in fields_of()). Readers, writers,
// printers and edits work from that table, so that a new op is one row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expr.h"
#include "spec/pipe.h"

namespace skcts {

enum class Op : std::uint8_t {
  // move
  data_copy,  ///< DataCopy: GM->UB/L1/L0A/L0B (MTE2), UB->GM and L1->GM (MTE3).
  load_data,  ///< LoadData: L1->L0A/L0B (MTE1).
  fixpipe,    ///< Fixpipe: L0C->GM (FIX).
  // compute
  duplicate,  ///< Duplicate (V): every word of dst := value.
  adds,       ///< Adds (V): dst[j] := src[j] + value.
  add,        ///< Add (V): dst[j] := src[j] + src_b[j].
  mmad,       ///< Mmad (M): dst[j] := mmad_word(src[j], src_b[j]) (spec/arithmetic.h).
  compute,    ///< An opaque step of one pipe: reads all `reads`, then writes all `writes`.
  // scalar
  get_value,        ///< GetValue of a GlobalTensor object, or of a local word (UB only).
  set_value,        ///< SetValue of a GlobalTensor object, or of a local word (UB only).
  assign,           ///< GlobalTensor::operator() used as the target of an assignment.
  raw_load,         ///< Load through a raw __gm__ pointer (cached, nothing inserted).
  raw_store,        ///< Store through a raw __gm__ pointer (cached, nothing inserted).
  read_gm_bypass,   ///< ReadGmByPassDCache (ld_dev).
  write_gm_bypass,  ///< WriteGmByPassDCache (st_dev).
  dcci,             ///< DataCacheCleanAndInvalid: one line, or the entire cache.
  dsb,              ///< DataSyncBarrier.
  tensor_copy,      ///< A GlobalTensor object made as a copy of another (markers and all).
  tensor_end,       ///< The end of life of a GlobalTensor object.
  // queries
  get_block_num,
  get_block_idx,
  get_sub_block_idx,
  get_task_ratio,
  // in-core synchronisation
  set_flag,
  wait_flag,
  pipe_barrier,
  // cross-core synchronisation
  cross_core_set_flag,
  cross_core_wait_flag,
  sync_all,
  soft_sync_all,
  ib_set,
  ib_wait,
  poll,  ///< A loop that reads one GM word until it has a value.
  // resources
  tpipe_init,   ///< TPipe constructor.
  init_buffer,  ///< TPipe::InitBuffer of a queue or a TBuf.
  alloc_tensor,
  enque,
  deque,
  free_tensor,
  tbuf_get,
  tpipe_destroy,  ///< TPipe::Destroy called by hand.
  tpipe_end,      ///< End of scope of a TPipe: Destroy unless it was called.
  // tasks
  set_next_task_start,
  wait_pre_task_end,
  // services
  matmul,  ///< Matmul high-level call on an AIV, served by the AIC of its block (machine §4.8).
  // control
  repeat,  ///< `times` copies of `body`, unrolled; its index is i, j or k by nesting depth.
};

inline constexpr int op_count = static_cast<int>(Op::repeat) + 1;

/// Case-text name of an op, e.g. "CrossCoreSetFlag".
std::string_view to_string(Op op);
std::optional<Op> find_op(std::string_view name);

/// Where an operand lives.
enum class Space : std::uint8_t {
  none,
  gm,      ///< A region of the mix: `index` is its place in Mix::regions.
  tensor,  ///< Through a GlobalTensor object: `index` is its place in SubKernel::tensors.
  ub,      ///< Unified buffer of this AIV.
  l1,
  l0a,
  l0b,
  l0c,           ///< Local memories of this AIC.
  local_tensor,  ///< A tensor taken from a queue or a TBuf: `index` into SubKernel::names.
};

/// True for the memories of one core: ub, l1, l0a, l0b, l0c.
constexpr bool is_local_memory(Space s) {
  return s >= Space::ub && s <= Space::l0c;
}

/// A place in memory: space, which one, and the word offset from its start.
struct Operand {
  Space space = Space::none;
  std::int16_t index = -1;
  Expr at;
  bool operator==(const Operand&) const = default;
};

/// Consecutive words from an operand on.
struct Range {
  Operand from;
  std::int32_t count = 0;
  bool operator==(const Range&) const = default;
};

inline constexpr int register_count = 8;  ///< Scalar registers r0..r7 of a core; 0 at entry.

/// A 32-bit value: an affine expression (taken modulo 2^32), or a scalar register.
struct Value {
  Expr expr;
  std::int8_t reg = -1;  ///< >= 0: the register; `expr` is then unused.
  bool operator==(const Value&) const = default;
};

enum class CacheLine : std::uint8_t { single, entire };
enum class Dsb : std::uint8_t { all, ddr, ub, seq };
/// How a poll reads its word.
enum class PollVia : std::uint8_t { get_value, raw_load, bypass, data_copy };
enum class Compare : std::uint8_t { equal, at_least };
/// TPosition of a queue or TBuf.
enum class Position : std::uint8_t { vecin, vecout, veccalc, a1, b1, a2, b2, co1 };

std::string_view to_string(CacheLine line);   ///< "SINGLE_CACHE_LINE", "ENTIRE_DATA_CACHE"
std::string_view to_string(Dsb dsb);          ///< "ALL", "DDR", "UB", "SEQ"
std::string_view to_string(PollVia via);      ///< "GetValue", "raw", "bypass", "DataCopy"
std::string_view to_string(Compare compare);  ///< "equal", "at_least"
std::string_view to_string(Position position);
std::string_view to_string(Space space);  ///< "gm", "tensor", "UB", "L1", "L0A", ... "local"

/// The memory that a queue position is laid out in.
Space memory_of(Position position);

/// A note on an object inside an instruction: an operand, an expression, a range, `where`. `place`
/// is the path in case text from the instruction on, e.g. "dst.at" or "reads[1]".
struct FieldNote {
  std::string place;
  std::string text;
  bool operator==(const FieldNote&) const = default;
};

struct Instruction {
  Op op = Op::pipe_barrier;
  Where where;
  Operand dst;
  Operand src;
  Operand src_b;
  std::int32_t count = 0;  ///< Words moved or computed.
  bool atomic_add = false;
  Value value;
  std::int8_t reg = -1;  ///< Register that receives a loaded value; -1 = dropped.
  Pipe pipe = Pipe::all;
  Pipe aic_pipe = Pipe::fix;  ///< SetNextTaskStart only.
  HardEvent event;
  std::int32_t id = 0;    ///< Flag id, event id; not range-checked: hardware truncates.
  std::int32_t mode = 0;  ///< Cross-core flag mode.
  bool aiv_only = true;
  CacheLine line = CacheLine::single;
  Dsb dsb = Dsb::all;
  PollVia via = PollVia::get_value;
  Compare until = Compare::equal;
  bool refresh = false;  ///< Poll: DataCacheCleanAndInvalid of the line before each read.
  Position position = Position::vecin;
  std::int16_t object = -1;  ///< GlobalTensor (SubKernel::tensors), or TPipe / queue (names).
  std::int16_t other = -1;   ///< The source of a copy, the TPipe of a buffer, a local tensor.
  std::int32_t num = 1;      ///< InitBuffer: number of buffers.
  std::int32_t times = 1;    ///< Repeat.
  std::vector<Range> reads;
  std::vector<Range> writes;
  std::vector<Instruction> body;
  std::string note;
  std::vector<FieldNote> field_notes;  ///< In the order of the text; no part of the meaning.

  bool operator==(const Instruction&) const = default;
};

/// The fields an op uses, as bits; everything else keeps its default.
enum class Field : std::uint32_t {
  dst = 1u << 0,
  src = 1u << 1,
  src_b = 1u << 2,
  count = 1u << 3,
  atomic_add = 1u << 4,
  value = 1u << 5,
  reg = 1u << 6,
  pipe = 1u << 7,
  aic_pipe = 1u << 8,
  event = 1u << 9,
  id = 1u << 10,
  mode = 1u << 11,
  aiv_only = 1u << 12,
  line = 1u << 13,
  dsb = 1u << 14,
  via = 1u << 15,
  until = 1u << 16,
  refresh = 1u << 17,
  position = 1u << 18,
  object = 1u << 19,
  other = 1u << 20,
  num = 1u << 21,
  times = 1u << 22,
  reads = 1u << 23,
  writes = 1u << 24,
  body = 1u << 25,
};

/// Bit set over Field.
std::uint32_t fields_of(Op op);
inline bool uses(Op op, Field field) {
  return (fields_of(op) & static_cast<std::uint32_t>(field)) != 0;
}

/// The pipe that carries an instruction out, from its op and operand spaces: MTE2/MTE3/MTE1/FIX for
/// moves, V or M for computes, the named pipe for `compute`, the source pipe for SetFlag, the
/// destination pipe for WaitFlag, the named pipe for CrossCoreSetFlag; S for everything that the
/// scalar unit does itself or that lowers to several instructions.
Pipe pipe_of(const Instruction& instruction);

// | op | fields |
// |---|---|
// | data_copy | dst, src (one gm, one local), count (multiple of 8 words), atomic_add (out only) |
// | load_data | dst l0a/l0b, src l1, count |
// | fixpipe | dst gm, src l0c, count, atomic_add |
// | duplicate | dst, count, value (a register is read at issue) |
// | adds | dst, src, count, value |
// | add | dst, src, src_b, count |
// | mmad | dst l0c, src l0a, src_b l0b, count |
// | compute | pipe, reads, writes, value (constant tag: results of two tags differ) |
// | get_value | src (tensor, or ub word), reg |
// | set_value | dst (tensor, or ub word), value |
// | assign | dst tensor, value |
// | raw_load, read_gm_bypass | src gm, reg |
// | raw_store, write_gm_bypass | dst gm, value |
// | dcci | line, dst gm (single only) |
// | dsb | dsb |
// | tensor_copy | object := copy of other (both GlobalTensors; `object` is not alive before) |
// | tensor_end | object |
// | set_flag, wait_flag | event, id |
// | pipe_barrier | pipe |
// | cross_core_set_flag | mode, pipe, id |
// | cross_core_wait_flag | id, pipe (3510 only; S elsewhere) |
// | sync_all | aiv_only |
// | soft_sync_all | src gm workspace, dst ub scratch, count (used cores, 0 = all), aiv_only |
// | ib_set, ib_wait | src gm workspace, dst ub scratch, value (block index), id, aiv_only |
// | poll | src (tensor for get_value, gm otherwise), dst (ub scratch, data_copy only), via,
// refresh, |      | until, value, reg | | tpipe_init, tpipe_destroy, tpipe_end | object (TPipe) |
// | init_buffer | object (queue or TBuf), other (TPipe), position, num, count (words of one) |
// | alloc_tensor, enque, deque, free_tensor, tbuf_get | object (queue), other (local tensor) |
// | set_next_task_start | pipe (AIV pipe), aic_pipe |
// | matmul | dst, src, src_b (gm), count |
// | repeat | times, body |

}  // namespace skcts
