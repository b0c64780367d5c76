#include "spec/instruction.h"

#include <array>

namespace skcts {
namespace {

constexpr std::array<std::string_view, op_count> op_names = {
    "DataCopy",
    "LoadData",
    "Fixpipe",
    "Duplicate",
    "Adds",
    "Add",
    "Mmad",
    "Compute",
    "GetValue",
    "SetValue",
    "operator()=",
    "RawLoad",
    "RawStore",
    "ReadGmByPassDCache",
    "WriteGmByPassDCache",
    "DataCacheCleanAndInvalid",
    "DataSyncBarrier",
    "GlobalTensorCopy",
    "GlobalTensorEndOfScope",
    "GetBlockNum",
    "GetBlockIdx",
    "GetSubBlockIdx",
    "GetTaskRatio",
    "SetFlag",
    "WaitFlag",
    "PipeBarrier",
    "CrossCoreSetFlag",
    "CrossCoreWaitFlag",
    "SyncAll",
    "SoftSyncAll",
    "IBSet",
    "IBWait",
    "Poll",
    "TPipe",
    "InitBuffer",
    "AllocTensor",
    "EnQue",
    "DeQue",
    "FreeTensor",
    "Get",
    "Destroy",
    "TPipeEndOfScope",
    "SetNextTaskStart",
    "WaitPreTaskEnd",
    "Matmul",
    "Repeat",
};

template <class... F>
constexpr std::uint32_t bits(F... fields) {
  return (0u | ... | static_cast<std::uint32_t>(fields));
}

constexpr std::array<std::uint32_t, op_count> make_fields() {
  using enum Field;
  std::array<std::uint32_t, op_count> table{};
  const auto row = [&table](Op op, std::uint32_t fields) {
    table[static_cast<std::size_t>(op)] = fields;
  };
  row(Op::data_copy, bits(dst, src, count, atomic_add));
  row(Op::load_data, bits(dst, src, count));
  row(Op::fixpipe, bits(dst, src, count, atomic_add));
  row(Op::duplicate, bits(dst, count, value));
  row(Op::adds, bits(dst, src, count, value));
  row(Op::add, bits(dst, src, src_b, count));
  row(Op::mmad, bits(dst, src, src_b, count));
  row(Op::compute, bits(pipe, reads, writes, value));
  row(Op::get_value, bits(src, reg));
  row(Op::set_value, bits(dst, value));
  row(Op::assign, bits(dst, value));
  row(Op::raw_load, bits(src, reg));
  row(Op::raw_store, bits(dst, value));
  row(Op::read_gm_bypass, bits(src, reg));
  row(Op::write_gm_bypass, bits(dst, value));
  row(Op::dcci, bits(line, dst));
  row(Op::dsb, bits(dsb));
  row(Op::tensor_copy, bits(object, other));
  row(Op::tensor_end, bits(object));
  row(Op::set_flag, bits(event, id));
  row(Op::wait_flag, bits(event, id));
  row(Op::pipe_barrier, bits(pipe));
  row(Op::cross_core_set_flag, bits(mode, pipe, id));
  row(Op::cross_core_wait_flag, bits(id, pipe));
  row(Op::sync_all, bits(aiv_only));
  row(Op::soft_sync_all, bits(src, dst, count, aiv_only));
  row(Op::ib_set, bits(src, dst, value, id, aiv_only));
  row(Op::ib_wait, bits(src, dst, value, id, aiv_only));
  row(Op::poll, bits(src, dst, via, refresh, until, value, reg));
  row(Op::tpipe_init, bits(object));
  row(Op::init_buffer, bits(object, other, position, num, count));
  row(Op::alloc_tensor, bits(object, other));
  row(Op::enque, bits(object, other));
  row(Op::deque, bits(object, other));
  row(Op::free_tensor, bits(object, other));
  row(Op::tbuf_get, bits(object, other));
  row(Op::tpipe_destroy, bits(object));
  row(Op::tpipe_end, bits(object));
  row(Op::set_next_task_start, bits(pipe, aic_pipe));
  row(Op::matmul, bits(dst, src, src_b, count));
  row(Op::repeat, bits(times, body));
  return table;
}

constexpr std::array<std::uint32_t, op_count> op_fields = make_fields();

constexpr std::array<std::string_view, 8> position_names = {"VECIN", "VECOUT", "VECCALC", "A1",
                                                            "B1",    "A2",     "B2",      "CO1"};
constexpr std::array<std::string_view, 9> space_names = {"",    "gm",  "tensor", "UB",   "L1",
                                                         "L0A", "L0B", "L0C",    "local"};

Pipe move_pipe(const Instruction& in) {
  const bool to_gm = in.dst.space == Space::gm || in.dst.space == Space::tensor;
  return to_gm ? Pipe::mte3 : Pipe::mte2;
}

}  // namespace

std::string_view to_string(Op op) { return op_names[static_cast<std::size_t>(op)]; }

std::optional<Op> find_op(std::string_view name) {
  for (std::size_t i = 0; i < op_names.size(); ++i) {
    if (op_names[i] == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::string_view to_string(CacheLine line) {
  return line == CacheLine::single ? "SINGLE_CACHE_LINE" : "ENTIRE_DATA_CACHE";
}

std::string_view to_string(Dsb dsb) {
  constexpr std::array<std::string_view, 4> names = {"ALL", "DDR", "UB", "SEQ"};
  return names[static_cast<std::size_t>(dsb)];
}

std::string_view to_string(PollVia via) {
  constexpr std::array<std::string_view, 4> names = {"GetValue", "raw", "bypass", "DataCopy"};
  return names[static_cast<std::size_t>(via)];
}

std::string_view to_string(Compare compare) {
  return compare == Compare::equal ? "equal" : "at_least";
}

std::string_view to_string(Position position) {
  return position_names[static_cast<std::size_t>(position)];
}

std::string_view to_string(Space space) { return space_names[static_cast<std::size_t>(space)]; }

Space memory_of(Position position) {
  switch (position) {
    case Position::vecin:
    case Position::vecout:
    case Position::veccalc: return Space::ub;
    case Position::a1:
    case Position::b1: return Space::l1;
    case Position::a2: return Space::l0a;
    case Position::b2: return Space::l0b;
    case Position::co1: return Space::l0c;
  }
  return Space::ub;
}

std::uint32_t fields_of(Op op) { return op_fields[static_cast<std::size_t>(op)]; }

Pipe pipe_of(const Instruction& in) {
  switch (in.op) {
    case Op::data_copy: return move_pipe(in);
    case Op::load_data: return Pipe::mte1;
    case Op::fixpipe: return Pipe::fix;
    case Op::duplicate:
    case Op::adds:
    case Op::add: return Pipe::v;
    case Op::mmad: return Pipe::m;
    case Op::compute:
    case Op::cross_core_set_flag: return in.pipe;
    case Op::set_flag: return in.event.source;
    case Op::wait_flag: return in.event.destination;
    default: return Pipe::s;
  }
}

}  // namespace skcts
