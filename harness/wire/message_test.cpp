#include "harness/wire/message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spec/case_text.h"
#include "spec/embedded.h"

namespace skcts::wire {
namespace {

Case some_case() {
  for (const EmbeddedFile& file : embedded_cases()) {
    if (!file.name.ends_with(".json")) continue;
    Result<Case> read = read_case(file.text, file.name);
    if (read) return std::move(*read);
  }
  return {};
}

template <class Message>
Message through_request(const Message& message) {
  const Result<Request> read = read_request(write_request(message));
  EXPECT_TRUE(read.ok()) << (read ? "" : to_string(read.error()));
  return read ? std::get<Message>(*read) : Message{};
}

template <class Message>
Message through_reply(const Message& message) {
  const Result<Reply> read = read_reply(write_reply(message));
  EXPECT_TRUE(read.ok()) << (read ? "" : to_string(read.error()));
  return read ? std::get<Message>(*read) : Message{};
}

TEST(Message, RequestsComeThroughWhole) {
  const Hello hello{.client = "a \"quoted\" name"};
  EXPECT_EQ(through_request(hello), hello);
  for (const AskKind kind : {AskKind::state, AskKind::cancel, AskKind::reset, AskKind::ping}) {
    const Ask ask{kind, 18446744073709551615u};
    EXPECT_EQ(through_request(ask), ask);
  }
  EXPECT_EQ(through_request(Goodbye{}), Goodbye{});
  wire::Run run{.id = 7, .tag = "t", .deadline_ms = 12, .trace = true, .step_limit = 99};
  run.strategy = {.kind = StrategyKind::pct, .depth = 5, .cache = CachePolicy::drop, .seed = 77};
  run.replay = Schedule{"random/keep", 3, {1, 2, 4294967295u}, "note"};
  run.test_case = some_case();
  ASSERT_FALSE(run.test_case.mix.sub_kernels.empty());
  EXPECT_EQ(through_request(run), run);
}

TEST(Message, OptionsOfARunAreVerbatim) {
  wire::Run run{.id = 1, .test_case = some_case()};
  run.test_case.mix.options = "dcci-after-kernel-start=a";  // reading case text would replace it
  EXPECT_EQ(through_request(run).test_case.mix.options, "dcci-after-kernel-start=a");
}

Waiting some_waiting() {
  return {.core = {CoreKind::aic, 2},
          .launch = 1,
          .sub_kernel = 0,
          .instruction = 3,
          .kind = WaitKind::cores,
          .id = 9};
}

TEST(Message, WelcomeComesThroughWhole) {
  Welcome welcome{.answers_while_busy = true, .pipeline = 8};
  welcome.target = {.name = "n",
                    .profile = "a2-24",
                    .paths = {"ge"},
                    .instructions = {"SyncAll", "DataCopy"},
                    .options = {"early-start"},
                    .declares_counts = true,
                    .undeclared_counts = {CountKind::refresh_debug, CountKind::feed_joins},
                    .honours_schedules = true,
                    .latitudes = {latitude_pin(14, "drained")},
                    .exact_consequences = true};
  EXPECT_EQ(through_reply(welcome), welcome);
  EXPECT_EQ(through_reply(Welcome{}), Welcome{});
}

TEST(Message, AnswersComeThroughWhole) {
  Answer answer{.id = 4, .tag = "x"};
  Outcome& outcome = answer.result.outcome;
  outcome.status = OutcomeStatus::stalled;
  outcome.waiting = {some_waiting()};
  outcome.reason = "why";
  outcome.rule = RuleId::sync_5;
  outcome.memory = {0, 1, 4294967295u};
  outcome.queries = {{{CoreKind::aiv, 1}, 0, 0, 2, -5}};
  outcome.counts = {{KernelType::mix_aic_1_2, 8, false, {{0, 1, 2, 3, 4, 5, 6, 7}}}};
  answer.result.schedule = {"random/drop", 5, {7}, ""};
  answer.result.replay_fitted = false;
  answer.result.steps = 12;
  answer.result.trace = {{1, 2, {CoreKind::aiv, 0}, Pipe::mte2, 0, -1, "t"}};
  const Answer back = through_reply(answer);
  EXPECT_EQ(back.id, 4u);
  EXPECT_EQ(back.tag, "x");
  EXPECT_EQ(back.result.outcome, outcome);
  EXPECT_EQ(back.result.schedule, answer.result.schedule);
  EXPECT_EQ(back.result.trace, answer.result.trace);
  EXPECT_EQ(back.result.steps, 12);
  EXPECT_FALSE(back.result.replay_fitted);
}

TEST(Message, AnswersWithoutAnOutcomeComeThrough) {
  for (const RunEnd end : {RunEnd::timeout, RunEnd::crash, RunEnd::not_supported}) {
    Answer answer{.id = 1, .result = unanswered(end, "because")};
    answer.result.waiting = {some_waiting()};
    const Answer back = through_reply(answer);
    EXPECT_EQ(back.result.end, end);
    EXPECT_EQ(back.result.detail, "because");
    EXPECT_EQ(back.result.waiting, answer.result.waiting);
  }
  EXPECT_TRUE(through_reply(Answer{.id = 1, .cancelled = true}).cancelled);
}

TEST(Message, SmallRepliesComeThrough) {
  const State state{.id = 3, .known = true, .waiting = {some_waiting()}, .text = "busy"};
  EXPECT_EQ(through_reply(state), state);
  EXPECT_EQ(through_reply(Done{DoneKind::reset, 2}), (Done{DoneKind::reset, 2}));
  EXPECT_EQ(through_reply(Done{DoneKind::pong, 2}), (Done{DoneKind::pong, 2}));
  EXPECT_EQ(through_reply(Complaint{"no"}), Complaint{"no"});
}

TEST(Message, WhatIsWrongIsNamed) {
  const auto error_of = [](std::string_view text) {
    const Result<Reply> read = read_reply(text);
    return read ? std::string("read") : to_string(read.error());
  };
  EXPECT_NE(error_of("{").find("message:1:"), std::string::npos);
  EXPECT_NE(error_of(R"({"type":"resutl"})").find("did you mean 'result'?"), std::string::npos);
  EXPECT_NE(error_of(R"({"type":"result","id":1,"tag":"","end":"verdict"})").find("an end"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"type":"result","id":1,"tag":"","verdict":"pass"})").find("unknown key"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"type":"result","id":1,"tag":"","end":"answered"})").find("outcome"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"type":"pong","id":-1})").find("id"), std::string::npos);
  EXPECT_NE(error_of(R"({"type":"hello","protocol":1,"name":"n",)"
                     R"("latitudes":["L-14=drained","L-14=not-drained"]})")
                .find("a second position of L-14=drained"),
            std::string::npos);
  EXPECT_NE(error_of(R"([1])").find("an object"), std::string::npos);
}

TEST(Message, OfAnotherVersionOnlyTheVersionIsRead) {
  const auto read = read_reply(R"({"type":"hello","protocol":9,"new":[]})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<Welcome>(*read).protocol, 9);
}

}  // namespace
}  // namespace skcts::wire
