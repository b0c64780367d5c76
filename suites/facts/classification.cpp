// The rules by which facts are sorted, and the list of exceptions.
#include "suites/facts/classification.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace skcts::facts {
namespace {

constexpr std::pair<Reason, std::string_view> reason_names[] = {
    {Reason::none, "everything checked"},
    {Reason::compiled_apart, "no composition: sub kernels compiled apart"},
    {Reason::scope_attributes, "no composition: attributes of a front end"},
    {Reason::compiler_warning, "no composition: a compiler's warning"},
    {Reason::front_end, "no composition: a front end's spelling"},
    {Reason::step_of_a_check, "no composition: one step of a check"},
    {Reason::time_records, "no composition: time records"},
    {Reason::queue_building, "no composition: how queues are built"},
    {Reason::deadlock_detector, "out of scope: the deadlock detector"},
    {Reason::defect_core_7, "composer's defect against CORE-7"},
    {Reason::defect_core_8, "composer's defect against CORE-8"},
    {Reason::defect_cache_5, "composer's defect against CACHE-5"},
    {Reason::defect_feed, "composer's defect against SYNC-1"},
    {Reason::defect_notify, "composer's defect against FUSE-5: raises too early"},
    {Reason::defect_hold, "composer's defect against FUSE-5: holds too few"},
    {Reason::defect_streams, "composer's defect against FUSE-5: an order is lost"},
    {Reason::defect_barrier, "composer's defect against FUSE-1: never ends"},
    {Reason::defect_refuses, "composer's defect against FUSE-5: refuses"},
    {Reason::defect_crash, "composer's defect: it fails"},
};

/// Facts whose content alone does not say why they are special.
struct Exception {
  std::string_view name;
  Classification what;
};

constexpr Exception exceptions[] = {
    // A SuperKernel of one sub kernel that was compiled for early start.
    {"ut_early_start_flag_mismatch", {.reason = Reason::compiled_apart}},
    // The list of events that two sub kernels share; when streams become two lists.
    {"ut_inner_event_set", {.decision = true}},
    {"ut_double_stream_trigger", {.decision = true}},
    // The parser of a list is handed nothing; an option string cannot do that (it is refused).
    {"adk_dcci_list_parse_empty", {.reason = Reason::front_end}},
    // 10:24 passes the step that looks at the chip; no launch has that ratio.
    {"adk_platform_ok_10_24", {.launch = true, .reason = Reason::step_of_a_check}},
    // A platform of 24 AIC and no AIV; 10:100 is no ratio either.
    {"adk_platform_bad_10_100_0", {.launch = true, .reason = Reason::step_of_a_check}},
    // Without split copies the composer forgets the end marker of a fed sub kernel; the cores that
    // it feeds never leave. Everything else in the sequence is right.
    {"exec_feed_split1_no_end",
     {.launch = true,
      .sequence = true,
      .order = true,
      .followed = true,
      .reason = Reason::defect_feed}},
    // The refresh after a fed sub kernel lands where no statement may stand.
    {"exec_feed_plus_dcci_after", {.launch = true, .reason = Reason::defect_feed}},
    // Nobody waits for the event of the first sub kernel in a list of its own.
    {"exec_two_stream_wait_on_first_of_list_lost",
     {.launch = true, .followed = true, .reason = Reason::defect_hold}},
    // The edge that was taken away had ordered the cores of one kind too.
    {"exec_hazard_two_stream_lost_self_sync_vv",
     {.launch = true, .followed = true, .reason = Reason::defect_streams}},
    {"exec_hazard_two_stream_lost_self_sync_cc",
     {.launch = true, .followed = true, .reason = Reason::defect_streams}},
    // One of two edges taken away is put back, and its wait takes the raise of another.
    {"exec_hazard_two_stream_mix_mix_double_removal",
     {.launch = true, .followed = true, .reason = Reason::defect_streams}},
};

bool any(const Fact& fact, bool FactOp::*member) {
  return std::ranges::any_of(fact.ops, member);
}

bool two_streams(const Fact& fact) {
  return fact.expect.double_stream ||
         std::ranges::any_of(fact.ops, [](const FactOp& op) { return op.stream > 1; }) ||
         std::ranges::adjacent_find(fact.ops, std::ranges::not_equal_to{}, &FactOp::stream) !=
             fact.ops.end();
}

bool has_mix_1_2(const Fact& fact) {
  return std::ranges::any_of(fact.ops,
                             [](const FactOp& op) { return op.type == KernelType::mix_aic_1_2; });
}

bool any_step(const Fact& fact, auto&& holds) {
  const FactExpect& expect = fact.expect;
  return std::ranges::any_of(expect.sequence, holds) ||
         std::ranges::any_of(expect.aic_list, holds) || std::ranges::any_of(expect.aiv_list, holds);
}

/// A sub kernel of tiling offload that no step calls: where it has to be fed.
bool never_calls(const Fact& fact) {
  for (std::size_t op = 0; op < fact.ops.size(); ++op) {
    const std::string call = fmt::format("run_dynamic op{} ", op);
    const auto is_call = [&](const std::string& step) { return step.starts_with(call); };
    if (fact.ops[op].offload && !any_step(fact, is_call)) return true;
  }
  return false;
}

bool never_ends(const Fact& fact) {
  return !is_mix_kind(*fact.expect.launch) &&
         any_step(fact, [](const std::string& step) { return step == "sync_all mix @all"; });
}

/// Compositions with events, several streams or tiling offload.
Classification classify_lists(const Fact& fact, Classification out) {
  const FactExpect& expect = fact.expect;
  if (!expect.error.empty()) {
    out.decision = true;
    if (any(fact, &FactOp::events)) out.reason = Reason::defect_refuses;
    return out;
  }
  out.launch = out.launch || !expect.built.empty();
  if (never_calls(fact)) {
    out.reason = Reason::defect_feed;
    return out;
  }
  out.followed = true;
  const auto refreshes = [](const std::string& step) { return step.starts_with("dcci_all"); };
  if (never_ends(fact)) {
    out.reason = Reason::defect_barrier;
  } else if (any(fact, &FactOp::offload) && !any_step(fact, refreshes)) {
    out.reason = Reason::defect_cache_5;
  } else if (!two_streams(fact)) {
    out.reason = event_defect(fact);
  }
  return out;
}

/// Whole compositions: kinds "composition" and "codegen", and the launches without a sequence.
Classification classify_composition(const Fact& fact) {
  const FactExpect& expect = fact.expect;
  const bool launch = expect.launch.has_value() && expect.blocks.has_value();
  if (expect.error == "NameError") {
    const bool elsewhere = expect.has_sequence;  // another composer makes something of it
    return {.launch = launch,
            .followed = elsewhere,
            .decision = !elsewhere,
            .reason = Reason::defect_crash};
  }
  if (any(fact, &FactOp::built_apart)) return {.reason = Reason::compiled_apart};
  if (two_streams(fact) || any(fact, &FactOp::events) || any(fact, &FactOp::offload)) {
    return classify_lists(fact, {.launch = launch});
  }
  const bool sequence = expect.has_sequence;
  // The calculator behind (c) knows the flags of the 2201 only.
  const bool order = sequence && fact.ops.size() > 1 && fact.machine.empty();
  Classification out{.launch = true, .sequence = sequence, .order = order, .followed = sequence};
  if (exceeds_chip(fact)) out.reason = Reason::defect_core_8;
  if (launch && has_mix_1_2(fact) && expect.launch != KernelType::mix_aic_1_2) {
    out.reason = Reason::defect_core_7;
  }
  if (fact.options.find("profiling=1") != std::string::npos) out.reason = Reason::time_records;
  return out;
}

/// Facts about the composer of captured graphs.
Classification classify_captured(const Fact& fact) {
  if (fact.is("scope_api")) return {.reason = Reason::scope_attributes};
  if (fact.is("deadlock") || fact.name.starts_with("aot_scope_DeadlockRefine")) {
    return {.reason = Reason::deadlock_detector};
  }
  constexpr std::string_view queues[] = {"event_queue", "event_task", "preload",
                                         "auto_op_parallel_order", "postprocess"};
  // A queue that is unknown; which of two edges a pass may take away; which entry writes traces.
  constexpr std::string_view inside[] = {"aot_edge_UNKNOWN_AIV", "aot_edge_cubsend_two_receivers",
                                         "aot_enable_debug"};
  if (std::ranges::count(queues, fact.kind) != 0 || std::ranges::count(inside, fact.name) != 0) {
    return {.reason = Reason::queue_building};
  }
  return {.decision = true};
}

}  // namespace

std::string_view to_string(Reason reason) {
  return std::ranges::find(reason_names, reason, &std::pair<Reason, std::string_view>::first)
      ->second;
}

bool is_defect(Reason reason) {
  return reason >= Reason::defect_core_7;
}

Reason event_defect(const Fact& fact) {
  const KernelType former = *fact.ops.front().type;
  const KernelType latter = *fact.ops.back().type;
  const bool sends = !fact.ops.front().sends.empty();
  const bool receives = !fact.ops.back().receives.empty();
  if (sends && is_mix_kind(former) && is_aic_kind(latter)) return Reason::defect_notify;
  if (receives && !sends && is_aic_kind(former) && is_mix_kind(latter)) return Reason::defect_hold;
  return Reason::none;
}

Classification classify(const Fact& fact) {
  const auto* const exception = std::ranges::find(exceptions, fact.name, &Exception::name);
  if (exception != std::end(exceptions)) return exception->what;
  if (fact.path != "ge") return classify_captured(fact);
  if (fact.is("scope_api")) return {.reason = Reason::scope_attributes};
  if (fact.is("two_stream_edge_name") || fact.is("two_stream_optimise") ||
      fact.is("feed_workspace")) {
    return {.decision = true};
  }
  if (fact.is("event_extra_sync")) {
    const bool fails = fact.expect.fails_elsewhere;
    return {.followed = true, .reason = fails ? Reason::defect_crash : event_defect(fact)};
  }
  if (fact.is("dcci_warning")) return {.reason = Reason::compiler_warning};
  if (fact.is("dcci_dynamic_op")) return {.launch = true, .reason = Reason::defect_cache_5};
  if (fact.underscores_converted) return {.reason = Reason::front_end};
  if (fact.is("early_start_config") || fact.is("inter_op_sync_when_early_start_off")) {
    return {.sequence = true};
  }
  if (fact.is("composition") || fact.is("codegen") || fact.is("type_and_block") ||
      fact.is("debug_num_update")) {
    return classify_composition(fact);
  }
  return {.launch = true};
}

}  // namespace skcts::facts
