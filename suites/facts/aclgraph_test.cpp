// The recorded facts about the composer of captured graphs, against what the emulator composes on
// the path aclgraph.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "spec/aclgraph_options.h"
#include "suites/facts/classification.h"
#include "suites/facts/facts.h"
#include "suites/facts/json_view.h"

namespace skcts::facts {
namespace {

using emulator::ComposedKind;
using emulator::ComposedLaunch;
using emulator::ComposedStep;
using Scopes = std::vector<std::vector<int>>;

const JsonTree& file() {
  static const JsonTree tree = [] {
    const std::string path = std::string(SKCTS_SOURCE_DIR) + "/spec/facts/aclgraph.json";
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto parsed = parse_json(text, path);
    SKCTS_CHECK(parsed.ok(), "{}", to_string(parsed.error()));
    return *parsed;
  }();
  return tree;
}

/// Calls see(fact, expect, ops) for the facts of a kind that are checked here; gives their number.
template <class See>
int each_of(std::string_view kind, See&& see) {
  int count = 0;
  for (const JsonView& json : JsonView(file()).children()) {
    const auto name = json.find("name")->as<std::string>();
    if (json.find("kind")->as<std::string>() != kind || !classify(fact(name)).decision) continue;
    SCOPED_TRACE(name);
    const auto ops = json.find("ops");
    see(json, *json.find("expect"), ops ? ops->children() : std::vector<JsonView>{});
    ++count;
  }
  return count;
}

SubKernel sub_of(const JsonView& op, KernelType type, int blocks) {
  SubKernel sub;
  sub.name = op.get_or("name", std::string("k"));
  sub.type = type;
  sub.blocks = blocks;
  return sub;
}

Case captured(std::vector<SubKernel> sub_kernels, std::string options = "") {
  Case out;
  out.profile = "a2-24";
  out.path = "aclgraph";
  out.mix.sub_kernels = std::move(sub_kernels);
  out.mix.options = std::move(options);
  for (std::size_t i = 0; i < out.mix.sub_kernels.size(); ++i) {
    SubKernel& sub = out.mix.sub_kernels[i];
    if (out.mix.sub_kernels.size() > 1) sub.name = fmt::format("op{}", i);
  }
  return out;
}

ComposedLaunch composed(const Case& test_case, int launch = 0) {
  const emulator::ComposeResult result = emulator::compose(test_case, launch, {});
  SKCTS_CHECK(result.launch, "refused: {}", result.refusal.reason);
  return *result.launch;
}

/// "name=value:name=value" of an object; a list with commas.
std::string options_text(const JsonView& json) {
  std::string text;
  const auto options = json.find("options");
  if (!options) return text;
  for (const JsonView& option : options->children()) {
    const std::string value =
        option.is(JsonView::Kind::list)
            ? fmt::format("{}", fmt::join(option.as<std::vector<std::string>>(), ","))
            : std::to_string(option.as<int>());
    text += fmt::format("{}{}={}", text.empty() ? "" : ":", option.key(), value);
  }
  return text;
}

TEST(AclgraphFacts, EntryTypeAndBlocks) {
  const int checked = each_of("entry_type", [](const JsonView& json, const JsonView& expect,
                                               const std::vector<JsonView>&) {
    std::vector<SubKernel> subs;
    bool one_to_two = false;
    for (const char* queue : {"aic_queue", "aiv_queue"}) {
      const auto found = expect.find(queue);
      if (!found || found->get_or("func_cnt", 0) == 0) continue;
      one_to_two = one_to_two || found->get_or("node_type", std::string()) == "MIX_AIC_1_2";
      const bool cubes = std::string_view(queue) == "aic_queue";
      subs.push_back(sub_of(json, cubes ? KernelType::aic_only : KernelType::aiv_only,
                            found->get_or("max_blocks", 0)));
    }
    if (one_to_two) subs.front().type = KernelType::mix_aic_1_2;
    Case made = captured(subs, options_text(json));
    const auto type = expect.get<std::string>("entry_type");
    if (!type) {
      EXPECT_FALSE(emulator::Emulator({}).run(made, {}).outcome.reason.empty());
      return;
    }
    made.mix.sub_kernels.front().batch_mode = made.mix.options.find("per_op") != std::string::npos;
    const ComposedLaunch launch = composed(made);
    EXPECT_EQ(to_string(launch.shape.type), *type);
    EXPECT_EQ(launch.shape.blocks, expect.get_or("entry_num_blocks", 0));
  });
  EXPECT_EQ(checked, 4);
}

bool refreshes(const ComposedLaunch& launch, emulator::Purpose purpose) {
  return std::ranges::any_of(launch.steps, [&](const ComposedStep& step) {
    return step.kind == ComposedKind::refresh_all && step.purpose == purpose;
  });
}

TEST(AclgraphFacts, RefreshBits) {
  constexpr int before = 4;
  constexpr int after = 32;
  const int checked = each_of("dcci_bits", [](const JsonView& json, const JsonView& expect,
                                              const std::vector<JsonView>& ops) {
    const JsonView& op = ops.front();
    SubKernel sub = sub_of(op, *find_kernel_type(op.find("type")->as<std::string>()),
                           op.get_or("block_num", 1));
    sub.sk_bind = op.get_or("sk_bind_cap", 0);
    const ComposedLaunch launch = composed(captured({sub}, options_text(json)));
    const int set = expect.get_or("bits_set", 0);
    const int clear = expect.get_or("bits_clear", 0);
    EXPECT_EQ(refreshes(launch, emulator::Purpose::before), (set & before) != 0);
    EXPECT_EQ(refreshes(launch, emulator::Purpose::after), (set & after) != 0);
    EXPECT_TRUE((set & clear) == 0);
  });
  EXPECT_EQ(checked, 7);
}

KernelType queue_type(const std::string& queue) {
  if (queue == "AIC") return KernelType::aic_only;
  if (queue == "AIV") return KernelType::aiv_only;
  return queue == "MIX_1_1" ? KernelType::mix_aic_1_1 : KernelType::mix_aic_1_2;
}

TEST(AclgraphFacts, EdgesBetweenKinds) {
  const int checked = each_of("edge_direction", [](const JsonView& json, const JsonView& expect,
                                                   const std::vector<JsonView>& ops) {
    std::vector<SubKernel> subs;
    for (const JsonView& op : ops) {
      subs.push_back(sub_of(json, queue_type(op.find("queue")->as<std::string>()), 4));
    }
    const ComposedLaunch launch = composed(captured(subs));
    std::vector<std::string> edges;
    for (const ComposedStep& step : launch.steps) {
      if (step.kind != ComposedKind::early_wait) continue;
      const CoreKind kind = step.aic ? CoreKind::aic : CoreKind::aiv;
      const auto actions = emulator::early_actions(step.config, kind, emulator::DefectId::none);
      for (int i = 0; i < actions.count; ++i) {
        if (!actions.actions[i].is_wait) continue;
        if (actions.actions[i].id == 12) edges.push_back("vec_to_cub");
        if (actions.actions[i].id == 13) edges.push_back("cub_to_vec");
      }
    }
    EXPECT_THAT(edges, testing::UnorderedElementsAreArray(
                           expect.get_or("edges", std::vector<std::string>())));
  });
  EXPECT_EQ(checked, 3);
}

/// On the 950 the composer puts groups of MIX sub kernels apart by barriers, and edges inside them;
/// the emulator has those edges, and need not have the barriers.
TEST(AclgraphFacts, EdgesInsideAGroup) {
  const int checked = each_of("sync_relations", [](const JsonView&, const JsonView& expect,
                                                   const std::vector<JsonView>& ops) {
    std::vector<SubKernel> subs;
    for (const JsonView& op : ops) {
      SubKernel& sub =
          subs.emplace_back(sub_of(op, *find_kernel_type(op.find("type")->as<std::string>()), 4));
      sub.stream = op.get_or("stream", 0);
    }
    const ComposedLaunch launch = composed(captured(subs));
    for (const JsonView& edge : expect.find("edges")->children()) {
      const auto words = edge.as<std::vector<std::string>>();
      ASSERT_EQ(words.front(), "1->2");
      const bool to_vectors = words.back() == "cub_to_vec";
      const auto given = std::ranges::find_if(launch.steps, [&](const ComposedStep& step) {
        return step.kind == ComposedKind::edge_set && step.op == 1 &&
               (to_vectors ? step.aic : step.aiv);
      });
      ASSERT_NE(given, launch.steps.end());
      EXPECT_TRUE(std::ranges::any_of(launch.steps, [&](const ComposedStep& step) {
        return step.kind == ComposedKind::edge_wait && step.op == 2 && step.id == given->id &&
               (to_vectors ? step.aiv : step.aic);
      }));
    }
  });
  EXPECT_EQ(checked, 1);
}

Instruction call(Op op) {
  Instruction in;
  in.op = op;
  in.pipe = Pipe::mte3;
  in.aic_pipe = Pipe::fix;
  return in;
}

TEST(AclgraphFacts, EarlyStart) {
  const int checked = each_of("early_start", [](const JsonView& json, const JsonView& expect,
                                                const std::vector<JsonView>& ops) {
    std::vector<SubKernel> subs;
    for (const JsonView& op : ops) {
      SubKernel& sub =
          subs.emplace_back(sub_of(op, *find_kernel_type(op.find("type")->as<std::string>()), 4));
      if (op.get_or("cap_wait", false)) sub.sk_bind |= sk_bind::early_start_wait;
      if (op.get_or("cap_set", false)) sub.sk_bind |= sk_bind::early_start_set;
      auto& program = sub.program(is_aic_kind(sub.type) ? CoreKind::aic : CoreKind::aiv);
      program = {call(Op::wait_pre_task_end), call(Op::set_next_task_start)};
    }
    Case made = captured(subs, options_text(json));
    made.profile = "a3-24";  // the calls have an effect there (L-21)
    const ComposedLaunch launch = composed(made);
    const JsonView masks = *expect.find("func_mask");
    for (const JsonView& mask : masks.children()) {
      const auto& use = launch.uses[static_cast<std::size_t>(std::stoi(std::string(mask.key())))];
      const auto bits = mask.as<std::vector<std::string>>();
      const std::string own =
          is_aic_kind(made.mix.sub_kernels[static_cast<std::size_t>(use.sub_kernel)].type)
              ? "AIC_TO_AIC"
              : "AIV_TO_AIV";
      // The wait of a kernel that follows one of its own kind; any wait, where it follows another.
      const bool waits =
          std::ranges::any_of(bits, [](const std::string& bit) { return bit.ends_with("WAIT"); });
      EXPECT_EQ(use.own_wait, waits) << mask.key();
      EXPECT_EQ(use.own_set, std::ranges::count(bits, own + "_SET") == 1) << mask.key();
    }
  });
  EXPECT_EQ(checked, 2);
}

/// Higher bits mean nothing, and one fact has all 64.
std::int32_t capabilities(const JsonView& op) {
  return static_cast<std::int32_t>(op.find("sk_bind_cap")->magnitude() &
                                   static_cast<std::uint64_t>(sk_bind::all));
}

TEST(AclgraphFacts, Capabilities) {
  const int checked = each_of("sk_bind_cap", [](const JsonView&, const JsonView& expect,
                                                const std::vector<JsonView>& ops) {
    const auto flags = expect.get_or("flags", std::vector<std::string>());
    const auto told = [&](std::string_view flag) { return std::ranges::count(flags, flag) == 1; };
    std::vector<SubKernel> subs(3);
    for (SubKernel& sub : subs) {
      sub.type = KernelType::aiv_only;
      sub.blocks = 4;
      sub.aiv = {call(Op::wait_pre_task_end), call(Op::set_next_task_start)};
    }
    subs[1].sk_bind = capabilities(ops.front());
    Case made = captured(subs, "early_start=1");
    made.profile = "a3-24";
    const ComposedLaunch launch = composed(made);
    EXPECT_EQ(launch.uses[1].own_wait, told("early_start_wait"));
    EXPECT_EQ(launch.uses[1].own_set, told("early_start_set"));
    const bool refreshed = std::ranges::any_of(launch.steps, [](const ComposedStep& step) {
      return step.kind == ComposedKind::refresh_all && step.op == 1;
    });
    EXPECT_EQ(refreshed, !told("disable_dcci"));
    made.mix.sub_kernels[1].batch_mode = true;
    made.mix.sub_kernels[1].blocks = 2;
    EXPECT_EQ(emulator::launches_of(made).size(), told("disable_schemode_check") ? 1u : 3u);
  });
  EXPECT_EQ(checked, 7);
}

TEST(AclgraphFacts, BatchModeSplits) {
  const int checked = each_of("scope_split_schemode", [](const JsonView&, const JsonView& expect,
                                                         const std::vector<JsonView>& ops) {
    std::vector<emulator::BatchNeed> needs;
    for (const JsonView& op : ops) {
      needs.push_back({op.get_or("cube", 0), op.get_or("vec", 0), op.get_or("schemode", false)});
    }
    const std::vector<std::size_t> cuts = emulator::batch_cuts(needs);
    EXPECT_EQ(static_cast<int>(cuts.size()) + 1, expect.get_or("num_scopes", 0));
    const auto scopes = expect.get<Scopes>("scopes");
    if (!scopes) return;
    Scopes made(1);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (std::ranges::count(cuts, i) > 0) made.emplace_back();
      made.back().push_back(ops[i].get_or("id", 0));
    }
    EXPECT_EQ(made, *scopes);
  });
  EXPECT_EQ(checked, 14);
}

/// A recorded graph as a list: streams one after the other; marks around kernels, nodes that may
/// not be fused inside None.
struct Graph {
  std::vector<SubKernel> subs;
  std::vector<int> ids;
  std::string options;
};

void add_stream(std::string_view text, int stream, Graph& graph) {
  std::vector<std::string> marks;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string node(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const std::size_t digits = node.find_first_of("0123456789");
    const std::string what = node.substr(0, digits);
    const std::size_t open = node.find('(');
    const std::string name =
        open == std::string::npos ? "" : node.substr(open + 1, node.size() - open - 2);
    if (what == "B") marks.push_back(name);
    if (what == "UB") marks.emplace_back();
    if (what == "E" || what == "UE") marks.pop_back();
    if (what != "K" && what != "U" && what != "D") continue;
    SubKernel& sub = graph.subs.emplace_back();
    sub.type = KernelType::aiv_only;
    sub.blocks = 4;
    sub.stream = stream;
    sub.scope = marks;
    if (what != "K") sub.scope.emplace_back();
    graph.ids.push_back(std::stoi(node.substr(digits)));
  }
}

/// The kernels of each SuperKernel.
Scopes scopes_of(const Graph& graph) {
  Case made = captured(graph.subs, graph.options);
  PlanStep step;
  step.kind = StepKind::marked;
  for (std::size_t i = 0; i < graph.subs.size(); ++i) {
    step.sub_kernels.push_back(static_cast<std::int32_t>(i));
  }
  made.plan.steps = {step};
  Scopes scopes;
  for (const emulator::LaunchPlan& launch : emulator::launches_of(made)) {
    if (launch.kind == StepKind::alone) continue;
    std::vector<int>& scope = scopes.emplace_back();
    for (const std::int32_t sub : launch.sub_kernels) {
      scope.push_back(graph.ids[static_cast<std::size_t>(sub)]);
    }
    std::ranges::sort(scope);
  }
  std::ranges::sort(scopes);
  return scopes;
}

TEST(AclgraphFacts, ScopeSplits) {
  const int checked = each_of("scope_split", [](const JsonView& json, const JsonView& expect,
                                                const std::vector<JsonView>& ops) {
    std::vector<std::string> streams;
    std::string options;
    for (const std::string& line : ops.front().get_or("graph", std::vector<std::string>())) {
      if (line.starts_with("s")) streams.push_back(line.substr(line.find(':') + 1));
      if (line.starts_with("debug")) options = line;
    }
    // Streams have no order among each other: the split is one of those that an order gives.
    std::vector<Scopes> possible;
    for (std::size_t first = 0; first < streams.size(); ++first) {
      Graph graph{{}, {}, options};
      for (std::size_t s = 0; s < streams.size(); ++s) {
        const std::size_t stream = (first + s) % streams.size();
        add_stream(streams[stream], static_cast<int>(stream), graph);
      }
      possible.push_back(scopes_of(graph));
    }
    const auto scopes = expect.get<Scopes>("scopes");
    if (!scopes) {
      // In one of them the mark of the outer scope stands alone, with no kernel.
      const auto name = json.find("name")->as<std::string>();
      const int empty = name == "aot_scope_Scope_NestedScopes" ? 1 : 0;
      const int count = expect.get_or("num_scopes", 0) - empty;
      EXPECT_TRUE(std::ranges::any_of(possible, [&](const Scopes& made) {
        return std::ssize(made) == count;
      })) << count;
      return;
    }
    std::set<int> kernels;
    for (const Scopes& made : possible) {
      for (const auto& scope : made) kernels.insert(scope.begin(), scope.end());
    }
    Scopes expected;  // without the nodes that are no kernels
    for (const auto& scope : *scopes) {
      std::vector<int> kept;
      std::ranges::copy_if(scope, std::back_inserter(kept),
                           [&](int id) { return kernels.contains(id); });
      if (!kept.empty()) expected.push_back(kept);
    }
    EXPECT_THAT(possible, testing::Contains(expected));
  });
  EXPECT_EQ(checked, 12);
}

TEST(AclgraphFacts, AValueOutsideItsRangeChangesNothing) {
  const int checked = each_of(
      "option_parse", [](const JsonView& json, const JsonView&, const std::vector<JsonView>&) {
        const OptionParse parse = parse_aclgraph_options(options_text(json));
        EXPECT_EQ(parse.options, parse_aclgraph_options("").options);
        EXPECT_EQ(parse.warnings.size(), 1u);
      });
  EXPECT_EQ(checked, 1);
}

}  // namespace
}  // namespace skcts::facts
