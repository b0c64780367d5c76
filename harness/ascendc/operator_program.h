// A compiled operator: loaded, and run in place of a sub kernel on every core.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/ascendc/core_device.h"
#include "harness/ascendc/description.h"
#include "spec/error.h"

namespace skcts::ascendc {

/// Addresses that stand for regions; nothing can be read or written through them.
class AddressSpace {
 public:
  explicit AddressSpace(const Mix& mix);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  const std::vector<MappedRegion>& regions() const { return regions_; }

 private:
  std::vector<MappedRegion> regions_;
  std::vector<std::pair<void*, std::size_t>> maps_;
};

class OperatorProgram final : public OperatorCode {
 public:
  /// Loads a shared object of compile_operator(). An operator that crashes takes the process along.
  static Result<std::unique_ptr<OperatorProgram>> load(const std::string& path);
  ~OperatorProgram() override;

  const OperatorDescription& description() const { return description_; }
  /// It stands for this sub kernel of the mix; its buffers are these regions, in order.
  void attach(const Mix& mix, std::int32_t sub_kernel, std::vector<std::int16_t> regions);
  /// As case_of() lays it out.
  void attach(const Case& alone);

  void begin_case() override;
  CodeStream* enter(const CodePlace& place) override;

  /// What the cores did in the last run, by launch and core. Only while recording.
  void record(bool on) { recording_ = on; }
  const std::vector<std::unique_ptr<CoreRecord>>& records() const { return records_; }
  /// What the operator printed in the last run.
  const std::string& output() const { return output_; }

 private:
  OperatorProgram() = default;
  using CoreKey = std::pair<std::int32_t, CoreId>;  ///< Launch and core.

  void* handle_ = nullptr;
  OperatorDescription description_;
  KernelEntry aic_;
  KernelEntry aiv_;
  std::int32_t sub_kernel_ = -1;
  std::unique_ptr<AddressSpace> addresses_;
  std::vector<MappedRegion> buffers_;
  StackPool stacks_;
  std::map<CoreKey, std::unique_ptr<CoreDevice>> cores_;
  std::vector<std::unique_ptr<CoreRecord>> records_;
  bool recording_ = false;
  std::string output_;
};

}  // namespace skcts::ascendc
