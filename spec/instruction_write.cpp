#include "spec/instruction_write.h"

namespace skcts {
namespace {

std::string_view note_at(const Instruction& in, std::string_view place) {
  for (const FieldNote& note : in.field_notes) {
    if (note.place == place) return note.text;
  }
  return {};
}

bool has_note(const Instruction& in, std::string_view key) {
  for (const FieldNote& note : in.field_notes) {
    if (std::string_view(note.place).starts_with(key)) return true;
  }
  return false;
}

std::string expr_text(const Instruction& in, const Expr& expr, std::string_view place) {
  const std::string_view note = in.field_notes.empty() ? std::string_view() : note_at(in, place);
  if (expr.is_constant() && note.empty()) return fmt::format("{}", expr.base);
  Inline object;
  if (expr.base != 0 || expr.is_constant()) object.add_int("base", expr.base);
  if (expr.block != 0) object.add_int("block", expr.block);
  if (expr.sub != 0) object.add_int("sub", expr.sub);
  if (expr.core != 0) object.add_int("core", expr.core);
  constexpr std::string_view depths[] = {"i", "j", "k"};
  for (std::size_t d = 0; d < expr.repeat.size(); ++d) {
    if (expr.repeat[d] != 0) object.add_int(depths[d], expr.repeat[d]);
  }
  if (expr.shift != 0) object.add_int("shift", expr.shift);
  object.add_note(note);
  return std::move(object).done();
}

std::string where_text(const Instruction& in) {
  Inline object;
  for (const Condition& condition : in.where.all) {
    const std::string_view key = index_names()[static_cast<std::size_t>(condition.index)];
    if (condition.low == condition.high) {
      object.add_int(key, condition.low);
    } else {
      object.add(key, fmt::format("[{}, {}]", condition.low, condition.high));
    }
  }
  object.add_note(note_at(in, "where"));
  return std::move(object).done();
}

std::string value_text(const Instruction& in, std::string_view key) {
  if (in.value.reg >= 0) return fmt::format("\"r{}\"", in.value.reg);
  return expr_text(in, in.value.expr, key);
}

void note_use(std::vector<bool>& seen, std::vector<std::int16_t>& order, std::int64_t place) {
  if (place < 0 || static_cast<std::size_t>(place) >= seen.size()) return;
  if (seen[static_cast<std::size_t>(place)]) return;
  seen[static_cast<std::size_t>(place)] = true;
  order.push_back(static_cast<std::int16_t>(place));
}

/// Names in the order in which a reader of the text meets them.
void collect_uses(const std::vector<Instruction>& program, std::vector<bool>& seen,
                  std::vector<std::int16_t>& order) {
  const auto operand = [&](const Operand& from) {
    if (from.space == Space::local_tensor) note_use(seen, order, from.index);
  };
  for (const Instruction& in : program) {
    for (const FieldText& field : instruction_text(in.op)) {
      const bool is_tensor = in.op == Op::tensor_copy || in.op == Op::tensor_end;
      switch (field.field) {
        case Field::object:
          if (!is_tensor) note_use(seen, order, in.object);
          break;
        case Field::other:
          if (!is_tensor) note_use(seen, order, in.other);
          break;
        case Field::dst: operand(in.dst); break;
        case Field::src: operand(in.src); break;
        case Field::src_b: operand(in.src_b); break;
        case Field::reads:
          for (const Range& range : in.reads) operand(range.from);
          break;
        case Field::writes:
          for (const Range& range : in.writes) operand(range.from);
          break;
        case Field::body: collect_uses(in.body, seen, order); break;
        default: break;
      }
    }
  }
}

}  // namespace

Inline InstructionWriter::head(const Instruction& in) const {
  Inline object;
  object.add_text("op", to_string(in.op));
  const Instruction standard = default_instruction(in.op);
  for (const FieldText& field : instruction_text(in.op)) {
    if (field.field == Field::body) continue;
    const bool noted = !in.field_notes.empty() && has_note(in, field.key);
    if (!field.required && !noted && same_field(field.field, in, standard)) continue;
    const std::string text = field_text(in, field);
    if (!text.empty()) object.add(field.key, text);
  }
  if (!in.where.all.empty() || !note_at(in, "where").empty()) {
    object.add("where", where_text(in));
  }
  object.add_note(in.note);
  return object;
}

std::string InstructionWriter::whole(const Instruction& in) const {
  Inline object = head(in);
  if (in.op == Op::repeat) {
    std::string body = "[";
    for (const Instruction& inner : in.body) {
      if (body.size() > 1) body += ", ";
      body += whole(inner);
    }
    object.add("body", body + "]");
  }
  return std::move(object).done();
}

std::string InstructionWriter::region(std::int64_t place) const {
  return name_at(mix_.regions, place, [](const Region& r) { return r.name; });
}

std::string InstructionWriter::tensor(std::int64_t place) const {
  return name_at(kernel_.tensors, place, [](const Tensor& t) { return t.name; });
}

std::string InstructionWriter::name(std::int64_t place) const {
  return name_at(kernel_.names, place, [](const std::string& n) { return n; });
}

/// The operand as an object that is still open.
Inline InstructionWriter::operand(const Instruction& in, const Operand& from,
                                  const std::string& place) const {
  Inline object;
  const std::string_view key = to_string(from.space);
  if (is_local_memory(from.space)) {
    object.add(key, expr_text(in, from.at, fmt::format("{}.{}", place, key)));
    return object;
  }
  object.add(key, from.space == Space::gm       ? region(from.index)
                  : from.space == Space::tensor ? tensor(from.index)
                                                : name(from.index));
  const std::string at_place = place + ".at";
  if (from.at != Expr{} || !note_at(in, at_place).empty()) {
    object.add("at", expr_text(in, from.at, at_place));
  }
  return object;
}

std::string InstructionWriter::operand_text(const Instruction& in, const Operand& from,
                                            std::string_view key) const {
  if (from.space == Space::none) return {};
  Inline object = operand(in, from, std::string(key));
  object.add_note(note_at(in, key));
  return std::move(object).done();
}

std::string InstructionWriter::ranges_text(const Instruction& in, const std::vector<Range>& ranges,
                                           std::string_view key) const {
  std::string text = "[";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", key, i);
    Inline object = operand(in, ranges[i].from, place);
    object.add_int("count", ranges[i].count);
    object.add_note(note_at(in, place));
    if (i > 0) text += ", ";
    text += std::move(object).done();
  }
  return text + "]";
}

std::string InstructionWriter::object_text(const Instruction& in, std::int64_t place) const {
  const bool is_tensor = in.op == Op::tensor_copy || in.op == Op::tensor_end;
  return is_tensor ? tensor(place) : name(place);
}

/// The JSON of one field; empty for an operand that is not there.
std::string InstructionWriter::field_text(const Instruction& in, const FieldText& field) const {
  const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  switch (field.field) {
    case Field::dst: return operand_text(in, in.dst, field.key);
    case Field::src: return operand_text(in, in.src, field.key);
    case Field::src_b: return operand_text(in, in.src_b, field.key);
    case Field::count: return number(in.count);
    case Field::atomic_add: return truth(in.atomic_add);
    case Field::value: return value_text(in, field.key);
    case Field::reg: return fmt::format("\"r{}\"", in.reg);
    case Field::pipe: return json_quoted(to_string(in.pipe));
    case Field::aic_pipe: return json_quoted(to_string(in.aic_pipe));
    case Field::event: return json_quoted(to_string(in.event));
    case Field::id: return number(in.id);
    case Field::mode: return number(in.mode);
    case Field::aiv_only: return truth(in.aiv_only);
    case Field::line: return json_quoted(to_string(in.line));
    case Field::dsb: return json_quoted(to_string(in.dsb));
    case Field::via: return json_quoted(to_string(in.via));
    case Field::until: return json_quoted(to_string(in.until));
    case Field::refresh: return truth(in.refresh);
    case Field::position: return json_quoted(to_string(in.position));
    case Field::object: return object_text(in, in.object);
    case Field::other: return object_text(in, in.other);
    case Field::num: return number(in.num);
    case Field::times: return number(in.times);
    case Field::reads: return ranges_text(in, in.reads, field.key);
    case Field::writes: return ranges_text(in, in.writes, field.key);
    case Field::body: break;  // laid out by the caller
  }
  return {};
}

bool names_in_order_of_use(const SubKernel& kernel) {
  std::vector<bool> seen(kernel.names.size(), false);
  std::vector<std::int16_t> order;
  collect_uses(kernel.aic, seen, order);
  collect_uses(kernel.aiv, seen, order);
  if (order.size() != kernel.names.size()) return false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int16_t>(i)) return false;
  }
  return true;
}

}  // namespace skcts
