// Pipes of a core and the events between them (machine §2.1, §2.4).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spec/kernel_type.h"

namespace skcts {

/// The instruction queues of a core. `s` is the scalar unit, which issues all the others;
/// `all` appears only in PipeBarrier<PIPE_ALL>.
enum class Pipe : std::uint8_t { s, v, m, mte1, mte2, mte3, fix, all };

inline constexpr int pipe_count = 7;  ///< Real pipes: everything but `all`.

/// "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL" (case text; Ascend C's PIPE_ prefix left
/// out).
std::string_view to_string(Pipe pipe);
std::optional<Pipe> find_pipe(std::string_view name);

/// True when a core of that kind has the pipe (architecture 2201).
constexpr bool has_pipe(CoreKind kind, Pipe pipe) {
  switch (pipe) {
    case Pipe::s:
    case Pipe::mte2:
    case Pipe::mte3: return true;
    case Pipe::v: return kind == CoreKind::aiv;
    case Pipe::m:
    case Pipe::mte1:
    case Pipe::fix: return kind == CoreKind::aic;
    case Pipe::all: return false;
  }
  return false;
}

/// HardEvent: source pipe and destination pipe. Text: "MTE2_V".
struct HardEvent {
  Pipe source = Pipe::mte2;
  Pipe destination = Pipe::v;
  auto operator<=>(const HardEvent&) const = default;
};

std::string to_string(HardEvent event);
std::optional<HardEvent> find_event(std::string_view name);

}  // namespace skcts
