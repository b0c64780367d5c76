// A machine as data: architecture, core counts, sizes, and the latitudes that it settles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "spec/latitude.h"
#include "spec/pipe.h"

namespace skcts {

enum class Space : std::uint8_t;  // spec/instruction.h

/// Product families. A2 and A3 are NPU architecture 2201, the 950 is 3510; all have separate cube
/// and vector cores.
enum class Architecture : std::uint8_t { a2, a3, a950 };

std::string_view to_string(Architecture architecture);  ///< "a2", "a3", "950"

/// A machine. What a rule or an engine needs to know of a chip stands here, so that a new
/// machine is a new row and never an `if`.
struct Profile {
  std::string_view name;
  Architecture architecture = Architecture::a2;
  int aic_count = 0;          ///< cube cores, one an AI Core
  int aiv_count = 0;          ///< vector cores
  int aiv_per_aic = 2;        ///< vector cores of one AI Core
  int cache_line_bytes = 64;  ///< line of a core's data cache
  int dma_block_bytes = 32;   ///< unit of a DMA transfer
  int flag_count = 16;        ///< cross-core flag ids of a core
  int flag_counter_max = 15;  ///< largest value of a flag counter (SYNC-6)
  int event_id_count = 8;     ///< in-core event ids of a pair of pipes
  int ub_words = 0;           ///< unified buffer of a vector core, 32-bit words
  int l1_words = 0;           ///< L1 buffer of a cube core
  int l0a_words = 0;
  int l0b_words = 0;
  int l0c_words = 0;
  int pipe_queue_depth = 0;  ///< instructions a pipe's queue holds at L-35=depth-of-profile
  std::span<const LatitudePin> settled;  ///< positions that this machine is known to take

  /// NPU architecture 3510 (machine §1.1): mode 4, waits on a pipe, the pipes of has_pipe().
  [[nodiscard]] constexpr bool is_3510() const { return architecture == Architecture::a950; }
  /// True when a core of that kind has the pipe here: an AIC of the 950 has no MTE3.
  [[nodiscard]] constexpr bool has_pipe(CoreKind kind, Pipe pipe) const {
    if (is_3510() && kind == CoreKind::aic && pipe == Pipe::mte3) return false;
    return skcts::has_pipe(kind, pipe);
  }
  [[nodiscard]] constexpr int cache_line_words() const { return cache_line_bytes / 4; }
  [[nodiscard]] constexpr int dma_block_words() const { return dma_block_bytes / 4; }
};

/// All profiles, the default (see default_profile) among them.
std::span<const Profile> profiles();

/// The profile of a name; nullptr for a name that is none.
const Profile* find_profile(std::string_view name);

/// The profile taken when none is named.
const Profile& default_profile();

/// The names of all profiles, for messages.
std::span<const std::string_view> profile_names();

/// Size of a local memory of a core in 32-bit words; 0 for a space that is none.
std::int32_t words_of_memory(const Profile& profile, Space space);

/// The defaults of all latitudes with what the profile settles.
LatitudeAssignment latitude_defaults(const Profile& profile);

}  // namespace skcts

template <>
struct fmt::formatter<skcts::Architecture> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(skcts::Architecture architecture, Context& context) const {
    return fmt::formatter<std::string_view>::format(skcts::to_string(architecture), context);
  }
};
