#include "harness/campaign/metamorphic.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "generators/edit.h"
#include "reference_model/contract.h"
#include "spec/validate.h"

namespace skcts::campaign {
namespace {

constexpr CoreKind both_kinds[] = {CoreKind::aic, CoreKind::aiv};

template <class Visit>
void for_each_instruction(Case& c, const Visit& visit) {
  for (SubKernel& sub : c.mix.sub_kernels) {
    for (const CoreKind kind : both_kinds) generators::for_each_in(sub.program(kind), visit);
  }
}

template <class Test>
bool any_instruction(const Case& c, const Test& test) {
  Case copy = c;
  bool found = false;
  for_each_instruction(copy, [&](Instruction& in) { found = found || test(in); });
  return found;
}

void reverse_regions(std::vector<PlanStep>& steps, std::int16_t last) {
  for (PlanStep& step : steps) {
    if (step.region >= 0) step.region = static_cast<std::int16_t>(last - step.region);
    reverse_regions(step.beside, last);
  }
}

/// Options may name sub kernels: those stay as they are called.
void rename(Case& c) {
  const auto last = static_cast<std::int16_t>(c.mix.regions.size() - 1);
  for (Region& region : c.mix.regions) region.name = "of_" + region.name;
  std::ranges::reverse(c.mix.regions);
  for (SubKernel& sub : c.mix.sub_kernels) {
    if (c.mix.options.empty()) sub.name = "of_" + sub.name;
    for (Tensor& tensor : sub.tensors) tensor.name = "of_" + tensor.name;
    generators::for_each_region(
        sub, [last](std::int16_t& region) { region = static_cast<std::int16_t>(last - region); });
  }
  reverse_regions(c.plan.steps, last);
}

/// Vector kinds of two blocks whose cores differ by `where` alone.
bool cores_alike(const Case& c) {
  const auto& subs = c.mix.sub_kernels;
  const bool shape = std::ranges::all_of(subs, [](const SubKernel& sub) {
    return sub.blocks == 2 && is_aiv_kind(sub.type) && sub.names.empty();
  });
  return shape && !any_instruction(c, [](Instruction& in) {
           constexpr Op told_apart[] = {
               Op::get_block_num, Op::get_block_idx, Op::get_task_ratio, Op::get_sub_block_idx,
               Op::ib_set,        Op::ib_wait,       Op::soft_sync_all};
           const auto by_core = [](const Expr& e) {
             return e.block != 0 || e.sub != 0 || e.core != 0;
           };
           bool apart = std::ranges::find(told_apart, in.op) != std::end(told_apart);
           generators::for_each_operand(in, [&](Operand& o) { apart = apart || by_core(o.at); });
           return apart || by_core(in.value.expr);
         });
}

void permute_cores(Case& c) {
  for_each_instruction(c, [](Instruction& in) {
    for (Condition& each : in.where.all) {
      if (each.index != IndexName::core && each.index != IndexName::block) continue;
      const auto low = each.low;
      each.low = 1 - each.high;
      each.high = 1 - low;
    }
  });
}

bool starts_early(const Case& c) {
  return std::ranges::any_of(c.mix.sub_kernels, [](const SubKernel& k) {
    return model::calls(k, Op::set_next_task_start) || model::calls(k, Op::wait_pre_task_end);
  });
}

std::string unused_options(const std::string& options) {
  std::string all = options;
  for (const std::string_view name : {"split-mode", "debug-dcci-all", "feed-sync-all"}) {
    if (all.find(name) != std::string::npos) return {};
  }
  if (!all.empty()) all += ':';
  return all + "split-mode=2";
}

/// Words by name of their region: an added prefix is left out.
std::vector<std::size_t> words_of(const Mix& before, const Mix& after) {
  const GmLayout layout = layout_of(after);
  std::vector<std::size_t> word;
  for (std::size_t r = 0; r < before.regions.size(); ++r) {
    const auto same = std::ranges::find_if(after.regions, [&](const Region& region) {
      return region.name == before.regions[r].name || region.name == "of_" + before.regions[r].name;
    });
    const auto at = static_cast<std::size_t>(same - after.regions.begin());
    for (std::int32_t w = 0; w < before.regions[r].words; ++w) {
      word.push_back(static_cast<std::size_t>(layout.base[at] + w));
    }
  }
  return word;
}

}  // namespace

std::string_view to_string(Relation relation) {
  constexpr std::array<std::string_view, 4> names{"renamed", "cores-permuted", "empty-sub-kernel",
                                                  "unused-options"};
  return names[static_cast<std::size_t>(relation)];
}

Related unchanged(const Case& value) {
  return {value, words_of(value.mix, value.mix)};
}

std::optional<Related> related(const Case& value, Relation relation) {
  Case made = value;
  switch (relation) {
    case Relation::renamed:
      if (made.mix.regions.empty()) return std::nullopt;
      rename(made);
      break;
    case Relation::cores_permuted:
      if (!cores_alike(value)) return std::nullopt;
      permute_cores(made);
      break;
    case Relation::empty_sub_kernel: {
      if (starts_early(value) || !value.plan.steps.empty()) return std::nullopt;
      SubKernel empty;
      empty.name = "nothing";
      empty.type = value.mix.sub_kernels.back().type;
      empty.blocks = value.mix.sub_kernels.back().blocks;
      made.mix.sub_kernels.push_back(std::move(empty));
      break;
    }
    case Relation::unused_options:
      made.mix.options = unused_options(value.mix.options);
      if (made.mix.options.empty()) return std::nullopt;
      break;
  }
  if (!validate(made).empty()) return std::nullopt;
  std::vector<std::size_t> word = words_of(value.mix, made.mix);
  return Related{std::move(made), std::move(word)};
}

std::vector<std::uint32_t> words_in_order(const Related& related,
                                          std::span<const std::uint32_t> memory) {
  std::vector<std::uint32_t> old;
  for (const std::size_t w : related.word) old.push_back(memory[w]);
  return old;
}

}  // namespace skcts::campaign
