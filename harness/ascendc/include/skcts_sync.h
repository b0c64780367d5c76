// Identity, events, barriers, flags between cores, the data cache, task order, printing.
#pragma once

#include <cstdarg>

#include "harness/ascendc/include/skcts_tensor.h"

#ifdef SKCTS_CORE_IS_CUBE
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(false)
#else
#define ASCEND_IS_AIC constexpr(false)
#define ASCEND_IS_AIV constexpr(true)
#endif
#define ASCEND_IS_NOT_AIC ASCEND_IS_AIV
#define ASCEND_IS_NOT_AIV ASCEND_IS_AIC

namespace AscendC {

enum { MIX = 0, AIC = 1, AIV = 2 };
#ifdef SKCTS_CORE_IS_CUBE
constexpr int g_coreType = AIC;
#else
constexpr int g_coreType = AIV;
#endif

inline std::int64_t GetBlockNum() {
  return skcts_facade::device().block_num();
}
inline std::int64_t GetBlockIdx() {
  return skcts_facade::device().block_idx();
}
inline std::int64_t GetSubBlockIdx() {
  return skcts_facade::device().sub_block_idx();
}
inline std::int64_t GetTaskRatio() {
  return skcts_facade::device().task_ratio();
}
inline std::int64_t GetTaskRation() {
  return GetTaskRatio();
}
inline std::int64_t GetSubBlockNum() {
  return skcts_facade::device().task_ratio();
}
inline std::int32_t GetDataBlockSizeInBytes() {
  return 32;
}
inline void InitSocState() {
  auto& s = skcts_facade::state();
  s.atomic = skcts_facade::Atomic::none;
  s.mask_low = s.mask_high = ~std::uint64_t{0};
}

struct EventPipes {
  skcts_facade::DevicePipe from, to;
};
inline EventPipes pipes_of(HardEvent event) {
  using P = skcts_facade::DevicePipe;
  constexpr P s = P::s, v = P::v, m = P::m, t1 = P::mte1, t2 = P::mte2, t3 = P::mte3, x = P::fix;
  constexpr EventPipes pairs[] = {
      {t2, t1}, {t1, t2}, {t1, m},  {m, t1}, {t2, v}, {v, t2}, {t3, v}, {v, t3}, {m, v},  {v, m},
      {v, v},   {t3, t1}, {t1, t3}, {t1, v}, {t2, m}, {m, t2}, {v, t1}, {m, x},  {x, m},  {t3, t2},
      {t2, t3}, {s, v},   {v, s},   {s, t2}, {t2, s}, {s, t3}, {t3, s}, {t2, x}, {x, t2}, {x, s},
      {s, x},   {m, s},   {s, m},   {x, t3}, {t3, x}, {t1, x}, {x, t1}, {x, x}};
  return pairs[static_cast<int>(event)];
}
/// Pairs with a pipe that this kind of core does not have are no instructions.
inline bool has_both(const EventPipes& pipes) {
  using P = skcts_facade::DevicePipe;
  const bool cube = skcts_facade::device().is_cube();
  for (const P pipe : {pipes.from, pipes.to}) {
    if (cube ? pipe == P::v : (pipe == P::m || pipe == P::mte1 || pipe == P::fix)) return false;
  }
  return true;
}
inline void set_event(HardEvent event, std::int32_t id) {
  const EventPipes pipes = pipes_of(event);
  if (!has_both(pipes)) return;
  if (pipes.from == pipes.to)
    skcts_facade::device().pipe_barrier(pipes.from);
  else
    skcts_facade::device().set_flag(pipes.from, pipes.to, id);
}
inline void wait_event(HardEvent event, std::int32_t id) {
  const EventPipes pipes = pipes_of(event);
  if (!has_both(pipes) || pipes.from == pipes.to) return;
  skcts_facade::device().wait_flag(pipes.from, pipes.to, id);
}
template <HardEvent event>
void SetFlag(std::int32_t id) {
  set_event(event, id);
}
template <HardEvent event>
void WaitFlag(std::int32_t id) {
  wait_event(event, id);
}

template <pipe_t pipe>
void PipeBarrier() {
  if constexpr (pipe == PIPE_V || pipe == PIPE_ALL) {
    skcts_facade::state().vector_read_count = skcts_facade::state().vector_write_count = 0;
  }
  skcts_facade::device().pipe_barrier(static_cast<skcts_facade::DevicePipe>(pipe));
}
template <std::uint8_t mode, pipe_t pipe>
void CrossCoreSetFlag(std::uint16_t id) {
  skcts_facade::device().cross_core_set_flag(mode, static_cast<skcts_facade::DevicePipe>(pipe), id);
}
template <std::uint8_t mode = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(std::uint16_t id) {
  skcts_facade::device().cross_core_wait_flag(id, static_cast<skcts_facade::DevicePipe>(pipe));
}
template <bool aiv_only = true>
void SyncAll() {
  skcts_facade::device().sync_all(aiv_only);
}
template <bool aiv_only = true>
void SyncAll(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& scratch,
             const std::int32_t used_cores = 0) {
  skcts_facade::device().soft_sync_all(workspace.GetPhyAddr(), scratch.at_, used_cores, aiv_only);
}
template <bool aiv_only = true>
void IBSet(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& scratch,
           std::int32_t block, std::int32_t event) {
  skcts_facade::device().ib_set(workspace.GetPhyAddr(), scratch.at_, block, event, aiv_only);
}
template <bool aiv_only = true>
void IBWait(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& scratch,
            std::int32_t block, std::int32_t event) {
  skcts_facade::device().ib_wait(workspace.GetPhyAddr(), scratch.at_, block, event, aiv_only);
}
template <pipe_t aiv = PIPE_MTE3, pipe_t aic = PIPE_FIX>
void SetNextTaskStart() {
  skcts_facade::device().set_next_task_start(static_cast<skcts_facade::DevicePipe>(aiv),
                                             static_cast<skcts_facade::DevicePipe>(aic));
}
inline void WaitPreTaskEnd() {
  skcts_facade::device().wait_pre_task_end();
}

template <class T, CacheLine line, DcciDst dst = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor) {
  skcts_facade::device().refresh(tensor.GetPhyAddr(), line == CacheLine::ENTIRE_DATA_CACHE);
}
template <class T, CacheLine line>
void DataCachePreload(const GlobalTensor<T>&, std::int64_t) {}
template <MemDsbT kind>
void DataSyncBarrier() {
  skcts_facade::device().data_sync(static_cast<int>(kind));
}

template <class T>
T ReadGmByPassDCache(__gm__ T* address) {
  static_assert(sizeof(T) <= 4,
                "ReadGmByPassDCache of 8 bytes is not in the facade (see docs/ascendc.md)");
  const std::uint32_t word = skcts_facade::device().load_bypass(address);
  return skcts_facade::bits_as<T>(word >> reinterpret_cast<std::uint64_t>(address) % 4 * 8);
}
template <class T>
void WriteGmByPassDCache(__gm__ T* address, T value) {
  static_assert(
      sizeof(T) == 4,
      "WriteGmByPassDCache of other sizes than 4 bytes is not in the facade (see docs/ascendc.md)");
  skcts_facade::device().store_bypass(address, skcts_facade::bits_as<std::uint32_t>(value));
}

template <class T>
void SetAtomicAdd() {
  skcts_facade::state().atomic = skcts_facade::Atomic::add;
}
template <class T>
void SetAtomicMax() {
  skcts_facade::state().atomic = skcts_facade::Atomic::max;
}
template <class T>
void SetAtomicMin() {
  skcts_facade::state().atomic = skcts_facade::Atomic::min;
}
inline void SetAtomicNone() {
  skcts_facade::state().atomic = skcts_facade::Atomic::none;
}
inline void DisableDmaAtomic() {
  SetAtomicNone();
}

[[gnu::format(printf, 1, 2)]] inline void printf(const char* format, ...) {
  char text[1024];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  skcts_facade::device().print(text);
}
#define PRINTF(...) AscendC::printf(__VA_ARGS__)
template <class T>
void DumpTensor(const LocalTensor<T>&, std::uint32_t, std::uint32_t) {}
template <class T>
void DumpTensor(const GlobalTensor<T>&, std::uint32_t, std::uint32_t) {}
#define ASCENDC_ASSERT(condition, ...)                                              \
  do {                                                                              \
    if (!(condition))                                                               \
      skcts_facade::device().fault("ASCENDC_ASSERT(" #condition ") does not hold"); \
  } while (false)
#ifndef ASSERT
#define ASSERT(condition) ASCENDC_ASSERT(condition, "")
#endif
inline void Trap() {
  skcts_facade::device().fault("Trap()");
}
inline std::int64_t GetSystemCycle() {
  return 0;
}
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  return workspace;
}
inline void SetSysWorkspace(GM_ADDR) {}
inline GM_ADDR GetSysWorkSpacePtr() {
  return nullptr;
}

}  // namespace AscendC
using AscendC::GetUserWorkspace;
using AscendC::SetSysWorkspace;

inline void pipe_barrier(pipe_t pipe) {
  skcts_facade::device().pipe_barrier(static_cast<skcts_facade::DevicePipe>(pipe));
}
inline void set_flag(pipe_t from, pipe_t to, int id) {
  skcts_facade::device().set_flag(static_cast<skcts_facade::DevicePipe>(from),
                                  static_cast<skcts_facade::DevicePipe>(to), id);
}
inline void wait_flag(pipe_t from, pipe_t to, int id) {
  skcts_facade::device().wait_flag(static_cast<skcts_facade::DevicePipe>(from),
                                   static_cast<skcts_facade::DevicePipe>(to), id);
}
