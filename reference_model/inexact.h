// Why a set of allowed outcomes may be wider than what can happen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace skcts::model {

/// One reason. The first ones leave open which statuses occur, the others which values.
enum class Inexact : std::uint8_t {
  queue_depth,        ///< L-35: a stall that a longer queue may avoid.
  counter_limit,      ///< S4: a counter that may pass 15.
  event_set_twice,    ///< S3.
  cached_poll,        ///< S6: a poll through a data cache.
  returning_poll,     ///< S6: a polled value that may go again, or that a race decides.
  soft_workspace,     ///< S5: a soft SyncAll on slots that do not count its rounds.
  ib_slot,            ///< S5: an IBSet/IBWait slot that is shared or does not start at 0.
  pipe_shared,        ///< S2: one id raised from several pipes.
  full_core_class,    ///< Full-core waits out of step that may serve each other.
  early_start_calls,  ///< TASK-4: a raise or wait too many.
  kernel_type,        ///< L-12: SyncAll<true> on a cube.
  scheduler_off,      ///< L-10: flags without the scheduler.
  reserved_id,        ///< SYNC-7.
  left_over_flag,     ///< L-5: counters of an earlier launch.
  broken_rule,        ///< Nothing is said from a broken rule on (semantics §7).
  outside_region,     ///< A weakened target reads beyond a region.
  waves,              ///< More blocks than cores.
  undefined_data,     ///< No word is judged from some point on.
  search_limit,       ///< Racing words: too much to search.
  undefined_input,    ///< Racing words that undefined or unfollowed ones flow into.
  many_feeders,       ///< A wait of which it is not known which raises released it.
  poll_of_several,    ///< A poll that any of several writes may have ended.
  late_set,           ///< S3: a wait for an event that is set behind it.
  composer_drains,    ///< Composers may order what the contract does not (L-14 and beyond).
  outside_world,      ///< Beside, events or outside actors in a way that is not decided.
  pinned,             ///< A pinned latitude that would narrow the set is not followed.
  overlap,            ///< It completes for certain only where sub kernels overlap (TASK-2, TASK-3).
};
inline constexpr int inexact_count = 27;

std::string_view to_string(Inexact reason);    ///< "queue-depth", ...
std::string_view sentence_of(Inexact reason);  ///< For people.

/// A set of them.
class InexactReasons {
 public:
  void add(Inexact reason) { bits_ |= std::uint32_t{1} << static_cast<int>(reason); }
  void add(InexactReasons others) { bits_ |= others.bits_; }
  bool has(Inexact reason) const { return (bits_ >> static_cast<int>(reason) & 1U) != 0; }
  bool none() const { return bits_ == 0; }
  std::vector<Inexact> list() const;
  bool operator==(const InexactReasons&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace skcts::model
