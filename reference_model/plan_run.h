// The launches of a plan one after the other: what each may do, and GM between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference_model/checks.h"
#include "reference_model/hazards.h"
#include "reference_model/inexact.h"
#include "reference_model/launch_view.h"
#include "reference_model/lower.h"
#include "reference_model/model.h"
#include "reference_model/order.h"
#include "reference_model/stall.h"
#include "reference_model/values.h"
#include "reference_model/witness.h"

namespace skcts::model {

/// Does the list name the event?
inline bool names(const std::vector<std::string>& events, const std::string& event) {
  return std::ranges::find(events, event) != events.end();
}

/// A rule that something in the run is charged to, and the sub kernel (place in the mix) or -1.
struct Charge {
  RuleId rule = RuleId::sync_5;
  std::int32_t sub_kernel = -1;
};

/// What a plan may do. Texts stay empty unless they were asked for.
struct PlanResult {
  std::optional<Refusal> refusal;
  bool error = false;  ///< May end with an error.
  bool fails = false;  ///< Ends with one for certain.
  /// An error is among what may happen because nothing is said from some point on (semantics §7).
  bool may_error = false;
  bool stalls = false;  ///< Certain.
  bool may_stall = false;
  bool undefined = false;     ///< Data is not judged from some point on.
  InexactReasons stall_open;  ///< Why it is not exact which statuses occur,
  InexactReasons data_open;   ///< and which values.
  bool full_core_stall = false;

  std::vector<Charge> error_charges;  ///< Of what may end with an error,
  std::vector<Charge> stall_charges;  ///< stall,
  std::vector<Charge> early_charges;  ///< or release something too early;
  std::vector<Charge> race_charges;   ///< of races.
  std::vector<BrokenRule> broken;     ///< By the text of the mix.
  std::vector<LatitudeId> latitudes;

  std::vector<StuckCore> stuck;
  bool stuck_complete = false;
  std::vector<LaunchShape> launches;
  std::vector<ExpectedQuery> queries;
  std::vector<LaunchCounts> counts;
  GmState memory;                        ///< At the end, or where it stalled.
  std::vector<WordRange> private_words;  ///< Of library calls; not judged.
  /// Why nothing is said of the case: an outside actor meets several launches.
  std::string left_open;
  bool judge_stalled_memory = false;

  /// Something that more than one schedule, cache or position decides.
  struct Remark {
    std::optional<RuleId> rule;
    std::string text;
  };
  std::vector<Remark> remarks;     ///< In words.
  std::vector<StuckWait> waiting;  ///< In words.
  std::vector<Race> races;         ///< In words.

  bool exact_stall() const { return stall_open.none(); }
  bool exact_data() const { return data_open.none(); }
  bool completes_only() const { return !refusal && !error && !may_error && !stalls && !may_stall; }
  bool one_memory() const { return completes_only() && !undefined && memory.all_exact(); }
};

/// Adds what the same plan may do at another position of a latitude: a set that holds both.
void unite(PlanResult& into, const PlanResult& other);

/// What stays the same for all launches of a case.
struct CaseSetting {
  const Case& test_case;
  const Profile& profile;
  const Options& options;
  const GmLayout& layout;
  LatitudeAssignment latitudes;
  std::uint64_t pinned = 0;  ///< Bit id-1: this latitude is held.
  /// One guarantee weakened, or none. What the weakening breaks is then nobody's fault: the text of
  /// the mix is not held against the restrictions.
  const Relaxation* relaxed = nullptr;
  std::size_t search_states = default_search_states;  ///< SearchFreedom::states
  /// Only queries and shapes count: a launch that stalls here is followed by the next.
  bool open_ended = false;

  bool is_pinned(int id) const { return (pinned >> (id - 1) & 1) != 0; }
  /// Do the pins hold the latitude at this position?
  bool is_pinned_at(LatitudePin pin) const { return is_pinned(pin.id) && latitudes.holds(pin); }
  /// May the latitude stand at this position?
  bool may_be(LatitudePin pin) const { return !is_pinned(pin.id) || latitudes.holds(pin); }
  /// What the pins leave to a search of racing words.
  SearchFreedom freedom() const;
};

/// Launches of a `beside` step, as they are numbered.
struct BesideStep {
  CoreSharing sharing = CoreSharing::batch;
  std::vector<LaunchShape> shapes;
  std::vector<std::int32_t> stream;  ///< By launch,
  std::vector<std::int32_t> before;  ///< and the one before it on its stream, or -1.
};
/// So many orders in which launches have the cores are told apart; else all of them may happen.
inline constexpr std::size_t most_orders = 32;

/// Buffers are kept between plans.
class PlanRun {
 public:
  /// `alone`: every sub kernel of every step is launched alone, in order. `words`: fill the texts.
  void run(const CaseSetting& setting, const Plan& plan, bool alone, bool words,
           PlanResult& result);
  /// Tells what leads to a memory while it runs; null: nobody listens.
  void tell(WitnessNotes* notes) { notes_ = notes; }
  WitnessNotes* listener() const { return notes_; }
  /// Shows each launch when it is analysed; null: to nobody.
  void show(LaunchListener* viewer) { viewer_ = viewer; }

 private:
  bool step(const PlanStep& step, bool alone);
  void find_actor_parts(const std::vector<std::int32_t>& raisers);
  bool is_raised_beside(const std::vector<std::int32_t>& raisers, const std::string& event) const;
  void meet_words(const WordRange& words, bool write, std::int32_t actor = -1,
                  const SubKernel* sub_kernel = nullptr);
  void meet_floating(const LaunchShape* shape);
  void meet_actors(const WordRange& words);
  void leave_events_open();
  void advance_actors(const LaunchShape* shape);
  void finish_actors();
  // plan_beside.cpp
  bool beside(const PlanStep& step);
  bool beside_in_turn(const PlanStep& step);
  bool gather(const PlanStep& step, BesideStep& all);
  void lower_beside(const BesideStep& all, const std::vector<std::vector<std::int32_t>>& after);
  bool waits_across(const BesideStep& all) const;
  bool depends_on_order(const BesideStep& all) const;
  bool is_done(std::int32_t join) const;
  bool may_begin(std::size_t part_place, std::int32_t from) const;
  bool comes_about(const BesideStep& all,
                   const std::vector<std::vector<std::int32_t>>& crowds) const;
  void take_orders(const BesideStep& all,
                   const std::vector<std::vector<std::vector<std::int32_t>>>& orders,
                   const std::vector<std::vector<std::int32_t>>& crowds, const PlanResult& before);
  void judge_normal_sharing(const BesideStep& all);
  void tell_of_sharing(const BesideStep& all);

  LaunchInput input_of(const LaunchShape& shape) const;
  bool launch(const ShapeOrRefusal& shape);
  void analyse();
  void find_hazards();
  void judge_doubts();
  void judge_doubt(Doubt doubt);
  void judge_unreached();
  void judge_released_early();
  bool happens(const Doubt& doubt) const;
  void judge_reserved_ids();
  void judge_left_over();
  void judge_full_counters();
  bool has_service(std::int32_t place) const;
  FlagService flag_service(const LaunchShape& shape) const;
  bool fails_on_flags() const;
  void judge_kernel_type();
  void judge_kernel_type(const LaunchShape& shape, std::int32_t part);
  void judge_waves();
  void judge_first_soft_round();
  void leave_feeding_open();
  void judge_claims();
  void judge_stall();
  void judge_races();
  const Step& step_at(std::int32_t flat) const;
  bool composer_may_order(const Conflict& conflict) const;
  bool computes_in_blocks(const Conflict& conflict) const;
  void forget_launch();
  void lose_dirty_lines();
  ShapeOrRefusal fused(std::vector<std::int32_t> list) const;
  void record_queries();
  void record_counts();
  void record_counts(const LaunchShape& shape, std::int32_t part, std::int32_t first_place);
  std::int32_t full_core_arrivals(std::int32_t thread) const;
  void record_stuck();
  void describe_stuck();
  void describe_doubt(const Doubt& doubt);
  std::string polled_word(const Step& poll) const;
  void describe_open_wait(const Doubt& doubt);
  void describe_many_feeders();
  static void charge(std::vector<Charge>& charges, std::optional<RuleId> charged,
                     std::int32_t sub_kernel);
  void note_latitude(int id);
  std::int32_t mix_place(std::int32_t place) const;
  std::int32_t doubt_place(const Doubt& doubt) const;
  Waiting waiting_of(const StuckStep& stuck) const;

  const CaseSetting* setting_ = nullptr;
  PlanResult* result_ = nullptr;
  WitnessNotes* notes_ = nullptr;
  LaunchListener* viewer_ = nullptr;
  bool words_ = false;
  std::int32_t number_ = 0;  ///< Of the launch.
  std::size_t first_broken_ = 0;
  bool may_complete_ = false;  ///< Although the worklist stalls.
  bool undefined_ = false;     ///< In this launch.
  Lowering lowering_;
  LaunchProgram program_;
  StallAnalysis stalls_;
  StallResult stall_;
  Order order_;
  HazardAnalysis hazards_;
  HazardResult hazard_result_;
  ValueAnalysis values_;
  std::vector<std::uint8_t> known_;
  std::vector<LeftOver> left_over_;  ///< By earlier launches of the plan.

  /// Outside actors (plan_outside.cpp): events that have happened, the next step of each actor,
  /// what they do beside the launch at hand, and what they may still be about.
  struct Floating {
    std::int32_t actor = 0;
    std::int32_t step = 0;
    WordRange words;
    bool write = false;
  };
  bool is_over(const Floating& floating, const std::vector<std::string>& events) const;
  std::set<std::string, std::less<>> raised_;
  std::vector<std::int32_t> next_step_;
  std::vector<ActorPart> parts_;
  std::vector<Floating> floating_;
};

}  // namespace skcts::model
