#include "spec/pipe.h"

#include <array>

#include <fmt/format.h>

namespace skcts {
namespace {

constexpr std::array<std::string_view, 8> pipe_names = {"S",    "V",    "M",   "MTE1",
                                                        "MTE2", "MTE3", "FIX", "ALL"};

}  // namespace

std::string_view to_string(Pipe pipe) { return pipe_names[static_cast<std::size_t>(pipe)]; }

std::optional<Pipe> find_pipe(std::string_view name) {
  for (std::size_t i = 0; i < pipe_names.size(); ++i) {
    if (pipe_names[i] == name) return static_cast<Pipe>(i);
  }
  return std::nullopt;
}

std::string to_string(HardEvent event) {
  return fmt::format("{}_{}", to_string(event.source), to_string(event.destination));
}

std::optional<HardEvent> find_event(std::string_view name) {
  const std::size_t split = name.find('_');
  if (split == std::string_view::npos) return std::nullopt;
  const auto source = find_pipe(name.substr(0, split));
  const auto destination = find_pipe(name.substr(split + 1));
  if (!source || !destination || *source == Pipe::all || *destination == Pipe::all) {
    return std::nullopt;
  }
  return HardEvent{*source, *destination};
}

}  // namespace skcts
