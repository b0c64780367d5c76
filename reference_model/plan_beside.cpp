// Launches side by side.
//
// They are written into one program (lower_beside.cpp) that is analysed as any other: what they
// share is words, events and the cores of the chip. Where the chip holds them all at a time there
// is nothing else to say. Where it does not:
//
// * batch: a launch holds all its cores from its begin to its end, so of each set of launches that
//   does not fit some launch has ended before another of the set begins. Every way to choose these
//   pairs is a program with so many more edges, analysed by itself; what may happen is their union.
//   A choice counts only if it may come about: a launch that never begins is kept from it by what
//   comes before it on its stream, by an event, or by launches that hold cores for ever.
// * normal: a block holds its cores alone. That they come one after the other adds order at most:
//   the values are among those of the program without it. But each launch may hold what another
//   one waits for (L-22).
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reference_model/plan_run.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// Which launches may not run at a time, and every way to keep them apart.
class Sharing {
 public:
  using Order = std::vector<std::vector<std::int32_t>>;  ///< [launch]: those that end before.

  Sharing(const BesideStep& step, const Profile& profile)
      : step_(step), profile_(profile), fits_(all_fit()) {
    std::vector<std::int32_t> chosen;
    if (!fits_) find_crowds(0, chosen, 0, 0);
  }
  bool fits() const { return fits_; }
  /// Launches that together want more cores than there are, none of them to spare; not all where
  /// orders() gives none.
  const std::vector<std::vector<std::int32_t>>& crowds() const { return crowds_; }

  /// Every way, once; empty where there are more than `most`, or more to look at than is bounded.
  std::vector<Order> orders(std::size_t most) {
    most_ = most;
    found_.clear();
    if (is_over()) return {};
    Order order(step_.shapes.size());
    for (std::size_t l = 0; l < order.size(); ++l) {
      if (step_.before[l] >= 0) order[l].push_back(step_.before[l]);
    }
    keep_apart(0, order);
    return is_over() || found_.size() > most ? std::vector<Order>() : found_;
  }

 private:
  static constexpr std::size_t crowds_max = 64;
  static constexpr int looks_max = 20'000;  ///< A few milliseconds.

  bool is_over() const { return crowds_.size() > crowds_max || looks_ > looks_max; }

  /// Do the widest launches of all streams fit on the chip together?
  bool all_fit() const {
    std::map<std::int32_t, std::pair<std::int32_t, std::int32_t>> widest;  // by stream
    for (std::size_t l = 0; l < step_.shapes.size(); ++l) {
      auto& [cubes, vectors] = widest[step_.stream[l]];
      cubes = std::max(cubes, step_.shapes[l].aic_count);
      vectors = std::max(vectors, step_.shapes[l].aiv_count);
    }
    std::int64_t cubes = 0;
    std::int64_t vectors = 0;
    for (const auto& [stream, both] : widest) {
      cubes += both.first;
      vectors += both.second;
    }
    return cubes <= profile_.aic_count && vectors <= profile_.aiv_count;
  }

  void find_crowds(std::size_t first, std::vector<std::int32_t>& chosen, std::int32_t cubes,
                   std::int32_t vectors) {
    ++looks_;
    if (is_over()) return;
    if (cubes > profile_.aic_count || vectors > profile_.aiv_count) {
      const auto fits_without = [&](std::int32_t one) {
        const LaunchShape& shape = step_.shapes[to_size(one)];
        return cubes - shape.aic_count <= profile_.aic_count &&
               vectors - shape.aiv_count <= profile_.aiv_count;
      };
      if (std::ranges::all_of(chosen, fits_without)) crowds_.push_back(chosen);
      return;
    }
    for (std::size_t l = first; l < step_.shapes.size(); ++l) {
      const bool same_stream = std::ranges::any_of(chosen, [&](std::int32_t other) {
        return step_.stream[to_size(other)] == step_.stream[l];
      });
      if (same_stream) continue;
      chosen.push_back(static_cast<std::int32_t>(l));
      find_crowds(l + 1, chosen, cubes + step_.shapes[l].aic_count,
                  vectors + step_.shapes[l].aiv_count);
      chosen.pop_back();
    }
  }

  static bool is_before(const Order& order, std::int32_t earlier, std::int32_t later) {
    std::vector<std::uint8_t> seen(order.size(), 0);
    std::vector<std::int32_t> open = {later};
    while (!open.empty()) {
      const std::int32_t at = open.back();
      open.pop_back();
      for (const std::int32_t direct : order[to_size(at)]) {
        if (direct == earlier) return true;
        if (std::exchange(seen[to_size(direct)], 1) == 0) open.push_back(direct);
      }
    }
    return false;
  }

  void keep_apart(std::size_t crowd, Order& order) {
    ++looks_;
    if (is_over() || found_.size() > most_) return;
    if (crowd == crowds_.size()) {
      if (std::ranges::find(found_, order) == found_.end()) found_.push_back(order);
      return;
    }
    const std::vector<std::int32_t>& all = crowds_[crowd];
    for (const std::int32_t x : all) {
      for (const std::int32_t y : all) {
        if (x != y && is_before(order, x, y)) return keep_apart(crowd + 1, order);
      }
    }
    for (const std::int32_t x : all) {
      for (const std::int32_t y : all) {
        if (x == y) continue;
        Order with = order;
        with[to_size(y)].push_back(x);
        std::ranges::sort(with[to_size(y)]);
        keep_apart(crowd + 1, with);
      }
    }
  }

  const BesideStep& step_;
  const Profile& profile_;
  bool fits_ = true;
  int looks_ = 0;
  std::vector<std::vector<std::int32_t>> crowds_;
  std::vector<Order> found_;
  std::size_t most_ = 0;
};

}  // namespace

/// The launches of the step. False if one is refused.
bool PlanRun::gather(const PlanStep& step, BesideStep& all) {
  const Mix& mix = setting_->test_case.mix;
  const Profile& profile = setting_->profile;
  all.sharing = step.sharing;
  for (std::size_t s = 0; s < step.beside.size(); ++s) {
    std::vector<PlanStep> steps{step.beside[s]};
    if (step.beside[s].kind == skcts::StepKind::marked) {
      steps = cut_by_marks(mix, step.beside[s], setting_->test_case.path);
    }
    std::int32_t before = -1;
    for (const PlanStep& inner : steps) {
      std::vector<ShapeOrRefusal> made;
      if (inner.kind == skcts::StepKind::fused) {
        for (const std::vector<std::int32_t>& list :
             super_kernels(setting_->test_case, inner.sub_kernels, setting_->options)) {
          made.push_back(fused(list));
        }
      } else {
        for (const std::int32_t sub : inner.sub_kernels) {
          made.push_back(alone_shape(mix, sub, profile));
        }
      }
      for (ShapeOrRefusal& one : made) {
        if (!one.refusal && step.sharing == CoreSharing::batch && one.shape.resident > 0) {
          one.refusal =
              Refusal{RuleId::core_8,
                      "a launch that needs all its cores at once is wider than the chip [CORE-8]"};
        }
        if (one.refusal) {
          result_->refusal = one.refusal;
          return false;
        }
        all.before.push_back(before);
        before = static_cast<std::int32_t>(all.shapes.size());
        all.stream.push_back(static_cast<std::int32_t>(s));
        all.shapes.push_back(std::move(one.shape));
      }
    }
  }
  return true;
}

/// The step as one program, each launch behind those of `after`.
void PlanRun::lower_beside(const BesideStep& all,
                           const std::vector<std::vector<std::int32_t>>& after) {
  const Mix& mix = setting_->test_case.mix;
  std::vector<BesideLaunch> launches;
  for (std::size_t l = 0; l < all.shapes.size(); ++l) {
    const LaunchShape& shape = all.shapes[l];
    BesideLaunch launch{.input = input_of(shape), .stream = all.stream[l], .after = after[l]};
    if (l > 0) launch.input.actors = {};
    if (!shape.fused) {
      launch.raises_at_end = mix.sub_kernels[to_size(shape.sub_kernels.front())].send;
    }
    launches.push_back(std::move(launch));
  }
  lowering_.run_beside(launches, program_);
}

/// One step of launches side by side. False when nothing follows it.
bool PlanRun::beside(const PlanStep& step) {
  BesideStep all;
  if (!gather(step, all)) return false;
  if (all.shapes.empty()) return true;
  LaunchShape everybody;
  for (const LaunchShape& shape : all.shapes) {
    everybody.sub_kernels.insert(everybody.sub_kernels.end(), shape.sub_kernels.begin(),
                                 shape.sub_kernels.end());
    result_->launches.push_back(shape);
  }
  find_actor_parts(everybody.sub_kernels);
  Sharing sharing(all, setting_->profile);
  std::vector<std::vector<std::int32_t>> streams(all.shapes.size());
  for (std::size_t l = 0; l < streams.size(); ++l) {
    if (all.before[l] >= 0) streams[l].push_back(all.before[l]);
  }
  lower_beside(all, streams);
  meet_floating(nullptr);
  if (lowering_.left_region()) {
    result_->error = result_->may_stall = true;
    result_->stall_open.add(Inexact::outside_region);
  }
  const PlanResult before = *result_;
  const std::vector<LeftOver> left_over = left_over_;
  analyse();
  // At L-22=one-stream a launch gets its cores all at once in normal mode as well.
  const bool wide = std::ranges::any_of(all.shapes, [](auto& shape) { return shape.resident > 0; });
  const bool whole = all.sharing == CoreSharing::batch ||
                     (!setting_->may_be(latitude_pin(22, "may-deadlock")) && !wide);
  if (!sharing.fits() && !whole) {
    judge_normal_sharing(all);
  } else if (!sharing.fits() && depends_on_order(all)) {
    left_over_ = left_over;
    take_orders(all, sharing.orders(most_orders), sharing.crowds(), before);
  }
  advance_actors(&everybody);
  number_ += static_cast<std::int32_t>(all.shapes.size());
  return setting_->open_ended || !result_->left_open.empty() ||
         (!result_->stalls && !result_->fails);
}

/// Does a launch wait for what another one, or an outside actor, does?
bool PlanRun::waits_across(const BesideStep& all) const {
  if (stalls_.has_polls()) return true;
  const Mix& mix = setting_->test_case.mix;
  return std::ranges::any_of(all.shapes, [&](const LaunchShape& shape) {
    return std::ranges::any_of(shape.sub_kernels, [&](std::int32_t place) {
      return std::ranges::any_of(
          mix.sub_kernels[to_size(place)].recv,
          [&](const std::string& event) { return !raised_.contains(event); });
    });
  });
}

/// Is it of any account which of two launches has the cores first?
bool PlanRun::depends_on_order(const BesideStep& all) const {
  return waits_across(all) || stall_.stalled || !result_->completes_only() ||
         !hazard_result_.clean() || undefined_;
}

bool PlanRun::is_done(std::int32_t join) const {
  std::size_t arrived = 0;
  const Join& wanted = program_.joins[to_size(join)];
  for (std::size_t t = 0; t < program_.threads.size(); ++t) {
    const std::vector<Step>& steps = program_.threads[t].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::int32_t flat = stall_.first_step[t] + static_cast<std::int32_t>(i);
      arrived += steps[i].kind == StepKind::arrive && steps[i].join == join &&
                 stall_.executed[to_size(flat)] != 0;
    }
  }
  return arrived >= wanted.members.size();
}

/// Has everything come that the cores of a launch wait for before it begins? Alone that is its
/// events, too. From pass `from` on.
bool PlanRun::may_begin(std::size_t part_place, std::int32_t from) const {
  const LaunchPart& part = program_.parts[part_place];
  std::int32_t passed = 0;
  for (const Step& step : program_.threads[to_size(part.first_thread)].steps) {
    if (step.kind == StepKind::refresh && step.origin == Origin::end_of_launch) continue;
    if (step.kind != StepKind::pass) return true;
    if (part.shape.fused && passed == part.after_count) return true;
    if (passed++ >= from && !is_done(step.join)) return false;
  }
  return true;
}

/// Can what was analysed come about? A launch that never begins has somebody who keeps it back.
bool PlanRun::comes_about(const BesideStep& all,
                          const std::vector<std::vector<std::int32_t>>& crowds) const {
  std::vector<bool> begun, ended;
  for (std::size_t l = 0; l < all.shapes.size(); ++l) {
    begun.push_back(may_begin(l, 0));
    ended.push_back(is_done(program_.parts[l].end_join));
  }
  const auto holds = [&](std::int32_t l) { return begun[to_size(l)] && !ended[to_size(l)]; };
  for (std::size_t l = 0; l < all.shapes.size(); ++l) {
    if (begun[l]) continue;
    if (all.before[l] >= 0 && !ended[to_size(all.before[l])]) continue;
    if (!may_begin(l, program_.parts[l].after_count)) continue;  // an event is missing
    const bool crowded = std::ranges::any_of(crowds, [&](const std::vector<std::int32_t>& crowd) {
      const auto own = static_cast<std::int32_t>(l);
      return std::ranges::find(crowd, own) != crowd.end() &&
             std::ranges::all_of(crowd, [&](auto other) { return other == own || holds(other); });
    });
    if (!crowded) return false;
  }
  return true;
}

/// The union over the orders in which launches may have the cores.
void PlanRun::take_orders(const BesideStep& all,
                          const std::vector<std::vector<std::vector<std::int32_t>>>& orders,
                          const std::vector<std::vector<std::int32_t>>& crowds,
                          const PlanResult& before) {
  PlanResult& target = *result_;
  const bool stalls_anyway = target.stalls;
  const std::vector<LeftOver> left_over = left_over_;
  WitnessNotes* const notes = std::exchange(notes_, nullptr);
  LaunchListener* const viewer = std::exchange(viewer_, nullptr);
  std::optional<PlanResult> united;
  bool some_stall = false;
  for (const auto& order : orders) {
    PlanResult one = before;
    result_ = &one;
    left_over_ = left_over;
    lower_beside(all, order);
    analyse();
    const bool counts = comes_about(all, crowds);
    if (!counts) continue;
    if (one.stalls && !stalls_anyway) {
      // Nobody is at fault but who shares the cores out.
      one.stall_charges = before.stall_charges;
      one.waiting = before.waiting;
      if (words_ && !some_stall) tell_of_sharing(all);
      some_stall = true;
    }
    if (united) {
      unite(*united, one);
    } else {
      united = std::move(one);
    }
  }
  result_ = &target;
  notes_ = notes;
  viewer_ = viewer;
  if (united) {
    target = std::move(*united);
    return;
  }
  target.data_open.add(Inexact::outside_world);
  target.stall_open.add(Inexact::outside_world);
  if (words_ && orders.empty()) {
    target.remarks.push_back(
        {std::nullopt, fmt::format("{} launches side by side may have the cores in too many orders "
                                   "to look at each: any of them is taken for possible",
                                   all.shapes.size())});
  }
  judge_normal_sharing(all);
}

/// Of the order at hand, which stalls: who waits, and who is kept from the cores.
void PlanRun::tell_of_sharing(const BesideStep& all) {
  const Mix& mix = setting_->test_case.mix;
  std::string waiting, kept;
  for (std::size_t l = 0; l < all.shapes.size(); ++l) {
    if (is_done(program_.parts[l].end_join)) continue;
    std::string& who = may_begin(l, 0) ? waiting : kept;
    for (const std::int32_t place : all.shapes[l].sub_kernels) {
      who += (who.empty() ? "" : ", ") + mix.sub_kernels[to_size(place)].name;
    }
  }
  result_->remarks.push_back(
      {std::nullopt, fmt::format("the launch of {} may have the cores first and hold them while it "
                                 "waits for {}, which begins when cores are free",
                                 waiting, kept)});
}

/// L-22: blocks that wait for each other and get their cores one by one, from a chip that does not
/// hold all launches at a time.
void PlanRun::judge_normal_sharing(const BesideStep& all) {
  const bool waits = waits_across(all) || !stall_.counters.empty() ||
                     std::ranges::any_of(program_.joins, [](const Join& join) {
                       return join.kind != JoinKind::launch_end && join.members.size() > 1;
                     });
  if (!hazard_result_.clean()) result_->data_open.add(Inexact::outside_world);
  if (result_->stalls) {  // who has the cores first decides who is stuck and who never begins
    result_->stuck.clear();
    result_->stuck_complete = false;
    result_->judge_stalled_memory = false;
    result_->stall_open.add(Inexact::outside_world);
    return;
  }
  if (!waits) return;
  result_->may_stall = true;
  result_->stall_open.add(Inexact::outside_world);
  note_latitude(22);
  if (!words_) return;
  result_->remarks.push_back(
      {std::nullopt,
       "launches side by side need more cores than there are, and each may hold what another one "
       "waits for (L-22)"});
}

/// Each launch of the step by itself, in an order that keeps streams and events.
bool PlanRun::beside_in_turn(const PlanStep& step) {
  const Mix& mix = setting_->test_case.mix;
  std::vector<std::vector<std::int32_t>> waiting;
  for (const PlanStep& inner : step.beside) waiting.push_back(inner.sub_kernels);
  const auto may_begin = [&](std::int32_t sub) {
    return std::ranges::all_of(mix.sub_kernels[to_size(sub)].recv, [&](const std::string& event) {
      return std::ranges::none_of(waiting, [&](const std::vector<std::int32_t>& stream) {
        return std::ranges::any_of(stream, [&](std::int32_t other) {
          return names(mix.sub_kernels[to_size(other)].send, event);
        });
      });
    });
  };
  for (;;) {
    auto stream = std::ranges::find_if(
        waiting, [&](const auto& subs) { return !subs.empty() && may_begin(subs.front()); });
    if (stream == waiting.end()) {
      stream = std::ranges::find_if(waiting, [](const auto& subs) { return !subs.empty(); });
    }
    if (stream == waiting.end()) return true;
    const std::int32_t sub = stream->front();
    stream->erase(stream->begin());
    if (!launch(alone_shape(mix, sub, setting_->profile))) return false;
  }
}

}  // namespace skcts::model
