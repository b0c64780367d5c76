// The latitudes' questions, classes and sources, and the reading of pins.
#include "spec/latitude.h"

namespace skcts {

namespace {

constexpr auto fixed = LatitudeClass::fixed;
constexpr auto free = LatitudeClass::free;
constexpr auto pinned = LatitudeClass::pinned;
constexpr auto without_effect = LatitudeClass::without_effect;

constexpr std::array<Latitude, latitude_count> all_latitudes = {{
    {1, "L-1", "May two instructions of one pipe overlap when no barrier separates them?", free,
     "overlap: element accesses interleave in any way, and the model reports the race.",
     "machine §2.2; the pages ask for a barrier"},
    {2, "L-2",
     "Do PIPE_ALL and DataSyncBarrier also wait for the other kind of access (scalar write-back "
     "against DMA)?",
     free, "own-kind: a portable operator uses both.", "not stated; machine §2.3, §5"},
    {3, "L-3", "Are the in-core event ids 6 and 7 open to users?", fixed,
     "Pages reserve or forbid them, the headers hand them out.", "machine §2.4"},
    {4, "L-4", "What follows when an event flag is set twice without a wait between?", fixed,
     "lost: the second set has no effect. All three mean a broken program (PIPE-4).",
     "machine §2.4"},
    {5, "L-5",
     "Are flag counters that a completed launch left above zero cleared for the next launch?",
     fixed, "Inside one launch a remainder always stays (SYNC-5).", "machine §3.6"},
    {6, "L-6", "May the cube core use events between the scalar unit and a pipe?", fixed,
     "Missing in the page's table, present in headers and examples.", "machine §2.4"},
    {7, "L-7",
     "Does a core that raises twice before its peers raise once count twice, or once (a bit that "
     "saturates)?",
     pinned, "counting: each raise is kept for each core.", "machine §3.1; semantics §9"},
    {8, "L-8", "Do consecutive CrossCoreSetFlag calls of one core take effect in program order?",
     free, "Each follows the earlier work of its own pipe in both positions (SYNC-10).",
     "CrossCoreSetFlag page; machine §3.2"},
    {9, "L-9", "What follows when a flag counter would pass its maximum of 15?", fixed,
     "error covers an abort and a counter that wraps and reports it.",
     "CrossCoreSetFlag page, hardware constraint page; machine §3.4"},
    {10, "L-10", "What does a cross-core flag do in AIC_ONLY and AIV_ONLY sub kernels?", fixed,
     "The page says only that it cannot work normally there (SYNC-13).", "machine §1.4, §3.6"},
    {11, "L-11", "Which flag ids may a user take?", fixed,
     "up-to-10: the older architecture pages; up-to-15: the API page. 11 to 14 collide with the "
     "SuperKernel's own in both (SYNC-7).",
     "machine §3.7"},
    {12, "L-12", "What does SyncAll<true> do on a cube core?", fixed,
     "joins-cubes: the 2201 headers; no-effect: the 3510 headers; the page allows vector cores "
     "only.",
     "machine §4.1"},
    {13, "L-13", "May an AIV_ONLY sub kernel call SyncAll?", fixed,
     "promoted: it counts as MIX_AIV_1_0, as the shipped examples need.", "machine §4.1; SYNC-13"},
    {14, "L-14",
     "Are pipes other than MTE3 (vector), FIX (cube) and the one named to SetNextTaskStart drained "
     "at the border of two sub kernels?",
     free, "A mix launch at early-start=0 drains all pipes in both positions (PIPE-5).",
     "machine §4.2; semantics §2"},
    {15, "L-15", "What follows when a soft SyncAll meets unequal non-zero words in its workspace?",
     fixed, "All slots zero, or on 2201 all equal, work in both positions (SYNC-9).",
     "machine §4.4"},
    {16, "L-16",
     "Is the zeroing of the deterministic-order workspace ordered before its first use?",
     without_effect, "The language has no instruction for it.", "machine §4.6"},
    {17, "L-17",
     "Does a single-line refresh at an address inside a line cover the whole line, or only the "
     "part from the address on?",
     pinned, "whole-line: the line that holds the address.", "machine §5.3; semantics §3"},
    {18, "L-18", "What does a core's data cache hold when a launch starts?", without_effect,
     "empty is what this suite takes for every launch.", "machine §5.5; semantics §3"},
    {19, "L-19",
     "May a second GetValue of the same line, for which nothing is inserted, show newer data?",
     free, "refreshed: the line was dropped in between.", "headers; machine §5.6; CACHE-1"},
    {20, "L-20", "What is SetNextTaskStart with the scalar pipe?", without_effect,
     "The language does not let it be written.", "machine §7"},
    {21, "L-21", "Does early start do anything on A2?", fixed,
     "The page says no, the code is the same; both give the same memory.", "machine §7"},
    {22, "L-22", "May launches of several streams in normal schedule mode block each other?",
     without_effect,
     "Only launches side by side in normal mode depend on it; with one stream, which is what "
     "semantics §9 sorts, it is without effect.",
     "machine §1.4; semantics §9"},
    {23, "L-23", "When does a dirty cache line reach GM?", free,
     "any-moment: between the store and the next refresh or the end (replacement).",
     "machine §5.2"},
    {24, "L-24", "When is a clean cache line dropped?", free, "never: only a refresh drops it.",
     "machine §5.2"},
    {25, "L-25", "When does the write-back of a refresh land in GM?", free,
     "until-barrier: at any moment up to the next DataSyncBarrier; a flag in between does not "
     "order it.",
     "machine §5.2, §5.4"},
    {26, "L-26", "Does a write-back store the whole line, or only the words that were written?",
     pinned, "whole-line: a neighbour's word in it is undone (CACHE-8).", "machine §5.2"},
    {27, "L-27", "Does a refresh write a dirty line back before it invalidates it?", pinned,
     "clean-first. One of two pages names the invalidation alone.", "machine §5.2, §5.3"},
    {28, "L-28", "In which order do atomic adds of several cores take effect?", free,
     "It shows only where addition is not exact.", "machine §5.2"},
    {29, "L-29", "When is data of MTE3 and FIX visible to the DMA of other cores?", pinned,
     "at-completion of the instruction, never in a cached line.", "machine §5.2"},
    {30, "L-30", "Can a DMA write be seen in part?", free,
     "torn: in any pieces; whole-blocks: in its blocks of 32 bytes. Without order it is a race "
     "in both.",
     "not stated"},
    {31, "L-31", "What does GetTaskRatio return in a fused 1:0, 0:1 or 1:1 sub kernel?", fixed,
     "launch-ratio: the register; own-ratio: the page's table by kernel type.",
     "machine §8; semantics §9"},
    {32, "L-32", "How large is the cube core's data cache?", without_effect,
     "A line may be dropped at any moment anyway (L-24).", "machine §5.1"},
    {33, "L-33", "Must the pipe named in a flag's wait be the one of its set?", pinned,
     "pipe-ignored: on 2201 a wait carries no pipe.", "machine §3.3"},
    {34, "L-34", "When does the refresh that SetValue brings with it happen?", free,
     "at-once: at the access, as the page reads; deferred: when the object moves to another line "
     "or dies, as the headers do.",
     "machine §5.6; CACHE-1"},
    {35, "L-35", "How many instructions can wait in the queue of a pipe?", fixed,
     "Any depth from 1 up is legal; the two ends and the profile's own depth are named.",
     "semantics §1, §9"},
    {36, "L-36", "When may a cache fetch a line?", fixed,
     "own-accesses: when the core reads or stores in it; any-time: a prefetch may come earlier.",
     "semantics §3, §9"},
    {37, "L-37", "What becomes of lines that are dirty when a SuperKernel ends?", fixed,
     "A2 and A3 write them back; a 950 may lose them (CACHE-11).", "semantics §4, §9"},
    {38, "L-38", "Which cores make the whole-cache refresh around a listed sub kernel?", fixed,
     "running-cores: those that run it; all-of-kind: every launched core of its kinds.",
     "composition §11; semantics §4, §9"},
    {39, "L-39",
     "Which wins when a sub kernel is in dcci-disable-on-kernel and in a before or after list?",
     fixed, "In before and after at once means both.", "composition §5.1; semantics §4, §9"},
}};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Error pin_error(std::string_view text, std::string message, std::string hint = {}) {
  return {.field = std::string(text), .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

std::span<const std::string_view> Latitude::positions() const {
  const LatitudePositions& entry = latitude_positions[static_cast<std::size_t>(id - 1)];
  return {entry.names.data(), static_cast<std::size_t>(entry.count)};
}

std::span<const Latitude> latitudes() {
  return all_latitudes;
}

const Latitude& latitude(LatitudeId id) {
  SKCTS_CHECK(id >= 1 && id <= latitude_count, "there is no latitude L-{}", id);
  return all_latitudes[static_cast<std::size_t>(id - 1)];
}

std::optional<LatitudeId> find_latitude(std::string_view name) {
  if (!name.starts_with("L-") && !name.starts_with("l-")) return std::nullopt;
  for (const Latitude& entry : all_latitudes) {
    if (entry.name.substr(2) == name.substr(2)) return entry.id;
  }
  return std::nullopt;
}

std::string_view to_string(LatitudeClass kind) {
  switch (kind) {
    case LatitudeClass::fixed:
      return "fixed";
    case LatitudeClass::free:
      return "free";
    case LatitudeClass::pinned:
      return "pinned";
    case LatitudeClass::without_effect:
      return "without-effect";
  }
  SKCTS_CHECK(false, "latitude class {}", static_cast<int>(kind));
}

std::string to_string(const LatitudePin& pin) {
  const auto positions = latitude(pin.id).positions();
  SKCTS_CHECK(pin.position < positions.size(), "L-{} has no position {}", pin.id, pin.position);
  return fmt::format("L-{}={}", pin.id, positions[pin.position]);
}

Result<LatitudePin> parse_latitude_pin(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return pin_error(text, "is no pin of a latitude; expected L-N=position",
                     "for example L-14=drained");
  }
  const std::string_view name = trim(text.substr(0, equals));
  const std::string_view position = trim(text.substr(equals + 1));
  const auto id = find_latitude(name);
  if (!id) {
    return pin_error(
        text, fmt::format("'{}' is no latitude; expected L-1 to L-{}", name, latitude_count));
  }
  const auto positions = latitude(*id).positions();
  const int index = latitude_positions[static_cast<std::size_t>(*id - 1)].find(position);
  if (index < 0) {
    const std::string_view one_of = positions.size() == 1 ? "its only position" : "one of";
    return pin_error(text,
                     fmt::format("'{}' is no position of L-{}; expected {} {}", position, *id,
                                 one_of, join_names(positions)),
                     did_you_mean(position, positions));
  }
  return LatitudePin{*id, static_cast<std::uint8_t>(index)};
}

std::uint8_t LatitudeAssignment::position(LatitudeId id) const {
  SKCTS_CHECK(id >= 1 && id <= latitude_count, "there is no latitude L-{}", id);
  return positions_[static_cast<std::size_t>(id - 1)];
}

std::string_view LatitudeAssignment::position_name(LatitudeId id) const {
  return latitude(id).positions()[position(id)];
}

void LatitudeAssignment::set(LatitudePin pin) {
  SKCTS_CHECK(pin.position < latitude(pin.id).positions().size(), "L-{} has no position {}", pin.id,
              pin.position);
  positions_[static_cast<std::size_t>(pin.id - 1)] = pin.position;
}

}  // namespace skcts
