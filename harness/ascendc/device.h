// What one core can do: the calls that compiled operator code makes of the machine.
//
// Everything above this page (the facade in include/, or a vendor's own headers) is ordinary C++
// that ends in these calls; a core that runs on silicon would carry out each of them as one
// instruction, or as the short fixed sequence that its comment names. This header includes nothing
// of ours, so that operator code is compiled against it alone. Addresses of GM are those that the
// kernel got as arguments, with byte offsets added; nothing may be read through them but tiling
// data. Local memories are addressed in bytes from their start.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skcts::ascendc {

enum class Memory : std::uint8_t { none, gm, ub, l1, l0a, l0b, l0c };

/// In the order of spec/pipe.h.
enum class DevicePipe : std::uint8_t { s, v, m, mte1, mte2, mte3, fix, all };

/// Consecutive bytes. `at`: the address in GM, or the offset in a local memory.
struct Stretch {
  Memory memory = Memory::none;
  std::uint64_t at = 0;
  std::uint32_t bytes = 0;
};

/// How a transfer to GM meets what is there.
enum class Combine : std::uint8_t { replace, add_int32 };

/// The work of a step on real data: `read[i]` and `written[i]` are the bytes of the stretches
/// given with it; bytes of `written` that are not assigned keep what they are when it finishes.
using StepFunction = void (*)(const void* arguments, const unsigned char* const* read,
                              unsigned char* const* written);

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  // Identity: what the index registers say.
  virtual bool is_cube() = 0;
  virtual std::int64_t block_num() = 0;
  virtual std::int64_t block_idx() = 0;
  virtual std::int64_t sub_block_idx() = 0;
  virtual std::int64_t task_ratio() = 0;
  virtual std::int64_t tiling_key() = 0;
  virtual std::uint32_t memory_bytes(Memory memory) = 0;
  /// `bytes` of storage of this core in this kernel, all zero at its start; the same each time.
  virtual void* core_storage(std::size_t bytes) = 0;

  // Events and barriers inside the core.
  virtual void set_flag(DevicePipe source, DevicePipe destination, std::int32_t id) = 0;
  virtual void wait_flag(DevicePipe source, DevicePipe destination, std::int32_t id) = 0;
  virtual void pipe_barrier(DevicePipe pipe) = 0;

  // Between cores.
  virtual void cross_core_set_flag(std::int32_t mode, DevicePipe pipe, std::int32_t id) = 0;
  virtual void cross_core_wait_flag(std::int32_t id, DevicePipe pipe) = 0;
  /// A barrier over full cores (PipeBarrier<PIPE_ALL>, flags 11 to 14).
  virtual void sync_all(bool aiv_only) = 0;
  /// Barriers over GM by DMA alone; `scratch` is an offset in UB.
  virtual void soft_sync_all(const void* workspace, std::uint32_t scratch, std::int32_t used_cores,
                             bool aiv_only) = 0;
  virtual void ib_set(const void* workspace, std::uint32_t scratch, std::int32_t block,
                      std::int32_t event, bool aiv_only) = 0;
  virtual void ib_wait(const void* workspace, std::uint32_t scratch, std::int32_t block,
                       std::int32_t event, bool aiv_only) = 0;
  virtual void set_next_task_start(DevicePipe aiv_pipe, DevicePipe aic_pipe) = 0;
  virtual void wait_pre_task_end() = 0;

  // Work of a pipe.
  /// Moves `source` to `destination`, of the same size in whole 32-byte blocks at local addresses
  /// of whole blocks and whole words of GM. Fixpipe (L0C to GM) and LoadData (L1 to L0) are copies.
  virtual void copy(Stretch destination, Stretch source, Combine combine) = 0;
  /// dst := value, over 32-bit words of UB.
  virtual void duplicate(Stretch destination, std::uint32_t value) = 0;
  /// dst := src + value modulo 2^32, over 32-bit words of UB.
  virtual void adds(Stretch destination, Stretch source, std::uint32_t value) = 0;
  /// dst := a + b modulo 2^32, over 32-bit words of UB.
  virtual void add(Stretch destination, Stretch a, Stretch b) = 0;
  /// Any other step: `name` is that of the interface, `arguments` are copied.
  virtual void step(const char* name, DevicePipe pipe, const Stretch* reads, std::size_t read_count,
                    const Stretch* writes, std::size_t write_count, StepFunction function,
                    const void* arguments, std::size_t argument_bytes) = 0;

  // The scalar unit and the data cache. `object` is a GlobalTensor object: new_object() names one,
  // and what a SuperKernel inserts at its accesses hangs on it.
  virtual std::uint32_t new_object(const void* address) = 0;
  virtual std::uint32_t copy_object(std::uint32_t object) = 0;
  virtual void end_object(std::uint32_t object) = 0;
  /// The 32-bit word that holds the byte at `address`.
  virtual std::uint32_t get_value(std::uint32_t object, const void* address) = 0;
  virtual void set_value(std::uint32_t object, const void* address, std::uint32_t word) = 0;
  /// As the target of an assignment through operator().
  virtual void assign(std::uint32_t object, const void* address, std::uint32_t word) = 0;
  virtual std::uint32_t raw_load(const void* address) = 0;
  virtual void raw_store(const void* address, std::uint32_t word) = 0;
  virtual std::uint32_t load_bypass(const void* address) = 0;
  virtual void store_bypass(const void* address, std::uint32_t word) = 0;
  virtual std::uint32_t load_local(Memory memory, std::uint32_t at) = 0;
  virtual void store_local(Memory memory, std::uint32_t at, std::uint32_t word) = 0;
  /// Clean and invalidate the line of `address`, or every line.
  virtual void refresh(const void* address, bool entire) = 0;
  /// DataSyncBarrier; kind: 0 ALL, 1 DDR, 2 UB, 3 SEQ.
  virtual void data_sync(int kind) = 0;

  /// A line of the operator's own output; shown after the run.
  virtual void print(const char* text) = 0;
  /// The operator cannot go on. Does not return.
  [[noreturn]] virtual void fault(const char* text) = 0;
};

}  // namespace skcts::ascendc
