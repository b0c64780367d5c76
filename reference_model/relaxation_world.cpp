// Weakenings of early-start calls, of called refreshes, of events, streams and scope marks, and of
// what the machine does for all of them.
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/relaxation_collector.h"

namespace skcts::model {

/// `relation`: of the boundary between them.
void Collector::own_calls(std::int32_t place, std::int32_t next, const BoundaryRelation& relation) {
  for (const CoreKind kind : both_kinds) {
    if (relation.own_signal && relation.from(kind)) {
      add(RuleId::task_2, Weakening::own_signal_lost, 1, place,
          fmt::format("own-signal-lost/{}/{}", name(place), upper(kind)),
          fmt::format("SetNextTaskStart in {} signalled nothing on {}", name(place), upper(kind)))
          .kind = kind;
    }
    if (relation.own_wait && relation.to(kind)) {
      add(RuleId::task_3, Weakening::own_wait_open, 1, place,
          fmt::format("own-wait-open/{}/{}", name(next), upper(kind)),
          fmt::format("WaitPreTaskEnd in {} waited for nothing on {}", name(next), upper(kind)))
          .kind = kind;
    }
  }
  if (relation.own_signal) {
    add(RuleId::task_1, Weakening::signalled_twice, 2, place,
        fmt::format("signalled-twice/{}", name(place)),
        fmt::format("cores that signal by themselves in {} were signalled for again behind it",
                    name(place)));
  }
}

/// A refresh is one, whoever asked for it: CACHE-1 says what it does.
void Collector::called_refreshes(std::int32_t place) {
  const SubKernel& one = sub(place);
  bool called = false;
  bool scalar = false;
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const SideFacts facts = facts_of(one, kind);
    called = called || facts.has(Op::dcci);
    scalar = scalar || !facts.read_objects.empty() || !facts.stored_objects.empty() ||
             facts.has(Op::raw_load) || facts.has(Op::raw_store) || facts.has(Op::assign);
  }
  if (called) {
    add(RuleId::cache_1, Weakening::refresh_called, 2, place,
        fmt::format("called-refresh/{}", one.name),
        fmt::format("DataCacheCleanAndInvalid in {} did nothing", one.name));
  }
  if (!scalar) return;
  add(RuleId::cache_1, Weakening::refresh_none, 2, place, fmt::format("no-refresh/{}", one.name),
      fmt::format("no refresh in {}, called or inserted, did anything", one.name));
  add(RuleId::cache_1, Weakening::refresh_loses, 1, place,
      fmt::format("refresh-loses/{}", one.name),
      fmt::format("a refresh dropped what {} had stored", one.name));
  add(RuleId::cache_1, Weakening::refresh_next_line, 2, place,
      fmt::format("next-line/{}", one.name),
      fmt::format("a refresh of a line in {} took the next one", one.name));
}

/// FUSE-5.
void Collector::events(std::int32_t place) {
  const SubKernel& one = sub(place);
  constexpr RuleId rule = RuleId::fuse_5;
  if (!one.recv.empty()) {
    add(rule, Weakening::event_open, 1, place, fmt::format("event-open/{}", one.name),
        fmt::format("the events that {} waits for kept nobody back", one.name));
    add(rule, Weakening::event_open, 1, place, fmt::format("event-one-core/{}", one.name),
        fmt::format("the events that {} waits for kept only its first core back", one.name))
        .amount = 1;
  }
  if (one.send.empty()) return;
  add(rule, Weakening::event_early, 1, place, fmt::format("event-early/{}", one.name),
      fmt::format("the events of {} were raised when it began", one.name));
  add(rule, Weakening::event_drain, 1, place, fmt::format("event-drain/{}", one.name),
      fmt::format("the events of {} were raised before its work was over", one.name));
  add(rule, Weakening::event_lost, 1, place, fmt::format("event-lost/{}", one.name),
      fmt::format("the events of {} were never raised", one.name));
}

void Collector::streams(const std::vector<std::int32_t>& list) {
  if (!has_two_streams(mix_, list)) return;
  for (const std::int32_t place : list) {
    add(is_captured(case_) ? RuleId::acl_3 : RuleId::task_1, Weakening::stream, 2, place,
        fmt::format("stream/{}", name(place)),
        fmt::format("{} did not wait for the sub kernel before it on its stream", name(place)));
  }
}

/// FUSE-2, or ACL-8.
void Collector::marks() {
  const bool marked = std::ranges::any_of(effective_plan(mix_, case_.plan).steps,
                                          [](auto& step) { return step.kind == StepKind::marked; });
  if (!marked) return;
  const RuleId rule = is_captured(case_) ? RuleId::acl_8 : RuleId::fuse_2;
  add(rule, Weakening::marks_ignored, 3, -1, "marks-ignored",
      "scope marks cut nothing: all that is listed were one SuperKernel");
  add(rule, Weakening::none_ignored, 3, -1, "none-ignored", "a mark None were not there");
  add(rule, Weakening::unmarked_ignored, 3, -1, "unmarked-ignored",
      "a sub kernel without a mark went with the one before it");
}

/// What all of a case leans on at once: the flags inside a block, counters, the Matmul service.
void Collector::machine() {
  bool flags = false;
  bool blocks = false;
  bool service = false;
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    const SubKernel& one = mix_.sub_kernels[k];
    flags = flags || skcts::model::calls(one, Op::cross_core_wait_flag);
    blocks = blocks || is_mix_kind(one.type);
    if (one.type == KernelType::mix_aic_1_2 && skcts::model::calls(one, Op::matmul)) service = true;
  }
  const bool many = mix_.sub_kernels.size() > 1;
  if (blocks && (flags || many)) {
    add(RuleId::sync_4, Weakening::cube_to_first, 3, -1, "cube-to-first",
        "what a cube signals inside its block reached AIV 0 alone");
    Relaxation& unjoined = add(RuleId::sync_4, Weakening::vectors_unjoined, 3, -1,
                               "vectors-unjoined", "a cube waited for AIV 0 of its block alone");
    unjoined.kind = CoreKind::aiv;
    unjoined.to = CoreKind::aic;
  }
  if (flags || many) {
    add(RuleId::sync_4, Weakening::waits_keep, 3, -1, "waits-keep",
        "a wait took nothing away, so that the next one of its kind kept nobody back");
  }
  if (service) {
    add(RuleId::fuse_1, Weakening::service_first, 2, -1, "service-first",
        "the Matmul service answered AIV 0 of a block alone");
  }
}

}  // namespace skcts::model
