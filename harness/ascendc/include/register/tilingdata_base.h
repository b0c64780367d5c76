// Tiling structs as a host declares them: plain structs here.
#pragma once

#include <cstdint>

#define BEGIN_TILING_DATA_DEF(Struct) struct Struct {
#define TILING_DATA_FIELD_DEF(Type, name) \
  Type name;                              \
  void set_##name(Type v) {               \
    name = v;                             \
  }                                       \
  Type get_##name() const {               \
    return name;                          \
  }
#define TILING_DATA_FIELD_DEF_ARR(Type, count, name) Type name[count];
#define TILING_DATA_FIELD_DEF_STRUCT(Struct, name) Struct name;
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(Op, Struct) using Op##Tiling_registered = Struct
namespace optiling {}
