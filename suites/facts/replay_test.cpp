// The calculator on sequences whose order is known, and on broken ones.
#include "suites/facts/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts::facts {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr CoreId aic(int index) {
  return {CoreKind::aic, index};
}
constexpr CoreId aiv(int index) {
  return {CoreKind::aiv, index};
}

const ReplayLaunch cube_pair{
    KernelType::mix_aic_1_0, 3, {{KernelType::aic_only, 2}, {KernelType::aic_only, 3}}};
const ReplayLaunch cube_to_vector{
    KernelType::mix_aic_1_2, 2, {{KernelType::aic_only, 2}, {KernelType::aiv_only, 4}}};

TEST(Replay, AFlagOfAllCoresCarriesThePipeThatRaisesIt) {
  const Replay replay(cube_pair, {"run op0 AIC block_idx<2", "flag_set 11 mode0 pipe FIX @all",
                                  "flag_wait 11 @all", "run op1 AIC block_idx<3"});
  EXPECT_THAT(replay.problems(), IsEmpty());
  for (int to = 0; to < 3; ++to) {
    EXPECT_TRUE(replay.complete_before(0, Part::body, aic(1), Pipe::fix, 1, aic(to)));
    EXPECT_TRUE(replay.complete_before(0, Part::body, aic(1), Pipe::s, 1, aic(to)));
    EXPECT_FALSE(replay.complete_before(0, Part::body, aic(1), Pipe::mte3, 1, aic(to)));
  }
  EXPECT_FALSE(replay.complete_before(0, Part::body, aic(2), Pipe::fix, 1, aic(0)))
      << "core 2 does not run op0";
}

TEST(Replay, ABarrierBeforeTheRaiseCarriesEveryPipe) {
  const Replay replay(cube_pair,
                      {"run op0 AIC block_idx<2", "pipe_all", "flag_set 11 mode0 pipe FIX @all",
                       "flag_wait 11 @all", "run op1 AIC block_idx<3"});
  EXPECT_TRUE(replay.complete_before(0, Part::body, aic(1), Pipe::mte1, 1, aic(2)));
}

TEST(Replay, NoBarrierNoOrder) {
  const Replay replay(cube_pair, {"run op0 AIC block_idx<2", "run op1 AIC block_idx<3"});
  EXPECT_THAT(replay.problems(), IsEmpty());
  EXPECT_FALSE(replay.complete_before(0, Part::body, aic(0), Pipe::fix, 1, aic(1)));
  EXPECT_FALSE(replay.complete_before(0, Part::body, aic(0), Pipe::fix, 1, aic(0)));
}

TEST(Replay, AnAicHandsOnInsideItsBlockWhatItWaitedFor) {
  const Replay replay(cube_to_vector, {"run op0 AIC block_idx<2", "early_set AIC all",
                                       "early_cfg 1", "early_wait(1) AIV all",
                                       "early_wait(1) AIC all", "run op1 AIV aiv_linear_idx<4"});
  EXPECT_THAT(replay.problems(), IsEmpty());
  EXPECT_TRUE(replay.complete_before(0, Part::body, aic(0), Pipe::fix, 1, aiv(3)));
  EXPECT_TRUE(replay.complete_before(0, Part::body, aic(0), Pipe::mte3, 1, aiv(1)));
  EXPECT_FALSE(replay.complete_before(0, Part::body, aic(0), Pipe::mte3, 1, aiv(2)));
}

TEST(Replay, OwnCallsDivideAnOpIntoHeadBodyAndTail) {
  ReplayLaunch launch{
      KernelType::mix_aiv_1_0,
      2,
      {{KernelType::aiv_only, 2, true, false}, {KernelType::aiv_only, 1, false, true}}};
  const Replay replay(launch, {"run op0 AIV aiv_linear_idx<2", "early_set AIV aiv_linear_idx>=2",
                               "early_cfg 5", "early_wait(5) AIV aiv_linear_idx>=1",
                               "early_wait(5) AIC all", "run op1 AIV aiv_linear_idx<1"});
  EXPECT_THAT(replay.problems(), IsEmpty());
  EXPECT_TRUE(replay.complete_before(0, Part::body, aiv(1), Pipe::mte3, 1, aiv(0)));
  EXPECT_FALSE(replay.complete_before(0, Part::tail, aiv(1), Pipe::mte3, 1, aiv(0)));
  EXPECT_TRUE(replay.complete_before(0, Part::tail, aiv(0), Pipe::s, 1, aiv(0)));
}

TEST(Replay, MissingAndLeftOverRaisesAreNamed) {
  const std::vector<std::string> missing{"run op0 AIC block_idx<2", "early_set AIC block_idx<2",
                                         "early_cfg 0", "early_wait(0) AIC all",
                                         "run op1 AIC block_idx<3"};
  EXPECT_THAT(Replay(cube_pair, missing).problems(),
              Contains(HasSubstr("aic:0 waits for flag 11 without end")));
  const std::vector<std::string> left{"run op0 AIC block_idx<2", "early_set AIC all",
                                      "run op1 AIC block_idx<3"};
  EXPECT_THAT(Replay(cube_pair, left).problems(),
              Contains("aic:2 raises flag 11 1 times, aic:0 waits for it 0 times"));
}

TEST(Replay, AMixedBarrierInALaunchOfOneKindNeverEnds) {
  EXPECT_THAT(Replay(cube_pair, {"sync_all mix @all"}).problems(),
              Each(HasSubstr("waits for flag 12 without end")));
}

TEST(Replay, AStepThatIsNotUnderstoodIsAProblem) {
  EXPECT_THAT(Replay(cube_pair, {"notify AIC idx0 param 3"}).problems(),
              Contains("not understood: notify AIC idx0 param 3"));
}

}  // namespace
}  // namespace skcts::facts
