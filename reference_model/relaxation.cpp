// Which weakenings a mix offers: one small function a chapter.
#include "reference_model/relaxation.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "reference_model/contract.h"
#include "spec/options.h"
#include "spec/profile.h"

namespace skcts::model {
namespace {

constexpr std::array both_kinds = {CoreKind::aic, CoreKind::aiv};

std::string_view upper(CoreKind kind) {
  return kind == CoreKind::aic ? "AIC" : "AIV";
}

/// What one side of a sub kernel's program holds, as far as weakenings look.
struct SideFacts {
  std::set<Op> ops;
  std::set<std::pair<std::int32_t, std::int32_t>> raises;  ///< Id, mode.
  std::set<std::int32_t> waits;
  std::set<HardEvent> events;
  std::set<Pipe> barriers;
  std::set<std::int32_t> read_objects, stored_objects;
  bool has(Op op) const { return ops.count(op) != 0; }
};

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

SideFacts facts_of(const SubKernel& sub, CoreKind kind) {
  SideFacts facts;
  collect(sub.program(kind), kind, facts);
  if (!facts.has(Op::init_buffer)) return facts;
  if (kind == CoreKind::aiv) facts.events.insert(vector_events.begin(), vector_events.end());
  if (kind == CoreKind::aic) facts.events.insert(cube_events.begin(), cube_events.end());
  return facts;
}

class Collector {
 public:
  explicit Collector(const Case& test_case)
      : case_(test_case), mix_(test_case.mix), parsed_(parse_options(test_case.mix.options)) {
    if (parsed_.options) options_ = *parsed_.options;
  }

  std::vector<Relaxation> run();

 private:
  Relaxation& add(RuleId rule, Weakening what, int size, std::int32_t place, std::string name,
                  std::string as_if);
  void fused(const std::vector<std::int32_t>& list);
  void launch(const LaunchShape& shape, const ShapeOrRefusal& made);
  void guards(std::int32_t place, const LaunchShape& shape);
  void ratio(std::int32_t place, const LaunchShape& shape);
  void calls(const std::vector<std::int32_t>& list, std::size_t at);
  void block_number(std::int32_t place, const LaunchShape& shape);
  void full_core(std::int32_t place, const LaunchShape& shape);
  void flags(std::int32_t place);
  void boundary(std::int32_t place, std::int32_t next, const LaunchShape& shape);
  void refreshes(std::int32_t place);
  void in_core(std::int32_t place);
  void alone(std::int32_t place);
  void options();
  void whole_case(std::size_t launches);
  bool leaves_flags() const;
  void inserted_by_contract();
  void everywhere();

  const SubKernel& sub(std::int32_t place) const {
    return mix_.sub_kernels[static_cast<std::size_t>(place)];
  }
  const std::string& name(std::int32_t place) const { return sub(place).name; }

  const Case& case_;
  const Mix& mix_;
  OptionParse parsed_;
  Options options_;
  std::vector<Relaxation> found_;
};

/// `as_if` goes on from "The target behaves as if ".
Relaxation& Collector::add(RuleId rule, Weakening what, int size, std::int32_t place,
                           std::string name, std::string as_if) {
  Relaxation& made = found_.emplace_back();
  made.rule = rule;
  made.weakening = what;
  made.size = size;
  made.sub_kernel = place;
  made.name = std::move(name);
  made.sentence = fmt::format("The target behaves as if {} [{}].", as_if, skcts::to_string(rule));
  return made;
}

void Collector::launch(const LaunchShape& shape, const ShapeOrRefusal& made) {
  const bool asked = options_.debug_aic_num != 0 || options_.debug_aiv_num != 0;
  if (made.refusal) {
    add(made.refusal->rule, Weakening::refusal_missing, 4, -1, "refusal-missing",
        "a launch that must be refused may be made");
    return;
  }
  // Numbers that ask for what the sub kernels need anyway are not what is at fault.
  const bool sets = asked && !(natural_shape(mix_, shape.sub_kernels) == shape);
  const RuleId rule = sets ? RuleId::core_6 : RuleId::core_1;
  std::set<std::int32_t> amounts = {1};
  if (shape.blocks > 1) amounts.insert(-1);
  std::int32_t aic = 0;
  std::int32_t aiv = 0;
  bool one_to_two = false;
  for (const std::int32_t place : shape.sub_kernels) {
    const SubKernel& one = sub(place);
    amounts.insert(one.blocks - shape.blocks);
    aic = std::max(aic, aic_cores(one.type, one.blocks));
    aiv = std::max(aiv, aiv_cores(one.type, one.blocks));
    one_to_two = one_to_two || one.type == KernelType::mix_aic_1_2;
  }
  amounts.erase(0);
  for (const std::int32_t amount : amounts) {
    add(rule, Weakening::launch_blocks, 3, -1, fmt::format("launch{:+}", amount),
        fmt::format("the launch had {} blocks instead of {}", shape.blocks + amount, shape.blocks))
        .amount = amount;
  }
  for (const KernelType type : {KernelType::mix_aiv_1_0, KernelType::mix_aic_1_0,
                                KernelType::mix_aic_1_1, KernelType::mix_aic_1_2}) {
    if (type == shape.type || (is_mix_kind(shape.type) && !is_mix_kind(type))) continue;
    const bool halves = one_to_two && type == KernelType::mix_aic_1_1 && aiv <= aic;
    add(halves ? RuleId::core_7 : rule, Weakening::launch_type, 3, -1,
        fmt::format("launch/{}", skcts::to_string(type)),
        fmt::format("the launch were {} instead of {}", skcts::to_string(type),
                    skcts::to_string(shape.type)))
        .type = type;
  }
  if (sets) {
    add(RuleId::core_6, Weakening::numbers_ignored, 3, -1, "numbers-ignored",
        "debug-aic-num and debug-aiv-num were not given");
  }
}

void Collector::guards(std::int32_t place, const LaunchShape& shape) {
  const SubKernel& one = sub(place);
  const auto guard = [&](std::optional<CoreKind> kind, std::int32_t amount, bool by_block) {
    const std::string side = kind ? fmt::format(" {}", upper(*kind)) : "";
    const std::string_view unit = by_block ? "block" : "core";
    const std::string tag =
        kind ? fmt::format("/{}", *kind == CoreKind::aic ? "aic" : "aiv") : std::string();
    Relaxation& made =
        add(RuleId::core_2, Weakening::guard, 2, place,
            fmt::format("guard/{}{}{:+}{}", one.name, tag, amount, by_block ? "b" : ""),
            fmt::format("{} ran on one{} {} {} than its own", one.name, side, unit,
                        amount > 0 ? "more" : "fewer"));
    made.kind = kind;
    made.amount = amount;
    if (!by_block) made.object = 0;
  };
  const bool pairs = is_mix_kind(one.type) && shape.ratio == 2;
  bool room = false;
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const std::int32_t there = kind == CoreKind::aic ? shape.aic_count : shape.aiv_count;
    const std::int32_t own = running_cores(one, shape, kind);
    guard(kind, -1, false);
    if (pairs && kind == CoreKind::aiv) guard(kind, -1, true);
    if (own > 1) {
      Relaxation& made = add(RuleId::core_2, Weakening::core_left_out, 2, place,
                             fmt::format("core-0-left-out/{}/{}", one.name, upper(kind)),
                             fmt::format("{} did not run on {} 0", one.name, upper(kind)));
      made.kind = kind;
    }
    if (own >= there) continue;
    room = true;
    guard(kind, 1, false);
    if (pairs && kind == CoreKind::aiv) guard(kind, 1, true);
    add(RuleId::core_2, Weakening::guard_missing, 2, place,
        fmt::format("guard-missing/{}/{}", one.name, upper(kind)),
        fmt::format("{} ran on every {} of the launch", one.name, upper(kind)))
        .kind = kind;
  }
  if (is_mix_kind(one.type)) {
    guard(std::nullopt, -1, true);
    if (pairs) guard(std::nullopt, -1, false);
    if (room) {
      guard(std::nullopt, 1, true);
      if (pairs) guard(std::nullopt, 1, false);
      add(RuleId::core_2, Weakening::guard_missing, 2, place,
          fmt::format("guard-missing/{}", one.name),
          fmt::format("{} ran on every core of the launch", one.name));
    }
    if (shape.ratio == 2) {
      const bool equal = one.type == KernelType::mix_aic_1_1;
      add(equal ? RuleId::ratio_1 : RuleId::core_2, Weakening::guard_linear, 2, place,
          fmt::format("guard-linear/{}", one.name),
          fmt::format("{} ran on AIV 0-{} instead of both AIVs of each block", one.name,
                      one.blocks - 1));
    }
  }
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    add(RuleId::core_2, Weakening::index_shifted, 2, place,
        fmt::format("index+1/{}/{}", one.name, upper(kind)),
        fmt::format("GetBlockIdx in {} counted from 1 on {}", one.name, upper(kind)))
        .kind = kind;
  }
}

void Collector::ratio(std::int32_t place, const LaunchShape& shape) {
  if (sub(place).type != KernelType::mix_aic_1_1 || shape.ratio != 2) return;
  for (const std::int32_t left_out : {1, 0}) {
    add(RuleId::ratio_1, Weakening::sub_core_left_out, 1, place,
        fmt::format("aiv{}-left-out/{}", left_out, name(place)),
        fmt::format("{}, MIX 1:1 in a 1:2 launch, did not run on AIV {} of its blocks", name(place),
                    left_out))
        .amount = left_out;
  }
  add(RuleId::ratio_1, Weakening::ratio_of_own, 2, place, fmt::format("own-ratio/{}", name(place)),
      fmt::format("{} saw in a 1:2 launch the indices of a 1:1 launch", name(place)));
}

void Collector::calls(const std::vector<std::int32_t>& list, std::size_t at) {
  const std::int32_t place = list[at];
  add(RuleId::fuse_1, Weakening::skipped, 2, place, fmt::format("skipped/{}", name(place)),
      fmt::format("{} was not run", name(place)));
  add(RuleId::fuse_1, Weakening::run_twice, 2, place, fmt::format("twice/{}", name(place)),
      fmt::format("{} was run twice", name(place)));
  if (at + 1 < list.size()) {
    add(RuleId::task_1, Weakening::swapped, 2, place,
        fmt::format("swapped/{}/{}", name(place), name(list[at + 1])),
        fmt::format("{} was called before {}", name(list[at + 1]), name(place)));
  }
}

void Collector::block_number(std::int32_t place, const LaunchShape& shape) {
  const SubKernel& one = sub(place);
  const bool asks = skcts::model::calls(one, Op::get_block_num);
  std::set<std::int32_t> kinds_of_number;
  if (one.blocks != shape.blocks) kinds_of_number.insert(0);
  if (shape.aiv_count != shape.blocks && runs_on(one.type, CoreKind::aiv) &&
      one.blocks != shape.aiv_count) {
    kinds_of_number.insert(1);
  }
  for (const std::int32_t number : kinds_of_number) {
    if (asks) {
      add(RuleId::core_3, Weakening::block_num_told, 0, place,
          fmt::format("block-num{}/{}", number == 0 ? "" : "-aiv", one.name),
          fmt::format("GetBlockNum in {} told the {} of the launch", one.name,
                      number == 0 ? "blocks" : "vector cores"))
          .amount = number;
    }
    for (const bool counts_cores : {true, false}) {
      Relaxation& made = add(RuleId::core_3, Weakening::block_num_used, 1, place,
                             fmt::format("block-num-used{}{}/{}", number == 0 ? "" : "-aiv",
                                         counts_cores ? "" : "-blocks", one.name),
                             fmt::format("{} worked by the block number of the launch", one.name));
      made.amount = number;
      if (!counts_cores) made.to = CoreKind::aiv;
    }
  }
}

void Collector::full_core(std::int32_t place, const LaunchShape& shape) {
  const SubKernel& one = sub(place);
  if (!has_sync_all(one)) return;
  if (!is_fed(one, shape, options_)) {
    // Under feed-sync-all nothing may change for it either.
    const RuleId rule = options_.feed_sync_all ? RuleId::sync_2 : RuleId::core_4;
    add(rule, Weakening::sync_incomplete, 1, place, fmt::format("sync-incomplete/{}", one.name),
        fmt::format("SyncAll in {} lacked a member", one.name));
    add(rule, Weakening::sync_at_once, 1, place, fmt::format("sync-at-once/{}", one.name),
        fmt::format("SyncAll in {} kept nobody back", one.name));
    return;
  }
  add(RuleId::sync_1, Weakening::feed_call_missing, 0, place,
      fmt::format("feed-call-missing/{}", one.name),
      fmt::format("the idle cores took part in one SyncAll call of {} fewer", one.name));
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const std::int32_t there = kind == CoreKind::aic ? shape.aic_count : shape.aiv_count;
    if (running_cores(one, shape, kind) >= there) continue;
    add(RuleId::sync_1, Weakening::feed_core_missing, 0, place,
        fmt::format("feed-core-missing/{}/{}", one.name, upper(kind)),
        fmt::format("{} {} took no part in the SyncAll calls of {}", upper(kind), there - 1,
                    one.name))
        .kind = kind;
    if (!is_mix_kind(one.type)) continue;
    add(RuleId::sync_1, Weakening::feed_missing, 1, place,
        fmt::format("feed-missing/{}/{}", one.name, upper(kind)),
        fmt::format("no idle {} took part in the SyncAll calls of {}", upper(kind), one.name))
        .kind = kind;
  }
  add(RuleId::sync_1, Weakening::feed_missing, 1, place, fmt::format("feed-missing/{}", one.name),
      fmt::format("the idle cores took no part in the SyncAll calls of {}", one.name));
  add(RuleId::sync_1, Weakening::sync_at_once, 1, place, fmt::format("sync-at-once/{}", one.name),
      fmt::format("SyncAll in {}, which is fed, kept nobody back", one.name));
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
  // Modes 1 and 2 are SYNC-4's; mode 0 joins all cores of a kind.
  const auto rule_of = [&](std::int32_t id) {
    return raised.count({id, 0}) != 0 ? RuleId::core_4 : RuleId::sync_4;
  };
  for (const CoreKind kind : both_kinds) {
    const SideFacts& facts = sides[static_cast<std::size_t>(kind)];
    const auto weaken = [&](Weakening what, std::int32_t id, std::int32_t core, std::string name,
                            std::string as_if) {
      Relaxation& made =
          add(rule_of(id), what, 1, place,
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
  const RuleId rule = relation.own_signal ? RuleId::task_2
                      : relation.own_wait ? RuleId::task_3
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
  const RefreshPlacement placement = refresh_placement(one, options_, false);
  const bool offload = one.tiling == Tiling::offload;
  if (placement.before) {
    add(offload ? RuleId::cache_5 : RuleId::cache_2, Weakening::refresh_before, 1, place,
        fmt::format("before/{}", one.name),
        fmt::format("the data cache was not refreshed before {}", one.name));
  }
  if (placement.after) {
    add(offload ? RuleId::cache_5 : RuleId::cache_3, Weakening::refresh_after, 1, place,
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

void Collector::options() {
  static const std::array<std::pair<std::string_view, RuleId>, 7> with_effect = {{
      {"feed-sync-all", RuleId::sync_1},
      {"dcci-before-kernel-start", RuleId::cache_2},
      {"dcci-after-kernel-end", RuleId::cache_3},
      {"dcci-disable-on-kernel", RuleId::fuse_2},
      {"early-start", RuleId::fuse_2},
      {"debug-sync-all", RuleId::fuse_2},
      {"debug-dcci-all", RuleId::fuse_2},
  }};
  if (!parsed_.options) {
    add(RuleId::fuse_3, Weakening::option_accepted, 4, -1, "option-accepted",
        fmt::format("the option string were good: {}", parsed_.refusal->message));
    return;
  }
  for (const OptionItem& item : split_option_items(mix_.options)) {
    for (const auto& [key, rule] : with_effect) {
      if (item.key != key) continue;
      add(rule, Weakening::option_ignored, 3, -1, fmt::format("ignored/{}", key),
          fmt::format("{} were not given", item.text))
          .option = key;
    }
  }
}

void Collector::whole_case(std::size_t launches) {
  const bool asked = options_.debug_aic_num != 0 || options_.debug_aiv_num != 0;
  add(asked ? RuleId::core_6 : RuleId::fuse_3, Weakening::refused, 4, -1, "refused",
      "a case that keeps the rules may be refused");
  add(RuleId::fuse_1, Weakening::failed, 4, -1, "failed",
      "a case that keeps the rules may end with an error");
  if (launches > 1) {
    add(RuleId::fuse_4, Weakening::residue, leaves_flags() ? 0 : 3, -1, "residue",
        "flags that one launch leaves raised reached the next");
  }
}

/// Is there a launch with a raise of an id that it never waits for?
bool Collector::leaves_flags() const {
  return std::ranges::any_of(effective_plan(mix_, case_.plan).steps, [this](const PlanStep& step) {
    std::set<std::int32_t> raised;
    std::set<std::int32_t> waited;
    for (const std::int32_t place : step.sub_kernels) {
      for (const CoreKind kind : both_kinds) {
        const SideFacts facts = facts_of(sub(place), kind);
        for (const auto& [id, mode] : facts.raises) raised.insert(id);
        waited.insert(facts.waits.begin(), facts.waits.end());
      }
    }
    return !std::ranges::includes(waited, raised);
  });
}

/// Who runs a sub kernel and who is idle beside it may be decided at two places.
void Collector::inserted_by_contract() {
  std::vector<Relaxation> more;
  for (const Relaxation& one : found_) {
    switch (one.weakening) {
      case Weakening::guard:
      case Weakening::guard_missing:
      case Weakening::guard_linear:
      case Weakening::sub_core_left_out:
      case Weakening::core_left_out:
      case Weakening::skipped: break;
      default: continue;
    }
    const SubKernel& owner = sub(one.sub_kernel);
    if (!has_sync_all(owner) && !skcts::model::calls(owner, Op::set_next_task_start) &&
        !skcts::model::calls(owner, Op::wait_pre_task_end)) {
      continue;
    }
    more.push_back(one);
    more.back().by_contract = true;
    more.back().name += "/idle-by-contract";
  }
  found_.insert(found_.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// The same weakening of every sub kernel at once.
void Collector::everywhere() {
  std::vector<Relaxation> all;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Relaxation& one = found_[i];
    if (one.sub_kernel < 0) continue;
    if (one.object >= 0 && one.weakening != Weakening::guard) continue;
    if (one.weakening == Weakening::swapped || one.weakening == Weakening::run_twice) continue;
    Relaxation same = one;
    same.sub_kernel = -1;
    same.size = 3;
    same.name.clear();
    same.sentence.clear();
    const auto alike = [&](const Relaxation& other) {
      Relaxation bare = other;
      bare.sub_kernel = -1;
      bare.size = 3;
      bare.name.clear();
      bare.sentence.clear();
      return bare == same;
    };
    if (std::find_if(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(i), alike) !=
        found_.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    if (std::count_if(found_.begin(), found_.end(), alike) < 2) continue;
    same.name = one.name + "/everywhere";
    same.sentence = one.sentence;
    const std::string tail = fmt::format(" [{}].", skcts::to_string(one.rule));
    same.sentence.insert(same.sentence.size() - tail.size(), ", and likewise everywhere");
    all.push_back(std::move(same));
  }
  found_.insert(found_.end(), std::make_move_iterator(all.begin()),
                std::make_move_iterator(all.end()));
}

void Collector::fused(const std::vector<std::int32_t>& list) {
  if (!parsed_.options) return;
  const Profile* profile = find_profile(case_.profile);
  if (profile == nullptr || list.empty()) return;
  const ShapeOrRefusal made = fused_shape(mix_, list, options_, *profile);
  launch(made.shape, made);
  if (made.refusal) return;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::int32_t place = list[k];
    guards(place, made.shape);
    ratio(place, made.shape);
    calls(list, k);
    block_number(place, made.shape);
    full_core(place, made.shape);
    flags(place);
    if (k + 1 < list.size()) boundary(place, list[k + 1], made.shape);
    refreshes(place);
    in_core(place);
  }
}

std::vector<Relaxation> Collector::run() {
  std::size_t launches = 0;
  for (const PlanStep& step : effective_plan(mix_, case_.plan).steps) {
    if (step.kind == StepKind::fused) {
      ++launches;
      fused(step.sub_kernels);
    } else if (step.kind == StepKind::alone) {
      launches += step.sub_kernels.size();
      for (const std::int32_t place : step.sub_kernels) alone(place);
    }
  }
  // A plan may launch one sub kernel several times.
  std::vector<Relaxation> unique;
  for (Relaxation& one : found_) {
    if (std::find(unique.begin(), unique.end(), one) == unique.end()) {
      unique.push_back(std::move(one));
    }
  }
  found_ = std::move(unique);
  inserted_by_contract();
  everywhere();
  options();
  whole_case(launches);
  std::stable_sort(found_.begin(), found_.end(), [](const Relaxation& a, const Relaxation& b) {
    return std::pair(a.size, a.rule) < std::pair(b.size, b.rule);
  });
  return std::move(found_);
}

}  // namespace

std::vector<Relaxation> relaxations_of(const Case& test_case) {
  return Collector(test_case).run();
}

std::span<const RuleId> relaxable_rules() {
  static constexpr std::array rules = {
      RuleId::core_1,  RuleId::core_2,  RuleId::core_3,  RuleId::core_4,  RuleId::core_6,
      RuleId::core_7,  RuleId::core_8,  RuleId::sync_1,  RuleId::sync_2,  RuleId::sync_4,
      RuleId::ratio_1, RuleId::cache_1, RuleId::cache_2, RuleId::cache_3, RuleId::cache_5,
      RuleId::cache_6, RuleId::pipe_1,  RuleId::pipe_3,  RuleId::task_1,  RuleId::task_2,
      RuleId::task_3,  RuleId::fuse_1,  RuleId::fuse_2,  RuleId::fuse_3,  RuleId::fuse_4};
  return rules;
}

}  // namespace skcts::model
