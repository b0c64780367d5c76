// Filling in counts that are not told.
#include "harness/judge/declared.h"

#include <algorithm>

namespace skcts::judge {
namespace {

InsertedCounts& inserted_for(LaunchCounts& launch, std::int32_t sub_kernel) {
  const auto at = std::ranges::find(launch.inserted, sub_kernel, &InsertedCounts::sub_kernel);
  if (at != launch.inserted.end()) return *at;
  launch.inserted.push_back({.sub_kernel = sub_kernel});
  return launch.inserted.back();
}

}  // namespace

std::int64_t InsertedCounts::*count_of(CountKind kind) {
  switch (kind) {
    case CountKind::launch: return nullptr;
    case CountKind::refresh_per_access: return &InsertedCounts::refresh_per_access;
    case CountKind::refresh_before: return &InsertedCounts::refresh_before;
    case CountKind::refresh_after: return &InsertedCounts::refresh_after;
    case CountKind::refresh_debug: return &InsertedCounts::refresh_debug;
    case CountKind::barrier_before: return &InsertedCounts::barrier_before;
    case CountKind::barrier_debug: return &InsertedCounts::barrier_debug;
    case CountKind::feed_joins: return &InsertedCounts::feed_joins;
  }
  return nullptr;
}

Outcome with_undeclared(Outcome outcome, const Allowed& allowed, std::span<const CountKind> kinds) {
  const std::size_t launches = std::min(outcome.counts.size(), allowed.counts.size());
  for (std::size_t l = 0; l < launches; ++l) {
    const LaunchCounts& owed = allowed.counts[l];
    LaunchCounts& told = outcome.counts[l];
    for (const CountKind kind : kinds) {
      const auto member = count_of(kind);
      if (member == nullptr) {
        told.type = owed.type;
        told.blocks = owed.blocks;
        told.fused = owed.fused;
        continue;
      }
      for (const InsertedCounts& inserted : owed.inserted) {
        inserted_for(told, inserted.sub_kernel).*member = inserted.*member;
      }
    }
  }
  return outcome;
}

}  // namespace skcts::judge
