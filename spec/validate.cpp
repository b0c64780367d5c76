#include "spec/validate.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "spec/case_work.h"
#include "spec/latitude.h"
#include "spec/profile.h"
#include "spec/rule.h"
#include "spec/validate_program.h"

namespace skcts {
namespace {

/// Letters, digits, '_', '-', '.', not starting with a digit: safe in messages and file names.
bool is_name(std::string_view name) {
  constexpr std::size_t longest = 64;
  if (name.empty() || name.size() > longest || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

class CaseCheck {
 public:
  std::vector<Error> run(const Case& value) {
    head(value);
    regions(value.mix);
    kernels(value.mix);
    outside(value.mix);
    plan(value.mix, value.plan);
    if (findings_.count() == 0) launched_once(value);
    // Programs are walked only where everything they refer to is sound.
    if (findings_.count() == 0) programs(value);
    return std::move(findings_).take();
  }

 private:
  void name(std::string_view name, const std::string& path,
            std::unordered_set<std::string_view>& seen) {
    if (expect_name(name, path) && !seen.insert(name).second) {
      findings_.add(path, fmt::format("the name {} is taken already", name));
    }
  }

  bool expect_name(std::string_view name, const std::string& path, std::string_view or_else = "") {
    if (is_name(name)) return true;
    findings_.add(
        path, "not a name",
        fmt::format("1 to 64 letters, digits, '_', '-', '.', the first one no digit{}", or_else));
    return false;
  }

  void head(const Case& value) {
    if (find_profile(value.profile) == nullptr) {
      std::string hint = did_you_mean(value.profile, profile_names());
      if (hint.empty()) hint = "known: " + join_names(profile_names());
      findings_.add("profile", fmt::format("no profile {}", value.profile), std::move(hint));
    }
    is_aclgraph_ = value.path == "aclgraph";
    if (value.path != "ge" && !is_aclgraph_) {
      findings_.add("path", fmt::format("no path {}", value.path), "ge or aclgraph");
    }
    std::vector<LatitudeId> pinned;
    for (std::size_t i = 0; i < value.latitudes.size(); ++i) {
      const std::string path = fmt::format("latitudes[{}]", i);
      const Result<LatitudePin> pin = parse_latitude_pin(value.latitudes[i]);
      if (!pin) {
        findings_.add(path, pin.error().message, pin.error().hint);
      } else if (std::find(pinned.begin(), pinned.end(), pin->id) != pinned.end()) {
        findings_.add(path, "a latitude is pinned twice");
      } else {
        pinned.push_back(pin->id);
      }
    }
    if (value.expect && !value.expect->rule.empty() && !find_rule(value.expect->rule)) {
      findings_.add("expect.rule", fmt::format("no rule {}", value.expect->rule), "such as SYNC-5");
    }
    if (value.provenance && !value.provenance->rule.empty() && !find_rule(value.provenance->rule)) {
      findings_.add("provenance.rule", fmt::format("no rule {}", value.provenance->rule),
                    "the rule that a saved failure is charged to, such as SYNC-5");
    }
  }

  void regions(const Mix& mix) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < mix.regions.size(); ++i) {
      const Region& region = mix.regions[i];
      const std::string path = fmt::format("mix.regions[{}]", i);
      name(region.name, path + ".name", seen);
      if (region.words < 1) findings_.add(path + ".words", "a region has at least one word");
      if (region.offset_bytes < 0 || region.offset_bytes > 60 || region.offset_bytes % 4 != 0) {
        findings_.add(path + ".offset_bytes", fmt::format("{} bytes", region.offset_bytes),
                      "a multiple of 4 from 0 to 60");
      }
      if (region.init.values.size() > static_cast<std::size_t>(std::max(0, region.words))) {
        findings_.add(path + ".init", fmt::format("{} values for {} words",
                                                  region.init.values.size(), region.words));
      }
    }
    if (findings_.count() > 0) return;
    const std::int64_t words = layout_of(mix).words;
    if (words > max_gm_words) {
      findings_.add("mix.regions", fmt::format("{} words of GM, more than {}", words, max_gm_words),
                    "each region begins on a 64-byte line of its own");
    }
  }

  void kernels(const Mix& mix) {
    if (mix.sub_kernels.empty()) findings_.add("mix.sub_kernels", "a mix has a sub kernel");
    if (mix.sub_kernels.size() > max_sub_kernels) {
      findings_.add("mix.sub_kernels", fmt::format("{} sub kernels, more than {}",
                                                   mix.sub_kernels.size(), max_sub_kernels));
    }
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < mix.sub_kernels.size() && !findings_.full(); ++i) {
      const SubKernel& kernel = mix.sub_kernels[i];
      const std::string path = fmt::format("mix.sub_kernels[{}]", i);
      name(kernel.name, path + ".name", seen);
      if (!kernel.op_type.empty() && !is_name(kernel.op_type)) {
        findings_.add(path + ".op_type", "not a name");
      }
      if (kernel.blocks < 1 || kernel.blocks > max_blocks) {
        findings_.add(path + ".blocks", fmt::format("{} blocks", kernel.blocks),
                      fmt::format("1 to {}", max_blocks));
      }
      counted(kernel, path);
      marks_and_events(kernel, path);
      told_to_aclgraph(kernel, path);
      names_of(mix, kernel, path);
      sides_of(kernel, path);
    }
  }

  /// What a launch counts an offload sub kernel with holds what it needs when it runs.
  void counted(const SubKernel& kernel, const std::string& path) {
    if (kernel.tiling != Tiling::offload) {
      const auto refuse = [&](const char* field) {
        findings_.add(path + field, "the tiling is static",
                      "only a sub kernel of tiling offload runs as another");
      };
      if (kernel.launch_blocks != 0) refuse(".launch_blocks");
      if (kernel.launch_type) refuse(".launch_type");
      return;
    }
    if (kernel.launch_blocks < 0 || kernel.launch_blocks > max_blocks) {
      findings_.add(path + ".launch_blocks", fmt::format("{} blocks", kernel.launch_blocks),
                    fmt::format("1 to {}, or 0 for as many as it runs on", max_blocks));
      return;
    }
    const KernelType type = kernel.counted_type();
    const std::int32_t blocks = kernel.counted_blocks();
    // Both vector cores of each of its blocks (CORE-7), however many the launch has in all.
    const bool too_few_a_block =
        kernel.type == KernelType::mix_aic_1_2 && type != KernelType::mix_aic_1_2;
    if (too_few_a_block || aic_cores(type, blocks) < aic_cores(kernel.type, kernel.blocks) ||
        aiv_cores(type, blocks) < aiv_cores(kernel.type, kernel.blocks)) {
      findings_.add(path + ".launch_blocks",
                    fmt::format("{} of {} blocks do not hold {} of {}", to_string(type), blocks,
                                to_string(kernel.type), kernel.blocks),
                    "a launch is counted with at least what the sub kernel runs on");
    }
  }

  void told_to_aclgraph(const SubKernel& kernel, const std::string& path) {
    if (kernel.sk_bind < 0 || kernel.sk_bind > sk_bind::all) {
      findings_.add(path + ".sk_bind", fmt::format("{}", kernel.sk_bind),
                    fmt::format("a sum of 1, 2, 4 and 8, so 0 to {}", sk_bind::all));
    }
    if (is_aclgraph_) return;
    const auto refuse = [&](const char* field) {
      findings_.add(path + field, "the path is ge", "it belongs to the path aclgraph");
    };
    if (kernel.sk_bind != 0) refuse(".sk_bind");
    if (kernel.batch_mode) refuse(".batch_mode");
    if (kernel.direct_launch) refuse(".direct_launch");
  }

  void marks_and_events(const SubKernel& kernel, const std::string& path) {
    constexpr std::int32_t last_stream = 63;
    if (kernel.stream < 0 || kernel.stream > last_stream) {
      findings_.add(path + ".stream", fmt::format("stream {}", kernel.stream),
                    fmt::format("0 to {}", last_stream));
    }
    for (std::size_t i = 0; i < kernel.scope.size(); ++i) {
      if (kernel.scope[i].empty()) continue;
      expect_name(kernel.scope[i], fmt::format("{}.scope[{}]", path, i), "; or null");
    }
    for (std::size_t i = 0; i < kernel.recv.size(); ++i) {
      event(kernel.recv[i], waited_, "waited for", fmt::format("{}.recv[{}]", path, i));
      if (std::find(kernel.send.begin(), kernel.send.end(), kernel.recv[i]) != kernel.send.end()) {
        findings_.add(fmt::format("{}.recv[{}]", path, i),
                      fmt::format("{} waits for its own end", kernel.name));
      }
    }
    for (std::size_t i = 0; i < kernel.send.size(); ++i) {
      event(kernel.send[i], raised_, "raised", fmt::format("{}.send[{}]", path, i));
    }
  }

  void event(std::string_view event, std::unordered_set<std::string_view>& seen,
             std::string_view verb, const std::string& path) {
    if (expect_name(event, path) && !seen.insert(event).second) {
      findings_.add(path, fmt::format("the event {} is {} twice", event, verb),
                    "an event has one raiser and one waiter; use one for each");
    }
  }

  void outside(const Mix& mix) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t a = 0; a < mix.outside.size() && !findings_.full(); ++a) {
      const OutsideActor& actor = mix.outside[a];
      const std::string actor_path = fmt::format("mix.outside[{}]", a);
      name(actor.name, actor_path + ".name", seen);
      for (std::size_t i = 0; i < actor.steps.size() && !findings_.full(); ++i) {
        outside_step(mix, actor.steps[i], fmt::format("{}.steps[{}]", actor_path, i));
      }
    }
  }

  void outside_step(const Mix& mix, const OutsideStep& step, const std::string& path) {
    switch (step.kind) {
      case OutsideKind::wait: event(step.event, waited_, "waited for", path + ".wait"); return;
      case OutsideKind::raise: event(step.event, raised_, "raised", path + ".raise"); return;
      case OutsideKind::write:
        words_of(mix, step.region, step.at, static_cast<std::int64_t>(step.values.size()),
                 path + ".write", path + ".values");
        return;
      case OutsideKind::copy:
        words_of(mix, step.region, step.at, step.count, path + ".copy", path + ".count");
        words_of(mix, step.to, step.to_at, step.count, path + ".to", path + ".count");
        return;
    }
  }

  void words_of(const Mix& mix, std::int16_t place, std::int32_t at, std::int64_t count,
                const std::string& path, const std::string& words_path) {
    if (place < 0 || static_cast<std::size_t>(place) >= mix.regions.size()) {
      findings_.add(path, fmt::format("no region has the place {}", place));
      return;
    }
    const Region& region = mix.regions[static_cast<std::size_t>(place)];
    if (at < 0 || at + count > region.words) {
      findings_.add(words_path, fmt::format("words {} to {} lie outside the region {} of {}", at,
                                            at + count - 1, region.name, region.words));
    }
  }

  void names_of(const Mix& mix, const SubKernel& kernel, const std::string& path) {
    std::unordered_set<std::string_view> tensors;
    for (std::size_t t = 0; t < kernel.tensors.size(); ++t) {
      const Tensor& tensor = kernel.tensors[t];
      const std::string tensor_path = fmt::format("{}.tensors[{}]", path, t);
      name(tensor.name, tensor_path + ".name", tensors);
      if (tensor.region < 0 || static_cast<std::size_t>(tensor.region) >= mix.regions.size()) {
        findings_.add(tensor_path + ".gm",
                      fmt::format("no region has the place {}", tensor.region));
      }
    }
    std::unordered_set<std::string_view> names;
    for (std::size_t n = 0; n < kernel.names.size(); ++n) {
      name(kernel.names[n], fmt::format("{}.names[{}]", path, n), names);
    }
  }

  void sides_of(const SubKernel& kernel, const std::string& path) {
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      if (runs_on(kernel.type, kind) || kernel.program(kind).empty()) continue;
      findings_.add(
          fmt::format("{}.{}", path, to_string(kind)),
          fmt::format("{} has no program for {}", to_string(kernel.type), to_string(kind)));
    }
    if (!calls_matmul(kernel.aiv)) return;
    if (!is_mix_kind(kernel.type)) {
      findings_.add(path + ".aiv",
                    fmt::format("{} has no AIC to serve a Matmul call", to_string(kernel.type)),
                    "MIX_AIC_1_1 or MIX_AIC_1_2");
    } else if (!kernel.aic.empty()) {
      findings_.add(path + ".aic", "the AIC serves the Matmul calls and has no program of its own");
    }
  }

  static bool calls_matmul(const std::vector<Instruction>& program) {
    return std::any_of(program.begin(), program.end(), [](const Instruction& in) {
      return in.op == Op::matmul || calls_matmul(in.body);
    });
  }

  void plan(const Mix& mix, const Plan& plan) {
    const std::int64_t launches = launch_count(plan);
    if (launches > max_plan_launches) {
      findings_.add(
          "plan",
          fmt::format("{} launches and host writes, more than {}", launches, max_plan_launches),
          "split it; init of a region can hold what the first half leaves");
      return;
    }
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const PlanStep& step = plan.steps[i];
      const std::string path = fmt::format("plan[{}]", i);
      if (step.kind == StepKind::host_write) {
        words_of(mix, step.region, step.at, static_cast<std::int64_t>(step.values.size()),
                 path + ".host_write", path + ".values");
      } else if (step.kind == StepKind::beside) {
        beside(mix, step, path);
      } else {
        std::unordered_set<std::int32_t> listed;
        listed_in(mix, step, path, listed);
      }
    }
  }

  void beside(const Mix& mix, const PlanStep& step, const std::string& path) {
    if (step.beside.size() < 2) {
      findings_.add(path + ".beside", "launches run side by side from two on");
    }
    std::unordered_set<std::int32_t> listed;
    for (std::size_t i = 0; i < step.beside.size(); ++i) {
      const PlanStep& inner = step.beside[i];
      const std::string inner_path = fmt::format("{}.beside[{}]", path, i);
      if (inner.kind == StepKind::host_write || inner.kind == StepKind::beside) {
        findings_.add(inner_path, "a fused, an alone or a marked step stands here");
      } else {
        listed_in(mix, inner, inner_path, listed);
      }
    }
  }

  void listed_in(const Mix& mix, const PlanStep& step, const std::string& path,
                 std::unordered_set<std::int32_t>& listed) {
    if (step.sub_kernels.empty()) findings_.add(path, "a step launches at least one sub kernel");
    for (const std::int32_t place : step.sub_kernels) {
      if (place < 0 || static_cast<std::size_t>(place) >= mix.sub_kernels.size()) {
        findings_.add(path, fmt::format("no sub kernel has the place {}", place));
      } else if (!listed.insert(place).second) {
        findings_.add(path, "a sub kernel stands twice in one step",
                      "a second sub kernel with the same program has a name of its own");
      }
    }
  }

  /// An event happens once: a sub kernel that takes part in one is launched once at most.
  void launched_once(const Case& value) {
    std::vector<int> times(value.mix.sub_kernels.size(), 0);
    const auto count = [&](const PlanStep& step) {
      for (const std::int32_t place : step.sub_kernels) ++times[static_cast<std::size_t>(place)];
    };
    for (const PlanStep& step : value.plan.steps) {
      count(step);
      for (const PlanStep& inner : step.beside) count(inner);
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      const SubKernel& kernel = value.mix.sub_kernels[i];
      if (times[i] < 2 || (kernel.recv.empty() && kernel.send.empty())) continue;
      findings_.add("plan", fmt::format("{} has events and is launched {} times", kernel.name,
                                        times[i]),
                    "a second sub kernel with events of its own stands for the second launch");
    }
  }

  void programs(const Case& value) {
    const Profile& profile = *find_profile(value.profile);
    each_program(value, [&](const SubKernel& kernel, CoreKind kind, const std::string& path) {
      validate_structure(value.mix, kernel, kind, profile, path, findings_);
      if (findings_.count() > 0) return;
      const std::int64_t length = unrolled_length(kernel.program(kind));
      if (length <= max_instructions_per_core) return;
      findings_.add(path, fmt::format("{} instructions a core, more than {}", length,
                                      max_instructions_per_core));
    });
    if (findings_.count() > 0) return;
    const CaseWork work = work_of(value);
    if (work.total() > max_case_work) {
      const bool of_plan = work.launches > work.instructions + work.entries;
      findings_.add(of_plan && !value.plan.steps.empty() ? "plan" : "mix",
                    fmt::format("{} steps of work, {} are allowed", work.total(), max_case_work),
                    to_string(work));
      return;
    }
    each_program(value, [&](const SubKernel& kernel, CoreKind kind, const std::string& path) {
      validate_walk(value.mix, kernel, kind, profile, path, findings_);
    });
  }

  template <class Visit>
  void each_program(const Case& value, Visit&& visit) {
    for (std::size_t i = 0; i < value.mix.sub_kernels.size() && !findings_.full(); ++i) {
      const SubKernel& kernel = value.mix.sub_kernels[i];
      for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
        if (kernel.program(kind).empty()) continue;
        visit(kernel, kind, fmt::format("mix.sub_kernels[{}].{}", i, to_string(kind)));
      }
    }
  }

  Findings findings_;
  std::unordered_set<std::string_view> waited_;  ///< Events.
  bool is_aclgraph_ = false;
  std::unordered_set<std::string_view> raised_;
};

}  // namespace

std::vector<Error> validate(const Case& value) {
  return CaseCheck().run(value);
}

}  // namespace skcts
