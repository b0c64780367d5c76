#include "generators/reductions.h"

#include <algorithm>
#include <utility>

#include "generators/edit.h"
#include "spec/program.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

constexpr CoreKind both_kinds[] = {CoreKind::aic, CoreKind::aiv};
constexpr int block_words = 8;  ///< Counts of DMA go by 32 bytes.

class Reductions {
 public:
  explicit Reductions(const Case& value) : value_(value) {}

  std::vector<Case> take() {
    for (std::size_t k = 0; k < value_.mix.sub_kernels.size(); ++k) {
      sub_kernel(k);
      for (const CoreKind kind : both_kinds) instructions(k, kind);
      events(k);
    }
    flags();
    regions();
    return std::move(made_);
  }

 private:
  void add(Case made) {
    for (SubKernel& sub : made.mix.sub_kernels) {
      renumber_names(sub);
      drop_unused_tensors(sub);
    }
    if (made != value_ && validate(made).empty()) made_.push_back(std::move(made));
  }
  template <class Edit>
  void with(std::size_t k, const Edit& edit) {
    Case made = value_;
    edit(made.mix.sub_kernels[k]);
    add(std::move(made));
  }

  void sub_kernel(std::size_t k) {
    with(k, [](SubKernel& sub) { --sub.blocks; });
    if (value_.mix.sub_kernels.size() == 1) return;
    Case made = value_;
    made.mix.sub_kernels.erase(made.mix.sub_kernels.begin() + static_cast<std::ptrdiff_t>(k));
    without(made.plan.steps, static_cast<std::int32_t>(k));
    add(std::move(made));
  }

  static void without(std::vector<PlanStep>& steps, std::int32_t gone) {
    for (PlanStep& step : steps) {
      std::erase(step.sub_kernels, gone);
      for (std::int32_t& k : step.sub_kernels) k -= k > gone ? 1 : 0;
      without(step.beside, gone);
    }
    std::erase_if(steps, [](const PlanStep& step) {
      return step.kind != StepKind::host_write && step.sub_kernels.empty() && step.beside.empty();
    });
  }

  /// One instruction less, or one of its numbers smaller, at every depth.
  void instructions(std::size_t k, CoreKind kind) {
    const int count = instruction_count(value_.mix.sub_kernels[k].program(kind));
    for (int at = 0; at < count; ++at) {
      with(k, [&](SubKernel& sub) {
        int left = at;
        erase(sub.program(kind), left);
      });
      const auto change = [&](const auto& edit) {
        with(k, [&](SubKernel& sub) {
          int left = at;
          if (Instruction* in = find(sub.program(kind), left)) edit(*in);
        });
      };
      change([](Instruction& in) { in.count -= in.count > block_words ? block_words : 0; });
      change([](Instruction& in) { in.times -= in.times > 1 ? 1 : 0; });
    }
  }

  static Instruction* find(std::vector<Instruction>& program, int& left) {
    for (Instruction& in : program) {
      if (left-- == 0) return &in;
      if (Instruction* inner = find(in.body, left)) return inner;
    }
    return nullptr;
  }
  static bool erase(std::vector<Instruction>& program, int& left) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (left-- == 0) {
        program.erase(program.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      if (erase(program[i].body, left)) return true;
    }
    return false;
  }

  static bool is_flag(const Instruction& in) {
    return in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
  }
  static bool is_event(const Instruction& in) {
    return in.op == Op::set_flag || in.op == Op::wait_flag;
  }
  template <class Test>
  static std::vector<int> ids_of(const SubKernel& sub, const Test& test) {
    std::vector<int> ids;
    for (const CoreKind kind : both_kinds) {
      for_each_in(sub.program(kind), [&](const Instruction& in) {
        if (test(in) && std::ranges::find(ids, in.id) == ids.end()) ids.push_back(in.id);
      });
    }
    return ids;
  }
  template <class Test>
  static void drop(std::vector<Instruction>& program, const Test& test) {
    std::erase_if(program, test);
    for (Instruction& in : program) drop(in.body, test);
  }
  template <class Test>
  static void rename(SubKernel& sub, const Test& test, int from, int to) {
    for (const CoreKind kind : both_kinds) {
      for_each_in(sub.program(kind), [&](Instruction& in) {
        if (test(in) && in.id == from) in.id = static_cast<decltype(in.id)>(to);
      });
    }
  }

  /// What has the id in one sub kernel, gone or under each lower id.
  template <class Test>
  void one_id(std::size_t k, const Test& test, int id) {
    with(k, [&](SubKernel& sub) {
      for (const CoreKind kind : both_kinds) {
        drop(sub.program(kind), [&](const Instruction& in) { return test(in) && in.id == id; });
      }
    });
    for (int to = 0; to < id; ++to) {
      with(k, [&](SubKernel& sub) { rename(sub, test, id, to); });
    }
  }

  void events(std::size_t k) {
    for (const int id : ids_of(value_.mix.sub_kernels[k], is_event)) one_id(k, is_event, id);
  }

  /// A flag of one sub kernel, and the same flag in all of them.
  void flags() {
    std::vector<int> all;
    for (std::size_t k = 0; k < value_.mix.sub_kernels.size(); ++k) {
      for (const int id : ids_of(value_.mix.sub_kernels[k], is_flag)) {
        all.push_back(id);
        one_id(k, is_flag, id);
      }
    }
    for (const int id : all) {
      for (int to = 0; to < id; ++to) {
        Case made = value_;
        for (SubKernel& sub : made.mix.sub_kernels) rename(sub, is_flag, id, to);
        add(std::move(made));
      }
    }
  }

  void regions() {
    Case fewer = value_;
    std::vector<bool> used(value_.mix.regions.size(), false);
    mark(value_.plan.steps, used);
    const std::size_t before = fewer.mix.regions.size();
    drop_unused_regions(fewer.mix, used);
    if (fewer.mix.regions.size() != before) add(std::move(fewer));
    for (std::size_t r = 0; r < value_.mix.regions.size(); ++r) {
      Case made = value_;
      made.mix.regions[r].words -= block_words;
      add(std::move(made));
    }
  }
  static void mark(const std::vector<PlanStep>& steps, std::vector<bool>& used) {
    for (const PlanStep& step : steps) {
      if (step.region >= 0) used[static_cast<std::size_t>(step.region)] = true;
      mark(step.beside, used);
    }
  }

  const Case& value_;
  std::vector<Case> made_;
};

}  // namespace

std::vector<Case> single_reductions(const Case& value) {
  return Reductions(value).take();
}

}  // namespace skcts::generators
