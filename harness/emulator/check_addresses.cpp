// GM addresses of a launch, core by core, for the mixes whose bounds do not show at once.
#include <fmt/format.h>

#include "harness/emulator/check_case.h"
#include "spec/program.h"
#include "spec/validate.h"

namespace skcts::emulator {

namespace {

// A valid case stays below it.
constexpr std::int64_t visit_limit = max_case_work;

struct Access {
  const Operand* operand = nullptr;
  std::int64_t count = 0;
  bool blocks = false;
};

/// Looks at the operands of one instruction as one core has them.
class AddressCheck {
 public:
  AddressCheck(const Mix& mix, const GmLayout& layout, const Profile& profile, const SubKernel& sub)
      : mix_(mix), layout_(layout), profile_(profile), sub_(sub) {}

  /// What is wrong, or empty.
  std::string look(const Instruction& in, const Indices& at) {
    std::string text;
    const auto see = [&](const Operand& operand, std::int64_t count, bool blocks) {
      if (text.empty()) text = look_at({&operand, count, blocks}, at);
    };
    const bool dma = in.op == Op::data_copy || in.op == Op::fixpipe || in.op == Op::matmul;
    const bool workspace =
        in.op == Op::soft_sync_all || in.op == Op::ib_set || in.op == Op::ib_wait;
    const bool vector = in.op == Op::duplicate || in.op == Op::adds || in.op == Op::add ||
                        in.op == Op::mmad || in.op == Op::load_data;
    const std::int64_t count = dma || vector ? in.count : workspace ? 8 : 1;
    const bool whole_cache = in.op == Op::dcci && in.line == CacheLine::entire;
    if (in.op == Op::poll) {
      if (in.via == PollVia::data_copy) see(in.dst, 8, true);
    } else if (uses(in.op, Field::dst) && !whole_cache) {
      see(in.dst, count, dma || workspace || in.op == Op::load_data);
    }
    if (uses(in.op, Field::src)) see(in.src, count, dma || workspace);
    if (uses(in.op, Field::src_b)) see(in.src_b, count, dma || workspace);
    if (in.op != Op::compute) return text;
    for (const Range& range : in.reads) see(range.from, range.count, false);
    for (const Range& range : in.writes) see(range.from, range.count, false);
    return text;
  }

 private:
  std::string look_at(const Access& access, const Indices& at) const {
    const Operand& operand = *access.operand;
    std::int16_t region = operand.index;
    if (operand.space == Space::tensor) {
      region = sub_.tensors[static_cast<std::size_t>(operand.index)].region;
    } else if (is_local_memory(operand.space)) {
      return look_at_local(access, at);
    } else if (operand.space != Space::gm) {
      return {};
    }
    const std::int64_t word = operand.at.eval(at);
    const Region& where = mix_.regions[static_cast<std::size_t>(region)];
    if (word < 0 || word + access.count > where.words) {
      return fmt::format("{}[{}..{}) is outside the region of {} words", where.name, word,
                         word + access.count, where.words);
    }
    if (access.blocks && (layout_.base[static_cast<std::size_t>(region)] + word) % 8 != 0) {
      return fmt::format("{}[{}] is not 32-byte aligned", where.name, word);
    }
    return {};
  }

  std::string look_at_local(const Access& access, const Indices& at) const {
    const std::int64_t word = access.operand->at.eval(at);
    const std::int32_t words = words_of_memory(profile_, access.operand->space);
    const std::string_view name = to_string(access.operand->space);
    if (word < 0 || word + access.count > words) {
      return fmt::format("{}[{}..{}) is outside its {} words", name, word, word + access.count,
                         words);
    }
    if (access.blocks && word % 8 != 0) {
      return fmt::format("{}[{}] is not 32-byte aligned", name, word);
    }
    return {};
  }

  const Mix& mix_;
  const GmLayout& layout_;
  const Profile& profile_;
  const SubKernel& sub_;
};

Indices indices_of(const SubKernel& sub, CoreId core, int aiv_per_block) {
  const int per_block = core.kind == CoreKind::aiv ? aiv_per_block : 1;
  Indices at;
  at.block = core.index / per_block;
  at.sub = core.index % per_block;
  at.core = core.index;
  at.block_count = sub.blocks;
  at.core_count = sub.blocks * (is_mix_kind(sub.type) ? per_block : 1);
  at.key = sub.tiling_key;
  return at;
}

}  // namespace

std::optional<Refusal> check_addresses(const Mix& mix, const GmLayout& layout,
                                       const Profile& profile, const ComposedLaunch& launch) {
  std::int64_t visits = 0;
  for (std::size_t op = 0; op < launch.uses.size(); ++op) {
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(launch.uses[op].sub_kernel)];
    AddressCheck check(mix, layout, profile, sub);
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const int cores = kind == CoreKind::aic ? launch.shape.aic_count() : launch.shape.aiv_count();
      for (int index = 0; index < cores; ++index) {
        const CoreId core{kind, index};
        if (!runs_sub_kernel(mix, launch, static_cast<int>(op), core, DefectId::none)) continue;
        std::string wrong;
        const Indices at = indices_of(sub, core, launch.shape.aiv_per_block());
        for_each_instruction(sub.program(kind), at,
                             [&](const Instruction& in, const Indices& now, int place) {
                               if (++visits > visit_limit || !wrong.empty()) return;
                               wrong = check.look(in, now);
                               if (wrong.empty()) return;
                               wrong = fmt::format("{} {}[{}] on {}: {}", sub.name, to_string(kind),
                                                   place, to_string(core), wrong);
                             });
        if (!wrong.empty()) return Refusal{wrong, {}};
        if (visits > visit_limit) {
          return Refusal{
              fmt::format("{}: too many instructions to look at every address", sub.name), {}};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace skcts::emulator
