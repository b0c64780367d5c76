// An NPU executed step by step, behind the suite's target interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/target/target.h"
#include "spec/error.h"
#include "spec/latitude.h"

namespace skcts::emulator {

/// What one emulator is; it stays the same over all its runs.
struct EmulatorConfig {
  std::string defect;                  ///< name of a platform defect; empty = healthy
  std::vector<LatitudePin> latitudes;  ///< positions held, over those of the profile; pins of a
                                       ///< case come last
  bool operator==(const EmulatorConfig&) const = default;
};

/// Reads the part of a target's name behind "emulator:", "defect=NAME"; empty = healthy. An error
/// names the nearest defect.
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
