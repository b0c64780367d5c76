// One core of compiled operator code: its device calls as instructions of the mix language.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ascendc/device.h"
#include "harness/ascendc/fibre.h"
#include "harness/target/operator_code.h"

namespace skcts::ascendc {

/// Where a kernel finds a region of the mix: the address that stands for its first word.
struct MappedRegion {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int16_t region = -1;
};

/// A kernel: what runs on each core. `arguments` are as its entry takes them.
struct KernelEntry {
  void (*entry)(void* const* arguments) = nullptr;
  Device** device = nullptr;  ///< Where the code looks for the device of the core that runs.
  std::vector<void*> arguments;
};

/// What a core did, in order: instructions of the mix language with the operands it used.
struct CoreRecord {
  CoreId core;
  std::vector<Instruction> instructions;
};

/// The tensors of a sub kernel that stands for compiled code: so many objects of each region, in
/// region order.
inline constexpr int objects_per_region = 24;
std::vector<Tensor> object_pool(const Mix& mix);

class CoreDevice final : public Device, public CodeStream {
 public:
  CoreDevice();
  ~CoreDevice() override;

  /// Starts the kernel on this core. What is pointed to outlives the run.
  void start(StackPool& stacks, const KernelEntry& kernel, const CodePlace& place,
             const std::vector<MappedRegion>& regions, std::string* output, CoreRecord* record);

  // CodeStream
  const Instruction* next(std::uint32_t value) override;
  Computation* computation() override { return computation_; }
  const std::string& fault_text() const override { return fault_; }
  std::int32_t place() const override { return place_number_; }

  // Device
  bool is_cube() override { return place_.core.kind == CoreKind::aic; }
  std::int64_t block_num() override;
  std::int64_t block_idx() override;
  std::int64_t sub_block_idx() override;
  std::int64_t task_ratio() override;
  std::int64_t tiling_key() override;
  std::uint32_t memory_bytes(Memory memory) override;
  void* core_storage(std::size_t bytes) override;
  void set_flag(DevicePipe source, DevicePipe destination, std::int32_t id) override;
  void wait_flag(DevicePipe source, DevicePipe destination, std::int32_t id) override;
  void pipe_barrier(DevicePipe pipe) override;
  void cross_core_set_flag(std::int32_t mode, DevicePipe pipe, std::int32_t id) override;
  void cross_core_wait_flag(std::int32_t id, DevicePipe pipe) override;
  void sync_all(bool aiv_only) override;
  void soft_sync_all(const void* workspace, std::uint32_t scratch, std::int32_t used_cores,
                     bool aiv_only) override;
  void ib_set(const void* workspace, std::uint32_t scratch, std::int32_t block, std::int32_t event,
              bool aiv_only) override;
  void ib_wait(const void* workspace, std::uint32_t scratch, std::int32_t block, std::int32_t event,
               bool aiv_only) override;
  void set_next_task_start(DevicePipe aiv_pipe, DevicePipe aic_pipe) override;
  void wait_pre_task_end() override;
  void copy(Stretch destination, Stretch source, Combine combine) override;
  void duplicate(Stretch destination, std::uint32_t value) override;
  void adds(Stretch destination, Stretch source, std::uint32_t value) override;
  void add(Stretch destination, Stretch a, Stretch b) override;
  void step(const char* name, DevicePipe pipe, const Stretch* reads, std::size_t read_count,
            const Stretch* writes, std::size_t write_count, StepFunction function,
            const void* arguments, std::size_t argument_bytes) override;
  std::uint32_t new_object(const void* address) override;
  std::uint32_t copy_object(std::uint32_t object) override;
  void end_object(std::uint32_t object) override;
  std::uint32_t get_value(std::uint32_t object, const void* address) override;
  void set_value(std::uint32_t object, const void* address, std::uint32_t word) override;
  void assign(std::uint32_t object, const void* address, std::uint32_t word) override;
  std::uint32_t raw_load(const void* address) override;
  void raw_store(const void* address, std::uint32_t word) override;
  std::uint32_t load_bypass(const void* address) override;
  void store_bypass(const void* address, std::uint32_t word) override;
  std::uint32_t load_local(Memory memory, std::uint32_t at) override;
  void store_local(Memory memory, std::uint32_t at, std::uint32_t word) override;
  void refresh(const void* address, bool entire) override;
  void data_sync(int kind) override;
  void print(const char* text) override;
  [[noreturn]] void fault(const char* text) override;

 private:
  class Step;

  Instruction& begin(Op op);
  /// Hands over the instruction that was begun; what it loads.
  std::uint32_t emit();
  [[noreturn]] void fail(std::string text);
  Operand gm_operand(std::uint64_t address, std::uint64_t bytes, std::string_view what);
  /// The word that holds the byte.
  Operand word_operand(const void* address, std::string_view what);
  Operand local_operand(Stretch stretch, std::string_view what);
  Operand operand(Stretch stretch, std::string_view what);
  Operand object_operand(std::uint32_t object, const void* address, std::string_view what);
  std::int32_t exact_words(Stretch stretch, std::string_view what);
  void ib(Op op, std::string_view what, const void* workspace, std::uint32_t scratch,
          std::int32_t block, std::int32_t event, bool aiv_only);
  /// The place of a new object of the region in object_pool().
  int take_object(int region);
  std::uint32_t access(Op op, Operand operand, bool stores, std::uint32_t word);
  void add_range(Stretch stretch, std::vector<Range>& to, std::string_view what);

  Fibre fibre_;
  KernelEntry kernel_;
  CodePlace place_;
  const std::vector<MappedRegion>* regions_ = nullptr;
  std::string* output_ = nullptr;
  CoreRecord* record_ = nullptr;
  Instruction instruction_;
  Computation* computation_ = nullptr;
  std::deque<std::unique_ptr<Step>> steps_;  ///< Made and perhaps not finished.
  std::vector<std::unique_ptr<Step>> spare_steps_;
  std::string fault_;
  std::uint32_t value_ = 0;
  std::int32_t place_number_ = -1;
  std::vector<unsigned char> storage_;
  std::vector<int> objects_taken_;  ///< By region.
};

}  // namespace skcts::ascendc
