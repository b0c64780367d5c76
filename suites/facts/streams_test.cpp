// The recorded decisions on streams and events, one by one: what is an edge between two lists,
// which edges may go, which events stay inside a launch, when there are two lists at all, and how
// much workspace feeding takes. Against what the emulator composes.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/mix_source.h"
#include "suites/facts/engines.h"
#include "suites/facts/facts.h"

namespace skcts::facts {
namespace {

using emulator::ComposedKind;
using emulator::ComposedLaunch;
using emulator::ComposedStep;
using testing::UnorderedElementsAre;

KernelType type_of(const FactOp& op) {
  if (op.core == "cub") return KernelType::aic_only;
  return op.core == "vec" ? KernelType::aiv_only : KernelType::mix_aic_1_2;
}

/// A launch of the fact's ops; each gets a stream of its own, or all share one.
Case case_of_kinds(const Fact& fact, bool own_streams) {
  Fact made = fact;
  for (FactOp& op : made.ops) {
    if (!op.type) op.type = type_of(op);
    op.blocks = 4;
  }
  Case out = case_of(made);
  for (std::size_t i = 0; own_streams && i < made.ops.size(); ++i) {
    out.mix.sub_kernels[i].stream = static_cast<std::int32_t>(i);
  }
  return out;
}

ComposedLaunch composed(const Case& test_case) {
  const emulator::ComposeResult result = emulator::compose(test_case, 0, {});
  SKCTS_CHECK(result.launch, "refused: {}", result.refusal.reason);
  return *result.launch;
}

void connect(Case& test_case, int sender, int receiver, const std::string& event) {
  test_case.mix.sub_kernels[static_cast<std::size_t>(sender)].send.push_back(event);
  test_case.mix.sub_kernels[static_cast<std::size_t>(receiver)].recv.push_back(event);
}

bool has_kind(const ComposedStep& step, std::string_view core) {
  return core == "cub" ? step.aic : step.aiv;
}

/// True when cores of kind `from` give, behind op `sender`, what cores of kind `to` wait for in
/// front of op `receiver`.
bool orders(const ComposedLaunch& launch, int sender, std::string_view from, int receiver,
            std::string_view to) {
  for (const ComposedStep& give : launch.steps) {
    if (give.kind != ComposedKind::edge_set || give.op != sender || !has_kind(give, from)) continue;
    std::int32_t id = give.id;
    for (const ComposedStep& take : launch.steps) {
      if (take.op != receiver || take.id != id) continue;
      if (take.kind == ComposedKind::edge_wait && has_kind(take, to)) return true;
      // A watched event: one core passes on to all what it saw.
      if (take.kind == ComposedKind::watch) {
        return std::ranges::any_of(launch.steps, [&](const ComposedStep& step) {
          return step.kind == ComposedKind::edge_wait && step.op == receiver && has_kind(step, to);
        });
      }
    }
  }
  return false;
}

TEST(StreamFacts, AnEdgeOrdersTheKindsThatItNames) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("two_stream_edge_name")) continue;
    SCOPED_TRACE(fact.name);
    ++checked;
    Case made = case_of_kinds(fact, true);
    connect(made, 0, 1, "e");
    const ComposedLaunch launch = composed(made);
    std::string edges = fact.expect.edge + ";";
    while (!edges.empty()) {
      const std::size_t colon = edges.find(':');
      const std::size_t end = edges.find(';');
      const std::string from = edges.substr(0, colon);
      const std::string to = edges.substr(colon + 1, end - colon - 1);
      EXPECT_TRUE(orders(launch, 0, from, 1, to)) << from << " -> " << to;
      edges.erase(0, end + 1);
    }
    Case apart = case_of_kinds(fact, true);
    EXPECT_FALSE(orders(composed(apart), 0, "cub", 1, "vec")) << "without the event";
    EXPECT_FALSE(orders(composed(apart), 0, "vec", 1, "cub")) << "without the event";
  }
  EXPECT_EQ(checked, 6);
}

int place_of(const Fact& fact, const std::string& name) {
  const auto found = std::ranges::find(fact.ops, name, &FactOp::name);
  return static_cast<int>(found - fact.ops.begin());
}

/// The edges that a fact keeps, and the order of the list of each kind, give what it takes away.
TEST(StreamFacts, AnEdgeIsTakenAwayOnlyWhereOthersImplyIt) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("two_stream_optimise")) continue;
    SCOPED_TRACE(fact.name);
    ++checked;
    const auto count = static_cast<int>(fact.ops.size());
    std::set<std::pair<int, int>> before;
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) {
        const bool same = fact.ops[static_cast<std::size_t>(a)].core ==
                          fact.ops[static_cast<std::size_t>(b)].core;
        if (same) before.insert({a, b});
      }
    }
    const auto listed = [](const auto& edges, const auto& edge) {
      return std::ranges::any_of(
          edges, [&](const auto& other) { return other[0] == edge[0] && other[1] == edge[1]; });
    };
    for (const auto& edge : fact.expect.edges) {
      const bool kept = fact.expect.edges_kept.empty() ? !listed(fact.expect.edges_removed, edge)
                                                       : listed(fact.expect.edges_kept, edge);
      if (kept) before.insert({place_of(fact, edge[0]), place_of(fact, edge[1])});
    }
    for (int middle = 0; middle < count; ++middle) {
      for (int a = 0; a < count; ++a) {
        for (int b = 0; b < count; ++b) {
          if (before.contains({a, middle}) && before.contains({middle, b})) before.insert({a, b});
        }
      }
    }
    Case made = case_of_kinds(fact, true);
    for (const auto& edge : fact.expect.edges) {
      connect(made, place_of(fact, edge[0]), place_of(fact, edge[1]), edge[0] + edge[1]);
    }
    const ComposedLaunch launch = composed(made);
    for (const auto& edge : fact.expect.edges) {
      const int from = place_of(fact, edge[0]);
      const int to = place_of(fact, edge[1]);
      EXPECT_TRUE(before.contains({from, to})) << edge[0] << " -> " << edge[1];
      EXPECT_TRUE(orders(launch, from, fact.ops[static_cast<std::size_t>(from)].core, to,
                         fact.ops[static_cast<std::size_t>(to)].core))
          << edge[0] << " -> " << edge[1];
    }
  }
  EXPECT_EQ(checked, 3);
}

/// The events that a launch raises, and those that it watches.
std::pair<std::set<std::string>, std::set<std::string>> outer_events(const Case& test_case) {
  std::pair<std::set<std::string>, std::set<std::string>> outer;
  const std::vector<std::string> events = emulator::events_of(test_case.mix);
  for (const ComposedStep& step : composed(test_case).steps) {
    if (step.kind == ComposedKind::notify) {
      outer.first.insert(events[static_cast<std::size_t>(step.id)]);
    }
    if (step.kind == ComposedKind::watch) {
      outer.second.insert(events[static_cast<std::size_t>(step.id)]);
    }
  }
  return outer;
}

TEST(StreamFacts, AnEventBetweenTwoSubKernelsOfALaunchIsNobodyElses) {
  const Fact& recorded = fact("ut_inner_event_set");
  Case made = case_of_kinds(recorded, true);
  std::set<std::string> raised;
  std::set<std::string> awaited;
  const auto is_inner = [&](int event) {
    return std::ranges::count(recorded.expect.inner_events, event) > 0;
  };
  for (std::size_t i = 0; i < recorded.ops.size(); ++i) {
    for (const int event : recorded.ops[i].sends) {
      made.mix.sub_kernels[i].send.push_back(std::to_string(event));
      if (!is_inner(event)) raised.insert(std::to_string(event));
    }
    for (const int event : recorded.ops[i].receives) {
      made.mix.sub_kernels[i].recv.push_back(std::to_string(event));
      if (!is_inner(event)) awaited.insert(std::to_string(event));
    }
  }
  EXPECT_EQ(recorded.expect.inner_events.size(), 1u);
  EXPECT_EQ(outer_events(made), std::pair(raised, awaited));
}

TEST(StreamFacts, StreamsWithoutAnEventBecomeTwoLists) {
  const Fact& recorded = fact("ut_double_stream_trigger");
  ASSERT_TRUE(recorded.expect.double_stream);
  const auto boundaries = [](const Case& test_case) {
    return std::ranges::count_if(composed(test_case).steps, [](const ComposedStep& step) {
      return step.purpose == emulator::Purpose::boundary || step.kind == ComposedKind::edge_wait;
    });
  };
  EXPECT_EQ(boundaries(case_of_kinds(recorded, true)), 0);
  EXPECT_GT(boundaries(case_of_kinds(recorded, false)), 0) << "in one stream they have one";
}

TEST(StreamFacts, WithoutTheOptionStreamsNeedAnEvent) {
  for (const char* name : {"exec_two_stream_without_option_error", "codegen_M15"}) {
    SCOPED_TRACE(name);
    const Fact& recorded = fact(name);
    ASSERT_EQ(recorded.expect.error, "EB0500");
    Case made = case_of(recorded);
    made.mix.sub_kernels[1].stream = 1;
    const emulator::ComposeResult refused = emulator::compose(made, 0, {});
    ASSERT_FALSE(refused.launch.has_value());
    EXPECT_EQ(refused.refusal.rule, RuleId::fuse_3);
    made.mix.options = "stream-fusion=1";
    EXPECT_TRUE(emulator::compose(made, 0, {}).launch.has_value());
    made.mix.options = "";
    connect(made, 0, 1, "e");
    EXPECT_TRUE(emulator::compose(made, 0, {}).launch.has_value());
  }
}

/// How large the workspace of feed-sync-all is is the composer's own business, but the records of
/// the protocol have to fit into it: one of 64 bytes for each sub kernel and core kind.
TEST(FeedFacts, TheRecordsFitIntoTheWorkspace) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (!recorded.expect.workspace_bytes.value_or(0) || recorded.path != "ge") continue;
    SCOPED_TRACE(recorded.name);
    ++checked;
    Fact made = fit_to_chip(recorded);
    for (FactOp& op : made.ops) {
      if (op.type) continue;
      op.type = recorded.expect.launch;
      op.blocks = *recorded.expect.blocks;
    }
    const auto size = emulator::workspace_of(composed(case_of(made)));
    EXPECT_EQ(size.feed_words * 4, 128 * std::ssize(made.ops));
    EXPECT_LE(size.feed_words * 4, *recorded.expect.workspace_bytes);
  }
  EXPECT_EQ(checked, 30);
}

}  // namespace
}  // namespace skcts::facts
