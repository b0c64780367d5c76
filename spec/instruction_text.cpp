#include "spec/instruction_text.h"

#include <array>
#include <vector>

#include "spec/enum_names.h"

namespace skcts {
namespace {

struct FieldName {
  Field field;
  std::string_view key;
};

/// The order of keys in an instruction, and their names where an op has no better one.
constexpr std::array<FieldName, 26> field_order = {{
    {Field::object, "object"},
    {Field::other, "other"},
    {Field::position, "position"},
    {Field::num, "num"},
    {Field::mode, "mode"},
    {Field::event, "event"},
    {Field::pipe, "pipe"},
    {Field::aic_pipe, "aic_pipe"},
    {Field::id, "id"},
    {Field::line, "line"},
    {Field::dsb, "dsb"},
    {Field::dst, "dst"},
    {Field::src, "src"},
    {Field::src_b, "src_b"},
    {Field::reads, "reads"},
    {Field::writes, "writes"},
    {Field::via, "via"},
    {Field::refresh, "refresh"},
    {Field::until, "until"},
    {Field::value, "value"},
    {Field::count, "count"},
    {Field::atomic_add, "atomic_add"},
    {Field::aiv_only, "aiv_only"},
    {Field::reg, "reg"},
    {Field::times, "times"},
    {Field::body, "body"},
}};

std::string_view object_key(Op op) {
  switch (op) {
    case Op::tensor_copy:
    case Op::tensor_end:
      return "tensor";
    case Op::tpipe_init:
    case Op::tpipe_destroy:
    case Op::tpipe_end:
      return "tpipe";
    default:
      return "queue";
  }
}

std::string_view other_key(Op op) {
  if (op == Op::tensor_copy) return "from";
  return op == Op::init_buffer ? "tpipe" : "local";
}

bool uses_workspace(Op op) {
  return op == Op::soft_sync_all || op == Op::ib_set || op == Op::ib_wait;
}

std::string_view key_of(Op op, const FieldName& name) {
  switch (name.field) {
    case Field::object:
      return object_key(op);
    case Field::other:
      return other_key(op);
    case Field::src:
      return uses_workspace(op) ? "workspace" : name.key;
    case Field::dst:
      return uses_workspace(op) ? "scratch" : name.key;
    case Field::count:
      return op == Op::soft_sync_all ? "cores" : name.key;
    case Field::value:
      return op == Op::ib_set || op == Op::ib_wait ? "block" : name.key;
    default:
      return name.key;
  }
}

bool is_required(Op op, Field field) {
  switch (field) {
    case Field::num:
    case Field::line:
    case Field::dsb:
    case Field::reads:
    case Field::writes:
    case Field::refresh:
    case Field::until:
    case Field::atomic_add:
    case Field::aiv_only:
    case Field::reg:
    case Field::aic_pipe:
      return false;
    case Field::dst:
      return op != Op::dcci && op != Op::poll;
    case Field::count:
      return op != Op::soft_sync_all;
    case Field::value:
      return op != Op::compute;
    case Field::pipe:
      return op != Op::cross_core_wait_flag && op != Op::set_next_task_start;
    default:
      return true;
  }
}

struct OpText {
  std::vector<FieldText> fields;
  std::vector<std::string_view> keys;
};

const OpText& text_of(Op op) {
  static const std::array<OpText, op_count> table = [] {
    std::array<OpText, op_count> made;
    for (int i = 0; i < op_count; ++i) {
      const auto each = static_cast<Op>(i);
      OpText& text = made[static_cast<std::size_t>(i)];
      text.keys.push_back("op");
      for (const FieldName& name : field_order) {
        if (!uses(each, name.field)) continue;
        text.fields.push_back({name.field, key_of(each, name), is_required(each, name.field)});
        text.keys.push_back(text.fields.back().key);
      }
      text.keys.push_back("where");
      text.keys.push_back("note");
    }
    return made;
  }();
  return table[static_cast<std::size_t>(op)];
}

}  // namespace

std::span<const FieldText> instruction_text(Op op) {
  return text_of(op).fields;
}
std::span<const std::string_view> instruction_keys(Op op) {
  return text_of(op).keys;
}

std::string_view field_name(Field field) {
  for (const FieldName& name : field_order) {
    if (name.field == field) return name.key;
  }
  return "?";
}

Instruction default_instruction(Op op) {
  Instruction instruction;
  instruction.op = op;
  if (op == Op::set_next_task_start) instruction.pipe = Pipe::mte3;
  return instruction;
}

bool same_field(Field field, const Instruction& a, const Instruction& b) {
  switch (field) {
    case Field::dst:
      return a.dst == b.dst;
    case Field::src:
      return a.src == b.src;
    case Field::src_b:
      return a.src_b == b.src_b;
    case Field::count:
      return a.count == b.count;
    case Field::atomic_add:
      return a.atomic_add == b.atomic_add;
    case Field::value:
      return a.value == b.value;
    case Field::reg:
      return a.reg == b.reg;
    case Field::pipe:
      return a.pipe == b.pipe;
    case Field::aic_pipe:
      return a.aic_pipe == b.aic_pipe;
    case Field::event:
      return a.event == b.event;
    case Field::id:
      return a.id == b.id;
    case Field::mode:
      return a.mode == b.mode;
    case Field::aiv_only:
      return a.aiv_only == b.aiv_only;
    case Field::line:
      return a.line == b.line;
    case Field::dsb:
      return a.dsb == b.dsb;
    case Field::via:
      return a.via == b.via;
    case Field::until:
      return a.until == b.until;
    case Field::refresh:
      return a.refresh == b.refresh;
    case Field::position:
      return a.position == b.position;
    case Field::object:
      return a.object == b.object;
    case Field::other:
      return a.other == b.other;
    case Field::num:
      return a.num == b.num;
    case Field::times:
      return a.times == b.times;
    case Field::reads:
      return a.reads == b.reads;
    case Field::writes:
      return a.writes == b.writes;
    case Field::body:
      return a.body == b.body;
  }
  return true;
}

std::span<const std::string_view> op_names() {
  return names_of<Op, op_count>();
}
std::span<const std::string_view> pipe_names() {
  return names_of<Pipe, 8>();
}
std::span<const std::string_view> space_keys() {
  return names_of<Space, 9>();
}
std::span<const std::string_view> line_names() {
  return names_of<CacheLine, 2>();
}
std::span<const std::string_view> dsb_names() {
  return names_of<Dsb, 4>();
}
std::span<const std::string_view> via_names() {
  return names_of<PollVia, 4>();
}
std::span<const std::string_view> compare_names() {
  return names_of<Compare, 2>();
}
std::span<const std::string_view> position_names() {
  return names_of<Position, 8>();
}
std::span<const std::string_view> index_names() {
  static constexpr std::array<std::string_view, 7> names = {"block", "sub", "core", "key",
                                                            "i",     "j",   "k"};
  return names;
}
std::span<const std::string_view> register_names() {
  static constexpr std::array<std::string_view, register_count> names = {"r0", "r1", "r2", "r3",
                                                                         "r4", "r5", "r6", "r7"};
  return names;
}

}  // namespace skcts
