// Repairs in words.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reference_model/repair.h"
#include "reference_model/repair_candidates.h"
#include "spec/instruction_text.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

/// "16*core+4"
std::string expression(const Expr& at) {
  std::string text;
  const auto term = [&](std::int32_t factor, std::string_view name) {
    if (factor == 0) return;
    const std::string_view sign = factor < 0 ? "-" : text.empty() ? "" : "+";
    const std::int64_t size = factor < 0 ? -std::int64_t{factor} : factor;
    text += size == 1 ? fmt::format("{}{}", sign, name) : fmt::format("{}{}*{}", sign, size, name);
  };
  const auto wrapped = [&](std::string_view name) {
    return at.shift == 0 ? std::string(name) : fmt::format("({}{:+})", name, at.shift);
  };
  term(at.block, wrapped("block"));
  term(at.sub, "sub");
  term(at.core, wrapped("core"));
  constexpr std::array<std::string_view, max_repeat_depth> names = {"i", "j", "k"};
  for (std::size_t d = 0; d < names.size(); ++d) term(at.repeat[d], names[d]);
  if (text.empty()) return fmt::format("{}", at.base);
  return at.base == 0 ? text : fmt::format("{}{:+}", text, at.base);
}

std::string operand(const Mix& mix, const SubKernel& owner, const Operand& at) {
  const auto place = static_cast<std::size_t>(at.index);
  switch (at.space) {
    case Space::none: return "nothing";
    case Space::gm: return fmt::format("{}[{}]", mix.regions[place].name, expression(at.at));
    case Space::tensor: return fmt::format("{}[{}]", owner.tensors[place].name, expression(at.at));
    case Space::local_tensor: return fmt::format("{}[{}]", owner.names[place], expression(at.at));
    default: return fmt::format("{}[{}]", to_string(at.space), expression(at.at));
  }
}

std::string condition(const Where& where) {
  std::string text;
  for (const Condition& one : where.all) {
    const std::string_view name = index_names()[static_cast<std::size_t>(one.index)];
    constexpr std::int32_t no_limit = 1 << 20;
    const std::string range = one.low == one.high    ? fmt::format("{}", one.low)
                              : one.high >= no_limit ? fmt::format("{} and up", one.low)
                                                     : fmt::format("{}-{}", one.low, one.high);
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", name, range);
  }
  return text;
}

/// As one would write it: "CrossCoreSetFlag<2, FIX>(3)".
std::string call(const Mix& mix, const SubKernel& owner, const Instruction& in) {
  std::string text(to_string(in.op));
  switch (in.op) {
    case Op::pipe_barrier: text += fmt::format("<{}>", to_string(in.pipe)); break;
    case Op::set_flag:
    case Op::wait_flag: text += fmt::format("<{}>({})", to_string(in.event), in.id); break;
    case Op::cross_core_set_flag:
      text += fmt::format("<{}, {}>({})", in.mode, to_string(in.pipe), in.id);
      break;
    case Op::cross_core_wait_flag: text += fmt::format("({})", in.id); break;
    case Op::sync_all: text += in.aiv_only ? "<true>" : "<false>"; break;
    case Op::dsb: text += fmt::format("<{}>", to_string(in.dsb)); break;
    case Op::dcci:
      text += in.line == CacheLine::entire ? std::string("(entire cache)")
                                           : fmt::format("({})", operand(mix, owner, in.dst));
      break;
    default: break;
  }
  if (!in.where.all.empty()) text += " where " + condition(in.where);
  return text;
}

/// "k0 aiv #5 Add"
std::string place_name(const Mix& mix, const Spot& at) {
  const SubKernel& owner = mix.sub_kernels[static_cast<std::size_t>(at.sub_kernel)];
  const Instruction* in = instruction_at(owner.program(at.side), at.place);
  return fmt::format("{} {} #{} {}", owner.name, to_string(at.side), at.place,
                     in == nullptr ? "?" : to_string(in->op));
}

std::string field_text(const Mix& mix, const SubKernel& owner, Field field, const Instruction& in) {
  switch (field) {
    case Field::dst: return operand(mix, owner, in.dst);
    case Field::src: return operand(mix, owner, in.src);
    case Field::src_b: return operand(mix, owner, in.src_b);
    case Field::count: return fmt::format("{}", in.count);
    case Field::pipe: return std::string(to_string(in.pipe));
    case Field::aic_pipe: return std::string(to_string(in.aic_pipe));
    case Field::id: return fmt::format("{}", in.id);
    case Field::mode: return fmt::format("{}", in.mode);
    case Field::aiv_only: return in.aiv_only ? "true" : "false";
    case Field::via: return std::string(to_string(in.via));
    case Field::refresh: return in.refresh ? "true" : "false";
    case Field::times: return fmt::format("{}", in.times);
    default: return "?";
  }
}

std::string change_text(const Mix& mix, const Edit& edit) {
  const SubKernel& owner = mix.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)];
  const Instruction* old = instruction_at(owner.program(edit.at.side), edit.at.place);
  const std::string where = place_name(mix, edit.at);
  if (old == nullptr || old->op != edit.instruction.op) {
    return fmt::format("make {} a {}", where, call(mix, owner, edit.instruction));
  }
  const bool told_whole = old->op == Op::sync_all || old->op == Op::cross_core_set_flag ||
                          old->op == Op::cross_core_wait_flag;
  if (told_whole && old->where == edit.instruction.where) {
    return fmt::format("make {} a {} instead of {}", where, call(mix, owner, edit.instruction),
                       call(mix, owner, *old));
  }
  std::string text;
  for (const FieldText& field : instruction_text(old->op)) {
    if (same_field(field.field, *old, edit.instruction)) continue;
    text += fmt::format("{}{} from {} to {}", text.empty() ? "" : ", ", field.key,
                        field_text(mix, owner, field.field, *old),
                        field_text(mix, owner, field.field, edit.instruction));
  }
  if (!text.empty()) text = fmt::format("change {} of {}", text, where);
  if (old->where == edit.instruction.where) return text;
  const std::string& asked = condition(edit.instruction.where);
  text += text.empty() ? fmt::format("let {} be called ", where) : ", and let it be called ";
  return text + (asked.empty()
                     ? fmt::format("by all cores, not only where {}", condition(old->where))
                     : fmt::format("only where {}", asked));
}

std::string options_text(const std::string& before, const std::string& after) {
  std::string text;
  const auto join = [&](std::string_view what, std::string_view item) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", what, item);
  };
  const auto old_items = split_option_items(before);
  const auto new_items = split_option_items(after);
  const auto has = [](const auto& items, const OptionItem& wanted, bool with_value) {
    return std::any_of(items.begin(), items.end(), [&](const OptionItem& item) {
      return item.key == wanted.key && (!with_value || item.value == wanted.value);
    });
  };
  for (const OptionItem& item : new_items) {
    if (!has(old_items, item, true)) join("set option", item.text);
  }
  for (const OptionItem& item : old_items) {
    if (!has(new_items, item, false)) join("leave out option", item.text);
  }
  return text.empty() ? fmt::format("make the options \"{}\"", after) : text;
}

std::string edit_text(const Mix& mix, const Edit& edit) {
  switch (edit.kind) {
    case EditKind::options: return options_text(mix.options, edit.options);
    case EditKind::kernel_type:
      return fmt::format("make {} a {} kernel",
                         mix.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)].name,
                         to_string(edit.type));
    case EditKind::split:
      return fmt::format("leave {} out of the SuperKernel and launch it alone",
                         mix.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)].name);
    case EditKind::widen: {
      const SubKernel& owner = mix.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)];
      return fmt::format(
          "run {} on {} blocks instead of {}, the new ones for its full-core waits only",
          owner.name, edit.blocks, owner.blocks);
    }
    case EditKind::region: {
      const Region& region = mix.regions[static_cast<std::size_t>(edit.region)];
      if (region.words != edit.words) {
        return fmt::format("make region {} {} words long", region.name, edit.words);
      }
      return fmt::format("let region {} start with zeros", region.name);
    }
    case EditKind::remove: return "remove " + place_name(mix, edit.at);
    case EditKind::change: return change_text(mix, edit);
    default: break;
  }
  const SubKernel& owner = mix.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)];
  const std::string what = call(mix, owner, edit.instruction);
  if (edit.at.place >= instruction_count(owner.program(edit.at.side))) {
    return fmt::format("insert {} at the end of {} {}", what, owner.name, to_string(edit.at.side));
  }
  return fmt::format("insert {} {} {}", what, edit.kind == EditKind::insert ? "before" : "behind",
                     place_name(mix, edit.at));
}

/// A remove and an insert of the same instruction.
bool is_move(const Edit& first, const Edit& second, const Mix& mix) {
  if (first.kind != EditKind::remove || second.kind != EditKind::insert) return false;
  if (first.at.sub_kernel != second.at.sub_kernel || first.at.side != second.at.side) return false;
  const SubKernel& owner = mix.sub_kernels[static_cast<std::size_t>(first.at.sub_kernel)];
  const Instruction* in = instruction_at(owner.program(first.at.side), first.at.place);
  return in != nullptr && *in == second.instruction;
}

std::string move_text(const Mix& mix, const Mix& without, const Edit& first, const Edit& second) {
  const SubKernel& owner = without.sub_kernels[static_cast<std::size_t>(first.at.sub_kernel)];
  const std::string what = place_name(mix, first.at);
  Spot target = second.at;
  const Instruction* next = instruction_at(owner.program(target.side), target.place);
  if (next == nullptr) return fmt::format("move {} to the end", what);
  if (target.place >= first.at.place) ++target.place;  // as the reader counts
  return fmt::format("move {} before #{} {}", what, target.place, to_string(next->op));
}

}  // namespace

std::vector<std::string> sentences_of(const Case& test_case, const Repair& repair) {
  std::vector<std::string> list;
  Case now = test_case;
  for (std::size_t e = 0; e < repair.edits.size(); ++e) {
    const Edit& edit = repair.edits[e];
    Case next = repaired(now, {{edit}});
    if (e + 1 < repair.edits.size() && is_move(edit, repair.edits[e + 1], now.mix)) {
      list.push_back(move_text(now.mix, next.mix, edit, repair.edits[e + 1]));
      next = repaired(next, {{repair.edits[++e]}});
    } else {
      list.push_back(edit_text(now.mix, edit));
    }
    now = std::move(next);
  }
  return list;
}

std::string sentence_of(const Case& test_case, const Repair& repair) {
  std::string text;
  for (const std::string& one : sentences_of(test_case, repair)) {
    text += fmt::format("{}{}", text.empty() ? "" : "; then ", one);
  }
  return text;
}

}  // namespace skcts::model
