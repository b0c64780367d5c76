#include "reference_model/inexact.h"

#include <array>

namespace skcts::model {
namespace {

struct Row {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<Row, inexact_count> rows = {{
    {"queue-depth", "with short queues it may stall, with long ones it does not (L-35)"},
    {"counter-limit", "a flag counter may pass 15 (L-9)"},
    {"event-set-twice", "an event is set twice with no wait issued between (L-4)"},
    {"cached-poll", "a poll looks through a data cache"},
    {"returning-poll", "a polled word may have its value for a while only"},
    {"soft-workspace", "the workspace of a soft SyncAll does not count its rounds (L-15)"},
    {"ib-slot", "an IBSet/IBWait slot is shared or does not start at 0"},
    {"pipe-shared", "one id is used from several pipes"},
    {"full-core-class", "full-core waits out of step may serve each other"},
    {"early-start-calls", "early-start calls are not made once on every core"},
    {"kernel-type", "SyncAll<true> on a cube core (L-12)"},
    {"scheduler-off", "cross-core flags in a kernel type that has none (L-10)"},
    {"reserved-id", "a flag id of the inserted synchronisation or of the Matmul service is used"},
    {"left-over-flag", "flag counters of an earlier launch may still count (L-5)"},
    {"broken-rule", "nothing is said of what follows a broken rule"},
    {"outside-region", "something is read beyond its region"},
    {"waves", "the launch has more blocks than there are cores"},
    {"undefined-data", "no word is judged from some point on"},
    {"search-limit", "too much races for all orders to be tried"},
    {"undefined-input", "racing words take what is undefined or not followed"},
    {"many-feeders", "a wait of which it is not known which raises release it"},
    {"poll-of-several", "a poll that any of several writes may end"},
    {"late-set",
     "an event is waited for before it is set (PIPE-4): what the set orders is left out"},
    {"composer-drains", "what joins the sub kernels may order more than is promised (L-14)"},
    {"outside-world",
     "launches side by side, events or outside actors meet in a way that is not decided"},
    {"pinned", "a pinned latitude that would narrow the set is not followed"},
    {"overlap",
     "a wait in a head or tail may need that sub kernels run beside each other, which is allowed "
     "and not promised (TASK-2, TASK-3)"},
}};

}  // namespace

std::string_view to_string(Inexact reason) {
  return rows[static_cast<std::size_t>(reason)].name;
}

std::string_view sentence_of(Inexact reason) {
  return rows[static_cast<std::size_t>(reason)].sentence;
}

std::vector<Inexact> InexactReasons::list() const {
  std::vector<Inexact> all;
  for (int r = 0; r < inexact_count; ++r) {
    if (has(static_cast<Inexact>(r))) all.push_back(static_cast<Inexact>(r));
  }
  return all;
}

}  // namespace skcts::model
