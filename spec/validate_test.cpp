#include "spec/validate.h"

#include <string>

#include <gtest/gtest.h>

#include "spec/case_text.h"

namespace skcts {
namespace {

/// The first error, as "field: message (hint)"; "valid" when there is none.
std::string verdict(const Case& value) {
  const std::vector<Error> errors = validate(value);
  return errors.empty() ? "valid" : to_string(errors.front());
}

std::string verdict(std::string_view text) {
  const Result<Case> read = read_case(text, "case");
  return read ? verdict(*read) : "unread: " + to_string(read.error());
}

/// A case around one program of a sub kernel k of two blocks, on the profile "tiny".
std::string around(std::string_view type, std::string_view side, std::string_view program) {
  return fmt::format(R"({{"format": 1, "profile": "tiny", "mix": {{
"regions": [{{"name": "A", "words": 32}}, {{"name": "B", "words": 32, "offset_bytes": 32}},
            {{"name": "C", "words": 30, "offset_bytes": 4}}],
"sub_kernels": [{{"name": "k", "type": "{}", "blocks": 2,
"tensors": [{{"name": "t", "gm": "A"}}, {{"name": "c", "gm": "A", "const": true}},
            {{"name": "u", "gm": "A"}}, {{"name": "v", "gm": "B"}}],
"{}": [{}]}}]}}}})",
                     type, side, program);
}
std::string aiv(std::string_view program) {
  return verdict(around("AIV_ONLY", "aiv", program));
}
std::string aic(std::string_view program) {
  return verdict(around("AIC_ONLY", "aic", program));
}
std::string mix_1_1(std::string_view program) {
  return verdict(around("MIX_AIC_1_1", "aiv", program));
}
std::string mix_1_2(std::string_view program) {
  return verdict(around("MIX_AIC_1_2", "aiv", program));
}

/// The fields of the sub kernel's program start with this.
const std::string at = "mix.sub_kernels[0].aiv";

TEST(Validate, WhatARuleJudgesIsValid) {
  EXPECT_EQ(aiv(R"({"op": "CrossCoreSetFlag", "mode": 0, "pipe": "MTE3", "id": 27})"), "valid");
  EXPECT_EQ(aiv(R"({"op": "CrossCoreWaitFlag", "id": -1})"), "valid");
  EXPECT_EQ(aiv(R"({"op": "CrossCoreSetFlag", "mode": 2, "pipe": "MTE3", "id": 14})"), "valid");
  EXPECT_EQ(aiv(R"({"op": "SyncAll", "aiv_only": false, "where": {"core": 0}})"), "valid");
  EXPECT_EQ(aiv(R"({"op": "SetFlag", "event": "MTE2_V", "id": 9},
                   {"op": "SetFlag", "event": "MTE2_V", "id": 1})"),
            "valid");
  EXPECT_EQ(aiv(R"({"op": "SetNextTaskStart", "pipe": "S"}, {"op": "SetNextTaskStart"})"), "valid");
  Case wide = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  wide.mix.sub_kernels[0].blocks = 100;  // CORE-8 is the target's refusal
  wide.mix.options = "unknown-option=1";
  EXPECT_EQ(verdict(wide), "valid");
}

TEST(Validate, HeadOfACase) {
  const Case good = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  Case c = good;
  c.profile = "a2-42";
  EXPECT_EQ(verdict(c), "profile: no profile a2-42 (did you mean 'a2-24'?)");
  c = good;
  c.path = "hic";
  EXPECT_EQ(verdict(c), "path: no path hic (ge or aclgraph)");
  c = good;
  c.latitudes = {"L-14=drained", "L-14=not-drained"};
  EXPECT_EQ(verdict(c), "latitudes[1]: a latitude is pinned twice");
  c.latitudes = {"L-14=dry"};
  EXPECT_TRUE(verdict(c).starts_with("latitudes[0]: ")) << verdict(c);
  c = good;
  c.expect = Expectation{Behaviour::stalls, "SYNC-99", ""};
  EXPECT_EQ(verdict(c), "expect.rule: no rule SYNC-99 (such as SYNC-5)");
  c = good;
  c.provenance = Provenance{};
  EXPECT_EQ(verdict(c), "valid");
  c.provenance->rule = "SYNC-99";
  EXPECT_EQ(verdict(c),
            "provenance.rule: no rule SYNC-99 (the rule that a saved failure is charged to, such "
            "as SYNC-5)");
}

TEST(Validate, APlanHasSoManyLaunchesAndHostWrites) {
  Case c = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  c.plan.steps.assign(1024, {.kind = StepKind::host_write, .region = 0, .values = {1}});
  EXPECT_EQ(verdict(c), "valid");
  c.plan.steps.push_back({.kind = StepKind::fused, .sub_kernels = {0}});
  const std::string_view too_many =
      "plan: 1025 launches and host writes, more than 1024 (split it; init of a region can hold "
      "what the first half leaves)";
  EXPECT_EQ(verdict(c), too_many);
  c.plan.steps.resize(1023);
  const SubKernel kernel = c.mix.sub_kernels[0];
  c.mix.sub_kernels.push_back(kernel);
  c.mix.sub_kernels[1].name = "other";
  c.plan.steps.push_back({.kind = StepKind::alone, .sub_kernels = {0, 1}});
  EXPECT_EQ(verdict(c), too_many);
}

TEST(Validate, RegionsAndSubKernels) {
  const Case good = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  Case c = good;
  c.mix.regions[1].name = "A";
  EXPECT_EQ(verdict(c), "mix.regions[1].name: the name A is taken already");
  c = good;
  c.mix.regions[0].name = "9a";
  EXPECT_TRUE(verdict(c).starts_with("mix.regions[0].name: not a name")) << verdict(c);
  c = good;
  c.mix.regions[0].words = 0;
  EXPECT_EQ(verdict(c), "mix.regions[0].words: a region has at least one word");
  c = good;
  c.mix.regions[0].offset_bytes = 64;
  EXPECT_EQ(verdict(c), "mix.regions[0].offset_bytes: 64 bytes (a multiple of 4 from 0 to 60)");
  c = good;
  c.mix.regions[0].init.values.resize(33);
  EXPECT_EQ(verdict(c), "mix.regions[0].init: 33 values for 32 words");
  c = good;
  c.mix.regions[0].words = c.mix.regions[1].words = 1 << 26;
  EXPECT_TRUE(verdict(c).starts_with("mix.regions: ")) << verdict(c);
  c = good;
  c.mix.sub_kernels[0].blocks = 0;
  EXPECT_EQ(verdict(c), "mix.sub_kernels[0].blocks: 0 blocks (1 to 4096)");
  c = good;
  c.mix.sub_kernels.push_back(c.mix.sub_kernels[0]);
  EXPECT_EQ(verdict(c), "mix.sub_kernels[1].name: the name k is taken already");
  c = good;
  c.mix.sub_kernels.clear();
  EXPECT_EQ(verdict(c), "mix.sub_kernels: a mix has a sub kernel");
  c = good;
  c.mix.sub_kernels[0].tensors[0].region = 3;
  EXPECT_EQ(verdict(c), "mix.sub_kernels[0].tensors[0].gm: no region has the place 3");
}

TEST(Validate, Plans) {
  Case c = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  c.plan.steps = {{StepKind::fused, {1}, -1, 0, {}, ""}};
  EXPECT_EQ(verdict(c), "plan[0]: no sub kernel has the place 1");
  c.plan.steps = {{StepKind::fused, {0, 0}, -1, 0, {}, ""}};
  EXPECT_TRUE(verdict(c).starts_with("plan[0]: a sub kernel stands twice")) << verdict(c);
  c.plan.steps = {{StepKind::alone, {}, -1, 0, {}, ""}};
  EXPECT_EQ(verdict(c), "plan[0]: a step launches at least one sub kernel");
  c.plan.steps = {{StepKind::host_write, {}, 0, 30, {1, 2}, ""}};
  EXPECT_EQ(verdict(c), "valid");
  c.plan.steps[0].at = 31;
  EXPECT_EQ(verdict(c), "plan[0].values: words 31 to 32 lie outside the region A of 32");
}

TEST(Validate, StepsSideBySide) {
  Case c = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  c.mix.sub_kernels.push_back(c.mix.sub_kernels[0]);
  c.mix.sub_kernels[1].name = "k1";
  const PlanStep first{.kind = StepKind::alone, .sub_kernels = {0}};
  const PlanStep second{.kind = StepKind::fused, .sub_kernels = {1}};
  PlanStep& step = c.plan.steps.emplace_back(PlanStep{.kind = StepKind::beside});
  step.beside = {first, second};
  EXPECT_EQ(verdict(c), "valid");
  step.beside = {first};
  EXPECT_EQ(verdict(c), "plan[0].beside: launches run side by side from two on");
  step.beside = {first, first};
  EXPECT_TRUE(verdict(c).starts_with("plan[0].beside[1]: a sub kernel stands twice"));
  step.beside = {first, {.kind = StepKind::host_write, .region = 0, .values = {1}}};
  EXPECT_EQ(verdict(c), "plan[0].beside[1]: a fused, an alone or a marked step stands here");
}

TEST(Validate, EventsHaveOneRaiserAndOneWaiterAndHappenOnce) {
  Case good = read_case(around("AIV_ONLY", "aiv", ""), "case").value();
  good.mix.sub_kernels[0].recv = {"e"};
  good.mix.sub_kernels[0].send = {"f"};
  good.mix.outside = {{.name = "o",
                       .steps = {{.kind = OutsideKind::raise, .event = "e"},
                                 {.kind = OutsideKind::wait, .event = "f"}}}};
  EXPECT_EQ(verdict(good), "valid");
  Case c = good;
  c.mix.outside[0].steps[0].event = "f";
  EXPECT_TRUE(verdict(c).starts_with(
      "mix.outside[0].steps[0].raise: the event f is raised twice (an event has one raiser"))
      << verdict(c);
  c = good;
  c.mix.sub_kernels[0].send = {"e"};
  EXPECT_EQ(verdict(c), "mix.sub_kernels[0].recv[0]: k waits for its own end");
  c = good;
  c.mix.sub_kernels[0].recv = {"an event"};
  EXPECT_TRUE(verdict(c).starts_with("mix.sub_kernels[0].recv[0]: not a name")) << verdict(c);
  c = good;
  c.plan.steps = {{.sub_kernels = {0}}, {.sub_kernels = {0}}};
  EXPECT_TRUE(verdict(c).starts_with("plan: k has events and is launched 2 times")) << verdict(c);
  c = good;
  c.mix.outside[0].steps[0] = {
      .kind = OutsideKind::copy, .region = 0, .at = 0, .to = 0, .to_at = 31, .count = 2};
  EXPECT_TRUE(verdict(c).starts_with(
      "mix.outside[0].steps[0].count: words 31 to 32 lie outside the region A of 32"))
      << verdict(c);
}

TEST(Validate, WhatALaunchCountsHoldsWhatRuns) {
  Case good = read_case(around("MIX_AIC_1_1", "aiv", ""), "case").value();
  SubKernel& k = good.mix.sub_kernels[0];
  k.tiling = Tiling::offload;
  k.blocks = 4;
  k.launch_type = KernelType::mix_aic_1_2;
  k.launch_blocks = 4;
  EXPECT_EQ(verdict(good), "valid");
  Case c = good;
  c.mix.sub_kernels[0].launch_blocks = 3;
  EXPECT_TRUE(verdict(c).starts_with(
      "mix.sub_kernels[0].launch_blocks: MIX_AIC_1_2 of 3 blocks do not hold MIX_AIC_1_1 of 4"))
      << verdict(c);
  c = good;
  c.mix.sub_kernels[0].launch_type = KernelType::aiv_only;
  EXPECT_TRUE(verdict(c).starts_with("mix.sub_kernels[0].launch_blocks: AIV_ONLY of 4"));
  c = good;
  c.mix.sub_kernels[0].type = KernelType::mix_aic_1_2;
  c.mix.sub_kernels[0].launch_type = KernelType::mix_aic_1_1;
  c.mix.sub_kernels[0].blocks = 1;
  EXPECT_TRUE(verdict(c).starts_with(
      "mix.sub_kernels[0].launch_blocks: MIX_AIC_1_1 of 4 blocks do not hold MIX_AIC_1_2 of 1"))
      << verdict(c);
  c = good;
  c.mix.sub_kernels[0].tiling = Tiling::fixed;
  EXPECT_TRUE(verdict(c).starts_with("mix.sub_kernels[0].launch_blocks: the tiling is static"));
}

TEST(Validate, WhatTheAclgraphPathIsToldBelongsThere) {
  Case good = read_case(around("MIX_AIC_1_1", "aiv", ""), "case").value();
  good.path = "aclgraph";
  SubKernel& k = good.mix.sub_kernels[0];
  k.sk_bind = sk_bind::all;
  k.batch_mode = true;
  k.direct_launch = true;
  EXPECT_EQ(verdict(good), "valid");
  Case c = good;
  c.path = "ge";
  EXPECT_TRUE(verdict(c).starts_with(
      "mix.sub_kernels[0].sk_bind: the path is ge (it belongs to the path aclgraph)"))
      << verdict(c);
  for (const int wrong : {-1, 16}) {
    c = good;
    c.mix.sub_kernels[0].sk_bind = wrong;
    EXPECT_EQ(verdict(c), fmt::format("mix.sub_kernels[0].sk_bind: {} (a sum of 1, 2, 4 and 8, so "
                                      "0 to 15)",
                                      wrong));
  }
}

TEST(Validate, The950HasModeFourAndFewerWays) {
  const auto on_950 = [](std::string_view kind, std::string_view instruction) {
    Case c = read_case(around("MIX_AIC_1_2", kind, instruction), "case").value();
    c.profile = "tiny-950";
    return verdict(c);
  };
  const char* const mode_4 = R"({"op": "CrossCoreSetFlag", "mode": 4, "pipe": "S", "id": 3})";
  EXPECT_EQ(on_950("aiv", mode_4), "valid");
  EXPECT_EQ(on_950("aic", mode_4), "valid");
  EXPECT_TRUE(aiv(mode_4).find("no mode 4 on ") != std::string::npos) << aiv(mode_4);
  EXPECT_TRUE(on_950("aic", R"({"op": "DataCopy", "dst": {"gm": "A"}, "src": {"L1": 0},
                                "count": 8})")
                  .starts_with("mix.sub_kernels[0].aic[0].src: an AIC of the 950 has no way"));
  EXPECT_TRUE(on_950("aic", R"({"op": "DataCopy", "dst": {"L0A": 0}, "src": {"gm": "A"},
                                "count": 8})")
                  .starts_with("mix.sub_kernels[0].aic[0].dst: an AIC of the 950 has no way"));
  EXPECT_TRUE(on_950("aic", R"({"op": "PipeBarrier", "pipe": "MTE3"})")
                  .starts_with("mix.sub_kernels[0].aic[0].pipe: pipe MTE3 cannot stand here"));
}

TEST(Validate, SidesAndCoreKinds) {
  EXPECT_EQ(verdict(around("AIC_ONLY", "aiv", R"({"op": "SyncAll"})")),
            "mix.sub_kernels[0].aiv: AIC_ONLY has no program for aiv");
  EXPECT_EQ(aiv(R"({"op": "Mmad", "dst": {"L0C": 0}, "src": {"L0A": 0}, "src_b": {"L0B": 0},
                    "count": 8})"),
            at + "[0].op: Mmad does not exist on aiv (it belongs into the program \"aic\")");
  EXPECT_EQ(aic(R"({"op": "Duplicate", "dst": {"UB": 0}, "value": 1, "count": 8})"),
            "mix.sub_kernels[0].aic[0].op: Duplicate does not exist on aic (it belongs into the "
            "program \"aiv\")");
  EXPECT_TRUE(aiv(R"({"op": "PipeBarrier", "pipe": "M"})")
                  .starts_with(at + "[0].pipe: pipe M cannot stand here on aiv (one of V, MTE2, "));
  EXPECT_TRUE(aiv(R"({"op": "PipeBarrier", "pipe": "S"})").starts_with(at + "[0].pipe: "));
  EXPECT_TRUE(aiv(R"({"op": "CrossCoreSetFlag", "mode": 0, "pipe": "S", "id": 0})")
                  .starts_with(at + "[0].pipe: "));
  EXPECT_TRUE(
      aiv(R"({"op": "SetFlag", "event": "MTE2_MTE1", "id": 0})").starts_with(at + "[0].event: "));
  EXPECT_TRUE(
      aiv(R"({"op": "SetFlag", "event": "V_V", "id": 0})").starts_with(at + "[0].event: an event"));
  EXPECT_EQ(aic(R"({"op": "SetFlag", "event": "FIX_S", "id": 0})"), "valid");
  EXPECT_TRUE(aiv(R"({"op": "CrossCoreSetFlag", "mode": 4, "pipe": "V", "id": 0})")
                  .starts_with(at + "[0].mode: no mode 4"));
  EXPECT_TRUE(aic(R"({"op": "CrossCoreSetFlag", "mode": 1, "pipe": "FIX", "id": 0})")
                  .starts_with("mix.sub_kernels[0].aic[0].mode: mode 1"));
  const char* const call =
      R"({"op": "Matmul", "dst": {"gm": "A"}, "src": {"gm": "A", "at": 8}, "src_b": {"gm": "B"},
          "count": 8})";
  EXPECT_EQ(mix_1_2(call), "valid");
  EXPECT_TRUE(aiv(call).starts_with("mix.sub_kernels[0].aiv: AIV_ONLY has no AIC to serve"));
}

TEST(Validate, OperandsOfAnOp) {
  EXPECT_EQ(aiv(R"({"op": "DataCopy", "dst": {"L1": 0}, "src": {"gm": "A"}, "count": 8})"),
            at + "[0].dst: DataCopy on aiv takes UB, local here, not L1");
  EXPECT_EQ(aiv(R"({"op": "DataCopy", "dst": {"gm": "B"}, "src": {"gm": "A"}, "count": 8})"),
            at + "[0].dst: DataCopy on aiv takes UB, local here, not gm");
  EXPECT_EQ(aiv(R"({"op": "GetValue", "src": {"gm": "A"}})"),
            at + "[0].src: GetValue on aiv takes tensor, UB, local here, not gm");
  EXPECT_EQ(aiv(R"({"op": "SetValue", "dst": {"tensor": "c"}, "value": 1})"),
            at + "[0].dst: c is a const GlobalTensor");
  EXPECT_EQ(aiv(R"({"op": "DataCacheCleanAndInvalid"})"),
            at + "[0].dst: DataCacheCleanAndInvalid on aiv takes gm here, not nothing");
  EXPECT_EQ(aiv(R"({"op": "DataCacheCleanAndInvalid", "line": "ENTIRE_DATA_CACHE"})"), "valid");
  EXPECT_EQ(aiv(R"({"op": "Poll", "src": {"gm": "A"}, "via": "GetValue", "value": 1})"),
            at + "[0].src: Poll on aiv takes tensor here, not gm");
  EXPECT_EQ(aiv(R"({"op": "Poll", "src": {"gm": "A"}, "via": "bypass", "refresh": true,
                    "value": 1})"),
            at + "[0].refresh: a poll by bypass goes past the cache");
  EXPECT_EQ(aiv(R"({"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "A"}, "count": 8,
                    "atomic_add": true})"),
            at + "[0].atomic_add: only stores to GM add");
  EXPECT_EQ(aic(R"({"op": "DataCopy", "dst": {"gm": "A"}, "src": {"L0A": 0}, "count": 8})"),
            "mix.sub_kernels[0].aic[0].src: DataCopy on aic takes L1, local here, not L0A");
}

TEST(Validate, CountsAlignmentAndAddresses) {
  const auto load = [](std::string_view ub, std::string_view from, int count) {
    return aiv(fmt::format(R"({{"op": "DataCopy", "dst": {{"UB": {}}}, "src": {}, "count": {}}})",
                           ub, from, count));
  };
  EXPECT_EQ(load("0", R"({"gm": "A", "at": 24})", 8), "valid");
  EXPECT_EQ(load("0", R"({"gm": "A"})", 12),
            at + "[0].count: 12 words are no whole 32-byte blocks (a multiple of 8, such as 16)");
  EXPECT_EQ(load("0", R"({"gm": "A"})", 0), at + "[0].count: 0 words; at least one is moved");
  EXPECT_EQ(load("0", R"({"gm": "A", "at": 4})", 8),
            at + "[0].src: word 4 of the region A of 32 words is not 32-byte aligned (for block 0, "
                 "sub 0, core 0)");
  EXPECT_EQ(load("0", R"({"gm": "B", "at": 8})", 8), "valid") << "32 bytes behind a line";
  EXPECT_EQ(load("0", R"({"gm": "C", "at": 7})", 8), "valid") << "4 bytes behind a line";
  EXPECT_EQ(load("0", R"({"gm": "A", "at": {"core": 32}})", 8),
            at +
                "[0].src: words 32 to 39 lie outside the region A of 32 words (for block 1, sub 0, "
                "core 1)");
  EXPECT_EQ(load("0", R"({"gm": "A", "at": -8})", 8).substr(0, at.size() + 23),
            at + "[0].src: words -8 to -1");
  EXPECT_EQ(load("1016", R"({"gm": "A"})", 8), "valid") << "tiny has 1024 words of UB";
  EXPECT_EQ(load("1024", R"({"gm": "A"})", 8),
            at + "[0].dst: words 1024 to 1031 lie outside the UB of 1024 words (for block 0, sub "
                 "0, core 0)");
  EXPECT_EQ(load("0", R"({"gm": "A", "at": {"core": 16, "shift": 1}})", 8), "valid");
}

TEST(Validate, ARatioThatASubKernelMaySee) {
  // Two blocks of a 1:1 sub kernel: two AIVs alone, four in a launch of ratio 1:2.
  const char* const by_core = R"({"op": "RawLoad", "src": {"gm": "A", "at": {"core": 16}}})";
  EXPECT_EQ(aiv(by_core), "valid");
  EXPECT_EQ(mix_1_1(by_core),
            at + "[0].src: words 32 to 32 lie outside the region A of 32 words (for block 1, sub "
                 "0, core 2 (the sub kernel in a launch of ratio 1:2))");
  EXPECT_EQ(mix_1_1(R"({"op": "RawLoad", "src": {"gm": "A", "at": {"block": 16}}})"), "valid");
  EXPECT_NE(mix_1_2(by_core), "valid");
  EXPECT_NE(mix_1_1(R"({"op": "RawLoad", "src": {"gm": "A", "at": {"sub": 32}}})"), "valid");
}

TEST(Validate, RepeatsAndConditions) {
  EXPECT_EQ(aiv(R"({"op": "Repeat", "times": 4, "body": [
                 {"op": "RawLoad", "src": {"gm": "A", "at": {"i": 8}}}]})"),
            "valid");
  EXPECT_EQ(aiv(R"({"op": "Repeat", "times": 5, "body": [{"op": "SyncAll"},
                 {"op": "RawLoad", "src": {"gm": "A", "at": {"i": 8}}}]})"),
            at + "[0].body[1].src: words 32 to 32 lie outside the region A of 32 words (for block "
                 "0, sub 0, core 0, i = 4)");
  EXPECT_EQ(aiv(R"({"op": "RawLoad", "src": {"gm": "A", "at": {"i": 8}}})"),
            at + "[0].src: the index i needs 1 Repeat around this instruction");
  EXPECT_EQ(aiv(R"({"op": "Repeat", "times": 1, "body": [{"op": "SyncAll", "where": {"k": 0}}]})"),
            at + "[0].body[0].where.k: the index k needs 3 Repeats around this instruction");
  const auto nest = [](int depth) {
    std::string text = R"({"op": "SyncAll"})";
    for (int i = 0; i < depth; ++i) {
      text = R"({"op": "Repeat", "times": 2, "body": [)" + text + "]}";
    }
    return text;
  };
  EXPECT_EQ(aiv(nest(3)), "valid");
  EXPECT_EQ(aiv(nest(4)), at + "[0].body[0].body[0].body[0]: Repeat nested more than 3 deep "
                               "(unroll the innermost one by hand)");
  EXPECT_EQ(aiv(R"({"op": "Repeat", "times": 1048575, "body": [{"op": "SyncAll"}]})"), "valid");
  EXPECT_EQ(aiv(R"({"op": "Repeat", "times": 1048576, "body": [{"op": "SyncAll"}]})"),
            at + ": 1048577 instructions a core, more than 1048576");
  EXPECT_TRUE(aiv(R"({"op": "Repeat", "times": 2147483647, "body": [{"op": "Repeat",
                  "times": 2147483647, "body": [{"op": "SyncAll"}, {"op": "SyncAll"}]}]})")
                  .starts_with(at + ": 2147483647 instructions a core"));
  EXPECT_TRUE(
      aiv(R"({"op": "SyncAll", "where": {"core": [3, 2]}})").starts_with(at + "[0].where.core: "));
  EXPECT_EQ(aiv(R"({"op": "RawLoad", "src": {"gm": "A", "at": 99}, "where": {"core": 7}})"),
            "valid")
      << "nobody executes it";
}

TEST(Validate, GlobalTensorObjects) {
  EXPECT_EQ(aiv(R"({"op": "GlobalTensorEndOfScope", "tensor": "t"},
                   {"op": "GetValue", "src": {"tensor": "t"}})"),
            at + "[1].src: the GlobalTensor t is not alive here");
  EXPECT_EQ(aiv(R"({"op": "GlobalTensorCopy", "tensor": "u", "from": "t"},
                   {"op": "GetValue", "src": {"tensor": "u"}},
                   {"op": "GlobalTensorEndOfScope", "tensor": "u"},
                   {"op": "GlobalTensorCopy", "tensor": "u", "from": "t"})"),
            "valid");
  EXPECT_EQ(aiv(R"({"op": "GetValue", "src": {"tensor": "u"}},
                   {"op": "GlobalTensorCopy", "tensor": "u", "from": "t"})"),
            at + "[0].src: the GlobalTensor u is not alive here");
  EXPECT_TRUE(aiv(R"({"op": "GlobalTensorCopy", "tensor": "v", "from": "t"})")
                  .starts_with(at + "[0].tensor: v and t lie in different regions"));
  EXPECT_TRUE(aiv(R"({"op": "GlobalTensorCopy", "tensor": "u", "from": "t"},
                     {"op": "GlobalTensorCopy", "tensor": "u", "from": "t"})")
                  .starts_with(at + "[1].tensor: the GlobalTensor u is alive already"));
}

TEST(Validate, Queues) {
  const auto queue = [](std::string_view rest) {
    return aiv(std::string(R"({"op": "TPipe", "tpipe": "p"},
      {"op": "InitBuffer", "queue": "q", "tpipe": "p", "position": "VECIN", "num": 2,
       "count": 12},)") +
               std::string(rest));
  };
  const std::string alloc = R"({"op": "AllocTensor", "queue": "q", "local": "x"})";
  const std::string enque = R"({"op": "EnQue", "queue": "q", "local": "x"})";
  const std::string deque = R"({"op": "DeQue", "queue": "q", "local": "y"})";
  const std::string free_y = R"({"op": "FreeTensor", "queue": "q", "local": "y"})";
  const auto use = [](std::string_view name, int word) {
    return fmt::format(R"({{"op": "Duplicate", "dst": {{"local": "{}", "at": {}}}, "value": 1,
                           "count": 1}})",
                       name, word);
  };
  EXPECT_EQ(queue(alloc + "," + use("x", 15) + "," + enque + "," + deque + "," + use("y", 0) + "," +
                  free_y + "," + alloc),
            "valid");
  EXPECT_EQ(queue(alloc + "," + use("x", 16)),
            at + "[3].dst: words 16 to 16 lie outside the local tensor x of 16 words (for block 0, "
                 "sub 0, core 0)");
  EXPECT_TRUE(queue(use("x", 0)).starts_with(at + "[2].dst: no local tensor x here"));
  EXPECT_TRUE(queue(deque).starts_with(at + "[2].queue: nothing was put into q"));
  EXPECT_TRUE(queue(enque).starts_with(at + "[2].local: x is no tensor of q here"));
  EXPECT_EQ(queue(alloc + "," + enque + "," + enque),
            at + "[4].local: x was put into its queue before");
  EXPECT_TRUE(queue(alloc + "," + alloc + "," + alloc)
                  .starts_with(at + "[4].queue: the next buffer of q was not freed"));
  EXPECT_EQ(queue(alloc + "," + enque + "," + deque + "," + free_y + "," + free_y),
            at + "[6].local: y was freed before");
  EXPECT_TRUE(queue(R"({"op": "Get", "queue": "q", "local": "x"})")
                  .starts_with(at + "[2].queue: q has 2 buffers"));
  EXPECT_TRUE(aiv(alloc).starts_with(at + "[0].queue: no queue q here"));
  EXPECT_TRUE(aiv(R"({"op": "TPipeEndOfScope", "tpipe": "p"})")
                  .starts_with(at + "[0].tpipe: no TPipe p lives here"));
  EXPECT_EQ(aiv(R"({"op": "TPipe", "tpipe": "p"}, {"op": "InitBuffer", "queue": "q", "tpipe": "p",
                    "position": "VECIN", "num": 2, "count": 513})"),
            at + "[1].count: the buffers end at word 1040 of UB, which has 1024");
  EXPECT_EQ(aiv(R"({"op": "TPipe", "tpipe": "p"}, {"op": "InitBuffer", "queue": "q", "tpipe": "p",
                    "position": "A1", "count": 8})"),
            at + "[1].position: A1 lies in L1, which aiv does not have");
}

/// TPipes p and q, and calls on them and on the queue or TBuf b.
std::string on(std::string_view op, std::string_view tpipe) {
  return fmt::format(R"({{"op": "{}", "tpipe": "{}"}})", op, tpipe);
}
std::string buffer_of(std::string_view tpipe, std::string_view position = "VECIN") {
  return fmt::format(R"({{"op": "InitBuffer", "queue": "b", "tpipe": "{}", "position": "{}",
                         "count": 8}})",
                     tpipe, position);
}
std::string call(std::string_view op) {
  return fmt::format(R"({{"op": "{}", "queue": "b", "local": "x"}})", op);
}
std::string on_tpipes(std::initializer_list<std::string> instructions) {
  return aiv(fmt::format("{}", fmt::join(instructions, ",")));
}

TEST(Validate, OneTPipeLivesAtATime) {
  const std::string lives =
      "[1].tpipe: the TPipe p lives here; a core has one at a time (Destroy or TPipeEndOfScope "
      "comes first)";
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("TPipe", "q")}), at + lives);
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("TPipe", "p")}), at + lives);
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("TPipeEndOfScope", "p"), on("TPipe", "q")}), "valid");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("Destroy", "p"), on("TPipe", "q"),
                       on("TPipeEndOfScope", "p"), on("TPipeEndOfScope", "q")}),
            "valid");
}

TEST(Validate, LifeOfATPipeAndItsQueues) {
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("Destroy", "p"), on("Destroy", "p")}),
            at + "[2].tpipe: the TPipe p was destroyed before");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("Destroy", "p"), buffer_of("p")}),
            at + "[2].tpipe: the TPipe p was destroyed before");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), on("TPipeEndOfScope", "p"), on("Destroy", "p")}),
            at + "[2].tpipe: no TPipe p lives here (TPipe constructs it)");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p"), on("TPipeEndOfScope", "p"),
                       call("AllocTensor")}),
            at + "[3].queue: the TPipe p of b was destroyed before");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p"), on("Destroy", "p"), on("TPipe", "p"),
                       buffer_of("p"), call("AllocTensor")}),
            "valid");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p"), buffer_of("p")}),
            at + "[2].queue: b has its buffers already (a TPipe lays a queue out once)");
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p"), call("AllocTensor"), on("Destroy", "p"),
                       on("TPipe", "q"), buffer_of("q"), call("FreeTensor")}),
            at + "[6].local: x is no tensor of b here (AllocTensor or DeQue gives one)");
}

TEST(Validate, ATBufIsNoQueue) {
  for (const std::string op : {"AllocTensor", "EnQue", "DeQue", "FreeTensor"}) {
    EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p", "VECCALC"), call(op)}),
              at + "[2].queue: b has the position VECCALC: a TBuf, which has no " + op +
                  " (Get names a TBuf)");
    EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p"), call("Get"), call(op)}),
              at + "[3].queue: b is a TBuf (Get), which has no " + op);
  }
  EXPECT_EQ(on_tpipes({on("TPipe", "p"), buffer_of("p"), call("AllocTensor"), call("Get")}),
            at + "[3].queue: b is a queue (AllocTensor), which has no Get");
}

TEST(Validate, Workspaces) {
  const auto soft = [](int cores) {
    return aiv(fmt::format(R"({{"op": "SoftSyncAll", "workspace": {{"gm": "A"}},
                               "scratch": {{"UB": 0}}, "cores": {}}})",
                           cores));
  };
  EXPECT_EQ(soft(0), "valid") << "two cores";
  EXPECT_EQ(soft(4), "valid");
  EXPECT_TRUE(soft(5).starts_with(at + "[0].workspace: words 0 to 39 lie outside")) << soft(5);
  const auto set = [](std::string_view block, int id) {
    return aiv(fmt::format(R"({{"op": "IBSet", "workspace": {{"gm": "A"}}, "scratch": {{"UB": 0}},
                               "block": {}, "id": {}}})",
                           block, id));
  };
  EXPECT_EQ(set("1", 1), "valid");
  EXPECT_TRUE(set("0", 2).starts_with(at + "[0].workspace: words 32 to 39")) << set("0", 2);
  EXPECT_TRUE(set(R"({"base": 1, "core": 1})", 0).starts_with(at + "[0].block: block 2 is none"));
}

TEST(Validate, FieldsThatTheTextWouldLose) {
  Case c = read_case(around("AIV_ONLY", "aiv", R"({"op": "SyncAll"})"), "case").value();
  Instruction& sync = c.mix.sub_kernels[0].aiv[0];
  sync.id = 3;
  EXPECT_EQ(verdict(c), at + "[0].id: SyncAll has no such field");
  sync = Instruction{};
  sync.pipe = Pipe::v;
  sync.dst = {Space::ub, -1, {}};
  EXPECT_EQ(verdict(c), at + "[0].dst: PipeBarrier has no such field");
}

TEST(Validate, GivesAtMostFiftyErrorsAndOneForAnInstruction) {
  std::string program;
  for (int i = 0; i < 60; ++i) {
    program += std::string(i > 0 ? "," : "") + R"({"op": "RawLoad", "src": {"gm": "A", "at": 99}})";
  }
  EXPECT_EQ(validate(read_case(around("AIV_ONLY", "aiv", program), "case").value()).size(), 50u);
  const std::string one = R"({"op": "RawLoad", "src": {"gm": "A", "at": 99}})";
  EXPECT_EQ(validate(read_case(around("AIV_ONLY", "aiv", one), "case").value()).size(), 1u);
}

}  // namespace
}  // namespace skcts
