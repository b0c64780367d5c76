// Events between sub kernels and with the outside, and the actors that stand for the outside.
#include <algorithm>

#include "reference_model/explorer/builder.h"
#include "spec/check.h"

namespace skcts::explorer {

std::vector<int> Settings::places_of(const std::vector<std::string>& names) const {
  std::vector<int> places;
  for (const std::string& name : names) {
    const auto found = std::ranges::lower_bound(*events, name);
    SKCTS_CHECK(found != events->end() && *found == name, "no event {}", name);
    places.push_back(static_cast<int>(found - events->begin()));
  }
  return places;
}

void CoreBuilder::await(int event, int sub_kernel) {
  Step made = step(MicroKind::await);
  made.event = event;
  made.sub_kernel = sub_kernel;
  made.wait = WaitKind::event;
  add(std::move(made));
}

void CoreBuilder::event_raise(Pipe pipe, int event, int sub_kernel, int place) {
  drain_border();
  Entry made = entry(EntryKind::raise, pipe);
  made.mode = event_mode;
  made.id = event;
  made.landing = true;
  made.sub_kernel = sub_kernel;
  made.place = place;
  issue(std::move(made));
}

void CoreBuilder::outside(const OutsideActor& actor) {
  program_.outside = actor.name;
  for (std::size_t i = 0; i < actor.steps.size(); ++i) {
    if (!settings_->claim->budget().within()) return;
    place_ = static_cast<int>(i);
    outside_step(actor.steps[i]);
  }
  place_ = -1;
}

void CoreBuilder::outside_step(const OutsideStep& from) {
  const auto gm = [&](std::int16_t region, std::int32_t at, std::size_t count) {
    std::vector<Address> all(count);
    const Address base = settings_->layout->base[static_cast<std::size_t>(region)] + at;
    for (std::size_t j = 0; j < count; ++j) all[j] = base + static_cast<Address>(j);
    return all;
  };
  const auto dma = [&](Pipe pipe, const std::vector<Address>& to, const std::vector<Address>& src) {
    Entry made = entry(EntryKind::data, pipe);
    made.pieces = cut(Calculation::copy, to, src, {});
    issue(std::move(made));
    pipe_all();
  };
  if (from.kind == OutsideKind::wait) return await(settings_->places_of({from.event})[0], -1);
  if (from.kind == OutsideKind::raise) {
    Step made = step(MicroKind::announce);
    made.event = settings_->places_of({from.event})[0];
    return add(std::move(made));
  }
  if (from.kind == OutsideKind::write) {
    std::vector<Address> values;
    for (const std::uint32_t value : from.values) values.push_back(literal(value));
    return dma(Pipe::mte3, gm(from.region, from.at, values.size()), values);
  }
  const auto count = static_cast<std::size_t>(from.count);
  const std::vector<Address> read = gm(from.region, from.at, count);
  std::vector<Address> kept(count);
  // Cut where the blocks of GM are.
  for (std::size_t j = 0; j < count; ++j) {
    kept[j] = local_address(static_cast<int>(Space::ub), read[0] % 8 + static_cast<Address>(j));
  }
  dma(Pipe::mte2, kept, read);
  dma(Pipe::mte3, gm(from.to, from.to_at, count), kept);
}

}  // namespace skcts::explorer
