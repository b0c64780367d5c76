// An NPU executed step by step, behind the suite's target interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/target/operator_code.h"
#include "harness/target/target.h"
#include "spec/error.h"
#include "spec/kernel_type.h"
#include "spec/latitude.h"

namespace skcts::emulator {

/// A launch that was composed elsewhere: what its prologue does around and between the sub kernels,
/// a step a line, in the vocabulary of the recorded compositions. The guards in it say which cores
/// make a step; what a sub kernel itself does is still the mix's.
struct RecordedLaunch {
  KernelType type = KernelType::mix_aiv_1_0;  ///< one of the four MIX types
  std::int32_t blocks = 1;
  std::vector<std::string> sequence;
  std::vector<std::string> aic_list;  ///< what cube cores do where they `enter aic list`
  std::vector<std::string> aiv_list;  ///< and vector cores where they `enter aiv list`
  bool operator==(const RecordedLaunch&) const = default;
};

/// What one emulator is; it stays the same over all its runs.
struct EmulatorConfig {
  std::string defect;                  ///< name of a platform defect; empty = healthy
  std::vector<LatitudePin> latitudes;  ///< positions held, over those of the profile and the drawn
                                       ///< ones; pins of a case come last
  /// Draws positions: of the fixed latitudes from this number alone, so that they stay the same
  /// over all runs; of the free ones from it and the seed of each run. Nothing: the defaults.
  std::optional<std::uint64_t> positions;
  /// Entries of a pipe's queue, from 1 up, where neither the profile nor a case settles L-35.
  std::optional<int> queue_depth;
  /// Every fused launch follows this instead of what the emulator's own prologue would do.
  std::optional<RecordedLaunch> recorded;
  /// Compiled code that runs in place of sub kernels' programs; outlives the emulator.
  OperatorCode* code = nullptr;
  bool operator==(const EmulatorConfig&) const = default;
};

/// Reads the part of a target's name behind "emulator:": defect=NAME, positions=SEED, queue-depth=N
/// and pins such as L-14=drained, with commas between; empty = healthy, at the defaults. An error
/// names what was expected, and the nearest name.
Result<EmulatorConfig> parse_emulator_config(std::string_view text);

/// The emulator as a target. One object runs any number of cases and keeps its buffers in between;
/// each result is what a fresh object would give.
class Emulator : public Target {
 public:
  /// Precondition: the defect's name is empty or in the catalogue.
  explicit Emulator(EmulatorConfig config);
  ~Emulator() override;
  const TargetDescription& description() const override;
  RunResult run(const Case& test_case, const RunRequest& request) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// An emulator, or the error in its configuration.
Result<std::unique_ptr<Target>> make_emulator(EmulatorConfig config);

}  // namespace skcts::emulator
