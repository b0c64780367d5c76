// The core that runs: its device, and what interfaces keep for it from call to call.
#pragma once

#include <initializer_list>

#include "harness/ascendc/device.h"
#include "harness/ascendc/include/skcts_types.h"

namespace skcts_facade {

using skcts::ascendc::Combine;
using skcts::ascendc::Device;
using skcts::ascendc::DevicePipe;
using skcts::ascendc::Memory;
using skcts::ascendc::Stretch;

/// The core that runs: set by whoever lets it run, each time.
inline Device* current_device = nullptr;
inline Device& device() {
  return *current_device;
}

enum class Atomic : std::uint8_t { none, add, max, min };

struct CoreState {
  bool begun;
  Atomic atomic;
  std::uint64_t mask_low;
  std::uint64_t mask_high;
  void* pipe;                    ///< The TPipe that lives.
  std::uint8_t event_taken[64];  ///< By HardEvent, a bit an id.
  Stretch vector_reads[24];      ///< Of V steps behind its last barrier.
  Stretch vector_writes[24];
  std::uint32_t vector_read_count;
  std::uint32_t vector_write_count;
  bool busy[8];  ///< Pipes that were given work since the scalar unit waited.
};

inline CoreState& state() {
  auto& s = *static_cast<CoreState*>(device().core_storage(sizeof(CoreState)));
  if (!s.begun) {
    s.begun = true;
    s.mask_low = s.mask_high = ~std::uint64_t{0};
  }
  return s;
}

inline bool overlap(const Stretch& a, const Stretch& b) {
  return a.memory == b.memory && a.at < b.at + b.bytes && b.at < a.at + a.bytes;
}

/// What the compiler's automatic synchronisation adds in front of a vector step: a barrier where it
/// depends on an earlier one.
inline void before_vector(const Stretch* reads, std::size_t read_count, const Stretch* writes,
                          std::size_t write_count) {
  CoreState& s = state();
  s.busy[1] = true;
#ifndef SKCTS_NO_AUTO_SYNC
  bool depends = s.vector_read_count + read_count > 24 || s.vector_write_count + write_count > 24;
  for (std::size_t w = 0; w < s.vector_write_count && !depends; ++w) {
    for (std::size_t i = 0; i < read_count; ++i) depends |= overlap(s.vector_writes[w], reads[i]);
    for (std::size_t i = 0; i < write_count; ++i) depends |= overlap(s.vector_writes[w], writes[i]);
  }
  for (std::size_t r = 0; r < s.vector_read_count && !depends; ++r) {
    for (std::size_t i = 0; i < write_count; ++i) depends |= overlap(s.vector_reads[r], writes[i]);
  }
  if (depends) {
    device().pipe_barrier(DevicePipe::v);
    s.vector_read_count = s.vector_write_count = 0;
  }
  for (std::size_t i = 0; i < read_count; ++i) s.vector_reads[s.vector_read_count++] = reads[i];
  for (std::size_t i = 0; i < write_count; ++i) s.vector_writes[s.vector_write_count++] = writes[i];
#endif
}

/// The same in front of a scalar access to UB: the scalar unit waits for the pipes.
inline void before_local_scalar() {
#ifndef SKCTS_NO_AUTO_SYNC
  if (device().is_cube()) return;
  CoreState& s = state();
  for (const DevicePipe pipe : {DevicePipe::v, DevicePipe::mte2, DevicePipe::mte3}) {
    if (!s.busy[static_cast<int>(pipe)]) continue;
    s.busy[static_cast<int>(pipe)] = false;
    device().set_flag(pipe, DevicePipe::s, 7);
    device().wait_flag(pipe, DevicePipe::s, 7);
  }
#endif
}

inline void pipe_has_work(DevicePipe pipe) {
  state().busy[static_cast<int>(pipe)] = true;
}

/// A step whose work is `function(arguments, read, written)`.
template <class Arguments>
void run_step(const char* name, DevicePipe pipe, std::initializer_list<Stretch> reads,
              std::initializer_list<Stretch> writes, const Arguments& arguments,
              skcts::ascendc::StepFunction function) {
  static_assert(std::is_trivially_copyable_v<Arguments>);
  if (pipe == DevicePipe::v)
    before_vector(reads.begin(), reads.size(), writes.begin(), writes.size());
  else
    pipe_has_work(pipe);
  device().step(name, pipe, reads.begin(), reads.size(), writes.begin(), writes.size(), function,
                &arguments, sizeof(Arguments));
}

template <class To, class From>
To bits_as(From from) {
  To to{};
  std::memcpy(&to, &from, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
  return to;
}

}  // namespace skcts_facade
