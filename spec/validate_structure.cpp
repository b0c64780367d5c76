#include <algorithm>
#include <array>

#include "spec/instruction_text.h"
#include "spec/validate_program.h"

namespace skcts {
namespace {

/// A set of operand spaces.
using Spaces = unsigned;

template <class... S>
constexpr Spaces spaces(S... space) {
  return (0u | ... | (1u << static_cast<unsigned>(space)));
}
constexpr Spaces ub_memory = spaces(Space::ub, Space::local_tensor);
constexpr Spaces nothing = spaces(Space::none);
constexpr Spaces gm_only = spaces(Space::gm);
constexpr Spaces tensor_only = spaces(Space::tensor);

std::string list_of(Spaces allowed) {
  std::string text;
  for (std::size_t i = 1; i < space_keys().size(); ++i) {
    if ((allowed & (1u << i)) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", space_keys()[i]);
  }
  return text.empty() ? "nothing" : text;
}

/// The core kinds that can execute an op at all.
bool can_run(Op op, CoreKind kind) {
  switch (op) {
    case Op::load_data:
    case Op::fixpipe:
    case Op::mmad:
      return kind == CoreKind::aic;
    case Op::duplicate:
    case Op::adds:
    case Op::add:
    case Op::soft_sync_all:
    case Op::ib_set:
    case Op::ib_wait:
    case Op::matmul:
      return kind == CoreKind::aiv;
    default:
      return true;
  }
}

Spaces local_in(CoreKind kind) {
  return kind == CoreKind::aiv ? ub_memory
                               : spaces(Space::l1, Space::l0a, Space::l0b, Space::local_tensor);
}
Spaces local_out(CoreKind kind) {
  return kind == CoreKind::aiv ? ub_memory : spaces(Space::l1, Space::local_tensor);
}

Spaces word_through_tensor(CoreKind kind) {
  return kind == CoreKind::aiv ? tensor_only | ub_memory : tensor_only;
}

Spaces allowed_dst(const Instruction& in, CoreKind kind) {
  switch (in.op) {
    case Op::data_copy:
      return in.src.space == Space::gm ? local_in(kind) : gm_only;
    case Op::load_data:
      return spaces(Space::l0a, Space::l0b, Space::local_tensor);
    case Op::fixpipe:
    case Op::raw_store:
    case Op::write_gm_bypass:
    case Op::matmul:
      return gm_only;
    case Op::mmad:
      return spaces(Space::l0c, Space::local_tensor);
    case Op::set_value:
      return word_through_tensor(kind);
    case Op::assign:
      return tensor_only;
    case Op::dcci:
      return in.line == CacheLine::single ? gm_only : nothing;
    case Op::poll:
      return in.via == PollVia::data_copy ? ub_memory : nothing;
    default:
      return ub_memory;
  }
}

Spaces allowed_src(const Instruction& in, CoreKind kind) {
  switch (in.op) {
    case Op::data_copy:
      return in.dst.space == Space::gm ? local_out(kind) : gm_only;
    case Op::load_data:
      return spaces(Space::l1, Space::local_tensor);
    case Op::fixpipe:
      return spaces(Space::l0c, Space::local_tensor);
    case Op::mmad:
      return spaces(Space::l0a, Space::local_tensor);
    case Op::get_value:
      return word_through_tensor(kind);
    case Op::poll:
      return in.via == PollVia::get_value ? tensor_only : gm_only;
    case Op::adds:
    case Op::add:
      return ub_memory;
    default:
      return gm_only;
  }
}

Spaces allowed_src_b(const Instruction& in) {
  if (in.op == Op::mmad) return spaces(Space::l0b, Space::local_tensor);
  return in.op == Op::matmul ? gm_only : ub_memory;
}

/// Words are moved in blocks of 8.
bool moves_blocks(Op op) {
  return op == Op::data_copy || op == Op::load_data || op == Op::fixpipe || op == Op::matmul;
}

class StructureCheck {
 public:
  StructureCheck(const Mix& mix, const SubKernel& kernel, CoreKind kind, const Profile& profile,
                 Findings& findings)
      : mix_(mix), kernel_(kernel), kind_(kind), profile_(profile), findings_(findings) {}

  void program(const std::vector<Instruction>& program, const std::string& path, int depth) {
    for (std::size_t i = 0; i < program.size() && !findings_.full(); ++i) {
      instruction(program[i], fmt::format("{}[{}]", path, i), depth);
    }
  }

 private:
  void add(const std::string& path, std::string_view field, std::string message,
           std::string hint = {}) {
    findings_.add(field.empty() ? path : fmt::format("{}.{}", path, field), std::move(message),
                  std::move(hint));
  }
  static std::string_view key(const Instruction& in, Field field) {
    for (const FieldText& text : instruction_text(in.op)) {
      if (text.field == field) return text.key;
    }
    return field_name(field);
  }

  void instruction(const Instruction& in, const std::string& path, int depth) {
    if (!can_run(in.op, kind_)) {
      add(path, "op", fmt::format("{} does not exist on {}", to_string(in.op), to_string(kind_)),
          fmt::format("it belongs into the program \"{}\"",
                      to_string(kind_ == CoreKind::aic ? CoreKind::aiv : CoreKind::aic)));
      return;
    }
    unused_fields(in, path);
    conditions(in.where, path, depth);
    operands(in, path, depth);
    numbers(in, path);
    pipes(in, path);
    objects(in, path);
    if (profile_.is_3510() && in.op == Op::data_copy) paths_of_3510(in, path);
    if (in.op != Op::repeat) return;
    if (depth >= max_repeat_depth) {
      add(path, "", fmt::format("Repeat nested more than {} deep", max_repeat_depth),
          "unroll the innermost one by hand");
      return;
    }
    program(in.body, path + ".body", depth + 1);
  }

  /// A field that the text of this op cannot show would be lost in a file.
  void unused_fields(const Instruction& in, const std::string& path) {
    const Instruction standard;
    for (unsigned bit = 0; bit < 26; ++bit) {
      const auto field = static_cast<Field>(1u << bit);
      if (uses(in.op, field) || same_field(field, in, standard)) continue;
      add(path, field_name(field), fmt::format("{} has no such field", to_string(in.op)));
    }
  }

  void conditions(const Where& where, const std::string& path, int depth) {
    for (std::size_t i = 0; i < where.all.size(); ++i) {
      const Condition& condition = where.all[i];
      const auto index = static_cast<std::size_t>(condition.index);
      const std::string field = fmt::format("where.{}", index_names()[index]);
      if (condition.low > condition.high) {
        add(path, field, fmt::format("{} to {} is no range", condition.low, condition.high),
            "the first number is the lower one; both ends are included");
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (where.all[j].index == condition.index) {
          add(path, field, "two conditions on one index", "write their common range");
        }
      }
      if (condition.index >= IndexName::i) {
        repeat_index(static_cast<int>(condition.index) - static_cast<int>(IndexName::i), path,
                     field, depth);
      }
    }
  }

  void repeat_index(int level, const std::string& path, const std::string& field, int depth) {
    if (level < depth) return;
    add(path, field,
        fmt::format("the index {} needs {} Repeat{} around this instruction", "ijk"[level],
                    level + 1, level == 0 ? "" : "s"));
  }

  void expression(const Expr& expr, const std::string& path, const std::string& field, int depth) {
    for (std::size_t d = 0; d < expr.repeat.size(); ++d) {
      if (expr.repeat[d] != 0) repeat_index(static_cast<int>(d), path, field, depth);
    }
  }

  void operand(const Operand& from, Spaces allowed, const std::string& path,
               const std::string& field, const Instruction& in, int depth) {
    if ((allowed & spaces(from.space)) == 0) {
      const std::string found = from.space == Space::none ? "nothing" : list_of(spaces(from.space));
      add(path, field,
          fmt::format("{} on {} takes {} here, not {}", to_string(in.op), to_string(kind_),
                      list_of(allowed), found));
      return;
    }
    const auto within = [&](std::size_t size, std::string_view what) {
      if (from.index >= 0 && static_cast<std::size_t>(from.index) < size) return;
      add(path, field, fmt::format("no {} has the place {}", what, from.index));
    };
    if (from.space == Space::gm) within(mix_.regions.size(), "region");
    if (from.space == Space::tensor) within(kernel_.tensors.size(), "GlobalTensor");
    if (from.space == Space::local_tensor) within(kernel_.names.size(), "local tensor");
    if ((is_local_memory(from.space) || from.space == Space::none) && from.index != -1) {
      add(path, field, "an operand without a name has the place -1");
    }
    expression(from.at, path, field, depth);
  }

  void operands(const Instruction& in, const std::string& path, int depth) {
    const auto named = [&](Field field) { return std::string(key(in, field)); };
    if (uses(in.op, Field::dst)) {
      operand(in.dst, allowed_dst(in, kind_), path, named(Field::dst), in, depth);
    }
    if (uses(in.op, Field::src)) {
      operand(in.src, allowed_src(in, kind_), path, named(Field::src), in, depth);
    }
    if (uses(in.op, Field::src_b)) {
      operand(in.src_b, allowed_src_b(in), path, named(Field::src_b), in, depth);
    }
    const Spaces local = kind_ == CoreKind::aiv ? ub_memory
                                                : spaces(Space::l1, Space::l0a, Space::l0b,
                                                         Space::l0c, Space::local_tensor);
    const auto ranges = [&](const std::vector<Range>& list, std::string_view name) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string field = fmt::format("{}[{}]", name, i);
        operand(list[i].from, local, path, field, in, depth);
        if (list[i].count < 1) add(path, field + ".count", "a range has at least one word");
      }
    };
    ranges(in.reads, "reads");
    ranges(in.writes, "writes");
    if (in.value.reg < 0) expression(in.value.expr, path, named(Field::value), depth);
  }

  void numbers(const Instruction& in, const std::string& path) {
    const auto reg = [&](int value, Field field) {
      if (value >= -1 && value < register_count) return;
      add(path, key(in, field), fmt::format("no register r{}", value), "r0 to r7");
    };
    if (uses(in.op, Field::reg)) reg(in.reg, Field::reg);
    if (uses(in.op, Field::value)) {
      reg(in.value.reg, Field::value);
      const bool constant = in.op == Op::compute || in.op == Op::ib_set || in.op == Op::ib_wait;
      if (in.value.reg >= 0 && (constant || in.value.expr != Expr{})) {
        add(path, key(in, Field::value), "a register cannot stand here");
      }
      if (in.op == Op::compute && !in.value.expr.is_constant()) {
        add(path, key(in, Field::value), "the tag of a Compute is a constant");
      }
    }
    if (uses(in.op, Field::count) && in.op != Op::soft_sync_all) {
      if (in.count < 1) {
        add(path, "count", fmt::format("{} words; at least one is moved", in.count));
      } else if (moves_blocks(in.op) && in.count % 8 != 0) {
        add(path, "count", fmt::format("{} words are no whole 32-byte blocks", in.count),
            fmt::format("a multiple of 8, such as {}", (in.count + 7) / 8 * 8));
      }
    }
    if (in.op == Op::soft_sync_all && in.count < 0) add(path, "cores", "a negative core number");
    if (in.op == Op::init_buffer && (in.num < 1 || in.num > 64)) {
      add(path, "num", fmt::format("{} buffers; a queue has 1 to 64", in.num));
    }
    if (in.op == Op::repeat && in.times < 0) add(path, "times", "a negative number of turns");
    if (in.atomic_add && in.op == Op::data_copy && in.dst.space != Space::gm) {
      add(path, "atomic_add", "only stores to GM add");
    }
    if (in.op == Op::poll && in.refresh && in.via != PollVia::get_value &&
        in.via != PollVia::raw_load) {
      add(path, "refresh", fmt::format("a poll by {} goes past the cache", to_string(in.via)));
    }
    if (in.op == Op::cross_core_set_flag) mode(in, path);
  }

  void mode(const Instruction& in, const std::string& path) {
    if (in.mode == 4 && profile_.is_3510()) return;
    if (in.mode < 0 || in.mode > 2) {
      add(path, "mode", fmt::format("no mode {} on {}", in.mode, profile_.name),
          "0: all cores of the kind, 1: the AIVs of a block, 2: AIC and AIVs of a block, "
          "4 (950 only): AIC and one AIV of a block");
    } else if (in.mode == 1 && kind_ == CoreKind::aic) {
      add(path, "mode", "mode 1 joins the AIVs of a block; an AIC has no part in it");
    }
  }

  void pipe(Pipe pipe, bool all, bool scalar, const std::string& path, std::string_view field,
            CoreKind kind) {
    const bool exists = pipe == Pipe::all ? all : profile_.has_pipe(kind, pipe);
    if (exists && (scalar || pipe != Pipe::s)) return;
    std::string known;
    for (const Pipe each :
         {Pipe::s, Pipe::v, Pipe::m, Pipe::mte1, Pipe::mte2, Pipe::mte3, Pipe::fix, Pipe::all}) {
      if (each == Pipe::all ? !all : !profile_.has_pipe(kind, each)) continue;
      if (each == Pipe::s && !scalar) continue;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(each));
    }
    add(path, field,
        fmt::format("pipe {} cannot stand here on {}", to_string(pipe), to_string(kind)),
        "one of " + known);
  }

  void pipes(const Instruction& in, const std::string& path) {
    switch (in.op) {
      case Op::compute:
      case Op::cross_core_set_flag:
        pipe(in.pipe, false, in.op == Op::cross_core_set_flag && in.mode == 4, path, "pipe", kind_);
        break;
      case Op::cross_core_wait_flag:
        pipe(in.pipe, true, true, path, "pipe", kind_);
        break;
      case Op::pipe_barrier:
        pipe(in.pipe, true, false, path, "pipe", kind_);
        break;
      case Op::set_next_task_start:
        pipe(in.pipe, false, true, path, "pipe", CoreKind::aiv);
        pipe(in.aic_pipe, false, true, path, "aic_pipe", CoreKind::aic);
        break;
      case Op::set_flag:
      case Op::wait_flag:
        pipe(in.event.source, false, true, path, "event", kind_);
        pipe(in.event.destination, false, true, path, "event", kind_);
        if (in.event.source == in.event.destination) {
          add(path, "event", "an event goes from one pipe to another",
              "PipeBarrier orders one pipe");
        }
        break;
      default:
        break;
    }
  }

  void objects(const Instruction& in, const std::string& path) {
    if (!uses(in.op, Field::object)) return;
    const bool tensors = in.op == Op::tensor_copy || in.op == Op::tensor_end;
    const std::size_t size = tensors ? kernel_.tensors.size() : kernel_.names.size();
    const auto within = [&](std::int16_t place, Field field) {
      if (place >= 0 && static_cast<std::size_t>(place) < size) return true;
      add(path, key(in, field), fmt::format("no name has the place {}", place));
      return false;
    };
    bool named = within(in.object, Field::object);
    if (uses(in.op, Field::other)) named = within(in.other, Field::other) && named;
    if (!named) return;
    if (in.op == Op::tensor_copy) copied_tensor(in, path);
    if (in.op != Op::init_buffer) return;
    const Space memory = memory_of(in.position);
    if ((memory == Space::ub) != (kind_ == CoreKind::aiv)) {
      add(path, "position",
          fmt::format("{} lies in {}, which {} does not have", to_string(in.position),
                      to_string(memory), to_string(kind_)));
    }
  }

  /// What an AIC of the 950 cannot move (machine §1.1): L1 to GM, and GM to L0A or L0B.
  void paths_of_3510(const Instruction& in, const std::string& path) {
    if (kind_ != CoreKind::aic) return;
    if (in.dst.space == Space::gm) {
      add(path, "src", "an AIC of the 950 has no way from L1 to GM", "Fixpipe moves L0C to GM");
    } else if (in.dst.space == Space::l0a || in.dst.space == Space::l0b) {
      add(path, "dst", fmt::format("an AIC of the 950 has no way from GM to {}",
                                   to_string(in.dst.space)),
          "by L1 and LoadData");
    }
  }

  void copied_tensor(const Instruction& in, const std::string& path) {
    const Tensor& copy = kernel_.tensors[static_cast<std::size_t>(in.object)];
    const Tensor& from = kernel_.tensors[static_cast<std::size_t>(in.other)];
    if (in.object == in.other) add(path, "from", "a GlobalTensor cannot be a copy of itself");
    if (copy.region != from.region) {
      add(path, "tensor", fmt::format("{} and {} lie in different regions", copy.name, from.name),
          "a copy has the address of its source");
    }
  }

  const Mix& mix_;
  const SubKernel& kernel_;
  CoreKind kind_;
  const Profile& profile_;
  Findings& findings_;
};

}  // namespace

void Findings::add(std::string field, std::string message, std::string hint) {
  if (full()) return;
  errors_.push_back(Error{.file = {},
                          .line = 0,
                          .column = 0,
                          .field = std::move(field),
                          .message = std::move(message),
                          .hint = std::move(hint)});
}

void validate_structure(const Mix& mix, const SubKernel& kernel, CoreKind kind,
                        const Profile& profile, const std::string& path, Findings& findings) {
  StructureCheck(mix, kernel, kind, profile, findings).program(kernel.program(kind), path, 0);
}

}  // namespace skcts
