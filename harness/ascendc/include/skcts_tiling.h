// Tiling structs and keys.
#pragma once

#include "harness/ascendc/include/skcts_cube.h"

namespace skcts_facade {
template <class T>
void copy_tiling(T& to, const void* from) {
  std::memcpy(static_cast<void*>(&to), from, sizeof(T));
}
}  // namespace skcts_facade

/// Names the struct that GET_TILING_DATA reads; a description's struct stands for it otherwise.
#define REGISTER_TILING_DEFAULT(Struct) using SkctsDefaultTiling = Struct
#define REGISTER_TILING_FOR_TILINGKEY(...) static_assert(true, "")
#define GET_TILING_DATA(name, address) \
  SkctsDefaultTiling name;             \
  skcts_facade::copy_tiling(name, address)
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, address) \
  Struct name;                                             \
  skcts_facade::copy_tiling(name, address)
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, address) \
  const Struct* name = reinterpret_cast<const Struct*>(address)
#define COPY_TILING_WITH_STRUCT(Struct, address, name) \
  const Struct* name = reinterpret_cast<const Struct*>(address)
#define GET_TILING_DATA_MEMBER(Struct, member, name, address) \
  decltype(Struct::member) name = reinterpret_cast<const Struct*>(address)->member
#define TILING_KEY_IS(key) (skcts_facade::device().tiling_key() == (key))
#define TILING_KEY_VAR skcts_facade::device().tiling_key()
