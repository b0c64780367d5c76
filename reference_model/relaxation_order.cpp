// Weakenings of flags, boundaries, refreshes and in-core order.
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/relaxation_collector.h"

namespace skcts::model {

namespace {

void collect(const std::vector<Instruction>& program, CoreKind kind, SideFacts& facts) {
  for (const Instruction& in : program) {
    facts.ops.insert(in.op);
    if (in.op == Op::cross_core_set_flag) facts.raises.insert({in.id & 15, in.mode & 3});
    if (in.op == Op::cross_core_wait_flag) facts.waits.insert(in.id & 15);
    if (in.op == Op::set_flag && has_pipe(kind, in.event.source)) facts.events.insert(in.event);
    if (in.op == Op::pipe_barrier) facts.barriers.insert(in.pipe);
    const bool polls = in.op == Op::poll && in.via == PollVia::get_value;
    if ((in.op == Op::get_value || polls) && in.src.space == Space::tensor) {
      facts.read_objects.insert(in.src.index);
    }
    if (in.op == Op::assign && in.dst.space == Space::tensor) {
      facts.read_objects.insert(in.dst.index);
    }
    if (in.op == Op::set_value && in.dst.space == Space::tensor) {
      facts.stored_objects.insert(in.dst.index);
    }
    collect(in.body, kind, facts);
  }
}

/// Events that the queues of a side may use.
constexpr std::array vector_events = {
    HardEvent{Pipe::mte2, Pipe::v}, HardEvent{Pipe::v, Pipe::mte2}, HardEvent{Pipe::v, Pipe::mte3},
    HardEvent{Pipe::mte3, Pipe::v}};
constexpr std::array cube_events = {
    HardEvent{Pipe::mte2, Pipe::mte1}, HardEvent{Pipe::mte1, Pipe::mte2},
    HardEvent{Pipe::mte1, Pipe::m},    HardEvent{Pipe::m, Pipe::mte1},
    HardEvent{Pipe::m, Pipe::fix},     HardEvent{Pipe::fix, Pipe::m}};

}  // namespace

SideFacts facts_of(const SubKernel& sub, CoreKind kind) {
  SideFacts facts;
  collect(sub.program(kind), kind, facts);
  if (!facts.has(Op::init_buffer)) return facts;
  if (kind == CoreKind::aiv) facts.events.insert(vector_events.begin(), vector_events.end());
  if (kind == CoreKind::aic) facts.events.insert(cube_events.begin(), cube_events.end());
  return facts;
}

void Collector::flags(std::int32_t place) {
  const SubKernel& one = sub(place);
  std::set<std::pair<std::int32_t, std::int32_t>> raised;
  std::array<SideFacts, 2> sides;
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    SideFacts& facts = sides[static_cast<std::size_t>(kind)] = facts_of(one, kind);
    raised.insert(facts.raises.begin(), facts.raises.end());
  }
  // Modes 1 and 2 are SYNC-4's; mode 0 joins all cores of a kind. What a raise carries, and what a
  // counter keeps, is no matter of who joins (SYNC-10, machine §3).
  const auto rule_of = [&](Weakening what, std::int32_t id) {
    const bool joins = what == Weakening::raise_lost || what == Weakening::wait_at_once;
    return joins && raised.count({id, 0}) != 0 ? RuleId::core_4 : RuleId::sync_4;
  };
  for (const CoreKind kind : both_kinds) {
    const SideFacts& facts = sides[static_cast<std::size_t>(kind)];
    const auto weaken = [&](Weakening what, std::int32_t id, std::int32_t core, std::string name,
                            std::string as_if) {
      Relaxation& made =
          add(rule_of(what, id), what, 1, place,
              fmt::format("{}/{}/{}{}", name, one.name, upper(kind), id), std::move(as_if));
      made.kind = kind;
      made.id = id;
      made.amount = core;
    };
    std::set<std::int32_t> ids;
    for (const auto& [id, mode] : facts.raises) ids.insert(id);
    for (const std::int32_t id : ids) {
      weaken(
          Weakening::raise_early, id, -1, "raise-early",
          fmt::format("flag {} of {} {} overtook the work of its pipe", id, one.name, upper(kind)));
      for (const std::int32_t core : {0, one.blocks - 1}) {
        weaken(Weakening::raise_lost, id, core, fmt::format("raise-lost-{}", core),
               fmt::format("flag {} raised by {} {} {} never arrived", id, one.name, upper(kind),
                           core));
      }
      weaken(Weakening::raise_lost, id, -1, "raise-lost",
             fmt::format("flag {} raised by {} {} never arrived", id, one.name, upper(kind)));
      weaken(Weakening::raise_twice, id, -1, "raise-twice",
             fmt::format("flag {} raised by {} {} counted twice", id, one.name, upper(kind)));
    }
    for (const std::int32_t id : ids) {
      weaken(
          Weakening::raise_once, id, -1, "raise-once",
          fmt::format("of the raises of flag {} by {} {} one counted", id, one.name, upper(kind)));
    }
    for (const std::int32_t id : facts.waits) {
      weaken(Weakening::wait_keeps, id, -1, "wait-keeps",
             fmt::format("waiting for flag {} in {} {} did not take the raise away", id, one.name,
                         upper(kind)));
      weaken(
          Weakening::wait_at_once, id, -1, "wait-at-once",
          fmt::format("waiting for flag {} kept nobody back in {} {}", id, one.name, upper(kind)));
    }
  }
}

void Collector::boundary(std::int32_t place, std::int32_t next, const LaunchShape& shape) {
  const BoundaryRelation relation = boundary_relation(sub(place), sub(next), shape, options_);
  const bool calls_it = skcts::model::calls(sub(place), Op::set_next_task_start) ||
                        skcts::model::calls(sub(next), Op::wait_pre_task_end);
  const RuleId rule = is_captured(case_) && calls_it ? RuleId::acl_4
                      : relation.own_signal          ? RuleId::task_2
                      : relation.own_wait            ? RuleId::task_3
                                                     : RuleId::task_1;
  const std::string between =
      fmt::format("the boundary between {} and {}", name(place), name(next));
  const std::string pair = fmt::format("{}/{}", name(place), name(next));
  for (const CoreKind from : both_kinds) {
    if (!relation.from(from)) continue;
    add(rule, Weakening::drain, 1, place, fmt::format("drain/{}/{}", pair, upper(from)),
        fmt::format("{} did not wait for the pipes of {}", between, upper(from)))
        .kind = from;
    for (const CoreKind to : both_kinds) {
      if (!relation.to(to)) continue;
      Relaxation& made =
          add(rule, Weakening::edge, 1, place,
              fmt::format("edge/{}/{}>{}", pair, upper(from), upper(to)),
              fmt::format("{} did not order {} before {}", between, upper(from), upper(to)));
      made.kind = from;
      made.to = to;
    }
  }
  add(rule, Weakening::boundary, 2, place, fmt::format("boundary/{}", pair),
      fmt::format("{} ordered nothing", between))
      .amount = 1;
  add(rule, Weakening::boundary, 3, place, fmt::format("reach/{}", pair),
      fmt::format("{} and the one after it ordered nothing", between))
      .amount = 2;
  own_calls(place, next, relation);
  if (relation.own_wait || relation.own_signal) {
    // Own waits then lack the signals of all the others.
    add(RuleId::task_1, Weakening::not_inserted, 2, place, fmt::format("not-inserted/{}", pair),
        fmt::format("nothing was inserted between {} and {}", name(place), name(next)));
  }
  for (const CoreKind from : both_kinds) {
    if (!relation.from(from)) continue;
    add(rule, Weakening::not_signalled, 2, place,
        fmt::format("not-signalled/{}/{}", pair, upper(from)),
        fmt::format("{} lacked the signals of {}", between, upper(from)))
        .kind = from;
  }
  const auto caches = [&](CoreKind kind) {
    const SideFacts facts = facts_of(sub(place), kind);
    return !facts.stored_objects.empty() || facts.has(Op::dcci) ||
           sub(place).tiling == Tiling::offload;
  };
  if (caches(CoreKind::aic) || caches(CoreKind::aiv)) {
    // A composer that orders nothing is the likelier one than a machine without CACHE-1's landing.
    add(RuleId::cache_1, Weakening::landing, 2, place, fmt::format("landing/{}", pair),
        fmt::format("a refresh in {} need not have landed when {} starts", name(place),
                    name(next)));
  }
}

void Collector::refreshes(std::int32_t place) {
  const SubKernel& one = sub(place);
  const bool captured = is_captured(case_);
  const RefreshPlacement placement =
      captured ? captured_refresh(one, options_) : refresh_placement(one, options_, false);
  const bool offload = one.tiling == Tiling::offload;
  const auto rule = [&](RuleId of_ge) {
    if (captured) return RuleId::acl_5;
    return offload ? RuleId::cache_5 : of_ge;
  };
  if (placement.before) {
    add(rule(RuleId::cache_2), Weakening::refresh_before, 1, place,
        fmt::format("before/{}", one.name),
        fmt::format("the data cache was not refreshed before {}", one.name));
  }
  if (placement.after) {
    add(rule(RuleId::cache_3), Weakening::refresh_after, 1, place,
        fmt::format("after/{}", one.name),
        fmt::format("the data cache was not refreshed after {}", one.name));
  }
  if (!placement.per_access) return;
  std::set<std::int32_t> read;
  std::set<std::int32_t> stored;
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const SideFacts facts = facts_of(one, kind);
    read.insert(facts.read_objects.begin(), facts.read_objects.end());
    stored.insert(facts.stored_objects.begin(), facts.stored_objects.end());
  }
  const auto object = [&](Weakening what, std::int32_t number, std::string_view access) {
    const std::string& object_name = one.tensors[static_cast<std::size_t>(number)].name;
    add(RuleId::cache_1, what, 0, place, fmt::format("{}/{}/{}", access, one.name, object_name),
        fmt::format("{} of {} in {} refreshed nothing", access, object_name, one.name))
        .object = number;
  };
  for (const std::int32_t number : read) object(Weakening::refresh_on_read, number, "GetValue");
  for (const std::int32_t number : stored) object(Weakening::refresh_on_store, number, "SetValue");
  if (!read.empty()) {
    add(RuleId::cache_1, Weakening::refresh_on_read, 1, place, fmt::format("reads/{}", one.name),
        fmt::format("GetValue in {} refreshed nothing", one.name));
  }
  if (!stored.empty()) {
    add(RuleId::cache_1, Weakening::refresh_on_store, 1, place, fmt::format("stores/{}", one.name),
        fmt::format("SetValue in {} refreshed nothing", one.name));
  }
  if (!read.empty() && !stored.empty()) {
    add(RuleId::cache_1, Weakening::refresh_on_access, 1, place,
        fmt::format("accesses/{}", one.name),
        fmt::format("GetValue and SetValue in {} refreshed nothing", one.name));
  }
}

/// In-core order is the same fused or not: without it a sub kernel is wrong wherever it runs.
void Collector::in_core(std::int32_t place) {
  const SubKernel& one = sub(place);
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const SideFacts facts = facts_of(one, kind);
    for (const HardEvent event : facts.events) {
      Relaxation& made =
          add(RuleId::pipe_3, Weakening::event, 2, place,
              fmt::format("event/{}/{}/{}", one.name, upper(kind), skcts::to_string(event)),
              fmt::format("events {} in {} {} ordered nothing", skcts::to_string(event), one.name,
                          upper(kind)));
      made.kind = kind;
      made.event = event;
    }
    for (const Pipe pipe : facts.barriers) {
      Relaxation& made =
          add(RuleId::pipe_3, Weakening::pipe_barrier, 2, place,
              fmt::format("barrier/{}/{}/{}", one.name, upper(kind), skcts::to_string(pipe)),
              fmt::format("PipeBarrier<PIPE_{}> in {} {} ordered nothing", skcts::to_string(pipe),
                          one.name, upper(kind)));
      made.kind = kind;
      made.pipe = pipe;
    }
  }
}

void Collector::alone(std::int32_t place) {
  const SubKernel& one = sub(place);
  events(place);
  called_refreshes(place);
  bool has_pipe_object = false;
  bool stores = false;
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const SideFacts facts = facts_of(one, kind);
    has_pipe_object = has_pipe_object || facts.has(Op::tpipe_init);
    stores = stores || !facts.stored_objects.empty() || facts.has(Op::assign) ||
             facts.has(Op::raw_store);
  }
  if (has_pipe_object) {
    add(RuleId::pipe_1, Weakening::destroy_barrier, 0, place, fmt::format("destroy/{}", one.name),
        fmt::format("TPipe::Destroy in {}, launched alone, ended without PipeBarrier<PIPE_ALL>",
                    one.name));
  }
  if (stores) {
    add(RuleId::cache_6, Weakening::end_flush, 1, place, fmt::format("end-flush/{}", one.name),
        fmt::format("{}, launched alone, ended without refreshing the data cache", one.name));
  }
  in_core(place);
  flags(place);
}

}  // namespace skcts::model
