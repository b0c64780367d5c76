// Device-level instructions in words.
#include "harness/emulator/instruction_source.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace skcts::emulator {

namespace {

constexpr std::array<std::string_view, 31> op_names = {"copy in",      "copy out",
                                                       "copy local",   "fill GM",
                                                       "Duplicate",    "Adds",
                                                       "Add",          "Mmad",
                                                       "Compute",      "SetFlag",
                                                       "WaitFlag",     "PipeBarrier",
                                                       "raise",        "wait",
                                                       "load",         "store",
                                                       "bypass load",  "bypass store",
                                                       "local load",   "local store",
                                                       "refresh line", "refresh all",
                                                       "discard all",  "DataSyncBarrier",
                                                       "wait",         "PipeBarrier ALL",
                                                       "watch",        "await",
                                                       "await signal", "give signal",
                                                       "nothing"};

static_assert(op_names.size() == static_cast<std::size_t>(DeviceOp::fault));

std::string place(Space space, std::int32_t at, std::int32_t count) {
  const std::string_view name = space == Space::gm ? "GM" : to_string(space);
  if (count <= 1) return fmt::format("{}[{}]", name, at);
  return fmt::format("{}[{}..{})", name, at, at + count);
}

}  // namespace

std::string describe(const DeviceInstruction& in) {
  if (in.op == DeviceOp::fault) return "fault";
  const std::string_view name = op_names[static_cast<std::size_t>(in.op)];
  switch (in.op) {
    case DeviceOp::copy_in:
      return fmt::format("{} {} := {}", name, place(in.dst_space, in.dst, in.count),
                         place(Space::gm, in.src, in.count));
    case DeviceOp::copy_out:
      return fmt::format("{} {} {} {}", name, place(Space::gm, in.dst, in.count),
                         in.atomic_add ? "+=" : ":=", place(in.src_space, in.src, in.count));
    case DeviceOp::copy_local:
    case DeviceOp::adds:
      return fmt::format("{} {} := {}", name, place(in.dst_space, in.dst, in.count),
                         place(in.src_space, in.src, in.count));
    case DeviceOp::add:
    case DeviceOp::mmad:
      return fmt::format("{} {} := {}, {}", name, place(in.dst_space, in.dst, in.count),
                         place(in.src_space, in.src, in.count),
                         place(in.src_b_space, in.src_b, in.count));
    case DeviceOp::fill_gm:
    case DeviceOp::duplicate:
      return fmt::format("{} {} := {}", name, place(in.dst_space, in.dst, in.count), in.value);
    case DeviceOp::set_flag:
    case DeviceOp::wait_flag: return fmt::format("{} {} id {}", name, to_string(in.event), in.id);
    case DeviceOp::barrier: return fmt::format("{} {}", name, to_string(in.pipe));
    case DeviceOp::raise:
      if (in.mode == signal_mode) return fmt::format("give signal {}", in.dst);
      return fmt::format("{} flag {} mode {}", name, in.id, in.mode);
    case DeviceOp::wait_signal: return fmt::format("{} {}", name, in.src);
    case DeviceOp::give_signal: return fmt::format("{} {}", name, in.dst);
    case DeviceOp::pipe_wait_raise:
    case DeviceOp::wait_raise: return fmt::format("{} flag {}", name, in.id);
    case DeviceOp::load:
    case DeviceOp::load_bypass: return fmt::format("{} {}", name, place(Space::gm, in.src, 1));
    case DeviceOp::store:
    case DeviceOp::store_bypass:
      return fmt::format("{} {} := {}", name, place(Space::gm, in.dst, 1), in.value);
    case DeviceOp::load_local: return fmt::format("{} {}", name, place(in.src_space, in.src, 1));
    case DeviceOp::store_local:
      return fmt::format("{} {} := {}", name, place(in.dst_space, in.dst, 1), in.value);
    case DeviceOp::refresh_line: return fmt::format("{} of {}", name, place(Space::gm, in.dst, 1));
    default: return std::string(name);
  }
}

}  // namespace skcts::emulator
