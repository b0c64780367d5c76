// The building blocks of lowering: one step, its ranges, its operands.
#include "reference_model/lower.h"
#include "spec/check.h"

namespace skcts::model {

Step& Lowering::add(StepKind kind, Pipe pipe) {
  std::vector<Step>& steps = out_->threads[static_cast<std::size_t>(thread_)].steps;
  Step& step = steps.emplace_back();
  step.kind = kind;
  step.pipe = pipe;
  step.sub_kernel = place_;
  step.instruction = instruction_;
  step.reads_begin = step.reads_end = step.writes_begin = step.writes_end =
      static_cast<std::int32_t>(out_->ranges.size());
  return step;
}

void Lowering::add_mark(MarkKind mark, std::int32_t id) {
  Step& step = add(StepKind::mark, Pipe::s);
  step.mark = mark;
  step.id = id;
}

void Lowering::add_refresh(std::int64_t line, Origin origin) {
  if (in_->relaxed != nullptr && place_ >= 0 && origin != Origin::end_of_launch) {
    if (weak_here(Weakening::refresh_none)) return;
    if (origin == Origin::program && weak_here(Weakening::refresh_called)) return;
    if (line >= 0 && weak_here(Weakening::refresh_next_line)) ++line;
  }
  Step& step = add(StepKind::refresh, Pipe::s);
  step.line = line;
  step.origin = origin;
}

void Lowering::add_barrier(Pipe pipe) {
  add(StepKind::barrier, pipe);
}

void Lowering::add_arrive(std::int32_t join, Pipe pipe, Origin origin) {
  Step& step = add(StepKind::arrive, pipe);
  step.join = join;
  step.origin = origin;
}

void Lowering::add_pass(std::int32_t join, Origin origin) {
  Step& step = add(StepKind::pass, Pipe::s);
  step.join = join;
  step.origin = origin;
  // A raise that was not waited for releases a later full-core wait before its time.
  if (early_by_ > 0 && out_->joins[static_cast<std::size_t>(join)].full_core && --early_by_ == 0) {
    doubt(DoubtKind::early_start, RuleId::task_4, false, true);
  }
}

void Lowering::set_event(HardEvent event, std::int32_t id) {
  if (weak_event(event)) return;
  Step& step = add(StepKind::set_event, event.source);
  step.event = event;
  step.id = id & 7;
}

void Lowering::wait_event(HardEvent event, std::int32_t id) {
  if (weak_event(event)) return;
  Step& step = add(StepKind::wait_event, event.destination);
  step.event = event;
  step.id = id & 7;
}

void Lowering::read_words(Step& step, WordRange range) {
  if (is_outside(range)) range = read_garbage(step, range);
  // All reads of a step are added before its writes.
  out_->ranges.push_back(range);
  step.reads_end = step.writes_begin = step.writes_end =
      static_cast<std::int32_t>(out_->ranges.size());
}

void Lowering::write_words(Step& step, WordRange range) {
  if (is_outside(range)) step.kind = StepKind::mark;
  out_->ranges.push_back(is_outside(range) ? WordRange{range.space, 0, 0} : range);
  step.writes_end = static_cast<std::int32_t>(out_->ranges.size());
}

void Lowering::keep_private(WordRange range) {
  if (!is_outside(range)) private_words_.push_back(range);
}

void Lowering::read(Step& step, const Operand& from, std::int32_t count) {
  read_words(step, resolve(from, count));
}
void Lowering::write(Step& step, const Operand& to, std::int32_t count) {
  write_words(step, resolve(to, count));
}

void Lowering::take_value(Step& step, const Value& value) {
  step.reg_in = value.reg;
  if (value.reg < 0) step.value = static_cast<std::uint32_t>(value.expr.eval(at_));
}

void Lowering::opaque_write(Pipe pipe, WordRange range) {
  Step& step = add(StepKind::data, pipe);
  step.function = Function::none;
  write_words(step, range);
}

WordRange Lowering::resolve(const Operand& at, std::int32_t count) {
  std::int64_t first = at.at.eval(at_);
  switch (at.space) {
    case Space::gm:
      leaves_region(at.index, first, count);
      first += in_->layout.base[static_cast<std::size_t>(at.index)];
      return {Space::gm, first, count};
    case Space::tensor: {
      const Tensor& tensor = sub(place_).tensors[static_cast<std::size_t>(at.index)];
      leaves_region(tensor.region, first, count);
      first += in_->layout.base[static_cast<std::size_t>(tensor.region)];
      return {Space::gm, first, count};
    }
    case Space::local_tensor: {
      const CoreResources::Taken* taken = resources_.find_taken(at.index);
      SKCTS_CHECK(taken != nullptr, "a local tensor that nobody took");
      const CoreResources::Queue& queue = resources_.queues[static_cast<std::size_t>(taken->queue)];
      first += queue.base + static_cast<std::int64_t>(taken->buffer) * queue.words;
      return {memory_of(queue.position), first, count};
    }
    default: return {at.space, first, count};
  }
}

std::int32_t Lowering::join_of(const JoinKey& key, JoinKind kind, bool& made) {
  const auto [found, inserted] =
      joins_.try_emplace(key, static_cast<std::int32_t>(out_->joins.size()));
  made = inserted;
  if (inserted) {
    out_->joins.push_back(Join{.kind = kind, .sub_kernel = place_});
  }
  return found->second;
}

void Lowering::doubt(DoubtKind kind, RuleId rule, bool may_stall, bool undefined) {
  Doubt made;
  made.kind = kind;
  made.thread = thread_;
  made.step =
      static_cast<std::int32_t>(out_->threads[static_cast<std::size_t>(thread_)].steps.size()) - 1;
  made.rule = rule;
  made.may_stall = may_stall;
  made.data_undefined = undefined;
  doubts_.push_back(made);
}

}  // namespace skcts::model
