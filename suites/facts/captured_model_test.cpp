// The recorded facts of the path aclgraph against the model's contract of that path. Each kind of
// fact is either checked or named with the reason why it says nothing about a contract.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference_model/batch_cuts.h"
#include "reference_model/contract.h"
#include "reference_model/model.h"
#include "spec/aclgraph_options.h"
#include "suites/facts/json_view.h"

namespace skcts::facts {
namespace {

using Kind = JsonNode::Kind;

const JsonTree& tree() {
  static const JsonTree read = [] {
    std::ifstream file(std::string(SKCTS_SOURCE_DIR) + "/spec/facts/aclgraph.json");
    std::stringstream text;
    text << file.rdbuf();
    return parse_json(text.str(), "aclgraph.json").value();
  }();
  return read;
}

std::vector<JsonView> facts_of(std::string_view kind) {
  std::vector<JsonView> found;
  for (const JsonView& fact : JsonView(tree()).children()) {
    if (fact.get<std::string>("kind") == kind) found.push_back(fact);
  }
  return found;
}

std::string name_of(const JsonView& fact) {
  return fact.get_or<std::string>("name", "?");
}

std::vector<JsonView> ops_of(const JsonView& fact) {
  const auto ops = fact.find("ops");
  return ops ? ops->children() : std::vector<JsonView>();
}

/// The options of a fact as an option string.
std::string options_text(const JsonView& fact) {
  std::string text;
  const auto options = fact.find("options");
  if (!options) return text;
  for (const JsonView& option : options->children()) {
    std::string value;
    if (option.is(Kind::list)) {
      for (const std::string& entry : option.as<std::vector<std::string>>()) {
        value += (value.empty() ? "" : ",") + entry;
      }
    } else {
      value = fmt::format("{}", option.as<int>());
    }
    text += fmt::format("{}{}={}", text.empty() ? "" : ":", option.key(), value);
  }
  return text;
}

Options options_of_fact(const JsonView& fact) {
  return parse_aclgraph_options(options_text(fact)).options.value();
}

TEST(CapturedFacts, KernelsInBatchModeAreCutOff) {
  const std::vector<JsonView> facts = facts_of("scope_split_schemode");
  EXPECT_EQ(facts.size(), 14u);
  for (const JsonView& fact : facts) {
    std::vector<model::BatchKernel> kernels;
    std::vector<int> ids;
    for (const JsonView& op : ops_of(fact)) {
      kernels.push_back({op.get_or("cube", 0), op.get_or("vec", 0), op.get_or("schemode", false)});
      ids.push_back(op.get_or("id", 0));
    }
    const std::vector<std::size_t> cuts = model::batch_cuts(kernels);
    EXPECT_EQ(static_cast<int>(cuts.size()), fact.find("expect")->get<int>("num_scopes"))
        << name_of(fact);
    const auto scopes = fact.find("expect")->find("scopes");
    if (!scopes) continue;
    std::vector<std::vector<int>> made;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (std::ranges::find(cuts, k) != cuts.end()) made.emplace_back();
      made.back().push_back(ids[k]);
    }
    EXPECT_EQ(made, scopes->as<std::vector<std::vector<int>>>()) << name_of(fact);
  }
}

TEST(CapturedFacts, RefreshesAroundAKernel) {
  constexpr int bit_before = 4;
  constexpr int bit_after = 32;
  const std::vector<JsonView> facts = facts_of("dcci_bits");
  EXPECT_EQ(facts.size(), 7u);
  for (const JsonView& fact : facts) {
    SubKernel sub;
    sub.name = ops_of(fact)[0].get_or<std::string>("name", "");
    sub.sk_bind = ops_of(fact)[0].get_or("sk_bind_cap", 0);
    const model::RefreshPlacement found = model::captured_refresh(sub, options_of_fact(fact));
    const int set = fact.find("expect")->get_or("bits_set", 0);
    const int clear = fact.find("expect")->get_or("bits_clear", 0);
    for (const auto& [bit, there] :
         {std::pair{bit_before, found.before}, std::pair{bit_after, found.after}}) {
      EXPECT_TRUE((set & bit) == 0 || there) << name_of(fact) << " bit " << bit;
      EXPECT_TRUE((clear & bit) == 0 || !there) << name_of(fact) << " bit " << bit;
    }
    EXPECT_FALSE(found.per_access) << name_of(fact);
  }
}

/// Kernels that fill the two queues of a fact.
Case launch_case(const JsonView& fact) {
  Case made;
  made.path = "aclgraph";
  made.mix.options = options_text(fact);
  const JsonView expect = *fact.find("expect");
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const auto queue = expect.find(kind == CoreKind::aic ? "aic_queue" : "aiv_queue");
    if (!queue || queue->get_or("func_cnt", 0) == 0) continue;
    const auto named = queue->get<std::string>("node_type");
    SubKernel sub;
    sub.name = fmt::format("k{}", made.mix.sub_kernels.size());
    sub.blocks = queue->get_or("max_blocks", 1);
    sub.type = kind == CoreKind::aic ? KernelType::aic_only : KernelType::aiv_only;
    if (named && kind == CoreKind::aic) sub.type = *find_kernel_type(*named);
    sub.batch_mode = made.mix.options.find("per_op") != std::string::npos;
    made.mix.sub_kernels.push_back(std::move(sub));
  }
  return made;
}

TEST(CapturedFacts, LaunchesOfTheQueues) {
  int checked = 0;
  for (const JsonView& fact : facts_of("entry_type")) {
    const auto type = fact.find("expect")->get<std::string>("entry_type");
    if (!type) continue;  // a list of no kernels is no case
    ++checked;
    const Case made = launch_case(fact);
    const Options options = skcts::options_of(made).options.value();
    std::vector<std::int32_t> all;
    for (std::size_t k = 0; k < made.mix.sub_kernels.size(); ++k) {
      all.push_back(static_cast<std::int32_t>(k));
    }
    const model::ShapeOrRefusal shape =
        model::fused_shape(made, all, options, *find_profile("a2-24"));
    ASSERT_FALSE(shape.refusal) << name_of(fact);
    EXPECT_EQ(to_string(shape.shape.type), *type) << name_of(fact);
    EXPECT_EQ(shape.shape.blocks, fact.find("expect")->get<int>("entry_num_blocks"))
        << name_of(fact);
  }
  EXPECT_EQ(checked, 3);
}

TEST(CapturedFacts, KindsThatAreOrdered) {
  const std::map<std::string, KernelType> types{{"AIC", KernelType::aic_only},
                                                {"AIV", KernelType::aiv_only},
                                                {"MIX_1_1", KernelType::mix_aic_1_1},
                                                {"MIX_1_2", KernelType::mix_aic_1_2}};
  int checked = 0;
  for (const JsonView& fact : facts_of("edge_direction")) {
    const auto edges = fact.find("expect")->find("edges");
    const std::vector<JsonView> ops = ops_of(fact);
    const auto earlier = types.find(ops[0].get_or<std::string>("queue", ""));
    const auto later = types.find(ops[1].get_or<std::string>("queue", ""));
    // A queue that no kernel has; edges that are told in words.
    if (!edges->is(Kind::list) || earlier == types.end() || later == types.end()) continue;
    ++checked;
    SubKernel one, two;
    one.type = earlier->second;
    two.type = later->second;
    const model::BoundaryRelation relation = model::captured_boundary(one, two, Options());
    std::vector<std::string> found;
    if (relation.from_aic && relation.to_aiv) found.emplace_back("cub_to_vec");
    if (relation.from_aiv && relation.to_aic) found.emplace_back("vec_to_cub");
    EXPECT_EQ(found, edges->as<std::vector<std::string>>()) << name_of(fact);
  }
  EXPECT_EQ(checked, 3);
}

TEST(CapturedFacts, WhoTakesPartInEarlyStart) {
  int checked = 0;
  for (const JsonView& fact : facts_of("early_start")) {
    ++checked;
    const Options options = options_of_fact(fact);
    std::vector<SubKernel> subs;
    for (const JsonView& op : ops_of(fact)) {
      SubKernel& sub = subs.emplace_back();
      sub.type = *find_kernel_type(op.get_or<std::string>("type", ""));
      sub.sk_bind = (op.get_or("cap_set", false) ? sk_bind::early_start_set : 0) |
                    (op.get_or("cap_wait", false) ? sk_bind::early_start_wait : 0);
      for (const Op call : {Op::wait_pre_task_end, Op::set_next_task_start}) {
        Instruction in;
        in.op = call;
        sub.program(runs_on(sub.type, CoreKind::aic) ? CoreKind::aic : CoreKind::aiv).push_back(in);
      }
    }
    const JsonView masks = *fact.find("expect")->find("func_mask");
    const auto has = [&](std::size_t k, std::string_view what) {
      const auto mask = masks.get<std::vector<std::string>>(fmt::format("{}", k));
      return mask && std::ranges::any_of(*mask, [&](const std::string& entry) {
               // A set for the own kind signals the next kernel; a wait is one of any kind.
               if (!entry.ends_with(what)) return false;
               return what == "WAIT" || entry.substr(0, 3) == entry.substr(7, 3);
             });
    };
    for (std::size_t k = 0; k + 1 < subs.size(); ++k) {
      const model::BoundaryRelation relation =
          model::captured_boundary(subs[k], subs[k + 1], options);
      EXPECT_EQ(relation.own_signal, has(k, "SET")) << name_of(fact) << " " << k;
      EXPECT_EQ(relation.own_wait, has(k + 1, "WAIT")) << name_of(fact) << " " << k + 1;
    }
  }
  EXPECT_EQ(checked, 2);
}

TEST(CapturedFacts, CapabilitiesHaveTheirBits) {
  const std::map<std::string, std::int32_t> bits{
      {"early_start_wait", sk_bind::early_start_wait},
      {"early_start_set", sk_bind::early_start_set},
      {"disable_dcci", sk_bind::disable_dcci},
      {"disable_schemode_check", sk_bind::no_batch_check}};
  const std::vector<JsonView> facts = facts_of("sk_bind_cap");
  EXPECT_EQ(facts.size(), 7u);
  int checked = 0;
  for (const JsonView& fact : facts) {
    std::int32_t sum = 0;
    for (const auto& flag : fact.find("expect")->get_or("flags", std::vector<std::string>())) {
      sum += bits.at(flag);
    }
    // A word of all ones is more than a case can say.
    if (name_of(fact).ends_with("ffffffffffffffff")) {
      EXPECT_EQ(sum, sk_bind::all);
      continue;
    }
    ++checked;
    EXPECT_EQ(ops_of(fact)[0].get<int>("sk_bind_cap"), sum) << name_of(fact);
  }
  EXPECT_EQ(checked, 6);
}

TEST(CapturedFacts, EachKernelByItselfOnRequest) {
  int checked = 0;
  for (const JsonView& fact : facts_of("scope_split")) {
    if (name_of(fact).find("PerOpMaxCoreSplitPass_MultipleKernels") == std::string::npos) continue;
    ++checked;
    Case made;
    made.path = "aclgraph";
    made.mix.options = "debug_per_op_max_core_num=1";
    for (int k = 0; k < 3; ++k) {
      SubKernel sub;
      sub.name = fmt::format("k{}", k);
      sub.blocks = 1;
      made.mix.sub_kernels.push_back(sub);
    }
    EXPECT_EQ(static_cast<int>(
                  model::super_kernels(made, {0, 1, 2}, *skcts::options_of(made).options).size()),
              fact.find("expect")->get<int>("num_scopes"));
  }
  EXPECT_EQ(checked, 1);
}

TEST(CapturedFacts, AnOptionOutOfRangeKeepsItsDefault) {
  for (const JsonView& fact : facts_of("option_parse")) {
    if (name_of(fact) != "aot_option_out_of_range_keeps_default") continue;
    EXPECT_EQ(options_of_fact(fact), parse_aclgraph_options("").options);
  }
}

/// What is not looked at above, and why.
TEST(CapturedFacts, TheRestIsNamed) {
  const std::map<std::string, std::string> not_looked_at{
      {"auto_op_parallel_order", "an order that the composer may choose"},
      {"deadlock", "the deadlock detector is not part of the contract"},
      {"event_queue", "which core watches for an event is the composer's business"},
      {"event_task", "values of events"},
      {"postprocess", "events that the composer adds and takes back"},
      {"preload", "code prefetch"},
      {"scope_api", "an interface of the front end"},
      {"sync_relations", "groups of a composer for the 950"}};
  const std::map<std::string, int> checked{
      {"scope_split_schemode", 14}, {"dcci_bits", 7},   {"entry_type", 3},  {"edge_direction", 3},
      {"early_start", 2},           {"sk_bind_cap", 6}, {"scope_split", 1}, {"option_parse", 1}};
  int looked_at = 0;
  int all = 0;
  for (const JsonView& fact : JsonView(tree()).children()) {
    ++all;
    const std::string kind = fact.get_or<std::string>("kind", "");
    EXPECT_TRUE(not_looked_at.contains(kind) || checked.contains(kind)) << kind;
  }
  for (const auto& [kind, count] : checked) looked_at += count;
  EXPECT_EQ(all, 87);
  EXPECT_EQ(looked_at, 37);
}

}  // namespace
}  // namespace skcts::facts
