// What a campaign makes of a target that does not answer.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "generators/generate.h"
#include "harness/campaign/session.h"
#include "harness/campaign/testing.h"

namespace skcts::campaign {
namespace {

using testing_toys::plain_property;

/// Ends the runs whose numbers it is given in the way it is given; answers all others.
class Silent : public Target {
 public:
  explicit Silent(std::vector<std::pair<int, RunEnd>> ends) : ends_(std::move(ends)) {}
  const TargetDescription& description() const override { return toy_.description(); }
  RunResult run(const Case& test_case, const RunRequest& request) override {
    times.push_back(request.deadline_times);
    const int number = static_cast<int>(times.size()) - 1;
    for (const auto& [at, end] : ends_) {
      if (at != number && at != every) continue;
      RunResult result = unanswered(end, "gone");
      result.probe = Probe::passed;
      return result;
    }
    return toy_.run(test_case, request);
  }
  static constexpr int every = -1;
  std::vector<std::int64_t> times;  ///< deadline_times of each run.

 private:
  std::vector<std::pair<int, RunEnd>> ends_;
  testing_toys::ToyTarget toy_{testing_toys::Lie::none};
};

struct Bench {
  explicit Bench(std::vector<std::pair<int, RunEnd>> ends) : target(std::move(ends)) {}
  Silent target;
  JournalKeeper keeper;
  Session session{Settings{.profile = &default_profile(), .cases = 4}, target, keeper};
};

TEST(Unanswered, ALostAnswerIsAskedForOnce) {
  Bench bench({{1, RunEnd::lost}});
  const PropertyResult result = bench.session.run(plain_property(1));
  EXPECT_EQ(result.record.status, "pass");
  EXPECT_EQ(result.record.passed, 4);
  EXPECT_EQ(bench.target.times, (std::vector<std::int64_t>{1, 1, 1, 1, 1}));
}

TEST(Unanswered, LostTwiceIsACrash) {
  Bench bench({{1, RunEnd::lost}, {2, RunEnd::lost}});
  const PropertyResult result = bench.session.run(plain_property(1));
  EXPECT_EQ(result.record.passed, 3);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings.front().key.substr(0, 6), "flaky/");  // it answers when run again
}

TEST(Unanswered, ADeadlineIsGivenTenfoldOnce) {
  Bench bench({{0, RunEnd::timeout}});
  EXPECT_EQ(bench.session.run(plain_property(1)).record.status, "pass");
  EXPECT_EQ(bench.target.times, (std::vector<std::int64_t>{1, 10, 1, 1, 1}));
}

TEST(Unanswered, TwiceBeyondTheDeadlineIsATimeout) {
  Bench bench({{0, RunEnd::timeout}, {1, RunEnd::timeout}});
  const PropertyResult result = bench.session.run(plain_property(1));
  EXPECT_EQ(result.record.status, "timeout");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings.front().key, "timeout/CORE-3/no-answer");
  EXPECT_EQ(result.record.passed, 3);
}

TEST(Unanswered, ACrashIsAFinding) {
  Bench bench({{Silent::every, RunEnd::crash}});
  const PropertyResult result = bench.session.run(plain_property(1));
  EXPECT_EQ(result.record.status, "crash");
  EXPECT_EQ(result.record.exercised, 0);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings.front().key, "crash/CORE-3/died");
}

TEST(Unanswered, WhatIsNotClaimedIsNotSupported) {
  Bench bench({{Silent::every, RunEnd::not_supported}});
  const PropertyResult result = bench.session.run(plain_property(1));
  EXPECT_EQ(result.record.status, "not-supported");
  EXPECT_EQ(result.record.reason, "gone");
  EXPECT_TRUE(result.findings.empty());
}

TEST(Unanswered, OneUnclaimedCaseDoesNotHideTheOthers) {
  Bench bench({{0, RunEnd::not_supported}});
  const PropertyResult result = bench.session.run(plain_property(1));
  EXPECT_EQ(result.record.status, "pass");
  EXPECT_EQ(result.record.passed, 3);
}

TEST(Unanswered, AfterALostDeviceNothingIsAsked) {
  Bench bench({{1, RunEnd::device_lost}});
  EXPECT_EQ(bench.session.run(plain_property(1)).record.status, "device-lost");
  const std::size_t asked = bench.target.times.size();
  EXPECT_EQ(asked, 2u);
  EXPECT_EQ(bench.session.run(plain_property(1)).record.status, "device-lost");
  EXPECT_EQ(bench.session.run_case(Case(), "a.json", "a").status, "device-lost");
  EXPECT_EQ(bench.target.times.size(), asked);
  EXPECT_EQ(bench.keeper.journal().rules.size(), 2u);
}

/// Honours no schedules, and lies in some of its runs.
class Sometimes : public Target {
 public:
  explicit Sometimes(int one_in) : one_in_(one_in) {
    description_ = toy_.description();
    description_.honours_schedules = false;
  }
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case& test_case, const RunRequest& request) override {
    RunResult result = toy_.run(test_case, request);
    if (++runs % one_in_ == 0 && !result.outcome.memory.empty()) {
      result.outcome.memory.front() ^= 0x40u;
    }
    return result;
  }
  int runs = 0;

 private:
  int one_in_;
  TargetDescription description_;
  testing_toys::ToyTarget toy_{testing_toys::Lie::none};
};

TEST(Repeated, ASingleOutcomeThatIsNotAllowedFails) {
  Sometimes target(7);
  JournalKeeper keeper;
  Session session(Settings{.profile = &default_profile(), .cases = 1, .repeat = 10}, target,
                  keeper);
  const PropertyResult result = session.run(plain_property(1));
  EXPECT_EQ(result.record.status, "fail");
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings.front().key.substr(0, 5), "fail/");
  EXPECT_NE(result.findings.front().sentence.find(" of "), std::string::npos);
}

TEST(Repeated, TheCountIsKept) {
  Sometimes target(4);
  Engine engine(target, 10);
  const Case mix =
      generators::generate(1, 0, generators::focus_for(RuleId::core_3), default_profile());
  const Answer answer = engine.ask(mix, Claim::legal);
  RunResult result;
  const judge::Verdict verdict = engine.try_once(mix, answer, {}, RuleId::core_3, result);
  const int times = target.runs;
  EXPECT_TRUE(times == 10 || times == 30) << times;
  EXPECT_EQ(verdict.sentence.find(times == 10 ? "2 of 10 runs: " : "7 of 30 runs: "), 0u)
      << verdict.sentence;
}

TEST(Repeated, OneWhoHonoursSchedulesRunsOnce) {
  testing_toys::ToyTarget target(testing_toys::Lie::none);
  Engine engine(target, 10);
  const Case mix =
      generators::generate(1, 0, generators::focus_for(RuleId::core_3), default_profile());
  RunResult result;
  engine.try_once(mix, engine.ask(mix, Claim::legal), {}, RuleId::core_3, result);
  EXPECT_EQ(target.runs(), 1);
}

}  // namespace
}  // namespace skcts::campaign
