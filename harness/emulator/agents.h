// Who can move: the parts of every core that make steps, and which of them are able to now.
#pragma once

#include <cstdint>
#include <vector>

namespace skcts::emulator {

/// The parts of a core. An agent's number is core * agents_per_core + part.
enum AgentPart : std::uint32_t {
  part_scalar = 0,
  part_start = 1,     ///< + pipe (V, M, MTE1, MTE2, MTE3, FIX): the next of its queue starts
  part_finish = 7,    ///< + pipe: a running instruction goes on or finishes
  part_deliver = 13,  ///< a raise arrives
  part_land = 14,     ///< a refresh or uncached store reaches GM
};
inline constexpr std::uint32_t agents_per_core = 16;
inline constexpr int queue_count = 6;  ///< Pipes with a queue: all but S.

/// A set of agents with constant-time change and access by position. The order depends only on
/// the history of changes.
class EnabledSet {
 public:
  void reset(std::uint32_t agents) {
    dense_.resize(agents);
    position_.assign(agents, -1);
    size_ = 0;
  }
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint32_t at(std::uint32_t i) const { return dense_[i]; }
  bool contains(std::uint32_t agent) const { return position_[agent] >= 0; }
  void set(std::uint32_t agent, bool enabled) {
    const std::int32_t place = position_[agent];
    if ((place >= 0) == enabled) return;
    if (enabled) {
      dense_[size_] = agent;
      position_[agent] = static_cast<std::int32_t>(size_++);
      return;
    }
    const std::uint32_t last = dense_[--size_];
    dense_[static_cast<std::uint32_t>(place)] = last;
    position_[last] = place;
    position_[agent] = -1;
  }

 private:
  std::vector<std::uint32_t> dense_;
  std::vector<std::int32_t> position_;
  std::uint32_t size_ = 0;
};

}  // namespace skcts::emulator
