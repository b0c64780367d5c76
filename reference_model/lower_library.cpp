// Library calls as the few kinds of steps: queues, full-core and soft barriers, IB slots, polls,
// Matmul.
#include <algorithm>

#include "reference_model/lower.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr std::int64_t slot_words = 8;
constexpr int poll_event_id = 8;  // above every id that a program can name

/// What kind of key a join has in the map of joins.
enum JoinFamily : std::int64_t { hard, soft, ib_full, ib_empty, call, done };

struct QueueEvents {
  bool has = false;
  HardEvent enqueue, free;
};

QueueEvents events_of(Position position) {
  switch (position) {
    case Position::vecin: return {true, {Pipe::mte2, Pipe::v}, {Pipe::v, Pipe::mte2}};
    case Position::vecout: return {true, {Pipe::v, Pipe::mte3}, {Pipe::mte3, Pipe::v}};
    case Position::a1:
    case Position::b1: return {true, {Pipe::mte2, Pipe::mte1}, {Pipe::mte1, Pipe::mte2}};
    case Position::a2:
    case Position::b2: return {true, {Pipe::mte1, Pipe::m}, {Pipe::m, Pipe::mte1}};
    case Position::co1: return {true, {Pipe::m, Pipe::fix}, {Pipe::fix, Pipe::m}};
    case Position::veccalc: return {};
  }
  return {};
}

constexpr HardEvent primed{Pipe::m, Pipe::mte1};
constexpr int primed_count = 3;

}  // namespace

void CoreResources::reset() {
  queues.clear();
  taken.clear();
  tpipes.clear();
  allocated.fill(0);
  used_ids.clear();
}

CoreResources::Queue* CoreResources::find_queue(std::int32_t name) {
  for (Queue& queue : queues) {
    if (queue.name == name) return &queue;
  }
  return nullptr;
}

CoreResources::Taken* CoreResources::find_taken(std::int32_t name) {
  for (Taken& one : taken) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// The lowest free id; the machine has eight, a ninth shares the last one.
std::int32_t CoreResources::take_id(HardEvent event) {
  auto found = std::find_if(used_ids.begin(), used_ids.end(),
                            [&](const auto& entry) { return entry.first == event; });
  if (found == used_ids.end()) found = used_ids.insert(used_ids.end(), {event, std::uint8_t{0}});
  for (std::int32_t id = 0; id < 8; ++id) {
    const auto bit = static_cast<std::uint8_t>(1u << id);
    if ((found->second & bit) == 0) {
      found->second = static_cast<std::uint8_t>(found->second | bit);
      return id;
    }
  }
  return 7;
}

void CoreResources::release_id(HardEvent event, std::int32_t id) {
  for (auto& [known, bits] : used_ids) {
    if (known == event) bits = static_cast<std::uint8_t>(bits & ~(1u << id));
  }
}

bool& CoreResources::destroyed(std::int32_t tpipe) {
  for (auto& [name, flag] : tpipes) {
    if (name == tpipe) return flag;
  }
  tpipes.emplace_back(tpipe, false);
  return tpipes.back().second;
}

void Lowering::resources(const Instruction& in) {
  switch (in.op) {
    case Op::tpipe_init: {
      resources_.destroyed(in.object) = false;
      resources_.allocated.fill(0);
      resources_.used_ids.clear();
      add_mark(MarkKind::tpipe_begin, in.object);
      if (core_.kind == CoreKind::aic) {
        for (int id = 0; id < primed_count; ++id) set_event(primed, resources_.take_id(primed));
      }
      return;
    }
    case Op::tpipe_destroy: return destroy(in.object);
    case Op::tpipe_end:
      if (!resources_.destroyed(in.object)) destroy(in.object);
      add_mark(MarkKind::tpipe_end, in.object);
      return;
    case Op::init_buffer: return init_buffer(in);
    default: return queue_call(in);
  }
}

/// Waits for what was freed; what is still taken leaks its event. Alone, PIPE_ALL follows (PIPE-1).
void Lowering::destroy(std::int32_t tpipe) {
  for (CoreResources::Queue& queue : resources_.queues) {
    if (queue.tpipe != tpipe) continue;
    const QueueEvents events = events_of(queue.position);
    for (CoreResources::Buffer& buffer : queue.buffers) {
      if (buffer.taken || buffer.free_event < 0) continue;
      wait_event(events.free, buffer.free_event);
      resources_.release_id(events.free, buffer.free_event);
      buffer.free_event = -1;
    }
  }
  if (core_.kind == CoreKind::aic) {
    for (int id = 0; id < primed_count; ++id) {
      wait_event(primed, id);
      resources_.release_id(primed, id);
    }
  }
  resources_.destroyed(tpipe) = true;
  if (!in_->shape.fused && !weak_here(Weakening::destroy_barrier)) add_barrier(Pipe::all);
}

void Lowering::init_buffer(const Instruction& in) {
  CoreResources::Queue made;
  made.name = in.object;
  made.tpipe = in.other;
  made.position = in.position;
  made.words = (std::int64_t{in.count} + slot_words - 1) / slot_words * slot_words;
  made.buffers.resize(static_cast<std::size_t>(std::max(in.num, 1)));
  std::int64_t& next = resources_.allocated[static_cast<std::size_t>(memory_of(in.position))];
  made.base = next;
  next += made.words * in.num;
  if (CoreResources::Queue* known = resources_.find_queue(in.object)) {
    *known = std::move(made);
  } else {
    resources_.queues.push_back(std::move(made));
  }
}

void Lowering::queue_call(const Instruction& in) {
  CoreResources::Queue* queue = resources_.find_queue(in.object);
  SKCTS_CHECK(queue != nullptr, "a queue that nobody laid out");
  const auto place = static_cast<std::int32_t>(queue - resources_.queues.data());
  const QueueEvents events = events_of(queue->position);
  const auto give = [&](std::size_t buffer) {
    if (CoreResources::Taken* known = resources_.find_taken(in.other)) {
      *known = {in.other, place, buffer};
    } else {
      resources_.taken.push_back({in.other, place, buffer});
    }
  };
  if (in.op == Op::tbuf_get) return give(0);
  if (in.op == Op::alloc_tensor) {
    const std::size_t buffer = queue->next;
    queue->next = (buffer + 1) % queue->buffers.size();
    CoreResources::Buffer& taken = queue->buffers[buffer];
    if (taken.free_event >= 0) {
      wait_event(events.free, taken.free_event);
      resources_.release_id(events.free, taken.free_event);
      taken.free_event = -1;
    }
    taken.taken = true;
    return give(buffer);
  }
  if (in.op == Op::deque) {
    SKCTS_CHECK(!queue->queued.empty(), "DeQue of an empty queue");
    const std::size_t buffer = queue->queued.front();
    queue->queued.erase(queue->queued.begin());
    CoreResources::Buffer& got = queue->buffers[buffer];
    if (got.queue_event >= 0) {
      wait_event(events.enqueue, got.queue_event);
      resources_.release_id(events.enqueue, got.queue_event);
      got.queue_event = -1;
    }
    return give(buffer);
  }
  const CoreResources::Taken* held = resources_.find_taken(in.other);
  SKCTS_CHECK(held != nullptr, "a local tensor that nobody took");
  CoreResources::Buffer& buffer = queue->buffers[held->buffer];
  if (in.op == Op::enque) {
    if (events.has) {
      buffer.queue_event = resources_.take_id(events.enqueue);
      set_event(events.enqueue, buffer.queue_event);
    }
    queue->queued.push_back(held->buffer);
    return;
  }
  buffer.taken = false;
  if (events.has) {
    buffer.free_event = resources_.take_id(events.free);
    set_event(events.free, buffer.free_event);
  }
}

/// L-12. The call is the fault: as an error it needs no pipe to drain, and where it has no effect
/// it has none on the pipes either. Only a join of the cubes begins with PIPE_ALL.
void Lowering::vector_sync_on_cube() {
  if (in_->cube_sync_all == CubeSyncAll::no_effect) return;
  if (in_->cube_sync_all == CubeSyncAll::joins_cubes) {
    add_barrier(Pipe::all);
  } else {
    add_mark(MarkKind::none);
  }
  doubt(DoubtKind::kernel_type, RuleId::sync_13, true, true);
}

void Lowering::sync_all(const Instruction& in) {
  if (in.aiv_only && core_.kind == CoreKind::aic) return vector_sync_on_cube();
  add_barrier(Pipe::all);
  if (in_tail_or_head()) doubt(DoubtKind::full_core_order, RuleId::task_7, false, true);
  const std::int64_t turn = hard_calls_[in.aiv_only ? 1 : 0]++;
  bool made = false;
  const std::int32_t join =
      join_of({hard, place_, in.aiv_only ? 1 : 0, turn}, JoinKind::sync_all, made);
  if (made) {
    Join& entry = out_->joins[static_cast<std::size_t>(join)];
    entry.full_core = true;
    all_members(entry, !in.aiv_only, true);
  }
  if (made && weak_here(Weakening::sync_incomplete)) {
    out_->joins[static_cast<std::size_t>(join)].members.push_back(-1);
  }
  add_arrive(join, Pipe::all, Origin::program);
  const bool open = weak_here(Weakening::sync_at_once) || is_later_wait_open(place_) ||
                    (turn > 0 && weak_anywhere(Weakening::waits_keep));
  if (!open) add_pass(join, Origin::program);
  if (is_kept_from_cube(!in.aiv_only)) wait_in_vain(JoinKind::sync_all);
  if (core_.index == 0 && fed_[static_cast<std::size_t>(place_)] != 0) {
    fed_calls_[static_cast<std::size_t>(2 * place_ + static_cast<int>(core_.kind))].push_back(join);
  }
}

/// Beside a neighbour: after the own SetNextTaskStart or before the own WaitPreTaskEnd.
bool Lowering::in_tail_or_head() const {
  if (!in_->shape.fused) return false;
  const auto place = static_cast<std::size_t>(place_);
  if (place < out_->boundaries.size() && out_->boundaries[place].own_signal && signalled_) {
    return true;
  }
  return place > 0 && out_->boundaries[place - 1].own_wait && !waited_;
}

void Lowering::soft_sync_all(const Instruction& in) {
  if (core_.kind == CoreKind::aic) return;  // returns at once
  add_barrier(Pipe::all);
  // 3510 counts the blocks of the launch; beside cubes it is not told which slot a core has.
  if (in_->is_3510 && in_->shape.is_mix()) {
    doubt(DoubtKind::soft_workspace, RuleId::sync_9, true, true);
  }
  const std::int32_t blocks = in_->is_3510 ? in_->shape.blocks : blocks_here();
  const std::int32_t total =
      in.count > 0 ? in.count : blocks * (in.aiv_only ? 1 : in_->shape.ratio);
  const std::int64_t workspace = resolve(in.src, 1).first;
  const WordRange scratch = resolve(in.dst, static_cast<std::int32_t>(slot_words) * total);
  const std::int32_t round = ++soft_rounds_[{thread_, workspace}];
  const auto [known, first_use] = soft_total_.try_emplace(workspace, total);
  if (!first_use && known->second != total) {
    doubt(DoubtKind::soft_workspace, RuleId::sync_9, true, true);
  }
  bool made = false;
  const std::int32_t join = join_of({soft, workspace, round, total}, JoinKind::soft_sync, made);
  if (made) {
    Join& entry = out_->joins[static_cast<std::size_t>(join)];
    for (std::int32_t i = 0; i < total; ++i) {
      const bool there = i < in_->shape.aiv_count;
      entry.members.push_back(there ? in_->shape.aic_count + i : -1);
    }
  }
  const std::int64_t slot = workspace + slot_words * core_.index;
  if (in_->relaxed != nullptr &&
      (is_beyond(in.src, slot) || is_beyond(in.src, workspace + slot_words * (total - 1)))) {
    return;
  }
  add_mark(MarkKind::soft_sync);
  Step& mark = out_->threads[static_cast<std::size_t>(thread_)].steps.back();
  mark.value = static_cast<std::uint32_t>(round);
  read_words(mark, {Space::gm, slot, 1});
  read_words(mark, {Space::gm, workspace, static_cast<std::int32_t>(slot_words) * total});
  opaque_write(Pipe::mte2, scratch);
  Step& count = add(StepKind::data, Pipe::mte3);
  count.function = Function::fill;
  count.value = static_cast<std::uint32_t>(round);
  write_words(count, {Space::gm, slot, 1});
  keep_private({Space::gm, slot + 1, static_cast<std::int32_t>(slot_words) - 1});
  add_arrive(join, Pipe::mte3, Origin::program);
  add_pass(join, Origin::program);
}

/// The initial value of a GM word.
std::uint32_t Lowering::word_at_start(std::int64_t word) const {
  for (std::size_t r = 0; r < in_->mix.regions.size(); ++r) {
    const std::int64_t at = word - in_->layout.base[r];
    if (at >= 0 && at < in_->mix.regions[r].words) return in_->mix.regions[r].init.word(at);
  }
  return 0;
}

/// A slot is a place of capacity one: the n-th set is for the n-th wait, and waits for the one
/// before to be taken.
void Lowering::ib(const Instruction& in) {
  if (core_.kind == CoreKind::aic) return;  // returns at once
  const bool sets = in.op == Op::ib_set;
  add_barrier(Pipe::all);
  const std::int64_t blocks = std::int64_t{blocks_here()} * (in.aiv_only ? 1 : 2);
  const std::int64_t block = in.value.expr.eval(at_);
  const std::int64_t slot = resolve(in.src, 1).first + slot_words * (blocks * in.id + block);
  if (in_->relaxed != nullptr && is_beyond(in.src, slot)) return;
  const std::int64_t turn = ib_rounds_[{slot, sets ? 0 : 1}]++;
  const auto [owner, first] = ib_owner_.try_emplace({slot, sets ? 0 : 1}, thread_);
  const bool contended = !first && owner->second != thread_;
  if (contended || word_at_start(slot) != 0) {
    doubt(DoubtKind::ib_contended, RuleId::sync_5, true, true);
    doubts_.back().may_complete = true;
  }
  bool made = false;
  const auto place_of = [&](JoinFamily family, std::int64_t number) {
    const std::int32_t join = join_of({family, slot, number, 0}, JoinKind::ib, made);
    if (made) out_->joins[static_cast<std::size_t>(join)].members.assign(1, -1);
    return join;
  };
  opaque_write(Pipe::mte2, resolve(in.dst, static_cast<std::int32_t>(slot_words)));
  if (sets && turn > 0) add_pass(place_of(ib_empty, turn - 1), Origin::program);
  const std::int32_t mine = place_of(sets ? ib_full : ib_empty, turn);
  if (!sets) add_pass(place_of(ib_full, turn), Origin::program);
  Step& word = add(StepKind::data, Pipe::mte3);
  word.function = Function::fill;
  word.value = sets ? 1 : 0;
  write_words(word, {Space::gm, slot, 1});
  keep_private({Space::gm, slot + 1, static_cast<std::int32_t>(slot_words) - 1});
  out_->joins[static_cast<std::size_t>(mine)].members.assign(1, thread_);
  add_arrive(mine, Pipe::mte3, Origin::program);
  add_barrier(Pipe::all);
}

void Lowering::poll(const Instruction& in) {
  const WordRange word = resolve(in.src, 1);
  if (in.via == PollVia::get_value && refresh_.per_access) {
    refresh_for_read(in.src.index, word.first / line_words);
  }
  Step& step = add(StepKind::poll, Pipe::s);
  read_words(step, word);
  take_value(step, in.value);
  step.until = in.until;
  step.via = in.via;
  // A const GlobalTensor refreshes at each read by itself (CACHE-1).
  const bool is_const = in.via == PollVia::get_value && refresh_.per_access &&
                        sub(place_).tensors[static_cast<std::size_t>(in.src.index)].is_const;
  step.refresh_each_read = in.refresh || is_const;
  step.reg_out = in.reg;
  step.object = in.src.space == Space::tensor ? in.src.index : std::int16_t{-1};
  if (in.via != PollVia::data_copy) return;
  // Its copies of the block; the last one is over before the poll is.
  const HardEvent landed{Pipe::mte2, Pipe::s};
  opaque_write(Pipe::mte2, resolve(in.dst, static_cast<std::int32_t>(slot_words)));
  add(StepKind::set_event, Pipe::mte2).event = landed;
  out_->threads[static_cast<std::size_t>(thread_)].steps.back().id = poll_event_id;
  add(StepKind::wait_event, Pipe::s).event = landed;
  out_->threads[static_cast<std::size_t>(thread_)].steps.back().id = poll_event_id;
}

/// The service of the block's AIC answers each client apart (machine §4.8).
void Lowering::matmul(const Instruction& in) {
  const std::int32_t block = core_.index / in_->shape.ratio;
  const bool has_server = is_mix_kind(sub(place_).type) && block < in_->shape.aic_count;
  const bool second = sub(place_).type == KernelType::mix_aic_1_2 &&
                      !weak_here(Weakening::service_first);
  const bool served = has_server && (second || at_.sub == 0);
  bool made = false;
  const std::int32_t number = instruction_;
  const std::int64_t turn = out_->joins.size();  // a call is its own pair of joins
  const std::int32_t asked = join_of({call, thread_, turn, number}, JoinKind::matmul_call, made);
  out_->joins[static_cast<std::size_t>(asked)].members.assign(1, thread_);
  const std::int32_t answered = join_of({done, thread_, turn, number}, JoinKind::matmul_done, made);
  // MTE3 stores the request: what stands before it on that pipe has begun.
  add_arrive(asked, Pipe::mte3, Origin::program);
  out_->threads[static_cast<std::size_t>(thread_)].steps.back().in_turn_only = true;
  const std::int32_t client = thread_;
  if (served) {
    const auto [found, is_new] =
        service_.try_emplace({block, client}, static_cast<std::int32_t>(out_->threads.size()));
    if (is_new) out_->threads.push_back(Thread{{CoreKind::aic, block}, {}});
    out_->joins[static_cast<std::size_t>(answered)].members.assign(1, found->second);
    thread_ = found->second;
    add_pass(asked, Origin::program);
    Step& step = add(StepKind::data, Pipe::fix);
    step.function = Function::mmad;
    read(step, in.src, in.count);
    read(step, in.src_b, in.count);
    write(step, in.dst, in.count);
    add_arrive(answered, Pipe::fix, Origin::program);
    thread_ = client;
  } else {
    out_->joins[static_cast<std::size_t>(answered)].members.assign(1, -1);
  }
  add_pass(answered, Origin::program);
}

}  // namespace skcts::model
