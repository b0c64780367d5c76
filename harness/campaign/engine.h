// One question at a time: what may this case show, what does the target show, does it fit?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/property.h"
#include "harness/judge/judge.h"
#include "harness/target/target.h"
#include "reference_model/attribute.h"
#include "reference_model/model.h"

namespace skcts::campaign {

/// What the model says of one case.
struct Answer {
  Allowed allowed;
  std::optional<model::Analysis> analysis;  ///< Where the claim asks for more than the set.
  std::string contradiction;  ///< The model does not find what the part claims: in words.
};

/// Model, target and judge together. Keeps their buffers between cases; one object a thread.
class Engine {
 public:
  /// `repeat`: how often a case runs where the target has no say in its schedule.
  explicit Engine(Target& target, int repeat = default_repeat) : target_(target), repeat_(repeat) {}
  static constexpr int default_repeat = 20;

  /// Asks the model. For a legal claim the set must be one completed memory without a broken rule.
  Answer ask(const Case& test_case, Claim claim);

  /// Runs the target and judges; `property` is cited where nothing names another rule. What is not
  /// answered is asked again as judge::ending_of says. A target that honours no schedules runs the
  /// case several times, one with a race or an early start more often: a single outcome that is not
  /// allowed fails, and the sentence says how many of how many runs did.
  judge::Verdict try_once(const Case& test_case, const Answer& answer, const RunRequest& request,
                          std::optional<RuleId> property, RunResult& result);

  /// Charges a failing verdict to the smallest weakening of a guarantee that admits what the target
  /// shows for the case, and says so in its sentence. `outcome` is what failed; the case is run a
  /// few times more, since what comes and goes tells more. The verdict's rule, key and sentence
  /// change; where no weakening is found a rule that the judge read from the outcome itself stays.
  /// So does the rule of a consequence that is missing, unless another launch than the contract's
  /// was made. A verdict that conforms stays as it is.
  void explain(const Case& test_case, const Answer& answer, const Outcome& outcome,
               judge::Verdict& verdict);

  [[nodiscard]] Target& target() { return target_; }
  [[nodiscard]] model::Model& model() { return model_; }

  /// What the target says of itself, as far as the case leaves it open.
  std::vector<LatitudePin> pins_for(const Case& test_case) const;

 private:
  judge::Verdict try_alone(const Case& test_case, const Answer& answer, const RunRequest& request,
                           std::optional<RuleId> property, RunResult& result);
  [[nodiscard]] int times_for(const Case& test_case, const Answer& answer,
                              const RunRequest& request) const;

  /// A launch that is wrong without debug-aic-num and debug-aiv-num too, charged to CORE-1.
  std::optional<model::Attribution> wrong_without_numbers(const Case& test_case,
                                                          const Answer& answer,
                                                          const std::vector<LatitudePin>& pins);

  Target& target_;
  int repeat_;
  /// Most racing mixes of a campaign are decided with fewer states; it has many to ask for.
  static constexpr std::size_t search_states = 500;
  model::Model model_{search_states};
};

/// True when the set is one completed memory, or a refusal that a latitude leaves open: what a
/// legal mix has. Words that no mix may look at (the unused part of a soft barrier's slots) are
/// left out.
bool is_single_memory(const Allowed& allowed);

}  // namespace skcts::campaign
