// The recorded facts about composed SuperKernels (spec/facts) as values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/case.h"

namespace skcts::facts {

/// One sub kernel of a fact; what a record does not state has its default.
struct FactOp {
  std::optional<KernelType> type;
  int blocks = 0;
  std::string op_type;
  int stream = 0;
  bool sync_all = false;
  bool set = false;        ///< SetNextTaskStart takes part.
  bool wait = false;       ///< WaitPreTaskEnd takes part.
  bool calls_set = false;  ///< The source calls it, whether it takes part or not.
  bool calls_wait = false;
  bool before = false;  ///< Named by the dcci lists.
  bool after = false;
  bool disable = false;
  bool offload = false;
  bool events = false;     ///< Sends or receives an event.
  std::vector<int> sends;  ///< Which.
  std::vector<int> receives;
  bool built_apart = false;  ///< Compiled with settings that differ from the SuperKernel's.
  std::string core;          ///< Decisions on edges name a kind only: "cub", "vec", "mix".
  std::string name;
};

/// What a sub kernel was compiled with.
struct Built {
  std::optional<int> block_num;
  bool per_access = false;
  bool set = false;
  bool wait = false;
  bool before = false;
  bool after = false;
  bool disable = false;
  bool operator==(const Built&) const = default;
};

/// What a fact says came out. Absent: the record does not say.
struct FactExpect {
  std::optional<KernelType> launch;
  std::optional<int> blocks;
  std::optional<int> aic_cores;
  std::optional<int> aiv_cores;
  std::string ratio;               ///< AIC to AIV: "1:0", "0:1", "1:1", "1:2".
  std::optional<int> early_start;  ///< What the option came to.
  std::optional<int> workspace_bytes;
  bool double_stream = false;
  std::string error;          ///< "EB0500", "NameError"; empty: none.
  bool has_sequence = false;  ///< One list of steps, in `sequence`.
  std::vector<std::string> sequence;
  bool has_lists = false;  ///< A list for each core kind, which the steps of `sequence` enter.
  std::vector<std::string> aic_list;
  std::vector<std::string> aiv_list;
  std::vector<Built> built;
  std::optional<int> early_config;
  std::string inter_op_sync;
  std::optional<bool> need_feed;
  std::optional<bool> accepted;   ///< option_parse, and the yes/no of the number checks.
  std::vector<std::string> list;  ///< dcci_list_parse
  int warnings = 0;
  std::vector<std::string> parsed;           ///< option_parse: "key=value", as recorded.
  std::optional<KernelType> natural_launch;  ///< Number checks: the launch without the numbers.
  std::optional<int> natural_blocks;
  std::optional<int> type_mask;  ///< type_decision_function: bit i = all_kernel_types[i].
  std::optional<int> max_aic;
  std::optional<int> max_aiv;
  std::optional<bool> before;  ///< dcci_dynamic_op
  std::optional<bool> after;
  std::optional<bool> disable;
  std::vector<int> inner_events;
  std::string extra_sync;        ///< event_extra_sync: what stands behind the wait; empty: nothing
  bool fails_elsewhere = false;  ///< And another composer fails there.
  std::string edge;              ///< two_stream_edge_name: "cub:vec;vec:cub"
  /// two_stream_optimise, as sender, receiver and kinds: all edges, and those that stay or go.
  std::vector<std::vector<std::string>> edges;
  std::vector<std::vector<std::string>> edges_kept;
  std::vector<std::vector<std::string>> edges_removed;
};

struct Fact {
  std::string name;
  std::string kind;
  std::string path;     ///< "ge", "aclgraph"
  std::string machine;  ///< "950", else empty
  std::string options;  ///< Option string of the `ge` path.
  bool underscores_converted = false;
  std::vector<FactOp> ops;
  FactExpect expect;
  std::string origin;

  bool is(std::string_view a_kind) const { return kind == a_kind; }
};

/// All facts, in the order of the files. A file that cannot be read stops the test program.
const std::vector<Fact>& all_facts();

/// The fact of a name; a name that is none stops the test program.
const Fact& fact(std::string_view name);

/// True when the mix of a fact has more cores than a chip of 24 AIC and 48 AIV (CORE-8).
bool exceeds_chip(const Fact& fact);

/// The fact with the block counts of its sub kernels, and the guards in its sequence, cut down to
/// that chip. Launch numbers are not touched.
Fact fit_to_chip(const Fact& fact);

/// The mix of a fact as a case: sub kernels op0, op1, ... whose programs do nothing but call
/// SyncAll, WaitPreTaskEnd (first) and SetNextTaskStart (last) as the fact says.
Case case_of(const Fact& fact);

/// A sub kernel of such a case.
SubKernel sub_kernel(std::string name, const FactOp& op);

}  // namespace skcts::facts
