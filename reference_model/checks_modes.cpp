// One flag id in two modes or on two pipes (SYNC-12).
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reference_model/launch_checks.h"

namespace skcts::model {

/// SYNC-12: a raise in another mode or on another pipe than the core's last one of that id, while
/// a wait for an earlier one may be outstanding.
void LaunchChecks::check_modes() {
  // SYNC-15 from one sub kernel to the next: a pipe may still wait when another one does.
  for (const Counter& counter : stall_.counters) {
    for (std::int32_t k = 1; profile_.is_3510() && k < counter.wait_count; ++k) {
      const auto at = static_cast<std::size_t>(counter.first_wait + k);
      const std::int32_t earlier = stall_.wait_steps[at - 1];
      const std::int32_t later = stall_.wait_steps[at];
      const Step& now = step_at(counter.thread, later);
      const Step& then = step_at(counter.thread, earlier);
      if (now.pipe == then.pipe || now.sub_kernel == then.sub_kernel) continue;
      // By what is over when the later one is issued, if it never ends itself.
      std::int32_t issued = later;
      while (issued > earlier && (stall_.executed[static_cast<std::size_t>(issued)] == 0 ||
                                  step_at(counter.thread, issued).pipe != Pipe::s)) {
        --issued;
      }
      if (then.pipe == Pipe::s || (issued > earlier && before_ && before_(earlier, issued)) ||
          (before_ && before_(earlier, later))) {
        continue;
      }
      place_ = mix_place(now);
      report(RuleId::sync_15, program_.threads[static_cast<std::size_t>(counter.thread)].core,
             now.instruction,
             fmt::format("waits for flag {} on another pipe than an earlier wait that may not be "
                         "over yet",
                         counter.id));
      mark_undefined(RuleId::sync_15);
    }
  }
  struct Raise {
    std::int32_t flat = 0;
    std::int32_t stream = 0;
    std::int32_t ordinal = 0;
  };
  std::map<std::pair<std::int32_t, std::int8_t>, std::vector<Raise>> raises;
  for (std::size_t s = 0; s < stall_.streams.size(); ++s) {
    const RaiseStream& stream = stall_.streams[s];
    auto& list = raises[{stream.thread, stream.id}];
    for (std::int32_t n = 0; n < stream.count; ++n) {
      const auto at = static_cast<std::size_t>(stream.first + n);
      list.push_back({stall_.raise_steps[at], static_cast<std::int32_t>(s), n});
    }
  }
  for (auto& [key, list] : raises) {
    std::sort(list.begin(), list.end(),
              [](const Raise& a, const Raise& b) { return a.flat < b.flat; });
    // Of each mode and pipe the last raise so far: if it is taken, so are those before it.
    std::vector<std::size_t> last;
    for (std::size_t n = 0; n < list.size(); ++n) {
      const Step& now = step_at(key.first, list[n].flat);
      const auto same = [&](std::size_t e) {
        const Step& other = step_at(key.first, list[e].flat);
        return other.mode == now.mode && other.pipe == now.pipe;
      };
      for (const std::size_t e : last) {
        const Step& earlier = step_at(key.first, list[e].flat);
        if (same(e)) continue;
        if (is_consumed_before(list[e].stream, list[e].ordinal, list[n].flat)) continue;
        report_in(mix_place(now), RuleId::sync_12,
                  program_.threads[static_cast<std::size_t>(key.first)].core, now.instruction,
                  fmt::format("raises flag {} in mode {} on {} while a raise in mode {} on {} may "
                              "not be taken yet",
                              key.second, now.mode, to_string(now.pipe), earlier.mode,
                              to_string(earlier.pipe)));
        return;
      }
      last.erase(std::remove_if(last.begin(), last.end(), same), last.end());
      last.push_back(n);
    }
  }
}

/// Has every wait that takes this raise ended before the step starts? Waits that end before may
/// also have taken increments of other feeders, unless those come after them.
bool LaunchChecks::is_consumed_before(std::int32_t stream, std::int32_t ordinal,
                                      std::int32_t flat) const {
  for (const Counter& counter : stall_.counters) {
    const auto has_stream = [&](const Feeder& feeder) {
      const auto first = stall_.feeder_streams.begin() + feeder.first;
      return std::find(first, first + feeder.count, stream) != first + feeder.count;
    };
    const auto first_feeder = stall_.feeders.begin() + counter.first_feeder;
    const auto last_feeder = first_feeder + counter.feeder_count;
    if (std::none_of(first_feeder, last_feeder, has_stream)) continue;
    // Waits of one core end in the order in which they are issued.
    const auto first_wait = stall_.wait_steps.begin() + counter.first_wait;
    const auto end =
        std::partition_point(first_wait, first_wait + counter.wait_count, [&](std::int32_t wait) {
          return stall_.executed[static_cast<std::size_t>(wait)] != 0 && before_ &&
                 before_(wait, flat);
        });
    const auto taken = static_cast<std::int32_t>(end - first_wait);
    const std::int32_t last = taken > 0 ? *(end - 1) : -1;
    std::int32_t ahead = ordinal + 1;
    for (auto feeder = first_feeder; taken > 0 && feeder != last_feeder; ++feeder) {
      if (!has_stream(*feeder)) ahead += increments_not_after(*feeder, last);
    }
    if (taken < ahead) return false;
  }
  return true;
}

/// Increments of a feeder that need not come after the wait.
std::int32_t LaunchChecks::increments_not_after(const Feeder& feeder, std::int32_t wait) const {
  for (std::int32_t n = 0; n < feeder.increments; ++n) {
    for (std::int32_t s = 0; s < feeder.count; ++s) {
      const RaiseStream& stream = stall_.streams[static_cast<std::size_t>(
          stall_.feeder_streams[static_cast<std::size_t>(feeder.first + s)])];
      if (before_(wait, stall_.raise_steps[static_cast<std::size_t>(stream.first + n)])) return n;
    }
  }
  return feeder.increments;
}

}  // namespace skcts::model
