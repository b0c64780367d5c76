// Edits against what lies around the sub kernels: what a launch counts them with, events from and
// to actors outside.
#include "generators/edit_place.h"
#include "generators/groups.h"
#include "generators/touches.h"

namespace skcts::generators::edits {

namespace {

Launch counted_launch(const Case& c) {
  std::vector<Shape> shapes;
  for (const SubKernel& s : c.mix.sub_kernels) shapes.push_back(counted_shape(s));
  return generators::launch_of(shapes, known_options(c));
}

/// Sub kernels without tiling offload fix what the launch has at least; one with it is counted with
/// so many blocks that the launch gets wider, its type the same.
bool count_wider(Case& c, const EditPlace& p) {
  const Launch before = counted_launch(c);
  std::vector<int> possible;
  for (int k = 0; k < static_cast<int>(c.mix.sub_kernels.size()); ++k) {
    if (sub_of(c, k).tiling == Tiling::offload) possible.push_back(k);
  }
  if (possible.empty() || counts_launch(c, p.profile)) return false;
  SubKernel& sub = sub_of(c, p.choice.pick(std::span<const int>(possible)));
  for (int n = sub.blocks + 1; n <= p.profile.aiv_count; ++n) {
    sub.launch_blocks = n;
    const Launch now = counted_launch(c);
    if (now.type != before.type || !fits(now, p.profile)) return false;
    if (now.blocks > before.blocks) return true;
  }
  return false;
}

/// What the words of actor step and sub kernel have in common, one of the two a write.
bool meets_step(const std::vector<Access>& accesses, const GmLayout& layout,
                const OutsideStep& step) {
  if (step.region < 0) return false;
  const bool writes = step.kind == OutsideKind::write;
  const auto at = [&layout](std::int16_t region, std::int32_t word, std::int64_t count) {
    return Access{.first = layout.base[static_cast<std::size_t>(region)] + word,
                  .count = static_cast<std::int32_t>(count)};
  };
  const Access here = writes ? at(step.region, step.at, std::ssize(step.values))
                             : at(step.region, step.at, step.count);
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access& a) {
    return a.how == How::dma && (a.write || writes) && overlap(a, here);
  });
}

/// Scalars of some sub kernel touch the region: what then breaks is a rule on caches.
bool is_cached(const Touches& touches, const Mix& mix, int region) {
  for (int k = 0; k < static_cast<int>(mix.sub_kernels.size()); ++k) {
    if (region >= 0 && touches.of(k, region).cached) return true;
  }
  return false;
}

/// Takes one event of actors of that kind away at both ends, where a sub kernel at its other end
/// meets what the actor does after a wait, or before a raise.
bool drop_outside(Case& c, const EditPlace& p, OutsideKind kind) {
  const GmLayout layout = layout_of(c.mix);
  const Touches touches(c.mix);
  struct Place {
    std::size_t actor;
    std::size_t step;
    int sub;
  };
  std::vector<Place> possible;
  for (std::size_t a = 0; a < c.mix.outside.size(); ++a) {
    const std::vector<OutsideStep>& steps = c.mix.outside[a].steps;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (steps[s].kind != kind) continue;
      const std::size_t near = kind == OutsideKind::wait ? s + 1 : s - 1;
      if (near >= steps.size()) continue;
      for (int k = 0; k < static_cast<int>(c.mix.sub_kernels.size()); ++k) {
        const SubKernel& sub = sub_of(c, k);
        const auto& events = kind == OutsideKind::wait ? sub.send : sub.recv;
        const bool ends = std::find(events.begin(), events.end(), steps[s].event) != events.end();
        if (!ends) continue;
        const std::vector<Access> all = accesses_of(c.mix, layout, launch_of(c), k);
        if (is_cached(touches, c.mix, steps[near].region)) continue;
        if (meets_step(all, layout, steps[near])) possible.push_back({a, s, k});
      }
    }
  }
  if (possible.empty()) return false;
  const Place place = p.choice.pick(std::span<const Place>(possible));
  std::vector<OutsideStep>& steps = c.mix.outside[place.actor].steps;
  SubKernel& sub = sub_of(c, place.sub);
  std::erase(sub.send, steps[place.step].event);
  std::erase(sub.recv, steps[place.step].event);
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(place.step));
  return true;
}

}  // namespace

bool count_wider_than_sync(Case& c, const EditPlace& p) {
  return count_wider(c, p);
}

bool drop_outside_raise(Case& c, const EditPlace& p) {
  return drop_outside(c, p, OutsideKind::raise);
}

bool drop_outside_wait(Case& c, const EditPlace& p) {
  return drop_outside(c, p, OutsideKind::wait);
}

}  // namespace skcts::generators::edits
