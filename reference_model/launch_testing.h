// One launch of a built mix taken through the analysis, for tests of its parts. Tests only.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "reference_model/lower.h"
#include "reference_model/races.h"
#include "reference_model/testing.h"
#include "reference_model/values.h"

namespace skcts::model::testing {

/// Everything that is known of one launch.
struct Launched {
  Mix mix;
  GmLayout layout;
  LaunchProgram program;
  StallResult stall;
  StallAnalysis stalls;
  Order order;
  HazardAnalysis analysis;
  HazardResult hazards;
  ValueAnalysis values;
  GmState gm;
  SearchFreedom freedom;
  bool exact = false;

  /// Names of the rules that conflicts are charged to, e.g. {"SYNC-11"}.
  std::set<std::string> rules() const {
    const RaceJudge judge(mix, program, stall, order, analysis);
    std::set<std::string> names;
    for (const Conflict& conflict : hazards.conflicts) {
      names.insert(std::string(skcts::to_string(judge.rule(conflict))));
    }
    if (!hazards.undefined_reads.empty()) names.insert("PIPE-7");
    return names;
  }
  /// The hazards, e.g. {"H1"}.
  std::set<std::string> kinds() const {
    std::set<std::string> names;
    for (const Conflict& conflict : hazards.conflicts) {
      names.insert(std::string(to_string(conflict.hazard)));
    }
    return names;
  }
  /// The conflicts in words, a line each.
  std::string text() const {
    const RaceJudge judge(mix, program, stall, order, analysis);
    std::string all;
    for (const Conflict& conflict : hazards.conflicts) {
      all += judge.describe(conflict, layout, 0).text + "\n";
    }
    return all;
  }
  std::int64_t at(int region, std::int64_t word) const {
    return layout.base[static_cast<std::size_t>(region)] + word;
  }
  Val word(int region, std::int64_t index) const { return gm.word(at(region, index)); }
  bool is(int region, std::int64_t index, std::uint32_t value) const {
    return word(region, index) == Val{value, Val::exact};
  }
  using Tuples = std::set<std::vector<std::uint32_t>>;
  /// What words {region, index} may hold together, all of them judged.
  Tuples together(const std::vector<std::pair<int, std::int64_t>>& words) const {
    std::vector<std::vector<std::uint32_t>> all = {std::vector<std::uint32_t>(words.size())};
    std::vector<std::uint8_t> done(words.size(), 0);
    const auto spread = [&](const std::vector<std::size_t>& columns, const auto& tuples) {
      std::vector<std::vector<std::uint32_t>> longer;
      for (const auto& known : all) {
        for (const auto& tuple : tuples) {
          longer.push_back(known);
          for (std::size_t c = 0; c < columns.size(); ++c) {
            longer.back()[columns[c]] = tuple[c];
            done[columns[c]] = 1;
          }
        }
      }
      std::sort(longer.begin(), longer.end());
      longer.erase(std::unique(longer.begin(), longer.end()), longer.end());
      all = std::move(longer);
    };
    for (const JointWords& group : gm.joint) {
      std::vector<std::size_t> columns, places;
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto found =
            std::find(group.words.begin(), group.words.end(), at(words[i].first, words[i].second));
        if (found == group.words.end()) continue;
        columns.push_back(i);
        places.push_back(static_cast<std::size_t>(found - group.words.begin()));
      }
      if (columns.empty()) continue;
      Tuples projected;
      for (const auto& tuple : group.tuples) {
        std::vector<std::uint32_t> part;
        for (const std::size_t place : places) part.push_back(tuple[place]);
        projected.insert(part);
      }
      spread(columns, projected);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (done[i] != 0) continue;
      Tuples alone;
      for (const std::uint32_t value : may_be(words[i].first, words[i].second)) {
        alone.insert({value});
      }
      spread({i}, alone);
    }
    return {all.begin(), all.end()};
  }
  /// All that the word may be; empty: not judged.
  std::vector<std::uint32_t> may_be(int region, std::int64_t index) const {
    const Val found = word(region, index);
    if (found.set == Val::exact) return {found.value};
    return found.set < 0 ? std::vector<std::uint32_t>()
                         : gm.sets[static_cast<std::size_t>(found.set)];
  }
};

inline void analyse(Launched& run, bool prefetch = false) {
  run.stalls.run(run.program, {run.gm.value, {}}, run.stall);
  run.order.build(run.program, run.stall);
  while (run.stalls.has_polls() && run.stalls.add_poll_edges(run.program, run.order, run.stall)) {
    run.order.build(run.program, run.stall);
  }
  run.stalls.check_with_order(run.program, run.order, run.stall);
  const auto words = static_cast<std::int64_t>(run.gm.value.size());
  run.analysis.run(run.program, run.stall, run.order, words, run.hazards, prefetch);
  run.freedom.prefetch = prefetch;
  run.values.run(run.program, run.stall, run.order, run.analysis, run.hazards, run.gm, run.freedom);
  run.exact = run.values.open().none();
}

/// The fused launch of everything, or sub kernel `alone` launched alone.
inline Launched launch(const Build& build, int alone = -1, bool prefetch = false,
                       const SearchFreedom& freedom = {}) {
  Launched run;
  run.freedom = freedom;
  run.mix = build.test_case.mix;
  run.layout = layout_of(run.mix);
  run.gm.reset(initial_memory(run.mix, run.layout));
  const Options options = *parse_options(run.mix.options).options;
  std::vector<std::int32_t> all;
  for (std::size_t k = 0; k < run.mix.sub_kernels.size(); ++k) all.push_back(static_cast<int>(k));
  const LaunchShape shape = alone < 0 ? fused_shape(run.mix, all, options, default_profile()).shape
                                      : alone_shape(run.mix, alone, default_profile()).shape;
  Lowering lowering;
  lowering.run({run.mix, run.layout, options, shape, false}, run.program);
  analyse(run, prefetch);
  return run;
}

}  // namespace skcts::model::testing
