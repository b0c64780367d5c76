// The rules of one launch that checks.h names, looked at one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference_model/checks.h"
#include "spec/profile.h"

namespace skcts::model {

inline constexpr int flag_ids = 32;  // sixteen on 2201
inline constexpr int flag_modes = 5;

/// What one core does in one sub kernel, as far as these rules look.
struct CoreFacts {
  CoreId core;
  Indices at;
  std::array<std::array<std::int32_t, flag_ids>, flag_modes> sets{};
  std::array<std::int32_t, flag_ids> waits{};
  std::array<std::uint8_t, flag_ids> waiting_pipes{};  ///< A bit a pipe (3510).
  std::vector<bool> sync_alls;  ///< aiv_only of each SyncAll call, in order.
  std::int32_t full_calls = 0;  ///< SyncAll<false> calls among them.
  std::int32_t next_starts = 0;
  std::int32_t pre_waits = 0;
  std::int32_t flag_instruction = -1;  ///< First cross-core flag call.
  std::int32_t bad_mode_instruction = -1;
  std::int32_t reserved_instruction = -1;
  std::int32_t matmul_instruction = -1;
  std::int32_t sync_instruction = -1;
  std::int32_t head_sync = -1;          ///< A full-core sync before WaitPreTaskEnd.
  std::int32_t tail_sync = -1;          ///< A full-core sync after SetNextTaskStart.
  std::int32_t share_instruction = -1;  ///< RATIO-4
};

/// One launch; holds references to its arguments.
class LaunchChecks {
 public:
  LaunchChecks(const Case& test_case, const Options& options, const LaunchProgram& program,
               const StallResult& stall, const BeforeQuery& before, std::vector<BrokenRule>& broken)
      : mix_(test_case.mix),
        options_(options),
        program_(program),
        shape_(&program.shape),
        stall_(stall),
        profile_(*find_profile(test_case.profile)),
        before_(before),
        broken_(broken) {}

  void run();

 private:
  const std::vector<CoreFacts>& facts(CoreKind kind) const {
    return facts_[static_cast<std::size_t>(kind)];
  }

  template <class Visit>
  void for_each_core(Visit visit) const {
    for (const auto& of_kind : facts_) {
      for (const CoreFacts& one : of_kind) visit(one);
    }
  }

  void report(RuleId rule, CoreId core, std::int32_t instruction, std::string text);
  void report_in(std::int32_t place, RuleId rule, CoreId core, std::int32_t instruction,
                 std::string text);
  std::int32_t launched(CoreKind kind) const;
  void check_sub_kernels();
  void collect();
  void note(CoreFacts& facts, const Instruction& in, const Indices& at, int place);
  std::int32_t mix_place(const Step& step) const;
  std::int64_t line_of(const Step& step, bool write) const;
  void find_stored_lines();
  const Step& step_at(std::int32_t thread, std::int32_t flat) const;

  // checks_calls.cpp
  void check_kernel_type();
  void check_sync_all();
  void check_width();
  void check_reserved_ids();
  void check_matmul_and_share();
  void check_task_calls(std::size_t k);
  bool is_undefined(std::size_t k, bool start, std::int32_t count) const;
  void mark_undefined(RuleId rule);

  // checks_flags.cpp
  void check_flag_counts();
  bool check_mode_0(std::size_t id);
  bool check_blocks(std::size_t id);
  void check_counter(std::size_t id);
  std::int32_t raised_in_mode_4(CoreId core, std::size_t id) const;
  void check_waiting_pipes();
  int flag_id(std::int32_t id) const { return id & (profile_.is_3510() ? 31 : 15); }
  void compare(const CoreFacts& one, std::size_t id, std::int32_t come);

  // checks_soft.cpp
  void check_soft_sync();
  void check_soft(const CoreFacts& one, const Instruction& in, const Indices& at, int place);
  std::optional<std::int32_t> other_user(const Instruction& soft, const Indices& at,
                                         std::int32_t total) const;
  std::optional<std::int32_t> user_in(const LaunchShape& shape, const Instruction& soft,
                                      std::int64_t from, std::int64_t to) const;
  bool reaches(const Operand& operand, const Instruction& in, const SubKernel& sub,
               const Indices& at, const Instruction& soft, std::int64_t from,
               std::int64_t to) const;

  // checks_threads.cpp
  void check_events(const Thread& thread);
  void check_dirty(const Thread& thread);
  void check_polls(const Thread& thread);
  void check_polled_line(const Thread& thread, std::size_t poll_at);
  bool holds_dirty(const std::vector<Step>& steps, std::size_t from, std::size_t to,
                   std::int64_t line) const;

  // checks_modes.cpp
  void check_modes();
  bool is_consumed_before(std::int32_t stream, std::int32_t ordinal, std::int32_t flat) const;
  std::int32_t increments_not_after(const Feeder& feeder, std::int32_t wait) const;

  const Mix& mix_;
  const Options& options_;
  const LaunchProgram& program_;
  /// Of the launch at hand: one of program.parts, or the only one.
  const LaunchShape* shape_;
  std::size_t first_place_ = 0;
  const StallResult& stall_;
  const Profile& profile_;
  const BeforeQuery& before_;
  std::vector<BrokenRule>& broken_;
  std::array<std::vector<CoreFacts>, 2> facts_;
  std::set<std::int64_t> stored_lines_;
  std::int32_t place_ = 0;
  const SubKernel* sub_ = nullptr;
};

}  // namespace skcts::model
