// From a failing verdict to evidence: a saved case that convicts one platform and clears another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/shrink.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/finding.h"
#include "harness/judge/judge.h"
#include "spec/allowed.h"
#include "spec/case.h"
#include "spec/outcome.h"

namespace skcts::campaign {

/// Where a fault of a platform shows.
enum class Channel : std::uint8_t { memory, stall, refusal, launch, queries, counts, error };
std::string_view to_string(Channel channel);

/// The channels that a failing outcome shows its fault on, the one that the verdict speaks of
/// first. Never empty.
std::vector<Channel> channels_of(const Case& test_case, const Allowed& allowed,
                                 const Outcome& outcome, const judge::Verdict& verdict);

struct ProofSettings {
  std::string target_name;  ///< Of the accused, as on the command line.
  std::string folder;       ///< Where the case is saved; empty: kept in memory only.
  generators::ShrinkBudget shrink{.max_runs = 200};
  int healthy_runs = 12;  ///< Strategies under which the healthy platform has to pass the case.
};

struct Proof {
  Failure small;      ///< The failure as it was shrunk, its verdict explained.
  Case saved;         ///< As it was read back from its text.
  std::string path;   ///< Where the text is; empty: not saved.
  std::string doubt;  ///< Why it is no evidence, in words; empty: it is.
  std::vector<Channel> channels;
  generators::ShrinkStats shrinking;

  [[nodiscard]] bool holds() const { return doubt.empty(); }
};

/// Shrinks the failure, writes it as a case and reads it back. It is evidence when the case that
/// was read replays bit for bit on the accused platform, fails there with the key that it was saved
/// with, and passes on the healthy platform: on the recorded schedule and on others. A file that
/// cannot be written is a doubt.
Proof prove(Engine& accused, Engine& healthy, const Failure& failure,
            const ProofSettings& settings);

}  // namespace skcts::campaign
