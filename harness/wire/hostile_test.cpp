// A scripted liar on the other side: whatever it does, each run comes to an end and is told apart.
#include <cctype>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/wire/clock.h"
#include "harness/wire/frame.h"
#include "harness/wire/testing.h"

namespace skcts::wire {
namespace {

using namespace testing_partners;
using Lie = std::function<void(Wire&, const wire::Run&)>;

struct Row {
  const char* name;
  Lie lie;            ///< Told to the first case; afterwards the partner behaves.
  RunEnd end;         ///< What the run comes to.
  const char* words;  ///< Part of the detail.
};

Answer good_answer(const wire::Run& run) {
  PlainTarget target;
  return {.id = run.id, .tag = run.tag, .result = target.run(run.test_case, {})};
}

std::vector<Row> rows() {
  return {
      {"silent", [](Wire& wire, const wire::Run&) { wire.hang(); }, RunEnd::timeout,
       "No answer within"},
      {"closes at once", [](Wire&, const wire::Run&) {}, RunEnd::lost, "closed the connection"},
      {"closes inside a frame",
       [](Wire& wire, const wire::Run& run) {
         wire.raw(frame_of(write_reply(good_answer(run))).substr(0, 40));
       },
       RunEnd::protocol_error, "inside a frame"},
      {"stops inside a frame",
       [](Wire& wire, const wire::Run& run) {
         wire.raw(frame_of(write_reply(good_answer(run))).substr(0, 40));
         wire.hang();
       },
       RunEnd::timeout, "No answer"},
      {"corrupt text",
       [](Wire& wire, const wire::Run& run) {
         std::string text = write_reply(good_answer(run));
         text[text.size() / 2] = '\x01';
         wire.say_text(text);
       },
       RunEnd::protocol_error, "message:1"},
      {"noise",
       [](Wire& wire, const wire::Run&) {
         wire.raw("HTTP/1.1 200 OK\r\n\r\n");
         wire.hang();
       },
       RunEnd::protocol_error, "are allowed"},
      {"oversized",
       [](Wire& wire, const wire::Run&) {
         wire.raw(std::string("\x7f\xff\xff\xff", 4));
         wire.hang();
       },
       RunEnd::protocol_error, "2147483647 bytes"},
      {"wrong id",
       [](Wire& wire, const wire::Run& run) {
         Answer answer = good_answer(run);
         answer.id += 1000;
         wire.say(answer);
       },
       RunEnd::protocol_error, "not asked for"},
      {"answers an older case",
       [](Wire& wire, const wire::Run& run) {
         Answer answer = good_answer(run);
         answer.id -= 1;
         wire.say(answer);
       },
       RunEnd::protocol_error, "not asked for any more"},
      {"wrong tag",
       [](Wire& wire, const wire::Run& run) {
         Answer answer = good_answer(run);
         answer.tag = "another";
         wire.say(answer);
       },
       RunEnd::protocol_error, "carries the tag"},
      {"another case's memory",
       [](Wire& wire, const wire::Run& run) {
         Answer answer = good_answer(run);
         answer.result.outcome.memory.resize(32);
         wire.say(answer);
       },
       RunEnd::protocol_error, "the case's GM has 16"},
      {"truncated memory",
       [](Wire& wire, const wire::Run& run) {
         Answer answer = good_answer(run);
         answer.result.outcome.memory.pop_back();
         wire.say(answer);
       },
       RunEnd::protocol_error, "15 words"},
      {"a verdict instead of an outcome",
       [](Wire& wire, const wire::Run& run) {
         wire.say_text(fmt::format(
             R"({{"type":"result","id":{},"tag":"{}","end":"answered","verdict":"pass"}})", run.id,
             run.tag));
       },
       RunEnd::protocol_error, "unknown key"},
      {"waits where there is nothing",
       [](Wire& wire, const wire::Run& run) {
         Answer answer = good_answer(run);
         answer.result.outcome.status = OutcomeStatus::stalled;
         answer.result.outcome.waiting = {{.sub_kernel = 7}};
         wire.say(answer);
       },
       RunEnd::protocol_error, "sub kernel 7 of 1"},
      {"a second hello",
       [](Wire& wire, const wire::Run&) { wire.say(Welcome{.target = {.name = "again"}}); },
       RunEnd::protocol_error, "second hello"},
      {"cancels by itself",
       [](Wire& wire, const wire::Run& run) {
         wire.say(Answer{.id = run.id, .tag = run.tag, .cancelled = true, .result = {}});
       },
       RunEnd::protocol_error, "nobody asked"},
      {"complains", [](Wire& wire, const wire::Run&) { wire.say(Complaint{"too hard"}); },
       RunEnd::protocol_error, "too hard"},
      {"says that it crashed",
       [](Wire& wire, const wire::Run& run) {
         wire.say(Answer{
             .id = run.id, .tag = run.tag, .result = unanswered(RunEnd::crash, "board fell over")});
         wire.hang();
       },
       RunEnd::crash, "board fell over"},
      {"endless talk",
       [](Wire& wire, const wire::Run&) {
         while (wire.say(Done{DoneKind::pong, 1})) {
         }
       },
       RunEnd::timeout, "No answer"},
  };
}

class Hostile : public testing::TestWithParam<Row> {};

TEST_P(Hostile, EndsAsItMustAndTheNextCaseRuns) {
  const Row& row = GetParam();
  const Partner partner([&](Wire& wire, int number) {
    if (!wire.greet()) return;
    if (number == 0) {
      if (const auto run = wire.hear_run()) row.lie(wire, *run);
      return;
    }
    while (const auto run = wire.hear_run()) wire.answer(*run);
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok()) << to_string(target.error());
  const std::int64_t start = now_ms();
  const RunResult result = (*target)->run(small_case(5), {});
  EXPECT_EQ(result.end, row.end) << result.detail;
  EXPECT_NE(result.detail.find(row.words), std::string::npos) << result.detail;
  EXPECT_EQ(result.outcome.status, OutcomeStatus::error);
  EXPECT_EQ(result.probe, Probe::passed);
  EXPECT_LT(now_ms() - start, 15'000);
  EXPECT_EQ((*target)->run(small_case(6), {}).end, RunEnd::answered);
}

INSTANTIATE_TEST_SUITE_P(Liar, Hostile, testing::ValuesIn(rows()), [](const auto& row) {
  std::string name = row.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

TEST(Hostile, ADuplicatedAnswerIsNoticedAtTheNextCase) {
  const Partner partner([](Wire& wire, int) {
    if (!wire.greet()) return;
    while (const auto run = wire.hear_run()) {
      if (!wire.answer(*run) || !wire.answer(*run)) return;
    }
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ((*target)->run(small_case(5), {}).end, RunEnd::answered);
  const RunResult second = (*target)->run(small_case(6), {});
  EXPECT_EQ(second.end, RunEnd::protocol_error);
  EXPECT_NE(second.detail.find("not asked for any more"), std::string::npos) << second.detail;
}

TEST(Hostile, ALateAnswerDoesNotReachTheNextCase) {
  const Partner partner([](Wire& wire, int number) {
    if (!wire.greet()) return;
    while (const auto run = wire.hear_run()) {
      if (number == 0) skcts::wire::pause_ms(1000);
      if (!wire.answer(*run)) return;
    }
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ((*target)->run(small_case(5), {}).end, RunEnd::timeout);
  const RunResult next = (*target)->run(small_case(6), {});
  EXPECT_EQ(next.end, RunEnd::answered);
  EXPECT_EQ(next.outcome.memory.front(), 6u);
}

TEST(Hostile, RefusingWhatWasClaimedIsARefusedOutcome) {
  const Partner partner([](Wire& wire, int) {
    if (!wire.greet()) return;
    while (const auto run = wire.hear_run()) {
      wire.say(Answer{.id = run->id,
                      .tag = run->tag,
                      .result = unanswered(RunEnd::not_supported, "cannot do that")});
    }
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok());
  const RunResult result = (*target)->run(small_case(5), {});
  EXPECT_EQ(result.end, RunEnd::answered);
  EXPECT_EQ(result.outcome.status, OutcomeStatus::refused);
}

TEST(Hostile, HelloGoesWrongInWords) {
  const auto opened = [](std::function<void(Wire&, int)> script) {
    const Partner partner(std::move(script));
    auto target = RemoteTarget::open(quick(partner.address()));
    return target ? std::string("opened") : to_string(target.error());
  };
  EXPECT_NE(opened([](Wire& wire, int) {
              wire.hear();
              wire.say(Welcome{.protocol = 9});
            }).find("speaks protocol 9"),
            std::string::npos);
  EXPECT_NE(opened([](Wire&, int) {}).find("closed the connection"), std::string::npos);
  EXPECT_NE(opened([](Wire& wire, int) {
              wire.hear();
              wire.say(Done{DoneKind::pong, 1});
            }).find("something else than hello"),
            std::string::npos);
}

TEST(Hostile, AProbeThatFailsEachTimeGivesTheTargetUp) {
  const Partner partner([](Wire& wire, int number) {
    if (!wire.greet()) return;
    if (number == 0) return;
    while (const auto run = wire.hear_run()) {
      Answer answer = good_answer(*run);
      answer.result.outcome.memory[0] ^= 1u;
      wire.say(answer);
    }
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok());
  const RunResult result = (*target)->run(small_case(5), {});
  EXPECT_EQ(result.end, RunEnd::lost);
  EXPECT_EQ(result.probe, Probe::failed);
  EXPECT_EQ((*target)->counts().probes, 3);
  const RunResult next = (*target)->run(small_case(6), {});
  EXPECT_EQ(next.end, RunEnd::device_lost);
  EXPECT_NE(next.detail.find("a known good case fails"), std::string::npos);
  EXPECT_EQ((*target)->counts().probes, 3);
}

TEST(Hostile, TheStateIsAskedBeforeTheEnd) {
  const Partner partner([](Wire& wire, int number) {
    if (!wire.greet()) return;
    while (const auto request = wire.hear()) {
      const auto* const ask = std::get_if<Ask>(&*request);
      if (ask != nullptr && ask->kind == AskKind::state) {
        wire.say(State{.id = ask->id,
                       .known = true,
                       .waiting = {{.core = {CoreKind::aiv, 3}, .kind = WaitKind::poll}}});
      }
      const auto* const run = std::get_if<wire::Run>(&*request);
      if (run != nullptr && number > 0) wire.answer(*run);
    }
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok());
  const RunResult result = (*target)->run(small_case(5), {});
  EXPECT_EQ(result.end, RunEnd::timeout);
  ASSERT_EQ(result.waiting.size(), 1u);
  EXPECT_EQ(result.waiting[0].core.index, 3);
}

TEST(Hostile, ATargetThatIsBusyIsNotAskedForItsState) {
  const Partner partner([](Wire& wire, int number) {
    if (!wire.greet(false)) return;
    const auto run = wire.hear_run();
    if (number == 0) {
      wire.hear();  // nothing may come
      return;
    }
    wire.answer(*run);
    wire.hear();
  });
  auto target = RemoteTarget::open(quick(partner.address()));
  ASSERT_TRUE(target.ok());
  EXPECT_EQ((*target)->run(small_case(5), {}).end, RunEnd::timeout);
}

}  // namespace
}  // namespace skcts::wire
