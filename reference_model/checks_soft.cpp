// The workspace of a soft SyncAll (SYNC-9).
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/launch_checks.h"
#include "spec/program.h"

namespace skcts::model {

/// SYNC-9
void LaunchChecks::check_soft_sync() {
  for_each_core([&](const CoreFacts& one) {
    for_each_instruction(sub_->program(one.core.kind), one.at,
                         [&](const Instruction& in, const Indices& at, int place) {
                           if (in.op == Op::soft_sync_all) check_soft(one, in, at, place);
                         });
  });
}

void LaunchChecks::check_soft(const CoreFacts& one, const Instruction& in, const Indices& at,
                              int place) {
  if (!is_aiv_kind(sub_->type)) {
    report(RuleId::sync_9, one.core, place,
           fmt::format("calls the soft SyncAll in a {} kernel; it is for vector kernels",
                       to_string(sub_->type)));
    // Which slot a vector core has is not the same everywhere (machine §4.4).
    if (one.core.kind == CoreKind::aiv) mark_undefined(RuleId::sync_9);
    return;
  }
  const std::int32_t running = static_cast<std::int32_t>(facts(CoreKind::aiv).size());
  const std::int32_t total = in.count > 0 ? in.count : running;
  if (total > running) {
    report(
        RuleId::sync_9, one.core, place,
        fmt::format("waits for {} cores at a soft SyncAll, the sub kernel has {}", total, running));
  }
  if (in.src.space != Space::gm || in.src.index < 0) return;
  const Region& region = mix_.regions[static_cast<std::size_t>(in.src.index)];
  constexpr std::int64_t slot_words = 8;
  for (std::int64_t s = 0; s < total; ++s) {
    const std::int64_t word = in.src.at.eval(at) + s * slot_words;
    if (word < region.words && region.init.word(word) != 0) {
      report(RuleId::sync_9, one.core, place,
             fmt::format("uses the soft SyncAll workspace {}, which is not zero", region.name));
      return;
    }
  }
  if (const auto other = other_user(in, at, total); other) {
    report(RuleId::sync_9, one.core, place,
           fmt::format("uses the soft SyncAll workspace {}, which {} uses too", region.name,
                       mix_.sub_kernels[static_cast<std::size_t>(*other)].name));
    mark_undefined(RuleId::sync_9);
  }
}

/// A sub kernel of the launch, or of one beside it, that touches a slot of this barrier otherwise
/// than by the barrier.
std::optional<std::int32_t> LaunchChecks::other_user(const Instruction& soft, const Indices& at,
                                                     std::int32_t total) const {
  const std::int64_t from = soft.src.at.eval(at);
  const std::int64_t to = from + std::int64_t{total} * 8;
  if (auto here = user_in(*shape_, soft, from, to)) return here;
  const auto own = std::ranges::find_if(
      program_.parts, [this](const LaunchPart& part) { return &part.shape == shape_; });
  for (const LaunchPart& part : program_.parts) {
    if (part.stream == own->stream) continue;
    if (auto there = user_in(part.shape, soft, from, to)) return there;
  }
  return std::nullopt;
}

std::optional<std::int32_t> LaunchChecks::user_in(const LaunchShape& shape, const Instruction& soft,
                                                  std::int64_t from, std::int64_t to) const {
  for (const std::int32_t k : shape.sub_kernels) {
    const SubKernel& sub = mix_.sub_kernels[static_cast<std::size_t>(k)];
    const bool same = k == place_ && &shape == shape_;
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const std::int32_t cores = running_cores(sub, shape, kind);
      for (std::int32_t c = 0; c < cores; ++c) {
        bool found = false;
        for_each_instruction(sub.program(kind), indices_of(sub, shape, {kind, c}),
                             [&](const Instruction& in, const Indices& seen, int) {
                               if (in.op == Op::dcci) return;
                               // The barrier again in its own sub kernel is a later round.
                               if (in.op == Op::soft_sync_all && same) return;
                               found = found || reaches(in.dst, in, sub, seen, soft, from, to) ||
                                       reaches(in.src, in, sub, seen, soft, from, to) ||
                                       reaches(in.src_b, in, sub, seen, soft, from, to);
                             });
        if (found) return k;
      }
    }
  }
  return std::nullopt;
}

/// Does this operand meet words [from, to) of the barrier's region? A cached store takes its
/// whole line.
bool LaunchChecks::reaches(const Operand& operand, const Instruction& in, const SubKernel& sub,
                           const Indices& at, const Instruction& soft, std::int64_t from,
                           std::int64_t to) const {
  std::int32_t region = -1;
  if (operand.space == Space::gm) region = operand.index;
  if (operand.space == Space::tensor && operand.index >= 0) {
    region = sub.tensors[static_cast<std::size_t>(operand.index)].region;
  }
  if (region != soft.src.index) return false;
  const std::int64_t first = operand.at.eval(at);
  const bool cached = in.op == Op::set_value || in.op == Op::assign || in.op == Op::raw_store;
  if (!cached) return first < to && from < first + std::max<std::int64_t>(in.count, 1);
  const std::int64_t start = mix_.regions[static_cast<std::size_t>(region)].offset_bytes / 4;
  const auto line = [start](std::int64_t word) { return (start + word) / 16; };
  return line(from) <= line(first) && line(first) <= line(to - 1);
}

}  // namespace skcts::model
