// Where the documentation leaves a choice: every latitude with its legal positions, as data.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "spec/error.h"

namespace skcts {

/// How the choice of a latitude may vary (semantics §9).
enum class LatitudeClass : std::uint8_t {
  fixed,           ///< one position a target, not one a case
  free,            ///< may differ each time, inside one outcome set
  pinned,          ///< settled by this suite: one position is left
  without_effect,  ///< drawn nowhere; of these only L-22 can show, in launches side by side
};

/// Latitudes are numbered 1..latitude_count: 14 is the one called L-14.
using LatitudeId = std::uint8_t;
inline constexpr int latitude_count = 39;

/// The names of a latitude's legal positions; a position is an index into them.
struct LatitudePositions {
  static constexpr int max_count = 3;
  int count = 0;
  std::array<std::string_view, max_count> names{};

  constexpr LatitudePositions() = default;
  constexpr LatitudePositions(std::string_view a) : count(1), names{a} {}
  constexpr LatitudePositions(std::string_view a, std::string_view b) : count(2), names{a, b} {}
  constexpr LatitudePositions(std::string_view a, std::string_view b, std::string_view c)
      : count(3), names{a, b, c} {}

  /// The index of a name, or -1.
  [[nodiscard]] constexpr int find(std::string_view name) const {
    for (int i = 0; i < count; ++i) {
      if (names[static_cast<std::size_t>(i)] == name) return i;
    }
    return -1;
  }
};

/// Positions of L-1, L-2, ... in order. The first is the default: what is taken where nobody
/// chooses. What each position means stands in the latitude's question and notes.
inline constexpr std::array<LatitudePositions, latitude_count> latitude_positions = {{
    {"overlap", "in-turn"},                        // 1
    {"own-kind", "both-kinds"},                    // 2
    {"accepted", "refused"},                       // 3
    {"error", "hang", "lost"},                     // 4
    {"cleared", "kept"},                           // 5
    {"accepted", "refused"},                       // 6
    {"counting"},                                  // 7
    {"any-order", "program-order"},                // 8
    {"error", "hang"},                             // 9
    {"error", "hang", "fall-through"},             // 10
    {"up-to-15", "up-to-10"},                      // 11
    {"error", "joins-cubes", "no-effect"},         // 12
    {"promoted", "refused"},                       // 13
    {"not-drained", "drained"},                    // 14
    {"early-release", "hang"},                     // 15
    {"unordered", "ordered"},                      // 16
    {"whole-line"},                                // 17
    {"empty", "stale-clean-lines"},                // 18
    {"kept", "refreshed"},                         // 19
    {"refused", "undefined"},                      // 20
    {"takes-effect", "no-effect"},                 // 21
    {"one-stream", "may-deadlock"},                // 22
    {"any-moment", "at-refresh"},                  // 23
    {"any-moment", "never"},                       // 24
    {"until-barrier", "at-once"},                  // 25
    {"whole-line"},                                // 26
    {"clean-first"},                               // 27
    {"any-order", "program-order"},                // 28
    {"at-completion"},                             // 29
    {"torn", "whole-blocks"},                      // 30
    {"launch-ratio", "own-ratio"},                 // 31
    {"16-kib", "32-kib"},                          // 32
    {"pipe-ignored"},                              // 33
    {"deferred", "at-once"},                       // 34
    {"depth-of-profile", "depth-1", "unbounded"},  // 35
    {"own-accesses", "any-time"},                  // 36
    {"written-back", "lost"},                      // 37
    {"running-cores", "all-of-kind"},              // 38
    {"disable-wins", "lists-win"},                 // 39
}};

/// One latitude held at one of its positions.
struct LatitudePin {
  LatitudeId id = 1;
  std::uint8_t position = 0;

  friend auto operator<=>(const LatitudePin&, const LatitudePin&) = default;
};

/// The pin of a latitude and a position name, checked by the compiler: latitude_pin(14, "drained").
consteval LatitudePin latitude_pin(int id, std::string_view position) {
  const int index = latitude_positions.at(static_cast<std::size_t>(id - 1)).find(position);
  if (index < 0) throw "no such position";  // makes the constant expression ill-formed
  return {static_cast<LatitudeId>(id), static_cast<std::uint8_t>(index)};
}

struct Latitude {
  LatitudeId id;
  std::string_view name;      ///< "L-14"
  std::string_view question;  ///< what the sources leave open
  LatitudeClass kind;
  std::string_view notes;    ///< what the positions mean, where their names do not say it
  std::string_view sources;  ///< who says what

  [[nodiscard]] std::span<const std::string_view> positions() const;
  [[nodiscard]] std::string_view default_position() const { return positions().front(); }
};

/// All latitudes; element i is L-(i+1).
std::span<const Latitude> latitudes();

/// L-`id`; `id` lies in 1..latitude_count.
const Latitude& latitude(LatitudeId id);

/// The latitude of a name such as "L-14" (case does not count); nothing for another.
std::optional<LatitudeId> find_latitude(std::string_view name);

std::string_view to_string(LatitudeClass kind);
std::string to_string(const LatitudePin& pin);  ///< "L-14=drained"

/// Reads "L-14=drained". An error names the legal positions and the nearest name.
Result<LatitudePin> parse_latitude_pin(std::string_view text);

/// A position for every latitude; the defaults where nothing was set.
class LatitudeAssignment {
 public:
  /// The position of L-`id`, as an index into its positions.
  [[nodiscard]] std::uint8_t position(LatitudeId id) const;
  [[nodiscard]] std::string_view position_name(LatitudeId id) const;
  /// True when the latitude of `pin` stands at the position of `pin`.
  [[nodiscard]] bool holds(LatitudePin pin) const { return position(pin.id) == pin.position; }
  void set(LatitudePin pin);

  friend bool operator==(const LatitudeAssignment&, const LatitudeAssignment&) = default;

 private:
  std::array<std::uint8_t, latitude_count> positions_{};
};

}  // namespace skcts

template <>
struct fmt::formatter<skcts::LatitudePin> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const skcts::LatitudePin& pin, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(pin), context);
  }
};

template <>
struct fmt::formatter<skcts::LatitudeClass> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(skcts::LatitudeClass kind, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(kind), context);
  }
};
