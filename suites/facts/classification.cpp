// The rules by which facts are sorted, and the list of exceptions.
#include "suites/facts/classification.h"

#include <algorithm>
#include <array>
#include <utility>

namespace skcts::facts {
namespace {

constexpr std::pair<Reason, std::string_view> reason_names[] = {
    {Reason::none, "everything checked"},
    {Reason::aclgraph_path, "aclgraph path"},
    {Reason::scope_marks, "scope marks"},
    {Reason::machine_950, "3510 machine"},
    {Reason::two_streams, "two streams"},
    {Reason::events, "events"},
    {Reason::offload_run_time, "tiling offload at run time"},
    {Reason::compiled_apart, "sub kernels compiled apart"},
    {Reason::compiler_warning, "compiler's warning"},
    {Reason::workspace, "workspace of feeding"},
    {Reason::step_of_a_check, "one step of a check"},
    {Reason::front_end, "front end's spelling"},
    {Reason::time_records, "time records"},
    {Reason::defect_core_7, "composer's defect against CORE-7"},
    {Reason::defect_core_8, "composer's defect against CORE-8"},
    {Reason::defect_cache_5, "composer's defect against CACHE-5"},
    {Reason::defect_feed, "composer's defect against SYNC-1"},
    {Reason::defect_crash, "composer's defect: it fails"},
};

/// Facts whose content alone does not say why they are special.
struct Exception {
  std::string_view name;
  Classification what;
};

constexpr Exception exceptions[] = {
    // A SuperKernel of one sub kernel that was compiled for early start.
    {"ut_early_start_flag_mismatch", {false, false, false, Reason::compiled_apart}},
    // The list of events that two sub kernels share.
    {"ut_inner_event_set", {false, false, false, Reason::events}},
    {"ut_double_stream_trigger", {false, false, false, Reason::two_streams}},
    // The parser of a list is handed nothing; an option string cannot do that (it is refused).
    {"adk_dcci_list_parse_empty", {false, false, false, Reason::front_end}},
    // 10:24 passes the step that looks at the chip; no launch has that ratio.
    {"adk_platform_ok_10_24", {true, false, false, Reason::step_of_a_check}},
    // A platform of 24 AIC and no AIV; 10:100 is no ratio either.
    {"adk_platform_bad_10_100_0", {true, false, false, Reason::step_of_a_check}},
    // The composer overwrites what tiling offload asks for; its own compiler had asked for it.
    {"exec_dcci_dynamic_default_dropped", {true, false, false, Reason::defect_cache_5}},
    // Without split copies the composer forgets the end marker of a fed sub kernel; the cores that
    // it feeds never leave. Everything else in the sequence is right.
    {"exec_feed_split1_no_end", {true, true, true, Reason::defect_feed}},
    // The refresh after a fed sub kernel lands where no statement may stand.
    {"exec_feed_plus_dcci_after", {true, false, false, Reason::defect_feed}},
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

/// Whole compositions: kinds "composition" and "codegen", and the launches without a sequence.
Classification classify_composition(const Fact& fact) {
  const FactExpect& expect = fact.expect;
  const bool launch = expect.launch.has_value() && expect.blocks.has_value();
  if (expect.error == "NameError" || fact.origin.ends_with("different")) {
    // Two records that differ are the composer that fails beside the one that does not, or a
    // 3510 machine.
    const Reason reason = fact.machine == "950" ? Reason::machine_950 : Reason::defect_crash;
    return {false, false, false, reason};
  }
  if (any(fact, &FactOp::built_apart)) return {false, false, false, Reason::compiled_apart};
  if (fact.machine == "950") return {launch, false, false, Reason::machine_950};
  if (two_streams(fact)) return {launch, false, false, Reason::two_streams};
  if (any(fact, &FactOp::events)) return {launch, false, false, Reason::events};
  if (any(fact, &FactOp::offload)) {
    return {launch || !expect.built.empty(), false, false, Reason::offload_run_time};
  }
  const bool sequence = expect.has_sequence;
  const bool order = sequence && fact.ops.size() > 1;
  Classification out{true, sequence, order, Reason::none};
  if (exceeds_chip(fact)) out.reason = Reason::defect_core_8;
  if (launch && has_mix_1_2(fact) && expect.launch != KernelType::mix_aic_1_2) {
    out.reason = Reason::defect_core_7;
  }
  if (fact.options.find("profiling=1") != std::string::npos) out.reason = Reason::time_records;
  return out;
}

}  // namespace

std::string_view to_string(Reason reason) {
  return std::ranges::find(reason_names, reason, &std::pair<Reason, std::string_view>::first)
      ->second;
}

bool is_defect(Reason reason) {
  return reason >= Reason::defect_core_7;
}

Classification classify(const Fact& fact) {
  const auto* const exception = std::ranges::find(exceptions, fact.name, &Exception::name);
  if (exception != std::end(exceptions)) return exception->what;
  if (fact.path != "ge") return {false, false, false, Reason::aclgraph_path};
  if (fact.is("scope_api")) return {false, false, false, Reason::scope_marks};
  if (fact.is("two_stream_edge_name") || fact.is("two_stream_optimise")) {
    return {false, false, false, Reason::two_streams};
  }
  if (fact.is("event_extra_sync")) return {false, false, false, Reason::events};
  if (fact.is("dcci_warning")) return {false, false, false, Reason::compiler_warning};
  if (fact.is("feed_workspace")) return {false, false, false, Reason::workspace};
  if (fact.is("dcci_dynamic_op")) return {true, false, false, Reason::defect_cache_5};
  if (fact.underscores_converted) return {false, false, false, Reason::front_end};
  if (fact.is("early_start_config") || fact.is("inter_op_sync_when_early_start_off")) {
    return {false, true, false, Reason::none};
  }
  if (fact.is("composition") || fact.is("codegen") || fact.is("type_and_block") ||
      fact.is("debug_num_update")) {
    return classify_composition(fact);
  }
  return {true, false, false, Reason::none};
}

}  // namespace skcts::facts
