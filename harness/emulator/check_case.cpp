// Checks that need no launch.
#include "harness/emulator/check_case.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "harness/emulator/instruction_source.h"
#include "spec/validate.h"

namespace skcts::emulator {

namespace {

/// Checks one sub kernel.
class SubKernelCheck {
 public:
  SubKernelCheck(const Mix& mix, const GmLayout& layout, const SubKernel& sub,
                 const Settings& settings, bool& exact)
      : mix_(mix), layout_(layout), sub_(sub), settings_(settings), exact_(exact) {}

  std::optional<Refusal> run();

 private:
  bool program(const std::vector<Instruction>& instructions, int depth);
  bool instruction(const Instruction& in, int depth);
  bool move(const Instruction& in);
  bool compute(const Instruction& in);
  bool scalar(const Instruction& in);
  bool sync(const Instruction& in);
  bool service(const Instruction& in);
  bool resource(const Instruction& in);
  bool gm_operand(const Operand& operand, std::int64_t count, bool blocks);
  bool local_operand(const Operand& operand, std::int64_t count, bool blocks, Space allowed_a,
                     Space allowed_b = Space::none, Space allowed_c = Space::none);
  void bound(const Expr& at, std::int64_t base, std::int32_t words, std::int64_t count,
             bool blocks);
  bool name(std::int16_t index);
  bool tensor_index(std::int16_t index);
  bool value(const Value& value);
  bool pipe(Pipe pipe);
  bool count(const Instruction& in, std::int32_t unit);
  bool refuse(std::string text) {
    if (!refusal_) {
      refusal_ =
          Refusal{fmt::format("{} {}[{}]: {}", sub_.name, to_string(kind_), place_, text), rule_};
    }
    return false;
  }
  bool cube() const { return kind_ == CoreKind::aic; }

  const Mix& mix_;
  const GmLayout& layout_;
  const SubKernel& sub_;
  const Settings& settings_;
  bool& exact_;
  CoreKind kind_ = CoreKind::aiv;
  std::array<std::int32_t, max_repeat_depth> times_{};
  int place_ = 0;
  std::optional<RuleId> rule_;
  std::optional<Refusal> refusal_;
};

std::optional<Refusal> SubKernelCheck::run() {
  place_ = -1;
  if (sub_.blocks < 1) {
    refuse(fmt::format("{} blocks; expected at least 1", sub_.blocks));
    return refusal_;
  }
  for (const Tensor& tensor : sub_.tensors) {
    if (tensor.region < 0 || static_cast<std::size_t>(tensor.region) >= mix_.regions.size()) {
      refuse(fmt::format("GlobalTensor '{}' has no region", tensor.name));
      return refusal_;
    }
  }
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(sub_.type, kind)) continue;
    kind_ = kind;
    place_ = 0;
    if (!program(sub_.program(kind), 0)) return refusal_;
  }
  return std::nullopt;
}

bool SubKernelCheck::program(const std::vector<Instruction>& instructions, int depth) {
  for (const Instruction& in : instructions) {
    if (!instruction(in, depth)) return false;
    ++place_;
    if (in.op == Op::repeat) {
      if (depth < max_repeat_depth) {
        times_[static_cast<std::size_t>(depth)] = in.times;
        if (!program(in.body, depth + 1)) return false;
        times_[static_cast<std::size_t>(depth)] = 0;
      } else {
        return refuse(fmt::format("Repeat nested deeper than {}", max_repeat_depth));
      }
    }
  }
  return true;
}

bool SubKernelCheck::instruction(const Instruction& in, int depth) {
  (void)depth;
  if (in.reg >= register_count) return refuse(fmt::format("there is no register r{}", in.reg));
  if (!value(in.value)) return false;
  switch (in.op) {
    case Op::data_copy:
    case Op::load_data:
    case Op::fixpipe: return move(in);
    case Op::duplicate:
    case Op::adds:
    case Op::add:
    case Op::mmad:
    case Op::compute: return compute(in);
    case Op::get_value:
    case Op::set_value:
    case Op::assign:
    case Op::raw_load:
    case Op::raw_store:
    case Op::read_gm_bypass:
    case Op::write_gm_bypass:
    case Op::dcci:
    case Op::tensor_copy:
    case Op::tensor_end: return scalar(in);
    case Op::set_flag:
    case Op::wait_flag:
    case Op::pipe_barrier:
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag:
    case Op::set_next_task_start: return sync(in);
    case Op::soft_sync_all:
    case Op::ib_set:
    case Op::ib_wait:
    case Op::poll:
    case Op::matmul: return service(in);
    case Op::tpipe_init:
    case Op::init_buffer:
    case Op::alloc_tensor:
    case Op::enque:
    case Op::deque:
    case Op::free_tensor:
    case Op::tbuf_get:
    case Op::tpipe_destroy:
    case Op::tpipe_end: return resource(in);
    case Op::repeat: return in.times >= 0 || refuse(fmt::format("repeated {} times", in.times));
    default: return true;
  }
}

bool SubKernelCheck::value(const Value& value) {
  return value.reg < register_count || refuse(fmt::format("there is no register r{}", value.reg));
}

bool SubKernelCheck::name(std::int16_t index) {
  if (index >= 0 && static_cast<std::size_t>(index) < sub_.names.size()) return true;
  return refuse("a TPipe, queue or local tensor without a name");
}

bool SubKernelCheck::tensor_index(std::int16_t index) {
  if (index >= 0 && static_cast<std::size_t>(index) < sub_.tensors.size()) return true;
  return refuse("a GlobalTensor that is not declared");
}

bool SubKernelCheck::pipe(Pipe pipe) {
  if (pipe != Pipe::all && settings_.profile->has_pipe(kind_, pipe)) return true;
  return refuse(fmt::format("a core of this kind has no pipe {}", to_string(pipe)));
}

bool SubKernelCheck::count(const Instruction& in, std::int32_t unit) {
  if (in.count > 0 && in.count % unit == 0) return true;
  return refuse(fmt::format("count {}; expected a positive multiple of {}", in.count, unit));
}

/// A GM operand of `count` words. Bounds that hold for every core are settled here; where they do
/// not, the addresses are left to check_addresses.
bool SubKernelCheck::gm_operand(const Operand& operand, std::int64_t count, bool blocks) {
  std::int16_t region = operand.index;
  if (operand.space == Space::tensor) {
    if (!tensor_index(operand.index)) return false;
    region = sub_.tensors[static_cast<std::size_t>(operand.index)].region;
  } else if (operand.space != Space::gm || region < 0 ||
             static_cast<std::size_t>(region) >= mix_.regions.size()) {
    return refuse("an operand that is no GM region");
  }
  bound(operand.at, layout_.base[static_cast<std::size_t>(region)],
        mix_.regions[static_cast<std::size_t>(region)].words, count, blocks);
  return true;
}

/// Settles the bounds of an address that hold for every core, or leaves it to check_addresses.
void SubKernelCheck::bound(const Expr& at, std::int64_t base, std::int32_t words,
                           std::int64_t count, bool blocks) {
  const std::int64_t n = sub_.blocks;
  const bool two_sides = is_mix_kind(sub_.type) && !cube();
  const std::array<std::int64_t, 6> coefficients = {at.block,     at.sub,       at.core,
                                                    at.repeat[0], at.repeat[1], at.repeat[2]};
  const std::array<std::int64_t, 6> highest = {n - 1,
                                               1,
                                               two_sides ? 2 * n - 1 : n - 1,
                                               std::max(times_[0] - 1, 0),
                                               std::max(times_[1] - 1, 0),
                                               std::max(times_[2] - 1, 0)};
  std::int64_t low = at.base;
  std::int64_t high = at.base;
  bool aligned = (base + at.base) % 8 == 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const std::int64_t reach = coefficients[i] * highest[i];
    low += std::min<std::int64_t>(reach, 0);
    high += std::max<std::int64_t>(reach, 0);
    aligned = aligned && coefficients[i] % 8 == 0;
  }
  if (low < 0 || high + count > words || (blocks && !aligned)) exact_ = true;
}

bool SubKernelCheck::local_operand(const Operand& operand, std::int64_t count, bool blocks, Space a,
                                   Space b, Space c) {
  if (operand.space == Space::local_tensor) return name(operand.index);
  const bool allowed = operand.space == a || operand.space == b || operand.space == c;
  if (!allowed || !is_local_memory(operand.space)) {
    return refuse(
        fmt::format("an operand in '{}'; expected {}", to_string(operand.space), to_string(a)));
  }
  bound(operand.at, 0, words_of_memory(*settings_.profile, operand.space), count, blocks);
  return true;
}

bool SubKernelCheck::move(const Instruction& in) {
  if (!count(in, 8)) return false;
  using enum Space;
  if (in.op == Op::load_data) {
    if (!cube()) return refuse("LoadData on a vector core");
    return local_operand(in.dst, in.count, true, l0a, l0b) &&
           local_operand(in.src, in.count, true, l1);
  }
  if (in.op == Op::fixpipe) {
    if (!cube()) return refuse("Fixpipe on a vector core");
    return gm_operand(in.dst, in.count, true) && local_operand(in.src, in.count, true, l0c);
  }
  const bool out = in.dst.space == Space::gm || in.dst.space == tensor;
  if (out) {
    return gm_operand(in.dst, in.count, true) &&
           (cube() ? local_operand(in.src, in.count, true, l1)
                   : local_operand(in.src, in.count, true, ub));
  }
  return gm_operand(in.src, in.count, true) &&
         (cube() ? local_operand(in.dst, in.count, true, l1, l0a, l0b)
                 : local_operand(in.dst, in.count, true, ub));
}

bool SubKernelCheck::compute(const Instruction& in) {
  using enum Space;
  if (in.op == Op::compute) {
    if (in.pipe == Pipe::s || !pipe(in.pipe)) return refuse("Compute needs a pipe of its core");
    if (in.reads.size() > 0xffff || in.writes.size() > 0xffff) return refuse("too many ranges");
    for (const auto* list : {&in.reads, &in.writes}) {
      for (const Range& range : *list) {
        if (range.count < 0) return refuse(fmt::format("a range of {} words", range.count));
        const bool in_gm = range.from.space == Space::gm || range.from.space == tensor;
        if (in_gm ? !gm_operand(range.from, range.count, false)
                  : !(cube() ? local_operand(range.from, range.count, false, range.from.space)
                             : local_operand(range.from, range.count, false, ub))) {
          return false;
        }
      }
    }
    return true;
  }
  if (!count(in, 1)) return false;
  if (in.op == Op::mmad) {
    if (!cube()) return refuse("Mmad on a vector core");
    return local_operand(in.dst, in.count, false, l0c) &&
           local_operand(in.src, in.count, false, l0a) &&
           local_operand(in.src_b, in.count, false, l0b);
  }
  if (cube()) return refuse("a vector instruction on a cube core");
  return local_operand(in.dst, in.count, false, ub) &&
         (in.op == Op::duplicate || local_operand(in.src, in.count, false, ub)) &&
         (in.op != Op::add || local_operand(in.src_b, in.count, false, ub));
}

bool SubKernelCheck::scalar(const Instruction& in) {
  switch (in.op) {
    case Op::get_value:
    case Op::set_value: {
      const Operand& operand = in.op == Op::get_value ? in.src : in.dst;
      if (operand.space == Space::tensor) return gm_operand(operand, 1, false);
      if (cube()) return refuse("a scalar access to a local memory of a cube core");
      return local_operand(operand, 1, false, Space::ub);
    }
    case Op::assign:
      return in.dst.space == Space::tensor ? gm_operand(in.dst, 1, false)
                                           : refuse("operator() of something else than a tensor");
    case Op::raw_load:
    case Op::read_gm_bypass: return gm_operand(in.src, 1, false);
    case Op::raw_store:
    case Op::write_gm_bypass: return gm_operand(in.dst, 1, false);
    case Op::dcci: return in.line == CacheLine::entire || gm_operand(in.dst, 1, false);
    case Op::tensor_copy: return tensor_index(in.object) && tensor_index(in.other);
    default: return tensor_index(in.object);
  }
}

bool SubKernelCheck::sync(const Instruction& in) {
  const LatitudeAssignment& latitudes = settings_.latitudes;
  switch (in.op) {
    case Op::set_flag:
    case Op::wait_flag: {
      const auto known = [this](Pipe pipe) {
        return has_pipe(kind_, pipe) || pipe == Pipe::v || pipe == Pipe::m || pipe == Pipe::mte1 ||
               pipe == Pipe::fix;
      };
      // Pairs of the other core kind compile to nothing; a pair across kinds does not exist.
      const auto foreign = [this](Pipe pipe) { return !has_pipe(kind_, pipe); };
      const bool one_foreign = foreign(in.event.source) || foreign(in.event.destination);
      const bool no_operation = cube()
                                    ? in.event.source == Pipe::v || in.event.destination == Pipe::v
                                    : (in.event != HardEvent{Pipe::mte1, Pipe::fix} &&
                                       in.event != HardEvent{Pipe::fix, Pipe::mte1});
      if (!known(in.event.source) || !known(in.event.destination) ||
          (one_foreign && !no_operation)) {
        return refuse(fmt::format("a core of this kind has no event {}", to_string(in.event)));
      }
      if ((in.id & 7) >= 6 && latitudes.holds(latitude_pin(3, "refused"))) {
        return refuse("event ids 6 and 7 are not open to users (L-3)");
      }
      const bool with_scalar = in.event.source == Pipe::s || in.event.destination == Pipe::s;
      if (cube() && with_scalar && latitudes.holds(latitude_pin(6, "refused"))) {
        return refuse("a cube core has no events with the scalar unit (L-6)");
      }
      return true;
    }
    case Op::pipe_barrier:
      if (in.pipe == Pipe::all || in.pipe == Pipe::v) return true;
      if (in.pipe == Pipe::s) return refuse("PipeBarrier<PIPE_S>");
      return pipe(in.pipe);
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag:
      if ((in.id & 15) > 10 && latitudes.holds(latitude_pin(11, "up-to-10"))) {
        rule_ = RuleId::sync_7;
        return refuse(fmt::format("flag id {} is not open to users (L-11)", in.id & 15));
      }
      if (in.op == Op::cross_core_wait_flag) return true;
      if (in.mode == block_mode && settings_.profile->is_3510()) {
        return in.pipe == Pipe::s || pipe(in.pipe);
      }
      if (in.pipe == Pipe::s || !pipe(in.pipe)) return refuse("CrossCoreSetFlag needs a pipe");
      if ((in.mode & 3) == 3) return refuse(fmt::format("there is no flag mode {}", in.mode));
      return true;
    case Op::set_next_task_start: {
      const Pipe own = cube() ? in.aic_pipe : in.pipe;
      if (own == Pipe::s || !pipe(own)) return refuse("SetNextTaskStart needs a pipe");
      return true;
    }
    default: return true;
  }
}

bool SubKernelCheck::service(const Instruction& in) {
  switch (in.op) {
    case Op::poll:
      if (in.via == PollVia::data_copy && !cube() && !local_operand(in.dst, 8, true, Space::ub))
        return false;
      if (in.via == PollVia::data_copy && cube()) return refuse("Poll by DataCopy on a cube core");
      if (in.via == PollVia::get_value && in.src.space != Space::tensor) {
        return refuse("Poll by GetValue of something else than a tensor");
      }
      return gm_operand(in.src, 1, false);
    case Op::matmul:
      if (cube()) return refuse("Matmul is called on a vector core");
      if (!sub_.aic.empty() && is_mix_kind(sub_.type)) {
        return refuse("a sub kernel with a Matmul call has no cube program");
      }
      return count(in, 8) && gm_operand(in.dst, in.count, true) &&
             gm_operand(in.src, in.count, true) && gm_operand(in.src_b, in.count, true);
    default:
      if (in.count < 0) return refuse(fmt::format("{} cores", in.count));
      if (in.src.space != Space::gm) return refuse("the workspace is no GM region");
      return gm_operand(in.src, 8, true) && (cube() || local_operand(in.dst, 8, true, Space::ub));
  }
}

bool SubKernelCheck::resource(const Instruction& in) {
  if (!name(in.object)) return false;
  const bool pipe_only =
      in.op == Op::tpipe_init || in.op == Op::tpipe_destroy || in.op == Op::tpipe_end;
  if (!pipe_only && !name(in.other)) return false;
  if (in.op != Op::init_buffer) return true;
  if (in.num < 1 || in.num > 64 || in.count < 1) {
    return refuse(fmt::format("InitBuffer of {} buffers of {} words", in.num, in.count));
  }
  return true;
}

std::optional<Refusal> check_regions(const Mix& mix) {
  for (const Region& region : mix.regions) {
    if (region.words < 1 || region.offset_bytes < 0 || region.offset_bytes >= 64 ||
        region.offset_bytes % 4 != 0) {
      return Refusal{fmt::format("region '{}' has {} words at offset {}", region.name, region.words,
                                 region.offset_bytes),
                     {}};
    }
  }
  if (layout_of(mix).words > max_gm_words) {
    return Refusal{fmt::format("the regions need more than {} words", max_gm_words), {}};
  }
  return std::nullopt;
}

bool uses_sync_all(const std::vector<Instruction>& program) {
  return std::any_of(program.begin(), program.end(), [](const Instruction& in) {
    return in.op == Op::sync_all || uses_sync_all(in.body);
  });
}

}  // namespace

std::optional<Refusal> check_case(const Case& test_case, const Settings& settings,
                                  const std::vector<LaunchPlan>& launches,
                                  std::optional<GmLayout>& layout, bool& exact) {
  const Mix& mix = test_case.mix;
  exact = false;
  if (auto refusal = check_regions(mix)) return refusal;
  layout = layout_of(mix);
  std::vector<bool> launched(mix.sub_kernels.size(), false);
  for (const LaunchPlan& launch : launches) {
    for (const std::int32_t sub : launch.sub_kernels)
      launched[static_cast<std::size_t>(sub)] = true;
    if (launch.kind != StepKind::alone) continue;
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(launch.sub_kernels.front())];
    if (sub.blocks > max_blocks) {
      return Refusal{fmt::format("{}: {} blocks; more than {} are not started in waves", sub.name,
                                 sub.blocks, max_blocks),
                     RuleId::core_8};
    }
  }
  for (std::size_t s = 0; s < mix.sub_kernels.size(); ++s) {
    if (!launched[s]) continue;
    // What an operator says of its own type counts, whatever it is fused with.
    const SubKernel& sub = mix.sub_kernels[s];
    if (sub.type == KernelType::aiv_only && uses_sync_all(sub.aiv) &&
        settings.latitudes.holds(latitude_pin(13, "refused"))) {
      return Refusal{fmt::format("{}: SyncAll in AIV_ONLY", sub.name), RuleId::sync_13};
    }
    SubKernelCheck check(mix, *layout, mix.sub_kernels[s], settings, exact);
    if (auto refusal = check.run()) return refusal;
  }
  return std::nullopt;
}

}  // namespace skcts::emulator
