#include "reference_model/wait_chain.h"

#include <algorithm>

#include <fmt/format.h>

#include "reference_model/trace.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

bool stand_alike(const StuckWait& a, const StuckWait& b) {
  const Waiting& x = a.waiting;
  const Waiting& y = b.waiting;
  return x.core.kind == y.core.kind && x.sub_kernel == y.sub_kernel &&
         x.instruction == y.instruction && x.kind == y.kind && x.id == y.id && a.root == b.root &&
         a.rule == b.rule && a.missing.empty() == b.missing.empty();
}

void sort_unique(std::vector<CoreId>& cores) {
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
}

bool has_any(const std::vector<CoreId>& cores, const std::vector<CoreId>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](CoreId core) {
    return std::binary_search(cores.begin(), cores.end(), core);
  });
}

/// "K0 #4"; where the SuperKernel inserted the wait, nothing.
std::string place_of(const Mix& mix, const Waiting& at) {
  if (at.sub_kernel < 0 || at.instruction < 0) return "";
  return fmt::format(" ({} #{})", mix.sub_kernels[static_cast<std::size_t>(at.sub_kernel)].name,
                     at.instruction);
}

/// "waits for cross-core flag 3" of one core, "wait for cross-core flag 3" of several.
std::string doing(const WaitGroup& group) {
  return group.cores.size() == 1 ? third_person(group.wait.what) : group.wait.what;
}

std::string doing(const Mix& mix, const WaitGroup& group) {
  return doing(group) + place_of(mix, group.wait.waiting);
}

/// Whoever is waited for, or who raises what is waited for.
std::string_view whom(const StuckWait& wait) {
  const bool raised =
      wait.waiting.kind == WaitKind::event || wait.waiting.kind == WaitKind::cross_core_flag;
  return raised ? "of" : "for";
}

/// What never happens at the root.
std::string root_text(const WaitGroup& group) {
  const StuckWait& wait = group.wait;
  switch (wait.waiting.kind) {
    case WaitKind::event_flag: return "nothing sets it";
    case WaitKind::poll:
      if (group.missing.empty()) return "no write gives the word that value";
      break;
    case WaitKind::cross_core_flag:
      if (group.missing.empty()) return "nobody raises it";
      break;
    default: break;
  }
  if (group.missing.empty()) return "there is nobody to answer";
  const bool one = group.missing.size() == 1;
  return fmt::format("{} never {}", core_names(group.missing), one ? "comes" : "come");
}

}  // namespace

std::string core_names(std::vector<CoreId> cores) {
  sort_unique(cores);
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1].kind == cores[i].kind &&
           cores[last + 1].index == cores[last].index + 1) {
      ++last;
    }
    const bool new_kind = i == 0 || cores[i].kind != cores[i - 1].kind;
    if (!text.empty()) text += ", ";
    if (new_kind) text += cores[i].kind == CoreKind::aic ? "AIC " : "AIV ";
    text += last == i ? fmt::format("{}", cores[i].index)
                      : fmt::format("{}-{}", cores[i].index, cores[last].index);
    i = last + 1;
  }
  return text.empty() ? "nobody that exists" : text;
}

std::string third_person(const std::string& what) {
  const std::size_t verb = std::min(what.find(' '), what.size());
  return what.substr(0, verb) + "s" + what.substr(verb);
}

std::vector<WaitGroup> wait_groups(const std::vector<StuckWait>& waiting) {
  std::vector<WaitGroup> groups;
  for (const StuckWait& wait : waiting) {
    if (wait.waiting.launch != waiting.front().waiting.launch) continue;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const WaitGroup& group) {
      return stand_alike(group.wait, wait);
    });
    WaitGroup& group = known == groups.end() ? groups.emplace_back() : *known;
    if (group.cores.empty()) group.wait = wait;
    group.cores.push_back(wait.waiting.core);
    group.missing.insert(group.missing.end(), wait.missing.begin(), wait.missing.end());
  }
  for (WaitGroup& group : groups) {
    sort_unique(group.cores);
    sort_unique(group.missing);
  }
  return groups;
}

std::string group_text(const WaitGroup& group) {
  const StuckWait& wait = group.wait;
  if (!wait.certain) {  // the reason goes on with when
    return doing(group) +
           wait.reason.substr(std::min(third_person(wait.what).size(), wait.reason.size()));
  }
  if (wait.root) return fmt::format("{}; {}", doing(group), root_text(group));
  if (wait.waiting.kind == WaitKind::event_flag) {
    return doing(group) + ", which is set behind another wait";
  }
  return group.missing.empty()
             ? doing(group)
             : fmt::format("{} {} {}", doing(group), whom(wait), core_names(group.missing));
}

std::size_t next_group(const std::vector<WaitGroup>& groups, const WaitGroup& from) {
  // Whoever is a root itself is told rather than one that only waits, too.
  for (const bool root : {true, false}) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].wait.root == root && &groups[g] != &from &&
          has_any(groups[g].cores, from.missing)) {
        return g;
      }
    }
  }
  return groups.size();
}

std::vector<std::size_t> chain_to_root(const std::vector<WaitGroup>& groups, RuleId rule) {
  std::vector<std::size_t> best;
  const auto rank = [&](const std::vector<std::size_t>& chain) {
    const WaitGroup& last = groups[chain.back()];
    const int wanted = last.wait.root && last.wait.rule == rule ? 2 : last.wait.root ? 1 : 0;
    return std::pair(wanted, chain.size());
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::size_t> chain = {g};
    while (!groups[chain.back()].wait.root) {
      const std::size_t next = next_group(groups, groups[chain.back()]);
      if (next == groups.size()) break;
      if (std::find(chain.begin(), chain.end(), next) != chain.end()) break;
      chain.push_back(next);
    }
    if (best.empty() || rank(chain) > rank(best)) best = std::move(chain);
  }
  return best;
}

std::string chain_sentence(const Mix& mix, const std::vector<StuckWait>& waiting, RuleId rule,
                           const std::string& why) {
  const std::vector<WaitGroup> groups = wait_groups(waiting);
  const std::vector<std::size_t> chain = chain_to_root(groups, rule);
  if (chain.empty()) return why;
  const WaitGroup& last = groups[chain.back()];
  std::string text = fmt::format("{} {}", core_names(groups[chain.front()].cores),
                                 doing(mix, groups[chain.front()]));
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const WaitGroup& group = groups[chain[i]];
    text += fmt::format(" {} {}, which {}", whom(groups[chain[i - 1]].wait),
                        core_names(group.cores), doing(mix, group));
  }
  if (last.wait.root) {
    text += (chain.size() > 1 ? "; root: " : "; ") + root_text(last);
  } else if (const std::size_t next = next_group(groups, last); next < groups.size()) {
    text += fmt::format(" {} {}: a ring of waits", whom(last.wait), core_names(groups[next].cores));
  } else if (last.wait.waiting.kind == WaitKind::event_flag) {
    text += ", which is set behind another wait of the same core";
  } else if (!last.missing.empty()) {
    text +=
        fmt::format(" {} {}, which cannot go on either", whom(last.wait), core_names(last.missing));
  }
  return why.empty() ? text : text + ": " + why;
}

namespace {

std::string quoted(std::string_view words) {
  std::string result = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

bool is_beside(const Case& test_case, std::int32_t sub_kernel) {
  return std::ranges::any_of(test_case.plan.steps, [&](const PlanStep& step) {
    return step.kind == skcts::StepKind::beside &&
           std::ranges::any_of(step.beside, [&](const PlanStep& inner) {
             return std::ranges::count(inner.sub_kernels, sub_kernel) != 0;
           });
  });
}

/// Launches that share cores: each may hold those of the next.
std::string sharing_ring(const Case& test_case, const Analysis& analysis) {
  std::string text;
  std::vector<std::size_t> ring;
  for (std::size_t l = 0; l < analysis.launches.size(); ++l) {
    const LaunchShape& shape = analysis.launches[l];
    if (!is_beside(test_case, shape.sub_kernels.front())) continue;
    std::string names = fmt::format("launch {}:", l);
    for (const std::int32_t place : shape.sub_kernels) {
      names += " " + test_case.mix.sub_kernels[static_cast<std::size_t>(place)].name;
    }
    text += fmt::format(
        "  l{} [label={}];\n", l,
        quoted(fmt::format("{} ({} AIC, {} AIV)", names, shape.aic_count, shape.aiv_count)));
    ring.push_back(l);
  }
  for (std::size_t i = 0; ring.size() > 1 && i < ring.size(); ++i) {
    text += fmt::format("  l{} -> l{} [label=\"may wait for cores of\", style=dashed];\n", ring[i],
                        ring[(i + 1) % ring.size()]);
  }
  return text;
}

}  // namespace

std::string wait_graph_dot(const Case& test_case, const Analysis& analysis) {
  std::string text =
      "// Who waits for whom: an edge leads from a core to the one it waits for; roots are red.\n"
      "digraph waits {\n"
      "  rankdir=LR;\n"
      "  node [shape=box, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\"];\n";
  const std::vector<WaitGroup> groups = wait_groups(analysis.waiting);
  const bool stalls =
      analysis.behaviour == Behaviour::stalls || analysis.behaviour == Behaviour::may_stall;
  if (groups.empty() && stalls) {
    text += fmt::format("  why [label={}, color=red, penwidth=2];\n", quoted(analysis.sentence));
    text += sharing_ring(test_case, analysis);
  } else if (groups.empty()) {
    text += fmt::format("  nobody [label={}];\n", quoted("nobody is stuck"));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const WaitGroup& group = groups[g];
    const std::string label = core_names(group.cores) + "\\n" + doing(test_case.mix, group) +
                              (group.wait.root ? fmt::format("\\nroot: {} [{}]", root_text(group),
                                                             to_string(group.wait.rule))
                                               : std::string());
    std::string shown = quoted(label);
    for (std::size_t at = shown.find("\\\\n"); at != std::string::npos;
         at = shown.find("\\\\n", at)) {
      shown.replace(at, 3, "\\n");
    }
    text += fmt::format("  w{} [label={}{}];\n", g, shown,
                        group.wait.root ? ", color=red, penwidth=2" : "");
  }
  std::string others;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<CoreId> elsewhere = groups[g].missing;
    for (std::size_t h = 0; h < groups.size(); ++h) {
      if (!has_any(groups[h].cores, groups[g].missing)) continue;
      text += fmt::format("  w{} -> w{} [label=\"waits for\"];\n", g, h);
      std::erase_if(elsewhere, [&](CoreId core) {
        return std::binary_search(groups[h].cores.begin(), groups[h].cores.end(), core);
      });
    }
    if (elsewhere.empty()) continue;
    // Cores that are not stuck: they come to their end without what is waited for.
    text += fmt::format("  x{} [label={}, style=dashed];\n", g,
                        quoted(core_names(elsewhere) + " (not stuck)"));
    text += fmt::format("  w{} -> x{} [label=\"waits for\"];\n", g, g);
  }
  return text + "}\n";
}

}  // namespace skcts::model
