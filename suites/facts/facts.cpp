// Reading spec/facts, and making cases of facts.
#include "suites/facts/facts.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "spec/check.h"
#include "spec/options.h"
#include "suites/facts/json_view.h"

namespace skcts::facts {
namespace {

std::optional<KernelType> type_of(const JsonView& object, std::string_view key) {
  const auto name = object.get<std::string>(key);
  if (!name) return std::nullopt;
  const auto type = find_kernel_type(*name);
  SKCTS_CHECK(type.has_value(), "no kernel type {}", *name);
  return type;
}

bool flag(const JsonView& object, std::string_view key) {
  return object.get_or(key, false);
}

FactOp read_op(const JsonView& json) {
  FactOp op;
  op.type = type_of(json, "type");
  op.blocks = json.get_or("blocks", 0);
  op.op_type = json.get_or("op_type", std::string());
  op.stream = json.get_or("stream", 0);
  op.sync_all = flag(json, "sync_all");
  op.set = flag(json, "set");
  op.wait = flag(json, "wait");
  op.calls_set = flag(json, "calls_set");
  op.calls_wait = flag(json, "calls_wait");
  op.before = flag(json, "before");
  op.after = flag(json, "after");
  op.disable = flag(json, "disable");
  op.offload = flag(json, "offload");
  op.events = json.find("send") || json.find("recv");
  op.sends = json.get_or("send", std::vector<int>());
  op.receives = json.get_or("recv", std::vector<int>());
  op.core = json.get_or("core", std::string());
  op.name = json.get_or("name", std::string());
  op.built_apart = json.find("built_with_set") || json.find("built_with_split_mode");
  return op;
}

Built read_built(const JsonView& json) {
  return {.block_num = json.get<int>("block_num"),
          .per_access = flag(json, "per_access"),
          .set = flag(json, "set"),
          .wait = flag(json, "wait"),
          .before = flag(json, "before"),
          .after = flag(json, "after"),
          .disable = flag(json, "disable")};
}

/// A parsed option as the record shows it: lists with commas.
std::string plain(const JsonView& value) {
  if (value.is(JsonView::Kind::integer)) return std::to_string(value.as<int>());
  if (value.is(JsonView::Kind::string)) return value.as<std::string>();
  return fmt::format("{}", fmt::join(value.as<std::vector<std::string>>(), ","));
}

void read_launch(const JsonView& json, FactExpect& expect) {
  expect.launch = type_of(json, "launch");
  expect.blocks = json.get<int>("blocks");
  expect.aic_cores = json.get<int>("aic_cores");
  expect.aiv_cores = json.get<int>("aiv_cores");
  expect.ratio = json.get_or("ratio", std::string());
  expect.early_start = json.get<int>("early_start");
  expect.workspace_bytes = json.get<int>("workspace_bytes");
  expect.natural_launch = type_of(json, "natural_launch");
  expect.natural_blocks = json.get<int>("natural_blocks");
  expect.type_mask = json.get<int>("type_mask");
  expect.max_aic = json.get<int>("max_aic");
  expect.max_aiv = json.get<int>("max_aiv");
}

void read_options(const JsonView& json, FactExpect& expect) {
  for (const char* key : {"accepted", "ratio_ok", "platform_ok", "ok"}) {
    if (const auto value = json.get<bool>(key)) expect.accepted = value;
  }
  expect.list = json.get_or("list", std::vector<std::string>());
  expect.warnings = json.get_or("warnings", 0);
  if (const auto parsed = json.find("parsed")) {
    for (const JsonView& value : parsed->children()) {
      expect.parsed.push_back(fmt::format("{}={}", value.key(), plain(value)));
    }
  }
  if (const auto early_start = json.find("early-start")) {
    expect.accepted = true;
    expect.parsed.push_back("early-start=" + plain(*early_start));
  }
}

void read_sequence(const JsonView& json, FactExpect& expect) {
  using Steps = std::vector<std::string>;
  const auto sequence = json.find("sequence");
  if (!sequence) return;
  expect.has_sequence = sequence->is(JsonView::Kind::list);
  expect.has_lists = !expect.has_sequence;
  if (expect.has_sequence) {
    expect.sequence = sequence->as<Steps>();
    return;
  }
  expect.sequence = sequence->get_or("main", Steps());
  expect.aic_list = sequence->get_or("aic", Steps());
  expect.aiv_list = sequence->get_or("aiv", Steps());
}

void read_streams(const JsonView& json, FactExpect& expect) {
  using Edges = std::vector<std::vector<std::string>>;
  expect.inner_events = json.get_or("inner_events", std::vector<int>());
  expect.extra_sync = json.get_or("extra_sync_after_wait_event", std::string());
  if (const auto other = json.find("graph_autofusion")) {
    expect.fails_elsewhere = other->as<std::string>() == "NameError";
  }
  expect.edge = json.get_or("edge", std::string());
  expect.edges = json.get_or("edges_before", Edges());
  expect.edges_kept = json.get_or("edges_after", Edges());
  expect.edges_removed = json.get_or("edges_after_removed", Edges());
}

FactExpect read_expect(const JsonView& json) {
  const auto second = json.find("asc_devkit");
  if (second) {
    // Two composers: what both made, or what the one made where the other fails.
    FactExpect expect = read_expect(*second);
    const auto first = read_expect(*json.find("graph_autofusion"));
    expect.error = first.error;
    SKCTS_CHECK(!first.error.empty() || first.sequence == expect.sequence, "they differ");
    return expect;
  }
  FactExpect expect;
  read_launch(json, expect);
  read_options(json, expect);
  expect.double_stream = flag(json, "double_stream");
  expect.error = json.get_or("error", std::string());
  read_sequence(json, expect);
  read_streams(json, expect);
  if (const auto built = json.find("built")) {
    for (const JsonView& entry : built->children()) expect.built.push_back(read_built(entry));
  }
  expect.early_config = json.get<int>("early_cfg");
  expect.inter_op_sync = json.get_or("inter_op_sync", std::string());
  expect.need_feed = json.get<bool>("need_feed");
  expect.before = json.get<bool>("dcci_before");
  expect.after = json.get<bool>("dcci_after");
  expect.disable = json.get<bool>("dcci_disable");
  return expect;
}

Fact read_fact(const JsonView& json) {
  Fact fact;
  fact.name = json.find("name")->as<std::string>();
  fact.kind = json.find("kind")->as<std::string>();
  fact.path = json.find("path")->as<std::string>();
  fact.machine = json.get_or("machine", std::string());
  fact.origin = json.find("origin")->as<std::string>();
  fact.underscores_converted = json.find("underscores").has_value();
  // The records of the other path are only counted so far; their expectations have other words.
  if (fact.path != "ge" || fact.is("scope_api")) return fact;
  fact.options = json.get_or("options", std::string());
  if (const auto ops = json.find("ops")) {
    for (const JsonView& op : ops->children()) fact.ops.push_back(read_op(op));
  }
  fact.expect = read_expect(*json.find("expect"));
  return fact;
}

std::vector<Fact> read_all() {
  std::vector<Fact> facts;
  for (const char* name :
       {"launches", "options", "decisions", "compositions", "codegen", "aclgraph"}) {
    const std::string path = fmt::format("{}/spec/facts/{}.json", SKCTS_SOURCE_DIR, name);
    std::ifstream in(path, std::ios::binary);
    SKCTS_CHECK(in.good(), "cannot read {}", path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto tree = parse_json(text, path);
    SKCTS_CHECK(tree.ok(), "{}", to_string(tree.error()));
    for (const JsonView& json : JsonView(*tree).children()) facts.push_back(read_fact(json));
  }
  return facts;
}

Instruction call(Op op) {
  Instruction instruction;
  instruction.op = op;
  return instruction;
}

/// The dcci lists of a mix name op types, those of a fact the sub kernels.
void name_in_lists(const Fact& fact, Options& options) {
  for (std::size_t i = 0; i < fact.ops.size(); ++i) {
    const FactOp& op = fact.ops[i];
    if (!op.op_type.empty()) continue;  // the option string of the fact names it
    const std::string name = fmt::format("op{}", i);
    if (op.before) options.dcci_before_kernel_start.push_back(name);
    if (op.after) options.dcci_after_kernel_end.push_back(name);
    if (op.disable) options.dcci_disable_on_kernel.push_back(name);
  }
}

}  // namespace

const std::vector<Fact>& all_facts() {
  static const std::vector<Fact> facts = read_all();
  return facts;
}

const Fact& fact(std::string_view name) {
  const auto found = std::ranges::find(all_facts(), name, &Fact::name);
  SKCTS_CHECK(found != all_facts().end(), "no fact {}", name);
  return *found;
}

bool exceeds_chip(const Fact& fact) {
  return std::ranges::any_of(fact.ops, [](const FactOp& op) {
    return op.type && (aic_cores(*op.type, op.blocks) > 24 || aiv_cores(*op.type, op.blocks) > 48);
  });
}

Fact fit_to_chip(const Fact& fact) {
  Fact out = fact;
  for (std::size_t i = 0; i < out.ops.size(); ++i) {
    FactOp& op = out.ops[i];
    const int most = op.type && is_aiv_kind(*op.type) ? 48 : 24;
    if (op.blocks <= most) continue;
    const std::string run = fmt::format("run op{} ", i);
    const std::string guard = fmt::format("idx<{}", op.blocks);
    FactExpect& expect = out.expect;
    for (auto* steps : {&expect.sequence, &expect.aic_list, &expect.aiv_list}) {
      for (std::string& step : *steps) {
        if (!step.starts_with(run) || !step.ends_with(guard)) continue;
        step = fmt::format("{}idx<{}", step.substr(0, step.size() - guard.size()), most);
      }
    }
    op.blocks = most;
    if (i < out.expect.built.size()) out.expect.built[i].block_num = most;
  }
  return out;
}

SubKernel sub_kernel(std::string name, const FactOp& op) {
  SKCTS_CHECK(op.type.has_value(), "the fact has no kernel type for {}", name);
  SubKernel out;
  out.name = std::move(name);
  out.type = *op.type;
  out.blocks = op.blocks;
  out.tiling = op.offload ? Tiling::offload : Tiling::fixed;
  out.op_type = op.op_type;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(out.type, kind)) continue;
    std::vector<Instruction>& program = out.program(kind);
    if (op.wait || op.calls_wait) program.push_back(call(Op::wait_pre_task_end));
    if (op.sync_all) {
      Instruction sync = call(Op::sync_all);
      sync.aiv_only = !is_mix_kind(out.type) && !is_aic_kind(out.type);
      program.push_back(sync);
    }
    if (op.set || op.calls_set) {
      Instruction set = call(Op::set_next_task_start);
      set.pipe = Pipe::mte3;
      set.aic_pipe = Pipe::fix;
      program.push_back(set);
    }
  }
  return out;
}

Case case_of(const Fact& fact) {
  Case out;
  out.name = fact.name;
  out.profile = fact.machine == "950" ? "950-28" : "a2-24";
  Options options = parse_options(fact.options).options.value_or(Options{});
  name_in_lists(fact, options);
  out.mix.options = to_option_string(options);
  // Where the sources leave a choice, that of the composer which was recorded.
  out.latitudes = {"L-38=all-of-kind", "L-39=disable-wins"};
  for (std::size_t i = 0; i < fact.ops.size(); ++i) {
    out.mix.sub_kernels.push_back(sub_kernel(fmt::format("op{}", i), fact.ops[i]));
  }
  return out;
}

}  // namespace skcts::facts
