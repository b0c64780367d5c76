#include "spec/case_text.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "spec/case_id.h"
#include "spec/instruction_text.h"

namespace skcts {
namespace {

/// A case around one AIV program; `%` in `shell` stands for it.
std::string with_aiv(std::string_view program) {
  return fmt::format(R"({{"format": 1, "mix": {{
"regions": [{{"name": "A", "words": 64}}],
"sub_kernels": [{{"name": "k", "type": "AIV_ONLY", "blocks": 2,
"tensors": [{{"name": "t", "gm": "A"}}],
"aiv": [
{}
]}}]}}}})",
                     program);
}

std::string error_of(std::string_view text) {
  const Result<Case> read = read_case(text, "f.json");
  return read ? "no error" : to_string(read.error());
}

Instruction only_instruction(std::string_view text) {
  const Result<Case> read = read_case(with_aiv(text), "f.json");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  return read ? read->mix.sub_kernels[0].aiv[0] : Instruction();
}

TEST(CaseText, TheSmallestCaseTakesTheDefaults) {
  const Result<Case> read = read_case(
      R"({"format": 1, "mix": {"sub_kernels": [{"name": "k", "type": "AIC_ONLY", "blocks": 3}]}})",
      "f");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->profile, "a2-24");
  EXPECT_EQ(read->path, "ge");
  EXPECT_EQ(read->mix.sub_kernels[0].type, KernelType::aic_only);
  EXPECT_FALSE(read->expect || read->schedule || read->provenance);
  EXPECT_EQ(write_case(*read), R"({
  "format": 1,
  "profile": "a2-24",
  "path": "ge",
  "mix": {
    "sub_kernels": [
      {
        "name": "k",
        "type": "AIC_ONLY",
        "blocks": 3
      }
    ]
  }
}
)");
}

TEST(CaseText, EveryPartOfACaseIsReadWhereItBelongs) {
  const Result<Case> read = read_case(R"({
  "provenance": {"source": "s", "seed": 18446744073709551615, "index": 2, "target": "emulator",
                 "rule": "SYNC-5", "key": "k"},
  "schedule": {"strategy": "random", "seed": 9, "choices": [0, 4294967295]},
  "expect": {"behaviour": "may-stall", "rule": "SYNC-16", "note": "en"},
  "plan": [{"fused": ["k1", "k0"]}, {"alone": ["k0"]}, {"marked": ["k0"]},
           {"beside": [{"alone": ["k0"]}, {"fused": ["k1"], "note": "in"}], "sharing": "normal"},
           {"host_write": "B", "at": 3, "values": [7, 8], "note": "pn"}],
  "latitudes": ["L-14=drained"],
  "path": "aclgraph", "profile": "tiny", "name": "n", "note": "cn",
  "mix": {"note": "mn", "options": "early-start=0", "sub_kernels": [
    {"name": "k0", "type": "MIX_AIC_1_1", "blocks": 2, "tiling": "offload", "tiling_key": -4,
     "launch_blocks": 3, "launch_type": "MIX_AIC_1_2", "sk_bind": 5, "batch_mode": true,
     "direct_launch": true, "stream": 2, "recv": ["e", "f"],
     "send": ["g"], "scope": ["outer", null, "inner"], "op_type": "MyOp", "note": "kn",
     "tensors": [{"name": "t", "gm": "B", "const": true, "note": "tn"}]},
    {"name": "k1", "type": "MIX_AIC_1_2", "blocks": 1}],
    "outside": [{"name": "other", "note": "on", "steps": [{"wait": "g"},
      {"write": "A", "at": 1, "values": [6], "note": "wn"},
      {"copy": "A", "at": 2, "to": "B", "to_at": 3, "count": 4}, {"raise": "e"}]}],
    "regions": [{"name": "A", "words": 8, "init": 5}, {"name": "B", "words": 9,
      "offset_bytes": 32, "init": {"values": [1], "first": 2, "step": 3, "note": "in"},
      "note": "rn"}, {"name": "C", "words": 1, "init": [4]}]},
  "format": 1})",
                                      "f");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const Case& c = *read;
  EXPECT_EQ(c.provenance,
            (Provenance{"s", 18446744073709551615u, 2, "emulator", "SYNC-5", "k", ""}));
  EXPECT_EQ(c.schedule, (Schedule{"random", 9, {0, 4294967295u}, ""}));
  EXPECT_EQ(c.expect, (Expectation{Behaviour::may_stall, "SYNC-16", "en"}));
  ASSERT_EQ(c.plan.steps.size(), 5u);
  EXPECT_EQ(c.plan.steps[0], (PlanStep{StepKind::fused, {1, 0}, -1, 0, {}, ""}));
  EXPECT_EQ(c.plan.steps[1], (PlanStep{StepKind::alone, {0}, -1, 0, {}, ""}));
  EXPECT_EQ(c.plan.steps[2], (PlanStep{.kind = StepKind::marked, .sub_kernels = {0}}));
  EXPECT_EQ(c.plan.steps[3],
            (PlanStep{.kind = StepKind::beside,
                      .beside = {{.kind = StepKind::alone, .sub_kernels = {0}},
                                 {.kind = StepKind::fused, .sub_kernels = {1}, .note = "in"}},
                      .sharing = CoreSharing::normal}));
  EXPECT_EQ(c.plan.steps[4], (PlanStep{StepKind::host_write, {}, 1, 3, {7, 8}, "pn"}));
  const SubKernel& k0 = c.mix.sub_kernels[0];
  EXPECT_EQ(k0.counted_blocks(), 3);
  EXPECT_EQ(k0.counted_type(), KernelType::mix_aic_1_2);
  EXPECT_EQ(k0.stream, 2);
  EXPECT_EQ(k0.recv, (std::vector<std::string>{"e", "f"}));
  EXPECT_EQ(k0.send, (std::vector<std::string>{"g"}));
  EXPECT_EQ(k0.scope, (std::vector<std::string>{"outer", "", "inner"}));
  EXPECT_EQ(c.mix.sub_kernels[1].counted_blocks(), 1);
  const std::vector<OutsideStep> steps = {
      {.kind = OutsideKind::wait, .event = "g"},
      {.kind = OutsideKind::write, .region = 0, .at = 1, .values = {6}, .note = "wn"},
      {.kind = OutsideKind::copy, .region = 0, .at = 2, .to = 1, .to_at = 3, .count = 4},
      {.kind = OutsideKind::raise, .event = "e"}};
  EXPECT_EQ(c.mix.outside, (std::vector<OutsideActor>{{"other", steps, "on"}}));
  EXPECT_EQ(c.latitudes, std::vector<std::string>{"L-14=drained"});
  EXPECT_EQ(c.name + c.note + c.profile + c.path, "ncntinyaclgraph");
  EXPECT_EQ(c.mix.note, "mn");
  EXPECT_EQ(c.mix.options, "early-start=0");
  EXPECT_EQ(c.mix.regions[0], (Region{"A", 8, 0, {{}, 5, 0, ""}, ""}));
  EXPECT_EQ(c.mix.regions[1], (Region{"B", 9, 32, {{1}, 2, 3, "in"}, "rn"}));
  EXPECT_EQ(c.mix.regions[2], (Region{"C", 1, 0, {{4}, 0, 0, ""}, ""}));
  const SubKernel& k = c.mix.sub_kernels[0];
  EXPECT_EQ(k.tiling, Tiling::offload);
  EXPECT_EQ(k.tiling_key, -4);
  EXPECT_EQ(k.sk_bind, 5);
  EXPECT_TRUE(k.batch_mode && k.direct_launch);
  EXPECT_EQ(k.op_type, "MyOp");
  EXPECT_EQ(k.tensors, (std::vector<Tensor>{{"t", 1, true, "tn"}}));
  EXPECT_EQ(read_case(write_case(c), "again").value(), c);
}

TEST(CaseText, OperandsValuesAndConditions) {
  const Instruction copy = only_instruction(
      R"({"op": "DataCopy", "dst": {"UB": {"i": 16}}, "src": {"gm": "A", "at": {"base": 8,
          "core": 16, "shift": -1}}, "count": 8, "where": {"core": 0, "key": [1, 3]}})");
  EXPECT_EQ(copy.dst, (Operand{Space::ub, -1, Expr{.repeat = {16, 0, 0}}}));
  EXPECT_EQ(copy.src, (Operand{Space::gm, 0, Expr{.base = 8, .core = 16, .shift = -1}}));
  EXPECT_EQ(copy.where.all,
            (std::vector<Condition>{{IndexName::core, 0, 0}, {IndexName::key, 1, 3}}));
  const Instruction set =
      only_instruction(R"({"op": "SetValue", "dst": {"tensor": "t"}, "value": 4294967295})");
  EXPECT_EQ(set.dst, (Operand{Space::tensor, 0, Expr{}}));
  EXPECT_EQ(set.value.expr.base, -1);
  const Instruction reg =
      only_instruction(R"({"op": "SetValue", "dst": {"tensor": "t", "at": 3}, "value": "r7"})");
  EXPECT_EQ(reg.value, (Value{Expr{}, 7}));
  EXPECT_EQ(only_instruction(R"({"op": "GetValue", "src": {"UB": 5}})").reg, -1);
  const Instruction next = only_instruction(R"({"op": "SetNextTaskStart"})");
  EXPECT_EQ(next.pipe, Pipe::mte3);
  EXPECT_EQ(next.aic_pipe, Pipe::fix);
}

TEST(CaseText, NamesAreNumberedInOrderOfFirstUse) {
  const Result<Case> read = read_case(with_aiv(R"(
    {"op": "TPipe", "tpipe": "p"},
    {"op": "InitBuffer", "queue": "q", "tpipe": "p", "position": "VECIN", "num": 2, "count": 8},
    {"op": "AllocTensor", "queue": "q", "local": "x"},
    {"op": "DataCopy", "dst": {"local": "x"}, "src": {"gm": "A"}, "count": 8})"),
                                      "f");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const SubKernel& k = read->mix.sub_kernels[0];
  EXPECT_EQ(k.names, (std::vector<std::string>{"p", "q", "x"})) << "InitBuffer: queue, then TPipe";
  EXPECT_EQ(k.aiv[1].object, 1);
  EXPECT_EQ(k.aiv[1].other, 0);
  EXPECT_EQ(k.aiv[3].dst.index, 2);
  Case other = *read;
  SubKernel& renamed = other.mix.sub_kernels[0];
  renamed.names = {"q", "p", "x", "unused"};  // another order than that of use is written out
  renamed.aiv[0].object = 1;
  renamed.aiv[1].object = 0;
  renamed.aiv[1].other = 1;
  renamed.aiv[2].object = 0;
  EXPECT_NE(write_case(other).find("\"names\": [\"q\", \"p\", \"x\", \"unused\"]"),
            std::string::npos);
  EXPECT_EQ(read_case(write_case(other), "again").value(), other);
}

TEST(CaseText, NotesMayStandOnEveryObject) {
  const std::string text = with_aiv(
      R"({"op": "Repeat", "times": 2, "note": "n1", "body": [
        {"op": "Compute", "pipe": "V", "reads": [{"UB": {"base": 8, "note": "n2"}, "count": 1,
         "note": "n3"}], "value": {"base": 4, "note": "n4"}, "where": {"note": "n5"}, "note": "n6"},
        {"op": "DataCopy", "dst": {"gm": "A", "at": {"i": 8, "note": "n7"}, "note": "n8"},
         "src": {"UB": 0, "note": "n9"}, "count": 8}]})");
  const Result<Case> read = read_case(text, "f");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const std::vector<Instruction>& body = read->mix.sub_kernels[0].aiv[0].body;
  EXPECT_EQ(body[0].field_notes,
            (std::vector<FieldNote>{
                {"reads[0].UB", "n2"}, {"reads[0]", "n3"}, {"value", "n4"}, {"where", "n5"}}));
  EXPECT_EQ(body[1].field_notes,
            (std::vector<FieldNote>{{"dst.at", "n7"}, {"dst", "n8"}, {"src", "n9"}}));
  const std::string written = write_case(*read);
  for (int i = 1; i <= 9; ++i) {
    EXPECT_NE(written.find(fmt::format("\"n{}\"", i)), std::string::npos) << i;
  }
  EXPECT_EQ(read_case(written, "again").value(), *read);
}

TEST(CaseText, ErrorsNamePlaceFieldExpectationAndNearestName) {
  EXPECT_EQ(error_of(with_aiv(R"({"op": "PipeBarrier", "pipe": "ALL"},
{"op": "PipeBarrier", "pip": "ALL"})")),
            "f.json:7:23: mix.sub_kernels[0].aiv[1]: unknown key \"pip\" in PipeBarrier (did you "
            "mean 'pipe'?)");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "PipeBarrier", "pipe": "MTE4"})")),
            "f.json:6:31: mix.sub_kernels[0].aiv[0].pipe: \"MTE4\" is not the name of a pipe (did "
            "you mean 'MTE1'?)");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "DataCpy"})")),
            "f.json:6:8: mix.sub_kernels[0].aiv[0].op: \"DataCpy\" is not the name of an "
            "instruction (did you mean 'DataCopy'?)");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "SyncAll", "id": 3})")),
            "f.json:6:19: mix.sub_kernels[0].aiv[0]: unknown key \"id\" in SyncAll (known keys: "
            "op, aiv_only, where, note)");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "CrossCoreWaitFlag"})")),
            "f.json:6:1: mix.sub_kernels[0].aiv[0]: CrossCoreWaitFlag needs the key \"id\"");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "CrossCoreWaitFlag", "id": 2147483648})")),
            "f.json:6:35: mix.sub_kernels[0].aiv[0].id: expected a whole number from -2147483648 "
            "to 2147483647, found 2147483648");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "CrossCoreWaitFlag", "id": 1.5})")),
            "f.json:6:35: mix.sub_kernels[0].aiv[0].id: expected a whole number from -2147483648 "
            "to 2147483647, found a number that is not whole, or too large");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "RawLoad", "src": {"gm": "B"}})")),
            "f.json:6:33: mix.sub_kernels[0].aiv[0].src.gm: \"B\" is not the name of a region of "
            "the mix (known: A)");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "RawLoad", "src": {"gm": "A", "UB": 3}})")),
            "f.json:6:38: mix.sub_kernels[0].aiv[0].src: a place in memory has one of gm, tensor, "
            "UB, L1, L0A, L0B, L0C, local, here are two");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "SetFlag", "event": "MTE2-V", "id": 0})")),
            "f.json:6:28: mix.sub_kernels[0].aiv[0].event: \"MTE2-V\" is not an event "
            "(SOURCE_DESTINATION, two of S, V, M, MTE1, MTE2, MTE3, FIX: \"MTE2_V\")");
  EXPECT_EQ(error_of(with_aiv(R"({"op": "SyncAll", "where": {"core": [1]}})")),
            "f.json:6:37: mix.sub_kernels[0].aiv[0].where.core: expected a whole number or a list "
            "of two, [first, last], found a list");
}

TEST(CaseText, TheFormatNumberIsLookedAtFirst) {
  EXPECT_EQ(error_of("{\"new_key\": 1, \"format\": 2}"),
            "f.json:1:26: format: format 2, but this build reads format 1 (the file needs a newer "
            "skcts)");
  EXPECT_EQ(error_of("{\"mix\": {}}"), "f.json:1:1: a case needs the key \"format\"");
  EXPECT_EQ(error_of("[]"), "f.json:1:1: expected an object (a case), found a list");
}

TEST(CaseText, PlanStepsSayWhatTheyAre) {
  const auto plan = [](std::string_view steps) {
    return fmt::format(
        R"({{"format": 1, "mix": {{"sub_kernels": [{{"name": "k", "type": "AIV_ONLY",)"
        R"( "blocks": 1}}]}},)"
        "\n\"plan\": {}}}",
        steps);
  };
  EXPECT_EQ(error_of(plan(R"([{"fused": ["k"], "alone": ["k"]}])")),
            "f.json:2:10: plan[0]: a step has one of fused, alone, host_write, marked, beside "
            "(such as {\"fused\": [\"k0\", \"k1\"]})");
  EXPECT_EQ(error_of(plan(R"([{"fused": ["k"], "sharing": "batch"}])")),
            "f.json:2:38: plan[0].sharing: \"sharing\" belongs to a beside step");
  EXPECT_EQ(error_of(plan(R"([{"beside": [{"beside": []}]}])")),
            "f.json:2:22: plan[0].beside[0]: a beside step inside a beside step (list its steps in "
            "the outer one)");
  EXPECT_EQ(error_of(plan(R"([{"fused": ["kk"]}])")),
            "f.json:2:21: plan[0].fused[0]: \"kk\" is not the name of a sub kernel of the mix (did "
            "you mean 'k'?)");
  EXPECT_EQ(error_of(plan(R"([{"fused": ["k"], "at": 3}])")),
            "f.json:2:33: plan[0].at: \"at\" belongs to a host_write step");
}

TEST(CaseText, StepsOfOutsideActorsSayWhatTheyAre) {
  const auto actor = [](std::string_view step) {
    return fmt::format(
        R"({{"format": 1, "mix": {{"sub_kernels": [{{"name": "k", "type": "AIV_ONLY",)"
        R"( "blocks": 1}}], "regions": [{{"name": "A", "words": 8}}], "outside": [)"
        "\n{{\"name\": \"o\", \"steps\": [{}]}}]}}}}",
        step);
  };
  EXPECT_EQ(error_of(actor(R"({"wait": "e", "raise": "f"})")),
            "f.json:2:25: mix.outside[0].steps[0]: a step of an outside actor has one of wait, "
            "write, copy, raise (such as {\"raise\": \"e\"})");
  EXPECT_EQ(error_of(actor(R"({"wait": "e", "at": 3})")),
            "f.json:2:45: mix.outside[0].steps[0].at: \"at\" belongs to a write or copy step");
  EXPECT_EQ(error_of(actor(R"({"copy": "A", "to": "A"})")),
            "f.json:2:25: mix.outside[0].steps[0]: a step of an outside actor needs the key "
            "\"count\"");
}

TEST(CaseText, TheAliasOfAnOptionIsTakenWithAWarning) {
  const Result<CaseReading> read = read_case_with_warnings(
      "{\"format\": 1, \"mix\": {\n\"options\": \"dcci-after-kernel-start=k\",\n\"sub_kernels\": "
      "[{\"name\": \"k\", \"type\": \"AIV_ONLY\", \"blocks\": 1}]}}",
      "f.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->value.mix.options, "dcci-after-kernel-end=k");
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_EQ(read->warnings[0].line, 2);
  EXPECT_EQ(read->warnings[0].field, "mix.options");
}

TEST(CaseText, FilesThatCannotBeReadAreErrors) {
  EXPECT_EQ(read_case_file("/nonexistent/case.json").error().message,
            "the file cannot be opened: No such file or directory");
  EXPECT_FALSE(read_case_file(std::filesystem::temp_directory_path().string()).ok());
  EXPECT_NE(error_of(std::string(max_case_bytes + 1, ' ')).find("more than 16777216"),
            std::string::npos);
}

TEST(CaseText, BrokenPlacesAreStillPrinted) {
  Case c;
  c.mix.sub_kernels.emplace_back();
  Instruction copy = default_instruction(Op::data_copy);
  copy.src = {Space::gm, 7, {}};
  copy.dst = {Space::local_tensor, -3, {}};
  c.mix.sub_kernels[0].aiv = {copy, default_instruction(Op::fixpipe)};
  c.plan.steps.push_back({StepKind::fused, {12}, -1, 0, {}, ""});
  const std::string text = write_case(c);
  EXPECT_NE(text.find("{\"gm\": \"#7\"}"), std::string::npos);
  EXPECT_NE(text.find("{\"local\": \"#-3\"}"), std::string::npos);
  EXPECT_NE(text.find("{\"fused\": [\"#12\"]}"), std::string::npos);
}

TEST(CaseId, DependsOnTheQuestionAndOnNothingElse) {
  const Case base = read_case(with_aiv(R"({"op": "SyncAll"})"), "f").value();
  Case noted = base;
  noted.name = "n";
  noted.note = noted.mix.note = "n";
  noted.mix.sub_kernels[0].aiv[0].note = "n";
  noted.mix.sub_kernels[0].aiv[0].field_notes = {{"where", "n"}};
  noted.mix.regions[0].init.note = "n";
  noted.expect = Expectation{};
  noted.schedule = Schedule{"s", 1, {2}, ""};
  noted.provenance = Provenance{"p", 0, 0, "", "", "", ""};
  noted.plan = effective_plan(base.mix, base.plan);
  EXPECT_EQ(case_id(noted), case_id(base));
  EXPECT_EQ(case_id(base).size(), 16u);
  std::vector<Case> others(6, base);
  others[0].profile = "tiny";
  others[1].path = "aclgraph";
  others[2].latitudes = {"L-14=drained"};
  others[3].mix.regions[0].init.first = 1;
  others[4].mix.sub_kernels[0].aiv[0].aiv_only = false;
  others[5].plan.steps = {{StepKind::alone, {0}, -1, 0, {}, ""}};
  for (const Case& other : others) EXPECT_NE(case_id(other), case_id(base));
}

/// Cases made of every op with every field, legal or not: the text must lose nothing.
class RandomCase {
 public:
  explicit RandomCase(std::uint32_t seed) : random_(seed) {}

  Case make() {
    Case c;
    c.name = text();
    c.note = text();
    c.mix.options = text();
    for (int i = 0; i < 3; ++i) {
      Region region{fmt::format("R{}", i), number(1000), number(60), {}, text()};
      for (int v = number(4); v > 0; --v) region.init.values.push_back(random_());
      region.init.first = number(1) != 0 ? random_() : 0;
      region.init.step = number(1) != 0 ? random_() : 0;
      if (number(3) == 0) region.init.note = text();
      c.mix.regions.push_back(region);
    }
    for (int i = 0; i < 2; ++i) c.mix.sub_kernels.push_back(kernel(i));
    if (number(1) != 0) c.plan.steps.push_back({StepKind::fused, {1, 0}, -1, 0, {}, text()});
    if (number(1) != 0) c.plan.steps.push_back({StepKind::host_write, {}, 2, number(9), {1}, ""});
    if (number(1) != 0) c.plan.steps.push_back(beside());
    for (int i = number(2); i > 0; --i) c.mix.outside.push_back(actor());
    if (number(1) != 0) c.expect = Expectation{Behaviour::stalls, "SYNC-5", text()};
    if (number(1) != 0) c.schedule = Schedule{text(), random_(), words(number(300)), text()};
    if (number(1) != 0) c.provenance = Provenance{"a", random_(), 7, "", text(), "", text()};
    return c;
  }

 private:
  int number(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
  std::int32_t any_int() {
    return number(2) == 0 ? static_cast<std::int32_t>(random_()) : number(9);
  }
  std::vector<std::uint32_t> words(int count) {
    std::vector<std::uint32_t> made;
    for (; count > 0; --count) made.push_back(number(1) != 0 ? random_() : random_() % 10);
    return made;
  }
  std::string text() {
    static const char* const texts[] = {"", "", "a b", "\"quoted\"\n", "\xc3\xa4", "x: [1, {2}]"};
    return texts[number(5)];
  }

  PlanStep beside() {
    PlanStep step{.kind = StepKind::beside, .note = text()};
    step.beside = {{.kind = StepKind::marked, .sub_kernels = {0}, .note = text()},
                   {.kind = StepKind::alone, .sub_kernels = {1}}};
    if (number(1) != 0) step.sharing = CoreSharing::normal;
    return step;
  }
  OutsideActor actor() {
    OutsideActor made{.name = text(), .note = text()};
    for (int i = number(5); i > 0; --i) {
      OutsideStep step{.kind = static_cast<OutsideKind>(number(3)), .note = text()};
      if (step.kind == OutsideKind::wait || step.kind == OutsideKind::raise) {
        step.event = text();
      } else {
        step.region = static_cast<std::int16_t>(number(2));
        step.at = number(5);
        if (step.kind == OutsideKind::write) step.values = words(number(20));
      }
      if (step.kind == OutsideKind::copy) {
        step.to = static_cast<std::int16_t>(number(2));
        step.to_at = number(4);
        step.count = number(9);
      }
      made.steps.push_back(step);
    }
    return made;
  }

  Expr expr() {
    Expr e;
    e.base = any_int();
    if (number(1) != 0) return e;
    e.block = number(2);
    e.sub = any_int();
    e.core = number(2);
    for (std::int32_t& r : e.repeat) r = number(1);
    e.shift = number(1) - number(1);
    return e;
  }

  Operand operand() {
    Operand o;
    o.space = static_cast<Space>(1 + number(7));
    o.at = expr();
    if (o.space == Space::gm) o.index = static_cast<std::int16_t>(number(2));
    if (o.space == Space::tensor) o.index = static_cast<std::int16_t>(number(1));
    if (o.space == Space::local_tensor) o.index = static_cast<std::int16_t>(number(3));
    return o;
  }

  std::vector<Range> ranges() {
    std::vector<Range> made;
    for (int i = number(2); i > 0; --i) made.push_back({operand(), number(100)});
    return made;
  }

  void fill(Instruction& in, Field field, int depth) {
    switch (field) {
      case Field::dst: in.dst = operand(); break;
      case Field::src: in.src = operand(); break;
      case Field::src_b: in.src_b = operand(); break;
      case Field::count: in.count = number(100); break;
      case Field::atomic_add: in.atomic_add = number(1) != 0; break;
      case Field::value:
        if (number(2) == 0) {
          in.value.reg = static_cast<std::int8_t>(number(7));
        } else {
          in.value.expr = expr();
        }
        break;
      case Field::reg: in.reg = static_cast<std::int8_t>(number(8) - 1); break;
      case Field::pipe: in.pipe = static_cast<Pipe>(number(7)); break;
      case Field::aic_pipe: in.aic_pipe = static_cast<Pipe>(number(7)); break;
      case Field::event:
        in.event = {static_cast<Pipe>(number(6)), static_cast<Pipe>(number(6))};
        break;
      case Field::id: in.id = any_int(); break;
      case Field::mode: in.mode = any_int(); break;
      case Field::aiv_only: in.aiv_only = number(1) != 0; break;
      case Field::line: in.line = static_cast<CacheLine>(number(1)); break;
      case Field::dsb: in.dsb = static_cast<Dsb>(number(3)); break;
      case Field::via: in.via = static_cast<PollVia>(number(3)); break;
      case Field::until: in.until = static_cast<Compare>(number(1)); break;
      case Field::refresh: in.refresh = number(1) != 0; break;
      case Field::position: in.position = static_cast<Position>(number(7)); break;
      case Field::object: in.object = static_cast<std::int16_t>(number(1)); break;
      case Field::other: in.other = static_cast<std::int16_t>(number(1)); break;
      case Field::num: in.num = number(9); break;
      case Field::times: in.times = number(9); break;
      case Field::reads: in.reads = ranges(); break;
      case Field::writes: in.writes = ranges(); break;
      case Field::body: in.body = program(depth + 1); break;
    }
  }

  std::vector<Instruction> program(int depth) {
    std::vector<Instruction> made;
    for (int i = depth > 2 ? 1 : number(12); i > 0; --i) {
      Instruction in = default_instruction(static_cast<Op>(number(op_count - 1)));
      for (unsigned bit = 0; bit < 26; ++bit) {
        const auto field = static_cast<Field>(1u << bit);
        if (uses(in.op, field) && !(field == Field::body && depth > 2)) fill(in, field, depth);
      }
      for (int w = number(2); w > 0; --w) {
        in.where.all.push_back({static_cast<IndexName>(w * 2), any_int(), any_int()});
      }
      in.note = text();
      made.push_back(in);
    }
    return made;
  }

  SubKernel kernel(int i) {
    SubKernel k;
    k.name = fmt::format("k{}", i);
    k.type = all_kernel_types[number(5)];
    k.blocks = any_int();
    k.tiling = static_cast<Tiling>(number(1));
    k.launch_blocks = any_int();
    if (number(1) != 0) k.launch_type = all_kernel_types[number(5)];
    k.stream = any_int();
    for (int e = number(2); e > 0; --e) k.recv.push_back(text());
    for (int e = number(2); e > 0; --e) k.send.push_back(text());
    for (int m = number(2); m > 0; --m) k.scope.push_back(number(1) != 0 ? "" : "mark");
    k.tiling_key = any_int();
    k.sk_bind = any_int();
    k.batch_mode = number(1) != 0;
    k.direct_launch = number(1) != 0;
    k.op_type = text();
    k.note = text();
    k.tensors = {{"t0", 1, true, text()}, {"t1", 0, false, ""}};
    k.names = {"n0", "n1", "n2", "n3"};
    k.aic = program(0);
    k.aiv = program(0);
    return k;
  }

  std::mt19937 random_;
};

TEST(CaseText, WrittenCasesReadBackEqualWhateverTheyHold) {
  int ops_seen = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const Case c = RandomCase(seed).make();
    const std::string text = write_case(c);
    const Result<Case> read = read_case(text, "written");
    ASSERT_TRUE(read.ok()) << seed << ": " << to_string(read.error()) << "\n" << text;
    ASSERT_EQ(*read, c) << seed << "\n" << text << "\n" << write_case(*read);
    ASSERT_EQ(write_case(*read), text) << seed;
    ops_seen += instruction_text(c.mix.sub_kernels[0].aiv.empty() ? Op::sync_all
                                                                  : c.mix.sub_kernels[0].aiv[0].op)
                        .empty()
                    ? 0
                    : 1;
  }
  EXPECT_GT(ops_seen, 1000);
}

TEST(CaseText, ASeedBelowZeroIsNamed) {
  EXPECT_EQ(error_of(R"({"format": 1, "mix": {"sub_kernels": []}, "schedule": {"seed": -1}})"),
            "f.json:1:64: schedule.seed: expected a whole number from 0, found -1");
}

TEST(CaseText, AnOptionItemWithoutItsValueIsAWarning) {
  const Result<CaseReading> read = read_case_with_warnings(
      R"({"format": 1, "mix": {"options": "early-start:split-mode=2", "sub_kernels": []}})", "f");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_EQ(read->warnings[0].field, "mix.options");
  EXPECT_NE(read->warnings[0].message.find("early-start"), std::string::npos);
}

TEST(CaseText, AnInitOfValuesAndFirstGoesOnAfterTheValues) {
  const Result<Case> read = read_case(
      R"({"format": 1, "mix": {"regions": [{"name": "A", "words": 4,
          "init": {"values": [9], "first": 100, "step": 10}}], "sub_kernels": []}})",
      "f.json");
  ASSERT_TRUE(read.ok());
  const RegionInit& init = read->mix.regions[0].init;
  EXPECT_EQ(init.word(0), 9u);
  EXPECT_EQ(init.word(1), 110u);
  EXPECT_EQ(init.word(3), 130u);
}

}  // namespace
}  // namespace skcts
