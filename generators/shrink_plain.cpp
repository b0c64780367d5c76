#include "generators/shrink_plain.h"

#include <memory>
#include <utility>

#include "generators/random.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

using Cases = rc::Seq<Case>;
using Shared = std::shared_ptr<const Case>;

/// The cases with one part shrunk as RapidCheck shrinks its type.
template <class Shrinks, class Put>
Cases shrunk(const Shared& parent, Shrinks shrinks, Put put) {
  return rc::seq::map(std::move(shrinks), [parent, put](auto value) {
    Case made = *parent;
    put(made, std::move(value));
    return made;
  });
}

Cases of_sub_kernel(const Shared& parent, std::size_t k) {
  const SubKernel& sub = parent->mix.sub_kernels[k];
  const auto at = [k](Case& c) -> SubKernel& { return c.mix.sub_kernels[k]; };
  Cases all = shrunk(parent, rc::shrink::integral(sub.blocks),
                     [at](Case& c, auto value) { at(c).blocks = value; });
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const std::vector<Instruction>& program = sub.program(kind);
    all = rc::seq::concat(std::move(all),
                          shrunk(parent, rc::shrink::removeChunks(program),
                                 [at, kind](Case& c, auto value) { at(c).program(kind) = value; }));
    for (std::size_t i = 0; i < program.size(); ++i) {
      const auto in = [at, kind, i](Case& c) -> Instruction& { return at(c).program(kind)[i]; };
      all = rc::seq::concat(std::move(all),
                            shrunk(parent, rc::shrink::integral(program[i].id),
                                   [in](Case& c, auto value) { in(c).id = value; }),
                            shrunk(parent, rc::shrink::integral(program[i].count),
                                   [in](Case& c, auto value) { in(c).count = value; }),
                            shrunk(parent, rc::shrink::integral(program[i].times),
                                   [in](Case& c, auto value) { in(c).times = value; }));
    }
  }
  return all;
}

Cases children(const Case& parent_case) {
  const Shared parent = std::make_shared<const Case>(parent_case);
  Cases all = shrunk(parent, rc::shrink::removeChunks(parent->mix.sub_kernels),
                     [](Case& c, auto value) { c.mix.sub_kernels = value; });
  all = rc::seq::concat(std::move(all),
                        shrunk(parent, rc::shrink::removeChunks(parent->mix.regions),
                               [](Case& c, auto value) { c.mix.regions = value; }),
                        shrunk(parent, rc::shrink::removeChunks(parent->mix.options),
                               [](Case& c, auto value) { c.mix.options = value; }));
  for (std::size_t k = 0; k < parent->mix.sub_kernels.size(); ++k) {
    all = rc::seq::concat(std::move(all), of_sub_kernel(parent, k));
  }
  for (std::size_t r = 0; r < parent->mix.regions.size(); ++r) {
    all = rc::seq::concat(std::move(all),
                          shrunk(parent, rc::shrink::integral(parent->mix.regions[r].words),
                                 [r](Case& c, auto value) { c.mix.regions[r].words = value; }));
  }
  return all;
}

}  // namespace

Case shrink_plain(const Case& failing, const std::function<bool(const Case&)>& still_fails,
                  const ShrinkBudget& budget, ShrinkStats* stats) {
  ShrinkStats local;
  ShrinkStats& s = stats != nullptr ? *stats : local;
  s = {};
  const auto accept = [&](const Case& candidate) {
    if (s.budget_ended) return false;
    if (!validate(candidate).empty()) {
      ++s.invalid;
      return false;
    }
    if (s.runs >= budget.max_runs) {
      s.budget_ended = true;
      return false;
    }
    ++s.runs;
    const bool fails = still_fails(candidate);
    if (fails) ++s.accepted;
    return fails;
  };
  const bool* const stop = &s.budget_ended;
  const auto tree = rc::shrinkable::shrinkRecur(
      Case(failing), [stop](const Case& c) { return *stop ? Cases() : children(c); });
  return rc::shrinkable::findLocalMin(tree, accept).first;
}

}  // namespace skcts::generators
