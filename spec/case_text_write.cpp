// Writing case text in its canonical form.
#include <fmt/format.h>

#include "spec/case_text.h"
#include "spec/instruction_text.h"
#include "spec/json_tree.h"

namespace skcts {
namespace {

/// An object on one line, key by key.
class Inline {
 public:
  void add(std::string_view key, std::string_view json) {
    text_ += text_.size() > 1 ? ", " : "";
    text_ += json_quoted(key);
    text_ += ": ";
    text_ += json;
  }
  void add_text(std::string_view key, std::string_view text) { add(key, json_quoted(text)); }
  template <class Int>
  void add_int(std::string_view key, Int value) {
    add(key, fmt::format("{}", value));
  }
  /// Leaves an empty text out.
  void add_note(std::string_view note) {
    if (!note.empty()) add_text("note", note);
  }
  std::string done() && { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

std::string inline_words(const std::vector<std::uint32_t>& words) {
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string inline_names(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) {
    if (text.size() > 1) text += ", ";
    text += json_quoted(name);
  }
  return text + "]";
}

/// The name at a place; a place that leads nowhere shows itself, so that a broken case can still
/// be printed.
template <class List, class NameOf>
std::string name_at(const List& list, std::int64_t place, NameOf&& name_of) {
  if (place >= 0 && static_cast<std::size_t>(place) < list.size()) {
    return json_quoted(name_of(list[static_cast<std::size_t>(place)]));
  }
  return json_quoted(fmt::format("#{}", place));
}

/// Writes the parts of instructions of one sub kernel.
class InstructionWriter {
 public:
  InstructionWriter(const Mix& mix, const SubKernel& kernel) : mix_(mix), kernel_(kernel) {}

  /// Everything but the body of a Repeat, without the closing brace.
  Inline head(const Instruction& in) const {
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

  std::string whole(const Instruction& in) const {
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

  std::string region(std::int64_t place) const {
    return name_at(mix_.regions, place, [](const Region& r) { return r.name; });
  }

 private:
  static std::string_view note_at(const Instruction& in, std::string_view place) {
    for (const FieldNote& note : in.field_notes) {
      if (note.place == place) return note.text;
    }
    return {};
  }
  static bool has_note(const Instruction& in, std::string_view key) {
    for (const FieldNote& note : in.field_notes) {
      if (std::string_view(note.place).starts_with(key)) return true;
    }
    return false;
  }

  std::string tensor(std::int64_t place) const {
    return name_at(kernel_.tensors, place, [](const Tensor& t) { return t.name; });
  }
  std::string name(std::int64_t place) const {
    return name_at(kernel_.names, place, [](const std::string& n) { return n; });
  }

  static std::string expr_text(const Instruction& in, const Expr& expr, std::string_view place) {
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

  /// The operand as an object that is still open.
  Inline operand(const Instruction& in, const Operand& from, const std::string& place) const {
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

  std::string operand_text(const Instruction& in, const Operand& from, std::string_view key) const {
    if (from.space == Space::none) return {};
    Inline object = operand(in, from, std::string(key));
    object.add_note(note_at(in, key));
    return std::move(object).done();
  }

  std::string ranges_text(const Instruction& in, const std::vector<Range>& ranges,
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

  static std::string where_text(const Instruction& in) {
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

  std::string value_text(const Instruction& in, std::string_view key) const {
    if (in.value.reg >= 0) return fmt::format("\"r{}\"", in.value.reg);
    return expr_text(in, in.value.expr, key);
  }

  std::string object_text(const Instruction& in, std::int64_t place) const {
    const bool is_tensor = in.op == Op::tensor_copy || in.op == Op::tensor_end;
    return is_tensor ? tensor(place) : name(place);
  }

  /// The JSON of one field; empty for an operand that is not there.
  std::string field_text(const Instruction& in, const FieldText& field) const {
    const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
    const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
    switch (field.field) {
      case Field::dst:
        return operand_text(in, in.dst, field.key);
      case Field::src:
        return operand_text(in, in.src, field.key);
      case Field::src_b:
        return operand_text(in, in.src_b, field.key);
      case Field::count:
        return number(in.count);
      case Field::atomic_add:
        return truth(in.atomic_add);
      case Field::value:
        return value_text(in, field.key);
      case Field::reg:
        return fmt::format("\"r{}\"", in.reg);
      case Field::pipe:
        return json_quoted(to_string(in.pipe));
      case Field::aic_pipe:
        return json_quoted(to_string(in.aic_pipe));
      case Field::event:
        return json_quoted(to_string(in.event));
      case Field::id:
        return number(in.id);
      case Field::mode:
        return number(in.mode);
      case Field::aiv_only:
        return truth(in.aiv_only);
      case Field::line:
        return json_quoted(to_string(in.line));
      case Field::dsb:
        return json_quoted(to_string(in.dsb));
      case Field::via:
        return json_quoted(to_string(in.via));
      case Field::until:
        return json_quoted(to_string(in.until));
      case Field::refresh:
        return truth(in.refresh);
      case Field::position:
        return json_quoted(to_string(in.position));
      case Field::object:
        return object_text(in, in.object);
      case Field::other:
        return object_text(in, in.other);
      case Field::num:
        return number(in.num);
      case Field::times:
        return number(in.times);
      case Field::reads:
        return ranges_text(in, in.reads, field.key);
      case Field::writes:
        return ranges_text(in, in.writes, field.key);
      case Field::body:
        break;  // laid out by the caller
    }
    return {};
  }

  const Mix& mix_;
  const SubKernel& kernel_;
};

/// Lays out objects and lists over several lines, two blanks a level.
class Layout {
 public:
  void open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!first_) new_line();
    out_ += bracket;
    first_ = false;
  }
  void item() {
    if (!first_) out_ += ',';
    new_line();
    first_ = false;
  }
  void key(std::string_view name) {
    item();
    out_ += json_quoted(name);
    out_ += ": ";
  }
  void raw(std::string_view json) { out_ += json; }
  void text(std::string_view name, std::string_view value) {
    key(name);
    raw(json_quoted(value));
  }
  void note(std::string_view value) {
    if (!value.empty()) text("note", value);
  }
  /// A list of numbers, as many in a line as fit.
  void words(const std::vector<std::uint32_t>& values) {
    constexpr std::size_t width = 100;
    open('[');
    std::size_t column = width;
    for (const std::uint32_t value : values) {
      const std::string word = fmt::format("{}", value);
      if (column + 2 + word.size() > width - 1) {
        item();
        column = 2 * static_cast<std::size_t>(depth_) + word.size();
      } else {
        out_ += ", ";
        column += 2 + word.size();
      }
      out_ += word;
    }
    close(']');
  }
  std::string done() && {
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void new_line() {
    out_ += '\n';
    out_.append(2 * static_cast<std::size_t>(depth_), ' ');
  }

  std::string out_;
  int depth_ = 0;
  bool first_ = true;
};

std::string region_text(const Region& region) {
  Inline object;
  object.add_text("name", region.name);
  object.add_int("words", region.words);
  if (region.offset_bytes != 0) object.add_int("offset_bytes", region.offset_bytes);
  const RegionInit& init = region.init;
  const bool plain = init.note.empty() && init.step == 0;
  if (plain && init.values.empty()) {
    if (init.first != 0) object.add_int("init", init.first);
  } else if (plain && init.first == 0) {
    object.add("init", inline_words(init.values));
  } else {
    Inline inner;
    if (!init.values.empty()) inner.add("values", inline_words(init.values));
    if (init.first != 0) inner.add_int("first", init.first);
    if (init.step != 0) inner.add_int("step", init.step);
    inner.add_note(init.note);
    object.add("init", std::move(inner).done());
  }
  object.add_note(region.note);
  return std::move(object).done();
}

std::string tensor_text(const Mix& mix, const Tensor& tensor) {
  Inline object;
  object.add_text("name", tensor.name);
  object.add("gm", name_at(mix.regions, tensor.region, [](const Region& r) { return r.name; }));
  if (tensor.is_const) object.add("const", "true");
  object.add_note(tensor.note);
  return std::move(object).done();
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
        case Field::dst:
          operand(in.dst);
          break;
        case Field::src:
          operand(in.src);
          break;
        case Field::src_b:
          operand(in.src_b);
          break;
        case Field::reads:
          for (const Range& range : in.reads) operand(range.from);
          break;
        case Field::writes:
          for (const Range& range : in.writes) operand(range.from);
          break;
        case Field::body:
          collect_uses(in.body, seen, order);
          break;
        default:
          break;
      }
    }
  }
}

/// True when reading the programs alone would give the same list of names.
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

void write_program(Layout& out, const InstructionWriter& writer,
                   const std::vector<Instruction>& program) {
  out.open('[');
  for (const Instruction& in : program) {
    out.item();
    if (in.op != Op::repeat) {
      out.raw(writer.whole(in));
      continue;
    }
    // The body is the one part of an instruction that has lines of its own.
    std::string head = writer.head(in).done();
    head.pop_back();
    out.raw(head + ", \"body\": ");
    write_program(out, writer, in.body);
    out.raw("}");
  }
  out.close(']');
}

void write_sub_kernel(Layout& out, const Mix& mix, const SubKernel& kernel) {
  const InstructionWriter writer(mix, kernel);
  out.open('{');
  out.text("name", kernel.name);
  out.text("type", to_string(kernel.type));
  out.key("blocks");
  out.raw(fmt::format("{}", kernel.blocks));
  if (kernel.tiling != Tiling::fixed) out.text("tiling", to_string(kernel.tiling));
  if (kernel.tiling_key != 0) {
    out.key("tiling_key");
    out.raw(fmt::format("{}", kernel.tiling_key));
  }
  if (!kernel.op_type.empty()) out.text("op_type", kernel.op_type);
  out.note(kernel.note);
  if (!kernel.tensors.empty()) {
    out.key("tensors");
    out.open('[');
    for (const Tensor& tensor : kernel.tensors) {
      out.item();
      out.raw(tensor_text(mix, tensor));
    }
    out.close(']');
  }
  if (!names_in_order_of_use(kernel)) {
    out.key("names");
    out.raw(inline_names(kernel.names));
  }
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (kernel.program(kind).empty()) continue;
    out.key(to_string(kind));
    write_program(out, writer, kernel.program(kind));
  }
  out.close('}');
}

void write_mix(Layout& out, const Mix& mix) {
  out.open('{');
  if (!mix.options.empty()) out.text("options", mix.options);
  out.note(mix.note);
  if (!mix.regions.empty()) {
    out.key("regions");
    out.open('[');
    for (const Region& region : mix.regions) {
      out.item();
      out.raw(region_text(region));
    }
    out.close(']');
  }
  out.key("sub_kernels");
  out.open('[');
  for (const SubKernel& kernel : mix.sub_kernels) {
    out.item();
    write_sub_kernel(out, mix, kernel);
  }
  out.close(']');
  out.close('}');
}

std::string step_text(const Mix& mix, const PlanStep& step) {
  Inline object;
  if (step.kind == StepKind::host_write) {
    object.add("host_write",
               name_at(mix.regions, step.region, [](const Region& r) { return r.name; }));
    if (step.at != 0) object.add_int("at", step.at);
    object.add("values", inline_words(step.values));
  } else {
    std::string list = "[";
    for (const std::int32_t place : step.sub_kernels) {
      if (list.size() > 1) list += ", ";
      list += name_at(mix.sub_kernels, place, [](const SubKernel& k) { return k.name; });
    }
    object.add(step.kind == StepKind::fused ? "fused" : "alone", list + "]");
  }
  object.add_note(step.note);
  return std::move(object).done();
}

std::string expectation_text(const Expectation& expect) {
  Inline object;
  object.add_text("behaviour", to_string(expect.behaviour));
  if (!expect.rule.empty()) object.add_text("rule", expect.rule);
  object.add_note(expect.note);
  return std::move(object).done();
}

std::string provenance_text(const Provenance& from) {
  Inline object;
  if (!from.source.empty()) object.add_text("source", from.source);
  if (from.seed != 0) object.add_int("seed", from.seed);
  if (from.index != 0) object.add_int("index", from.index);
  if (!from.target.empty()) object.add_text("target", from.target);
  if (!from.rule.empty()) object.add_text("rule", from.rule);
  if (!from.key.empty()) object.add_text("key", from.key);
  object.add_note(from.note);
  return std::move(object).done();
}

void write_schedule(Layout& out, const Schedule& schedule) {
  out.open('{');
  if (!schedule.strategy.empty()) out.text("strategy", schedule.strategy);
  if (schedule.seed != 0) {
    out.key("seed");
    out.raw(fmt::format("{}", schedule.seed));
  }
  out.note(schedule.note);
  if (!schedule.choices.empty()) {
    out.key("choices");
    out.words(schedule.choices);
  }
  out.close('}');
}

}  // namespace

std::string write_case(const Case& value) {
  Layout out;
  out.open('{');
  out.key("format");
  out.raw(fmt::format("{}", case_format));
  if (!value.name.empty()) out.text("name", value.name);
  out.note(value.note);
  out.text("profile", value.profile);
  out.text("path", value.path);
  if (!value.latitudes.empty()) {
    out.key("latitudes");
    out.raw(inline_names(value.latitudes));
  }
  out.key("mix");
  write_mix(out, value.mix);
  if (!value.plan.steps.empty()) {
    out.key("plan");
    out.open('[');
    for (const PlanStep& step : value.plan.steps) {
      out.item();
      out.raw(step_text(value.mix, step));
    }
    out.close(']');
  }
  if (value.expect) {
    out.key("expect");
    out.raw(expectation_text(*value.expect));
  }
  if (value.schedule) {
    out.key("schedule");
    write_schedule(out, *value.schedule);
  }
  if (value.provenance) {
    out.key("provenance");
    out.raw(provenance_text(*value.provenance));
  }
  out.close('}');
  return std::move(out).done();
}

std::string write_instruction(const Mix& mix, const SubKernel& sub_kernel,
                              const Instruction& instruction) {
  return InstructionWriter(mix, sub_kernel).whole(instruction);
}

}  // namespace skcts
