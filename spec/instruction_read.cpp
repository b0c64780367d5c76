#include "spec/instruction_read.h"

#include <array>
#include <limits>
#include <optional>

#include "spec/instruction_text.h"

namespace skcts {
namespace {

constexpr std::int64_t lowest_int = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t highest_int = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t highest_word = std::numeric_limits<std::uint32_t>::max();

/// Runs once when it leaves the scope.
template <class Action>
class AtExit {
 public:
  explicit AtExit(Action action) : action_(std::move(action)) {}
  ~AtExit() { action_(); }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;

 private:
  Action action_;
};

}  // namespace

std::size_t NameIndex::intern(std::string_view name) {
  const auto found = places_.find(name);
  if (found != places_.end()) return found->second;
  append(name);
  return names_.size() - 1;
}

void NameIndex::append(std::string_view name) {
  places_.emplace(std::string(name), names_.size());
  names_.emplace_back(name);
}

std::size_t NameIndex::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? npos : found->second;
}

bool InstructionReader::read_note(const JsonNode& object, std::string& to) {
  const JsonNode* note = find(object, "note");
  if (note == nullptr) return true;
  Scope scope(*this, "note");
  return read_string(*note, to);
}

bool InstructionReader::read_field_note(const JsonNode& object) {
  std::string text;
  if (!read_note(object, text)) return false;
  if (text.empty()) return true;
  const std::size_t start = std::min(path().size(), instruction_path_ + 1);
  field_notes_->push_back({path().substr(start), std::move(text)});
  return true;
}

bool InstructionReader::read_reference(const JsonNode& node, std::string_view what,
                                       const NameIndex& names, std::int64_t& to) {
  if (node.kind == JsonNode::Kind::string) {
    const std::size_t place = names.find(string_of(node));
    if (place != NameIndex::npos) {
      to = static_cast<std::int64_t>(place);
      return true;
    }
  }
  const std::vector<std::string_view> known(names.names().begin(), names.names().end());
  std::size_t unused = 0;
  return read_name(node, what, known, unused);
}

bool InstructionReader::read_region(const JsonNode& node, std::int16_t& to) {
  std::int64_t place = 0;
  if (!read_reference(node, "a region of the mix", regions_, place)) return false;
  to = static_cast<std::int16_t>(place);
  return true;
}

bool InstructionReader::intern_name(const JsonNode& node, std::string_view what, std::int16_t& to) {
  if (node.kind != JsonNode::Kind::string || string_of(node).empty()) {
    return fail_type(node, fmt::format("the name of {} (a string)", what));
  }
  const std::size_t place = names_.intern(string_of(node));
  if (place >= most_names) {
    return fail(node, fmt::format("more than {} names in one sub kernel", most_names));
  }
  to = static_cast<std::int16_t>(place);
  return true;
}

bool InstructionReader::read_program(const JsonNode& node, std::vector<Instruction>& to) {
  if (!expect_list(node, "instructions", std::size_t{1} << 20)) return false;
  to.reserve(node.child_count);
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    to.emplace_back();
    return read_instruction(child, to.back());
  });
}

bool InstructionReader::read_instruction(const JsonNode& node, Instruction& to) {
  if (!expect_object(node, "an instruction")) return false;
  const JsonNode* op_node = find(node, "op");
  if (op_node == nullptr) return fail_missing(node, "op", "an instruction");
  std::size_t op = 0;
  {
    Scope scope(*this, "op");
    if (!read_name(*op_node, "an instruction", op_names(), op)) return false;
  }
  to = default_instruction(static_cast<Op>(op));
  const std::string what(to_string(to.op));
  if (!check_keys(node, instruction_keys(to.op), what)) return false;

  std::vector<FieldNote>* const outer_notes = field_notes_;
  const std::size_t outer_path = instruction_path_;
  const AtExit restore([&] {
    field_notes_ = outer_notes;
    instruction_path_ = outer_path;
  });
  for (const FieldText& field : instruction_text(to.op)) {
    const JsonNode* value = find(node, field.key);
    if (value == nullptr) {
      if (field.required) return fail_missing(node, field.key, what);
      continue;
    }
    field_notes_ = &to.field_notes;  // a body that was read before has moved it
    instruction_path_ = path().size();
    Scope scope(*this, field.key);
    if (!read_field(field.field, *value, to)) return false;
  }
  field_notes_ = &to.field_notes;
  instruction_path_ = path().size();
  if (const JsonNode* where = find(node, "where")) {
    Scope scope(*this, "where");
    if (!read_where(*where, to.where)) return false;
  }
  return read_note(node, to.note);
}

bool InstructionReader::read_field(Field field, const JsonNode& node, Instruction& to) {
  switch (field) {
    case Field::pipe:
    case Field::aic_pipe:
    case Field::event:
    case Field::line:
    case Field::dsb:
    case Field::via:
    case Field::until:
    case Field::position:
      return read_word_field(field, node, to);
    case Field::dst:
    case Field::src:
    case Field::src_b:
    case Field::value:
    case Field::reads:
    case Field::writes:
    case Field::body:
    case Field::object:
    case Field::other:
      return read_object_field(field, node, to);
    default:
      return read_scalar_field(field, node, to);
  }
}

bool InstructionReader::read_scalar_field(Field field, const JsonNode& node, Instruction& to) {
  switch (field) {
    case Field::count:
      return read_int(node, 0, highest_int, to.count);
    case Field::atomic_add:
      return read_bool(node, to.atomic_add);
    case Field::aiv_only:
      return read_bool(node, to.aiv_only);
    case Field::refresh:
      return read_bool(node, to.refresh);
    case Field::id:
      return read_int(node, lowest_int, highest_int, to.id);
    case Field::mode:
      return read_int(node, lowest_int, highest_int, to.mode);
    case Field::num:
      return read_int(node, 0, highest_int, to.num);
    case Field::times:
      return read_int(node, 0, highest_int, to.times);
    case Field::reg: {
      std::size_t reg = 0;
      if (!read_name(node, "a register", register_names(), reg)) return false;
      to.reg = static_cast<std::int8_t>(reg);
      return true;
    }
    default:
      break;
  }
  SKCTS_CHECK(false, "no reader for field {:#x}", static_cast<std::uint32_t>(field));
}

bool InstructionReader::read_word_field(Field field, const JsonNode& node, Instruction& to) {
  const auto word = [&](std::string_view what, Keys names, auto& target) {
    return read_enum(node, what, names, target);
  };
  switch (field) {
    case Field::pipe:
      return word("a pipe", pipe_names(), to.pipe);
    case Field::aic_pipe:
      return word("a pipe", pipe_names(), to.aic_pipe);
    case Field::event:
      return read_event(node, to.event);
    case Field::line:
      return word("a cache line kind", line_names(), to.line);
    case Field::dsb:
      return word("a barrier kind", dsb_names(), to.dsb);
    case Field::via:
      return word("a way to read", via_names(), to.via);
    case Field::until:
      return word("a comparison", compare_names(), to.until);
    case Field::position:
      return word("a queue position", position_names(), to.position);
    default:
      break;
  }
  SKCTS_CHECK(false, "no reader for field {:#x}", static_cast<std::uint32_t>(field));
}

bool InstructionReader::read_object_field(Field field, const JsonNode& node, Instruction& to) {
  switch (field) {
    case Field::dst:
      return read_operand(node, false, to.dst);
    case Field::src:
      return read_operand(node, false, to.src);
    case Field::src_b:
      return read_operand(node, false, to.src_b);
    case Field::value:
      return read_value(node, to.value);
    case Field::reads:
      return read_ranges(node, to.reads);
    case Field::writes:
      return read_ranges(node, to.writes);
    case Field::body:
      return read_program(node, to.body);
    case Field::object:
    case Field::other: {
      std::int16_t& target = field == Field::object ? to.object : to.other;
      if (to.op != Op::tensor_copy && to.op != Op::tensor_end) {
        return intern_name(node, "a TPipe, a queue or a local tensor", target);
      }
      std::int64_t place = 0;
      if (!read_reference(node, "a GlobalTensor of the sub kernel", tensors_, place)) return false;
      target = static_cast<std::int16_t>(place);
      return true;
    }
    default:
      break;
  }
  SKCTS_CHECK(false, "no reader for field {:#x}", static_cast<std::uint32_t>(field));
}

bool InstructionReader::read_event(const JsonNode& node, HardEvent& to) {
  if (node.kind != JsonNode::Kind::string) return fail_type(node, "an event such as \"MTE2_V\"");
  const std::optional<HardEvent> event = find_event(string_of(node));
  if (!event) {
    return fail(node, fmt::format("{} is not an event", json_quoted(string_of(node).substr(0, 60))),
                "SOURCE_DESTINATION, two of S, V, M, MTE1, MTE2, MTE3, FIX: \"MTE2_V\"");
  }
  to = *event;
  return true;
}

bool InstructionReader::read_expr(const JsonNode& node, std::int64_t highest_base, Expr& to) {
  if (node.kind == JsonNode::Kind::integer)
    return read_int(node, lowest_int, highest_base, to.base);
  static constexpr std::array<std::string_view, 9> keys = {"base", "block", "sub",   "core", "i",
                                                           "j",    "k",     "shift", "note"};
  if (node.kind != JsonNode::Kind::object) {
    return fail_type(node, "a whole number or an index expression (an object)");
  }
  if (!check_keys(node, keys, "an index expression")) return false;
  const std::array<std::int32_t*, 8> targets = {&to.base,      &to.block,     &to.sub,
                                                &to.core,      &to.repeat[0], &to.repeat[1],
                                                &to.repeat[2], &to.shift};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const JsonNode* part = find(node, keys[i]);
    if (part == nullptr) continue;
    Scope scope(*this, keys[i]);
    if (!read_int(*part, lowest_int, i == 0 ? highest_base : highest_int, *targets[i])) {
      return false;
    }
  }
  return read_field_note(node);
}

bool InstructionReader::read_value(const JsonNode& node, Value& to) {
  if (node.kind != JsonNode::Kind::string) return read_expr(node, highest_word, to.expr);
  std::size_t reg = 0;
  if (!read_name(node, "a register", register_names(), reg)) return false;
  to.reg = static_cast<std::int8_t>(reg);
  return true;
}

bool InstructionReader::read_space(const JsonNode& node, bool in_range, Operand& to) {
  const std::span<const std::string_view> spaces = space_keys();
  std::vector<std::string_view> keys(spaces.begin() + 1, spaces.end());
  const JsonNode* place = nullptr;
  for (std::size_t i = 1; i < spaces.size(); ++i) {
    const JsonNode* found = find(node, spaces[i]);
    if (found == nullptr) continue;
    if (place != nullptr) {
      JsonNode at_key = *found;
      at_key.offset = found->key_offset;
      return fail(at_key,
                  fmt::format("a place in memory has one of {}, here are two", join_names(keys)));
    }
    place = found;
    to.space = static_cast<Space>(i);
  }
  if (!is_local_memory(to.space)) keys.push_back("at");
  if (in_range) keys.push_back("count");
  keys.push_back("note");
  if (!check_keys(node, keys, "a place in memory")) return false;
  if (place == nullptr) {
    return fail(node, "a place in memory names its memory",
                "such as {\"gm\": \"A\", \"at\": 8} or {\"UB\": 0}");
  }
  Scope scope(*this, spaces[static_cast<std::size_t>(to.space)]);
  if (is_local_memory(to.space)) return read_expr(*place, highest_int, to.at);
  if (to.space == Space::gm) return read_region(*place, to.index);
  if (to.space == Space::local_tensor) return intern_name(*place, "a local tensor", to.index);
  std::int64_t tensor = 0;
  if (!read_reference(*place, "a GlobalTensor of the sub kernel", tensors_, tensor)) return false;
  to.index = static_cast<std::int16_t>(tensor);
  return true;
}

bool InstructionReader::read_operand(const JsonNode& node, bool in_range, Operand& to) {
  if (!expect_object(node, "a place in memory") || !read_space(node, in_range, to)) return false;
  if (const JsonNode* at = find(node, "at")) {
    Scope scope(*this, "at");
    if (!read_expr(*at, highest_int, to.at)) return false;
  }
  return read_field_note(node);
}

bool InstructionReader::read_ranges(const JsonNode& node, std::vector<Range>& to) {
  if (!expect_list(node, "ranges of words", 64)) return false;
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    Range& range = to.emplace_back();
    if (!read_operand(child, true, range.from)) return false;
    const JsonNode* count = find(child, "count");
    if (count == nullptr) return fail_missing(child, "count", "a range of words");
    Scope inner(*this, "count");
    return read_int(*count, 0, highest_int, range.count);
  });
}

bool InstructionReader::read_where(const JsonNode& node, Where& to) {
  if (!expect_object(node, "conditions on indices")) return false;
  std::vector<std::string_view> keys(index_names().begin(), index_names().end());
  keys.push_back("note");
  if (!check_keys(node, keys, "\"where\"")) return false;
  const bool read = each(node, [&](const JsonNode& child, std::size_t) {
    const std::string_view key = key_of(child);
    if (key == "note") return true;
    Scope scope(*this, key);
    Condition& condition = to.all.emplace_back();
    std::size_t index = 0;
    while (index_names()[index] != key) ++index;
    condition.index = static_cast<IndexName>(index);
    if (child.kind == JsonNode::Kind::integer) {
      if (!read_int(child, lowest_int, highest_int, condition.low)) return false;
      condition.high = condition.low;
      return true;
    }
    if (child.kind != JsonNode::Kind::list || child.child_count != 2) {
      return fail_type(child, "a whole number or a list of two, [first, last]");
    }
    return each(child, [&](const JsonNode& bound, std::size_t place) {
      Scope inner(*this, place);
      return read_int(bound, lowest_int, highest_int, place == 0 ? condition.low : condition.high);
    });
  });
  return read && read_field_note(node);
}

}  // namespace skcts
