#include "reference_model/checks.h"

#include <utility>

#include <fmt/format.h>

#include "reference_model/launch_checks.h"
#include "spec/program.h"

namespace skcts::model {

bool is_reserved(std::int32_t id) {
  return id % 16 >= 11 && id % 16 <= 14;
}

namespace {

bool writes_gm(const Instruction& in) {
  return in.dst.space == Space::gm || in.dst.space == Space::tensor
             ? in.op != Op::dcci && in.op != Op::poll
             : false;
}

/// RATIO-4: does the core do something at this ratio that its share at 1:1 does not say?
bool leaves_share(const Instruction& in, const Indices& at) {
  if (writes_gm(in) && at.sub != 0) return true;
  if (at.sub != 0) return false;
  Indices alone = at;
  alone.core = at.block;
  alone.core_count = at.block_count;
  const auto differs = [&](const Expr& e) { return e.eval(at) != e.eval(alone); };
  const auto operand_differs = [&](const Operand& o) {
    return (o.space == Space::gm || o.space == Space::tensor) && differs(o.at);
  };
  return operand_differs(in.dst) || operand_differs(in.src) || operand_differs(in.src_b) ||
         (uses(in.op, Field::value) && in.value.reg < 0 && differs(in.value.expr));
}

}  // namespace

void LaunchChecks::run() {
  if (program_.parts.empty()) check_sub_kernels();
  for (const LaunchPart& part : program_.parts) {
    shape_ = &part.shape;
    first_place_ = static_cast<std::size_t>(part.first_place);
    check_sub_kernels();
  }
  find_stored_lines();
  for (const Thread& thread : program_.threads) {
    check_events(thread);
    check_dirty(thread);
    check_polls(thread);
  }
  check_modes();
}

void LaunchChecks::check_sub_kernels() {
  for (std::size_t k = 0; k < shape_->sub_kernels.size(); ++k) {
    place_ = shape_->sub_kernels[k];
    sub_ = &mix_.sub_kernels[static_cast<std::size_t>(place_)];
    collect();
    check_kernel_type();
    check_sync_all();
    check_flag_counts();
    check_waiting_pipes();
    check_reserved_ids();
    check_matmul_and_share();
    check_task_calls(k);
    check_soft_sync();
  }
}

void LaunchChecks::report(RuleId rule, CoreId core, std::int32_t instruction, std::string text) {
  report_in(place_, rule, core, instruction, std::move(text));
}

void LaunchChecks::report_in(std::int32_t place, RuleId rule, CoreId core, std::int32_t instruction,
                             std::string text) {
  for (const BrokenRule& known : broken_) {
    if (known.rule == rule && known.sub_kernel == place) return;
  }
  const std::string& name = mix_.sub_kernels[static_cast<std::size_t>(place)].name;
  broken_.push_back(
      {rule, place, core, instruction, fmt::format("{} {} {}", name, to_string(core), text)});
}

std::int32_t LaunchChecks::launched(CoreKind kind) const {
  return kind == CoreKind::aic ? shape_->aic_count : shape_->aiv_count;
}

void LaunchChecks::collect() {
  facts_[0].clear();
  facts_[1].clear();
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const std::vector<Instruction>& program = sub_->program(kind);
    const std::int32_t count = running_cores(*sub_, *shape_, kind);
    std::vector<CoreFacts>& of_kind = facts_[static_cast<std::size_t>(kind)];
    of_kind.resize(static_cast<std::size_t>(count));
    for (std::int32_t c = 0; c < count; ++c) {
      CoreFacts& facts = of_kind[static_cast<std::size_t>(c)];
      facts.core = {kind, c};
      facts.at = indices_of(*sub_, *shape_, facts.core);
      for_each_instruction(
          program, facts.at,
          [&](const Instruction& in, const Indices& at, int place) { note(facts, in, at, place); });
    }
  }
}

void LaunchChecks::note(CoreFacts& facts, const Instruction& in, const Indices& at, int place) {
  const auto first = [place](std::int32_t& slot) {
    if (slot < 0) slot = place;
  };
  const auto full_core = [&] {
    if (facts.next_starts > 0) first(facts.tail_sync);
    if (facts.pre_waits == 0) first(facts.head_sync);
  };
  switch (in.op) {
    case Op::cross_core_set_flag: {
      first(facts.flag_instruction);
      const int id = flag_id(in.id);
      if (in.mode >= 0 && in.mode < flag_modes) {
        facts.sets[static_cast<std::size_t>(in.mode)][static_cast<std::size_t>(id)]++;
      }
      if (in.mode != 0) first(facts.bad_mode_instruction);
      if (is_reserved(id)) first(facts.reserved_instruction);
      if (in.mode == 0) full_core();
      break;
    }
    case Op::cross_core_wait_flag:
      first(facts.flag_instruction);
      if (profile_.is_3510()) {
        if (!profile_.has_pipe(facts.core.kind, in.pipe)) break;  // waits for nothing
        facts.waiting_pipes[static_cast<std::size_t>(flag_id(in.id))] |=
            static_cast<std::uint8_t>(1u << static_cast<unsigned>(in.pipe));
      }
      facts.waits[static_cast<std::size_t>(flag_id(in.id))]++;
      if (is_reserved(flag_id(in.id))) first(facts.reserved_instruction);
      break;
    case Op::sync_all:
      first(facts.sync_instruction);
      facts.sync_alls.push_back(in.aiv_only);
      if (!in.aiv_only) ++facts.full_calls;
      full_core();
      break;
    case Op::set_next_task_start: ++facts.next_starts; break;
    case Op::wait_pre_task_end: ++facts.pre_waits; break;
    case Op::matmul: first(facts.matmul_instruction); break;
    default: break;
  }
  if (sub_->type == KernelType::mix_aic_1_1 && shape_->ratio == 2 &&
      facts.core.kind == CoreKind::aiv && leaves_share(in, at)) {
    first(facts.share_instruction);
  }
}

std::int32_t LaunchChecks::mix_place(const Step& step) const {
  const std::size_t place = step.sub_kernel < 0 ? 0 : static_cast<std::size_t>(step.sub_kernel);
  return program_.shape.sub_kernels[place];
}

std::int64_t LaunchChecks::line_of(const Step& step, bool write) const {
  const std::int32_t range = write ? step.writes_begin : step.reads_begin;
  return program_.ranges[static_cast<std::size_t>(range)].first / 16;
}

void LaunchChecks::find_stored_lines() {
  for (const Thread& thread : program_.threads) {
    for (const Step& step : thread.steps) {
      if (step.kind == StepKind::store) stored_lines_.insert(line_of(step, true));
    }
  }
}

const Step& LaunchChecks::step_at(std::int32_t thread, std::int32_t flat) const {
  const std::int32_t first = stall_.first_step[static_cast<std::size_t>(thread)];
  return program_.threads[static_cast<std::size_t>(thread)]
      .steps[static_cast<std::size_t>(flat - first)];
}

void check_rules(const Case& test_case, const Options& options, const LaunchProgram& program,
                 const StallResult& stall, const BeforeQuery& before,
                 std::vector<BrokenRule>& broken) {
  LaunchChecks(test_case, options, program, stall, before, broken).run();
}

}  // namespace skcts::model
