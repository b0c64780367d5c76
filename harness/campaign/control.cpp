// The names that a control may ask for.
#include "harness/campaign/control.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "reference_model/contract.h"
#include "spec/options.h"

namespace skcts::campaign {
namespace {

using generators::Feature;

bool calls(const Case& c, Op op) {
  return std::ranges::any_of(c.mix.sub_kernels,
                             [op](const SubKernel& k) { return model::calls(k, op); });
}

bool calls_one_of(const Case& c, std::initializer_list<Op> list) {
  return std::ranges::any_of(list, [&](Op op) { return calls(c, op); });
}

bool any_sub_kernel(const Case& c, const std::function<bool(const SubKernel&)>& is) {
  return std::ranges::any_of(c.mix.sub_kernels, is);
}

bool any_step(const std::vector<PlanStep>& steps, const std::function<bool(const PlanStep&)>& is) {
  return std::ranges::any_of(
      steps, [&](const PlanStep& step) { return is(step) || any_step(step.beside, is); });
}

bool any_step(const Case& c, const std::function<bool(const PlanStep&)>& is) {
  return any_step(effective_plan(c.mix, c.plan).steps, is);
}

/// A step that may become a SuperKernel.
bool is_fused(const PlanStep& step) {
  return step.kind == StepKind::fused || step.kind == StepKind::marked;
}

bool has_boundary(const Case& c) {
  return any_step(
      c, [](const PlanStep& step) { return is_fused(step) && step.sub_kernels.size() > 1; });
}

bool option_given(const Case& c, std::string_view key) {
  return std::ranges::any_of(split_option_items(c.mix.options),
                             [key](const OptionItem& item) { return item.key == key; });
}

bool has_events(const Case& c) {
  return any_sub_kernel(c, [](const SubKernel& k) { return !k.recv.empty() || !k.send.empty(); });
}

/// Cross-core flags: an operator's, or those that are inserted.
bool uses_flags(const Case& c) {
  return has_boundary(c) || has_events(c) ||
         calls_one_of(c, {Op::cross_core_set_flag, Op::sync_all}) ||
         option_given(c, "debug-sync-all") || option_given(c, "debug_sync_all") ||
         option_given(c, "feed-sync-all") || option_given(c, "debug_cross_core_sync_check");
}

bool stores_through_cache(const Case& c) {
  // A feed record is stored through the cache too.
  return calls_one_of(c, {Op::set_value, Op::assign, Op::raw_store}) ||
         option_given(c, "feed-sync-all");
}

/// Sub kernels that do not all count with the same cores, or that launch numbers may outgrow.
bool has_unequal_widths(const Case& c) {
  const auto width = [](const SubKernel& k) {
    return std::tuple(k.type, k.blocks, k.counted_type(), k.counted_blocks());
  };
  const auto& list = c.mix.sub_kernels;
  return option_given(c, "debug-aic-num") || option_given(c, "debug-aiv-num") ||
         option_given(c, "debug_per_op_max_core_num") ||
         std::ranges::any_of(list, [&](const SubKernel& k) {
           return width(k) != width(list.front()) || k.counted_blocks() != k.blocks ||
                  k.counted_type() != k.type;
         });
}

/// A launch that may come within a core of the chip, or pass it.
bool nears_the_chip(const Case& c, int spare) {
  const Profile* profile = find_profile(c.profile);
  if (profile == nullptr) return false;
  int aic = 0;
  int aiv = 0;
  for (const SubKernel& k : c.mix.sub_kernels) {
    aic = std::max(aic, aic_cores(k.counted_type(), k.counted_blocks()));
    aiv = std::max(aiv, aiv_cores(k.counted_type(), k.counted_blocks()));
  }
  const bool mixed = aic > 0 && aiv > 0;
  const int blocks = mixed ? std::max(aic, (aiv + 1) / 2) : 0;
  return std::max(aic, blocks) + spare > profile->aic_count ||
         std::max(aiv, 2 * blocks) + spare > profile->aiv_count ||
         option_given(c, "debug_per_op_max_core_num");
}

struct Named {
  std::string_view name;
  bool (*holds)(const Case&);
};

constexpr std::array<Named, 19> named = {{
    {"fused", [](const Case& c) { return any_step(c, is_fused); }},
    {"boundary", has_boundary},
    {"alone",
     [](const Case& c) {
       return any_step(c, [](const PlanStep& step) {
         return step.kind == StepKind::alone || step.kind == StepKind::marked;
       });
     }},
    {"flags", uses_flags},
    {"in-core-events",
     [](const Case& c) {
       return calls_one_of(c, {Op::set_flag, Op::enque, Op::free_tensor, Op::tpipe_init, Op::poll,
                               Op::soft_sync_all, Op::ib_set, Op::ib_wait, Op::matmul}) ||
              has_events(c) || any_sub_kernel(c, [&](const SubKernel& k) {
                return k.stream != c.mix.sub_kernels.front().stream;
              });
     }},
    {"options", [](const Case& c) { return !c.mix.options.empty(); }},
    {"refused-options",
     [](const Case& c) {
       return c.path != "aclgraph" && parse_options(c.mix.options).refusal.has_value();
     }},
    {"op-type",
     [](const Case& c) {
       return any_sub_kernel(c, [](const SubKernel& k) { return !k.op_type.empty(); });
     }},
    {"unequal-widths", has_unequal_widths},
    {"several-blocks",
     [](const Case& c) {
       return option_given(c, "debug-aic-num") || option_given(c, "debug-aiv-num") ||
              option_given(c, "debug_per_op_max_core_num") ||
              any_sub_kernel(
                  c, [](const SubKernel& k) { return k.counted_blocks() > 1 || k.blocks > 1; });
     }},
    {"tiling-key",
     [](const Case& c) {
       return any_sub_kernel(c, [](const SubKernel& k) { return k.tiling_key != 0; });
     }},
    {"batch-mode",
     [](const Case& c) {
       return any_sub_kernel(c, [](const SubKernel& k) { return k.batch_mode; });
     }},
    {"direct-launch",
     [](const Case& c) {
       return any_sub_kernel(c, [](const SubKernel& k) { return k.direct_launch; });
     }},
    {"event-awaited",
     [](const Case& c) {
       return any_sub_kernel(c, [](const SubKernel& k) { return !k.recv.empty(); });
     }},
    {"event-raised",
     [](const Case& c) {
       return any_sub_kernel(c, [](const SubKernel& k) { return !k.send.empty(); });
     }},
    {"cached-stores", stores_through_cache},
    {"cached-accesses",
     [](const Case& c) {
       return stores_through_cache(c) || calls_one_of(c, {Op::get_value, Op::raw_load, Op::poll});
     }},
    {"wider-than-chip", [](const Case& c) { return nears_the_chip(c, 0); }},
    {"nearly-full-chip", [](const Case& c) { return nears_the_chip(c, 1); }},
}};

int kind_of(KernelType type) {
  if (is_aic_kind(type)) return 0;
  return is_aiv_kind(type) ? 1 : 2;
}

constexpr std::array<std::string_view, 3> kind_names = {"aic", "aiv", "mix"};

/// Sub kernels of these kinds follow each other where early start pairs them.
bool has_pair(const Case& c, std::string_view pair) {
  return any_step(c, [&](const PlanStep& step) {
    for (std::size_t i = 1; is_fused(step) && i < step.sub_kernels.size(); ++i) {
      const auto name = [&](std::size_t at) {
        const auto sub = static_cast<std::size_t>(step.sub_kernels[at]);
        return kind_names[static_cast<std::size_t>(kind_of(c.mix.sub_kernels[sub].counted_type()))];
      };
      if (fmt::format("{}-{}", name(i - 1), name(i)) == pair) return true;
    }
    return false;
  });
}

/// Calls use(atom) for each name of a control, alternative by alternative.
template <class Use>
bool any_alternative(std::string_view control, Use&& use) {
  while (true) {
    const std::size_t bar = control.find('|');
    std::string_view all = control.substr(0, bar);
    bool holds = true;
    while (holds) {
      const std::size_t plus = all.find('+');
      holds = use(all.substr(0, plus));
      if (plus == std::string_view::npos) break;
      all.remove_prefix(plus + 1);
    }
    if (holds) return true;
    if (bar == std::string_view::npos) return false;
    control.remove_prefix(bar + 1);
  }
}

/// What stands behind "op:" and its like; empty: the name does not begin so.
std::string_view behind(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view{};
}

bool is_known(std::string_view name) {
  if (const auto op = behind(name, "op:"); !op.empty()) return find_op(op).has_value();
  if (const auto pair = behind(name, "pair:"); !pair.empty()) {
    return pair.size() == 7 && pair[3] == '-' &&
           std::ranges::find(kind_names, pair.substr(0, 3)) != kind_names.end() &&
           std::ranges::find(kind_names, pair.substr(4)) != kind_names.end();
  }
  return !behind(name, "option:").empty() || generators::find_feature(name).has_value() ||
         std::ranges::find(named, name, &Named::name) != named.end();
}

}  // namespace

Marks::Marks(const Case& test_case)
    : case_(&test_case), features_(generators::features_of(test_case).set) {}

bool Marks::has(std::string_view name) const {
  if (const auto op = behind(name, "op:"); !op.empty()) return calls(*case_, *find_op(op));
  if (const auto pair = behind(name, "pair:"); !pair.empty()) return has_pair(*case_, pair);
  if (const auto key = behind(name, "option:"); !key.empty()) return option_given(*case_, key);
  const auto own = std::ranges::find(named, name, &Named::name);
  if (own != named.end()) return own->holds(*case_);
  return features_.has(*generators::find_feature(name));
}

bool Marks::hold(std::string_view control) const {
  return any_alternative(control, [this](std::string_view name) { return has(name); });
}

std::optional<Error> check_control(std::string_view control) {
  for (std::size_t at = 0; at <= control.size();) {
    const std::size_t end = std::min(control.find_first_of("+|", at), control.size());
    const std::string_view name = control.substr(at, end - at);
    if (!is_known(name)) {
      return Error{.field = std::string(control),
                   .message = fmt::format("'{}' is nothing that a case can have", name)};
    }
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace skcts::campaign
