// What the tests of events, actors, streams and launches side by side share.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/emulator/testing.h"

namespace skcts::emulator::testing {

inline constexpr auto vec = KernelType::mix_aiv_1_0;
inline constexpr auto cube = KernelType::mix_aic_1_0;
inline constexpr KernelType shapes[] = {vec, cube, KernelType::mix_aic_1_1,
                                        KernelType::mix_aic_1_2};

inline OutsideStep on_event(OutsideKind kind, std::string event) {
  OutsideStep step;
  step.kind = kind;
  step.event = std::move(event);
  return step;
}
inline OutsideStep awaits(std::string event) {
  return on_event(OutsideKind::wait, std::move(event));
}
inline OutsideStep raises(std::string event) {
  return on_event(OutsideKind::raise, std::move(event));
}
inline OutsideStep writes(int region, std::vector<std::uint32_t> values) {
  OutsideStep step;
  step.kind = OutsideKind::write;
  step.region = static_cast<std::int16_t>(region);
  step.values = std::move(values);
  return step;
}
inline OutsideStep copies(int from, int to, int count) {
  OutsideStep step;
  step.kind = OutsideKind::copy;
  step.region = static_cast<std::int16_t>(from);
  step.to = static_cast<std::int16_t>(to);
  step.count = count;
  return step;
}
inline Case with_actor(Case test_case, std::vector<OutsideStep> steps) {
  const std::size_t number = test_case.mix.outside.size();
  test_case.mix.outside.push_back({"actor" + std::to_string(number), std::move(steps), ""});
  return test_case;
}
inline SubKernel receiving(SubKernel sub, std::string event) {
  sub.recv.push_back(std::move(event));
  return sub;
}
inline SubKernel sending(SubKernel sub, std::string event) {
  sub.send.push_back(std::move(event));
  return sub;
}
inline SubKernel on_stream(int stream, SubKernel sub) {
  sub.stream = stream;
  return sub;
}
inline std::vector<std::uint32_t> times(int count, std::uint32_t value) {
  return std::vector<std::uint32_t>(static_cast<std::size_t>(count), value);
}

/// Every core of the sub kernel copies 8 words; the cube of a block to `cube_to`.
inline SubKernel mover(std::string name, KernelType type, int blocks, int to, int cube_to, int from,
                       Expr at = {}) {
  const Expr own = is_mix_kind(type) || is_aiv_kind(type) ? by_core(8) : by_block(8);
  const Program aic = Program{copy(in(Space::l1), gm(from, at))} + handed(Pipe::mte2, Pipe::mte3) +
                      Program{copy(gm(cube_to, by_block(8)), in(Space::l1))} +
                      handed(Pipe::mte3, Pipe::fix) + Program{barrier()};
  return kernel(std::move(name), type, blocks, move(gm(to, own), gm(from, at)),
                is_aiv_kind(type) ? Program{} : aic);
}
/// Every core of the sub kernel stores a value; the cube of a block to `cube_to`.
inline SubKernel writer(std::string name, KernelType type, int blocks, int to, int cube_to,
                        std::uint32_t value) {
  const Program aic = Program{produce(value)} + handed(Pipe::m, Pipe::fix) +
                      Program{fixpipe(gm(cube_to, by_block(8)))};
  return kernel(std::move(name), type, blocks, put(gm(to, by_core(8)), value),
                is_aiv_kind(type) ? Program{} : aic);
}

/// All that the strategies make of a case; every run completes.
inline std::set<std::vector<std::uint32_t>> all_memories(const Case& test_case, int seeds = 30,
                                                         const std::string& defect = "") {
  Emulator emulator({defect, {}});
  std::set<std::vector<std::uint32_t>> result;
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << outcome.reason;
    result.insert(outcome.memory);
  });
  return result;
}

inline std::set<OutcomeStatus> all_statuses(const Case& test_case, int seeds = 20) {
  Emulator emulator({});
  std::set<OutcomeStatus> result;
  run_all(emulator, test_case, seeds,
          [&](const Outcome& outcome, const std::string&) { result.insert(outcome.status); });
  return result;
}
inline const std::set<OutcomeStatus> only_completed = {OutcomeStatus::completed};
inline const std::set<OutcomeStatus> only_stalled = {OutcomeStatus::stalled};

inline Outcome one_run(const Case& test_case, std::uint64_t seed = 1) {
  Emulator emulator({});
  RunRequest request;
  request.strategy = strategy("random", seed);
  return emulator.run(test_case, request).outcome;
}

}  // namespace skcts::emulator::testing
