// The schedule that the analysis has, as a Chrome trace (chrome://tracing, Perfetto).
#pragma once

#include <string>
#include <vector>

#include "reference_model/model.h"

namespace skcts::model {

/// Chrome trace event JSON of the launches of a case: a process for each core and launch, a thread
/// for each pipe, a slice for each instruction, arrows from sets, raises and last arrivals to what
/// they release. A core that waits has a slice "waits: ..." for the time, one that is stuck a slice
/// "STUCK: ..." to the end. Time is logical: each step takes one unit and starts as soon as the
/// order of the analysis lets it; the metadata says so.
std::string trace_json(Model& model, const Case& test_case, const std::vector<LatitudePin>& pins,
                       const Analysis& analysis);

/// What cores wait for in a stall, as a Graphviz digraph: nodes are cores that stand alike, edges
/// lead to whom they wait for, roots are red. Without a stall: one node that says so.
std::string wait_graph_dot(const Case& test_case, const Analysis& analysis);

}  // namespace skcts::model
