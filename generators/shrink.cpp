// How shrinking works and where it stops.
//
// A case and its steps (shrink_passes.h) make a lazy tree: the children of a case are the cases
// one step away, large steps first. findLocalMin walks down it: it takes the first child that still
// fails and starts again from there, and ends at a case none of whose children fails. So the result
// is minimal for single steps. Steps that only help together need a pass of their own; that is why
// a flag id goes down in all programs at once, an event goes with its wait, and a sub kernel leaves
// the plan with it.
//
// The walk tries the same case on many ways: texts that were tried are remembered by hash. A case
// that validate() refuses is no case. The budget counts calls of the predicate; when it is used up,
// no further child is accepted and the walk ends at the smallest case so far.
#include "generators/shrink.h"

#include <memory>
#include <unordered_set>

#include "generators/random.h"
#include "generators/shrink_passes.h"
#include "spec/case_id.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::generators {

namespace {

/// The children of a case as a lazy sequence.
class Children {
 public:
  /// `stop` outlives the sequence; once it is true there are no more children.
  Children(const Case& parent, const bool* stop)
      : parent_(std::make_shared<const Case>(parent)),
        steps_(std::make_shared<const std::vector<Step>>(steps_of(parent))),
        stop_(stop) {}

  rc::Maybe<Case> operator()() {
    if (*stop_ || next_ >= steps_->size()) return rc::Nothing;
    return after_step(*parent_, (*steps_)[next_++]);
  }

 private:
  std::shared_ptr<const Case> parent_;
  std::shared_ptr<const std::vector<Step>> steps_;
  const bool* stop_;
  std::size_t next_ = 0;
};

}  // namespace

Case shrink(const Case& failing, const std::function<bool(const Case&)>& still_fails,
            const ShrinkBudget& budget, ShrinkStats* stats) {
  ShrinkStats local;
  ShrinkStats& s = stats != nullptr ? *stats : local;
  s = {};
  std::unordered_set<std::uint64_t> tried = {text_hash(write_case(failing))};
  const auto accept = [&](const Case& candidate) {
    if (s.runs >= budget.max_runs) {
      s.budget_ended = true;
      return false;
    }
    if (!tried.insert(text_hash(write_case(candidate))).second) {
      ++s.repeated;
      return false;
    }
    if (!validate(candidate).empty()) {
      ++s.invalid;
      return false;
    }
    ++s.runs;
    const bool fails = still_fails(candidate);
    if (fails) ++s.accepted;
    return fails;
  };
  const bool* const stop = &s.budget_ended;
  const auto tree = rc::shrinkable::shrinkRecur(
      Case(failing), [stop](const Case& c) { return rc::makeSeq<Children>(c, stop); });
  return rc::shrinkable::findLocalMin(tree, accept).first;
}

}  // namespace skcts::generators
