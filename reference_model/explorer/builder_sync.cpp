// Steps of one core: events, flags, barriers, services, queues.
#include <algorithm>
#include <array>

#include "reference_model/explorer/builder.h"
#include "spec/check.h"

namespace skcts::explorer {

namespace {

constexpr int hidden_register = register_count;  ///< A soft SyncAll keeps its round there.

/// The event of EnQue and the one of FreeTensor.
std::pair<HardEvent, HardEvent> queue_events(Position position) {
  const auto both = [](Pipe a, Pipe b) { return std::pair{HardEvent{a, b}, HardEvent{b, a}}; };
  switch (position) {
    case Position::vecin: return both(Pipe::mte2, Pipe::v);
    case Position::vecout: return both(Pipe::v, Pipe::mte3);
    case Position::veccalc: return both(Pipe::v, Pipe::v);
    case Position::a1:
    case Position::b1: return both(Pipe::mte2, Pipe::mte1);
    case Position::a2:
    case Position::b2: return both(Pipe::mte1, Pipe::m);
    case Position::co1: return both(Pipe::m, Pipe::fix);
  }
  return both(Pipe::v, Pipe::v);
}

}  // namespace

bool CoreBuilder::is_no_event(HardEvent event) const {
  const CoreKind kind = program_.core.kind;
  return !has_pipe(kind, event.source) || !has_pipe(kind, event.destination);
}

int CoreBuilder::event_place(HardEvent event, int id) {
  const auto [at, fresh] =
      event_places_.try_emplace({event, id}, static_cast<int>(program_.events.size()));
  if (fresh) {
    program_.events.push_back(fmt::format("{} {}", to_string(event), id));
    balance_.push_back(0);
    set_last_.push_back(false);
  }
  return at->second;
}

void CoreBuilder::set_event(HardEvent event, int id) {
  if (is_no_event(event)) return;
  if (event.source == event.destination) {  // V_V and FIX_FIX are barriers.
    if (event.source != Pipe::s) issue(entry(EntryKind::barrier, event.source));
    return;
  }
  const int place = event_place(event, id & 7);
  // Two sets with no wait issued between them are a double set (L-4).
  const bool doubled = set_last_[static_cast<std::size_t>(place)];
  set_last_[static_cast<std::size_t>(place)] = true;
  if (!doubled) ++balance_[static_cast<std::size_t>(place)];
  if (event.source == Pipe::s) {
    Step made = step(MicroKind::event_set);
    made.event = place;
    made.doubled = doubled;
    made.id = id & 7;
    return add(std::move(made));
  }
  Entry made = entry(EntryKind::event_set, event.source);
  made.event = place;
  made.id = id & 7;
  made.doubled = doubled;
  issue(std::move(made));
}

void CoreBuilder::wait_event(HardEvent event, int id) {
  if (is_no_event(event)) return;
  if (event.source == event.destination) {
    if (event.source == Pipe::fix) issue(entry(EntryKind::barrier, event.source));
    return;
  }
  const int place = event_place(event, id & 7);
  int& balance = balance_[static_cast<std::size_t>(place)];
  if (balance <= 0) program_.wait_first = true;
  --balance;
  set_last_[static_cast<std::size_t>(place)] = false;
  if (event.destination == Pipe::s) {
    Step made = step(MicroKind::event_wait);
    made.event = place;
    made.id = id & 7;
    made.wait = WaitKind::event_flag;
    return add(std::move(made));
  }
  Entry made = entry(EntryKind::event_wait, event.destination);
  made.event = place;
  made.id = id & 7;
  issue(std::move(made));
}

void CoreBuilder::synchronise(const Instruction& in) {
  if (in.op == Op::set_flag) return set_event(in.event, in.id);
  if (in.op == Op::wait_flag) return wait_event(in.event, in.id);
  if (in.pipe == Pipe::all) return pipe_all();
  if (in.pipe == Pipe::s || !has_pipe(program_.core.kind, in.pipe)) return;
  issue(entry(EntryKind::barrier, in.pipe));
}

void CoreBuilder::wait(int id, WaitKind kind, int sub_kernel, int place) {
  Step made = step(MicroKind::wait);
  made.id = id & 15;
  made.wait = kind;
  made.sub_kernel = sub_kernel;
  made.place = place;
  add(std::move(made));
}

void CoreBuilder::scalar_raise(int mode, int id) {
  Step made = step(MicroKind::raise);
  made.mode = mode;
  made.id = id;
  add(std::move(made));
}

void CoreBuilder::drain_border() {
  if (holds(latitude_pin(14, "drained"))) {
    pipe_all();
  } else if (settings_->may_drain && program_.wait_first) {
    add(step(MicroKind::may_drain));
  }
}

void CoreBuilder::boundary_raise(Pipe pipe, int id, int sub_kernel, int place) {
  drain_border();
  Entry made = entry(EntryKind::raise, pipe);
  made.mode = 0;
  made.id = id;
  made.landing = true;
  made.sub_kernel = sub_kernel;
  made.place = place;
  issue(std::move(made));
}

void CoreBuilder::boundary_list(const std::vector<std::pair<bool, int>>& list, int sub_kernel,
                                int place) {
  for (const auto& [waits, id] : list) {
    if (waits) {
      wait(id, WaitKind::full_core, sub_kernel, place);
    } else {
      Entry made = entry(EntryKind::raise, Pipe::mte3);
      made.mode = 2;
      made.id = id;
      made.sub_kernel = sub_kernel;
      made.place = place;
      issue(std::move(made));
    }
  }
}

void CoreBuilder::fail(RuleId rule, int sub_kernel, int place) {
  Step made = step(MicroKind::fail);
  made.rule = rule;
  made.sub_kernel = sub_kernel;
  made.place = place;
  add(std::move(made));
}

void CoreBuilder::cross_core(const Instruction& in) {
  const bool aic = program_.core.kind == CoreKind::aic;
  if (in.op == Op::set_next_task_start) {
    if (!run_->tells_next) return;
    const Pipe pipe = aic ? in.aic_pipe : in.pipe;
    boundary_raise(pipe, aic ? 11 : 14, run_->place, place_);
    for (const int event : run_->raises) event_raise(pipe, event, run_->place, place_);
    return;
  }
  if (in.op == Op::wait_pre_task_end) {
    return boundary_list(run_->wait_list, run_->place, place_);
  }
  if (run_->flags_off) {
    if (holds(latitude_pin(10, "error"))) return fail(RuleId::sync_13, run_->place, place_);
    if (holds(latitude_pin(10, "hang")) && in.op == Op::cross_core_wait_flag) {
      Step made = step(MicroKind::never);
      made.id = in.id & 15;
      add(std::move(made));
    }
    return;
  }
  if (in.op == Op::cross_core_wait_flag) {
    return wait(in.id, WaitKind::cross_core_flag, run_->place, place_);
  }
  Entry made = entry(EntryKind::raise, in.pipe);
  made.mode = in.mode & 3;
  made.id = in.id & 15;
  issue(std::move(made));
}

void CoreBuilder::publish() {
  ++records_;
  Step made = step(MicroKind::publish);
  made.number = records_;
  add(std::move(made));
}

void CoreBuilder::feed(int publisher, int record, int last, int sub_kernel) {
  Step made = step(MicroKind::feed);
  made.partner = publisher;
  made.number = record;
  made.last = record < last ? last : 0;
  made.sub_kernel = sub_kernel;
  made.wait = WaitKind::feed;
  add(std::move(made));
}

void CoreBuilder::fed_sync(bool aiv_only, int other, int sub_kernel) {
  const std::size_t first = program_.steps.size();
  sync_all(aiv_only, sub_kernel, -1);
  const std::size_t behind = program_.steps.size();
  if (other == 0) return;
  sync_all(!aiv_only, sub_kernel, -1);
  program_.steps[first - 1].other = other;
  program_.steps[first - 1].skip = static_cast<int>(behind - first);
  program_.steps[behind - 1].skip = static_cast<int>(program_.steps.size() - behind);
}

void CoreBuilder::serve(int clients, int sub_kernel) {
  Step made = step(MicroKind::serve);
  made.number = clients;
  made.sub_kernel = sub_kernel;
  made.wait = WaitKind::matmul;
  add(std::move(made));
}

void CoreBuilder::hard_sync(const Instruction& in) {
  const bool aic = program_.core.kind == CoreKind::aic;
  if (aic && in.aiv_only) {
    if (holds(latitude_pin(12, "error"))) return fail(RuleId::sync_8, run_->place, place_);
    if (holds(latitude_pin(12, "no-effect"))) return;
  }
  if (run_->flags_off) {
    if (holds(latitude_pin(10, "error"))) return fail(RuleId::sync_13, run_->place, place_);
    pipe_all();
    if (holds(latitude_pin(10, "hang"))) {
      Step made = step(MicroKind::never);
      made.wait = WaitKind::full_core;
      made.id = aic ? 12 : 14;
      add(std::move(made));
    }
    return;
  }
  if (run_->publishes && (!aic || !in.aiv_only)) publish();
  sync_all(in.aiv_only, run_->place, place_);
}

void CoreBuilder::sync_all(bool aiv_only, int sub_kernel, int place) {
  pipe_all();
  if (aiv_only) {
    scalar_raise(0, 14);
    wait(14, WaitKind::full_core, sub_kernel, place);
  } else if (program_.core.kind == CoreKind::aiv) {
    scalar_raise(2, 12);
    wait(13, WaitKind::full_core, sub_kernel, place);
  } else {
    wait(12, WaitKind::full_core, sub_kernel, place);
    scalar_raise(0, 11);
    wait(11, WaitKind::full_core, sub_kernel, place);
    scalar_raise(2, 13);
  }
}

void CoreBuilder::soft_sync(const Instruction& in) {
  if (program_.core.kind == CoreKind::aic) return;
  pipe_all();
  const int index = run_->fused || !in.aiv_only ? now_.core : now_.block;
  const int named = in.aiv_only ? run_->kernel->blocks : run_->task_ratio * run_->kernel->blocks;
  const int total = in.count > 0 ? in.count : named;
  Step enter = step(MicroKind::soft_enter);
  enter.address = address(in.src, 8 * std::int64_t{index});
  enter.reg = hidden_register;
  for (int c = 0; c < total; ++c) enter.slots.push_back(address(in.src, 8 * std::int64_t{c}));
  enter.scratch = words(in.dst, 8 * std::int64_t{total});
  add(enter);
  Entry store = entry(EntryKind::data, Pipe::mte3);  // Nobody waits for it but through the sum.
  store.value = Source{1, hidden_register};
  store.own_slot = true;
  store.pieces = cut(Calculation::fill, {enter.address}, {}, {});
  issue(std::move(store));
  Step until = step(MicroKind::soft_poll);
  until.wait = WaitKind::soft_sync;
  until.number = total;
  until.reg = hidden_register;
  until.address = enter.address;
  until.slots = enter.slots;
  add(std::move(until));
}

void CoreBuilder::ib(const Instruction& in) {
  if (program_.core.kind == CoreKind::aic) return;
  pipe_all();
  const bool sets = in.op == Op::ib_set;
  const std::int64_t blocks = std::int64_t{run_->kernel->blocks} * (in.aiv_only ? 1 : 2);
  const std::int64_t slot = blocks * in.id + in.value.expr.eval(now_);
  Step until = step(MicroKind::poll);
  until.wait = WaitKind::ib;
  until.id = in.id;
  until.address = address(in.src, 8 * slot);
  until.value = Source{sets ? 0U : 1U, -1};
  until.scratch = words(in.dst, 8);
  Step store = step(MicroKind::store_direct);
  store.address = until.address;
  store.value = Source{sets ? 1U : 0U, -1};
  add(std::move(until));
  add(std::move(store));
}

void CoreBuilder::matmul(const Instruction& in) {
  Entry made = entry(EntryKind::request, Pipe::mte3);
  made.server = run_->server;
  if (made.server >= 0) {
    made.pieces = cut(Calculation::mmad, words(in.dst, in.count), words(in.src, in.count),
                      words(in.src_b, in.count));
  }
  Step until = step(MicroKind::served);
  until.entry = static_cast<int>(program_.entries.size());
  until.wait = WaitKind::matmul;
  issue(std::move(made));
  add(std::move(until));
}

int CoreBuilder::take_id(HardEvent event) {
  unsigned& mask = taken_[event];
  for (int id = 0; id < 8; ++id) {
    if ((mask >> id & 1U) == 0) {
      mask |= 1U << id;
      return id;
    }
  }
  return 0;
}

void CoreBuilder::release_id(HardEvent event, int id) {
  taken_[event] &= ~(1U << id);
}

void CoreBuilder::destroy(std::int16_t tpipe) {
  for (auto& [name, queue] : queues_) {
    if (queue.tpipe != tpipe) continue;
    const HardEvent event = queue_events(queue.position).second;
    for (int& pending : queue.free_event) {
      if (pending < 0) continue;
      wait_event(event, pending);
      release_id(event, pending);
      pending = -1;
    }
  }
  if (program_.core.kind == CoreKind::aic) {
    for (int id = 0; id < 3; ++id) wait_event({Pipe::m, Pipe::mte1}, id);
  }
  if (!run_->fused) pipe_all();
  tpipes_[tpipe].destroyed = true;
}

void CoreBuilder::resource(const Instruction& in) {
  switch (in.op) {
    case Op::tpipe_init:
      tpipes_[in.object] = TPipe{true, false};
      allocated_.clear();
      taken_.clear();
      if (program_.core.kind == CoreKind::aic) {
        for (int id = 0; id < 3; ++id) set_event({Pipe::m, Pipe::mte1}, id);
        taken_[{Pipe::m, Pipe::mte1}] = 7;
      }
      return;
    case Op::init_buffer: {
      Queue queue;
      queue.memory = memory_of(in.position);
      queue.position = in.position;
      queue.tpipe = in.other;
      queue.buffer_words = (std::int64_t{in.count} + 7) / 8 * 8;
      queue.base = allocated_[queue.memory];
      allocated_[queue.memory] += queue.buffer_words * in.num;
      queue.free_event.assign(static_cast<std::size_t>(in.num), -1);
      queue.out.assign(static_cast<std::size_t>(in.num), false);
      queues_[in.object] = std::move(queue);
      return;
    }
    case Op::tpipe_destroy: return destroy(in.object);
    case Op::tpipe_end:
      if (!tpipes_[in.object].destroyed) destroy(in.object);
      tpipes_[in.object].live = false;
      return;
    default: return queue_call(in);
  }
}

void CoreBuilder::queue_call(const Instruction& in) {
  Queue& queue = queues_.at(in.object);
  const auto [full, free] = queue_events(queue.position);
  const auto give = [&](std::size_t buffer) {
    locals_[in.other] = Local{
        queue.memory, queue.base + static_cast<std::int64_t>(buffer) * queue.buffer_words, buffer};
  };
  switch (in.op) {
    case Op::tbuf_get: return give(0);
    case Op::alloc_tensor: {
      const std::size_t buffer = queue.next;
      queue.next = (queue.next + 1) % queue.out.size();
      queue.out[buffer] = true;
      int& pending = queue.free_event[buffer];
      if (pending >= 0) {
        wait_event(free, pending);
        release_id(free, pending);
        pending = -1;
      }
      return give(buffer);
    }
    case Op::enque: {
      const int id = take_id(full);
      set_event(full, id);
      queue.queued.emplace_back(locals_.at(in.other).buffer, id);
      return;
    }
    case Op::deque: {
      SKCTS_CHECK(!queue.queued.empty(), "DeQue of an empty queue in a valid case");
      const auto [buffer, id] = queue.queued.front();
      queue.queued.pop_front();
      wait_event(full, id);
      release_id(full, id);
      return give(buffer);
    }
    default: {
      const std::size_t buffer = locals_.at(in.other).buffer;
      const int id = take_id(free);
      set_event(free, id);
      queue.free_event[buffer] = id;
      queue.out[buffer] = false;
      return;
    }
  }
}

}  // namespace skcts::explorer
