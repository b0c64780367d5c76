// The names of features, and sets of them.
#include <array>

#include "generators/features.h"
#include "generators/random.h"

namespace skcts::generators {

namespace {

constexpr std::array<std::string_view, feature_count> feature_names = {
    "aiv-only",
    "aic-only",
    "mix-aiv-1-0",
    "mix-aic-1-0",
    "mix-aic-1-1",
    "mix-aic-1-2",
    "equal-neighbours",
    "narrower-neighbour",
    "wider-neighbour",
    "odd-blocks",
    "one-block",
    "narrower-than-launch",
    "launch-0-1",
    "launch-1-0",
    "launch-1-1",
    "launch-1-2",
    "rounded-launch",
    "one-to-one-at-1-2",
    "sync-all-vector",
    "sync-all-both",
    "sync-all-fed",
    "sync-all-full-width",
    "hand-made-full-core",
    "mode-1",
    "mode-2-from-cube",
    "mode-2-from-vector",
    "narrow-block-sync",
    "ring",
    "run-ahead",
    "two-flags",
    "soft-sync-all",
    "ib-sync",
    "poll",
    "poll-through-cache",
    "poll-by-dma",
    "get-value",
    "set-value",
    "operator-assign",
    "raw-access",
    "bypass-access",
    "dcci-single",
    "dcci-entire",
    "const-tensor",
    "tensor-copy",
    "tensor-end",
    "line-per-core",
    "shared-line",
    "hand-over-within",
    "hand-over-across",
    "hand-over-default",
    "hand-over-before",
    "hand-over-after",
    "hand-over-disable",
    "hand-over-offload",
    "hand-over-to-dma",
    "tpipe-none",
    "tpipe-one",
    "tpipe-several",
    "tque-single",
    "tque-double",
    "tbuf",
    "tpipe-on-cube",
    "early-none",
    "early-set",
    "early-wait",
    "early-both",
    "head-work",
    "tail-work",
    "matmul",
    "communication-by-dma",
    "anti-dependence",
    "output-dependence",
    "atomic-add",
    "neighbour-shift",
    "repeat",
    "block-num-query",
    "narrow-block-num-query",
    "other-query",
    "cube-compute",
    "l1-to-gm",
    "event-flags",
    "hand-made-reuse",
    "false-sharing-by-dma",
    "option-func-align",
    "option-preload-code",
    "option-early-start-0",
    "option-early-start-2",
    "option-stream-fusion",
    "option-debug-dcci-all",
    "option-debug-sync-all",
    "option-feed-sync-all",
    "option-profiling",
    "option-compile-options",
    "option-strict-scope-check",
    "option-dcci-before",
    "option-dcci-after",
    "option-dcci-disable",
    "option-split-mode",
    "option-debug-aic-num",
    "option-debug-aiv-num",
    "tiling-offload",
    "scope-marks",
    "scope-nested",
    "scope-none",
    "scope-unmarked",
    "several-launches",
    "host-write",
    "launch-again",
    "beside-batch",
    "beside-normal",
    "second-wave",
    "two-streams",
    "streams-in-line",
    "event-within",
    "event-across",
    "event-from-outside",
    "event-to-outside",
    "outside-write",
    "outside-copy",
    "counted-wider",
    "counted-as-other",
    "single-instruction",
    "full-chip",
    "mode-4",
    "wait-on-pipe",
    "waits-on-two-pipes",
    "aclgraph",
    "captured-plain-launch",
    "captured-direct",
    "captured-streams",
    "captured-early-call",
    "captured-idle-call",
    "captured-refresh",
    "captured-disabled",
    "captured-bad-option",
    "captured-batch-cut",
    "captured-scope-set",
    "captured-by-itself",
};

}  // namespace

std::string_view to_string(Feature feature) {
  return feature_names[static_cast<std::size_t>(feature)];
}

bool exists_on(Feature feature, const Profile& profile) {
  switch (feature) {
    case Feature::mode_4:
    case Feature::wait_on_pipe:
    case Feature::waits_on_two_pipes: return profile.is_3510();
    case Feature::l1_to_gm: return profile.has_pipe(CoreKind::aic, Pipe::mte3);
    default: return true;
  }
}

FeatureSet captured_features() {
  FeatureSet set;
  for (std::size_t i = 0; i < feature_count; ++i) {
    if (is_captured(static_cast<Feature>(i))) set.add(static_cast<Feature>(i));
  }
  return set;
}

bool all_exist_on(const FeatureSet& features, const Profile& profile) {
  for (std::size_t i = 0; i < feature_count; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (features.has(feature) && !exists_on(feature, profile)) return false;
  }
  return true;
}

std::optional<Feature> find_feature(std::string_view name) {
  for (std::size_t i = 0; i < feature_count; ++i) {
    if (feature_names[i] == name) return static_cast<Feature>(i);
  }
  return std::nullopt;
}

std::uint64_t FeatureSet::hash() const {
  if (bits_.none()) return 0;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < feature_count; ++i) {
    if (bits_.test(i)) hash = mix_hash(hash, i + 1);
  }
  return hash;
}

}  // namespace skcts::generators
