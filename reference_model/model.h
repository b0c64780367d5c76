// The reference model: what a case may do, by the documented contract alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference_model/contract.h"
#include "reference_model/inexact.h"
#include "spec/allowed.h"
#include "spec/case.h"
#include "spec/latitude.h"
#include "spec/rule.h"

namespace skcts::model {

struct Relaxation;
struct Witness;
class LaunchListener;

/// One access of one core, for explanations.
struct Access {
  std::int32_t launch = 0;
  std::int32_t sub_kernel = -1;  ///< Place in Mix::sub_kernels.
  std::int32_t instruction = -1;
  CoreId core;
  Pipe pipe = Pipe::s;
  bool write = false;
  Space space = Space::gm;
  std::int64_t word = 0;
  std::int64_t words = 0;
  std::string text;  ///< "k1 aiv:3 DataCopy writes A[8..15]"
};

/// Two accesses that nothing orders as they must be.
struct Race {
  Access first;
  Access second;
  RuleId rule = RuleId::sync_11;
  std::string hazard;  ///< "H1".."H6", or "local"
  std::string missing_edge;
  std::string text;
};

/// A core that is stuck, and why.
struct StuckWait {
  Waiting waiting;
  std::string what;             ///< "wait for cross-core flag 3", of one or several.
  std::vector<CoreId> missing;  ///< Members or raisers that never come.
  std::string reason;
  bool root = false;    ///< Its answer never comes; else it waits for one that is stuck.
  bool certain = true;  ///< False: under some schedule, or at some position of a latitude.
  RuleId rule = RuleId::sync_5;
};

/// Something that applies besides the behaviour.
struct Also {
  std::optional<Behaviour> behaviour;
  std::optional<RuleId> rule;
  std::vector<LatitudeId> latitudes;
  std::string witness;
};

struct Analysis {
  Behaviour behaviour = Behaviour::completes;
  std::optional<RuleId> rule;  ///< Primary broken rule, whatever the behaviour.
  std::vector<Also> also;
  std::vector<LatitudeId> latitudes;  ///< Those that the behaviour leans on.
  std::vector<StuckWait> waiting;
  std::vector<Race> races;
  std::vector<LaunchShape> launches;
  bool exact = true;
  InexactReasons stall_open;  ///< Why not: which statuses occur (Allowed::exact_stall),
  InexactReasons data_open;   ///< or which values (Allowed::exact_data).
  std::string sentence;       ///< For a kernel author; the refusal's text when refused.
  Allowed allowed;
  std::vector<std::uint32_t> alone_memory;  ///< Sub kernels launched alone in order; empty: none.
  /// Completes under every position of the latitudes, no rule, one memory, equal to alone_memory.
  bool portable = false;
};

/// Are the latitudes looked for that a verdict leans on? Each takes another analysis.
enum class Leaning : std::uint8_t { found, left_out };

/// Enough for the races of small mixes; a tenth of a second on the worst of them.
inline constexpr std::size_t default_search_states = 20'000;

/// The analysis with buffers that are kept between cases. Not thread-safe: one a thread.
/// `pins` fixes positions of latitudes; Case::latitudes are pins too.
class Model {
 public:
  /// `search_states` bounds the search of racing words in each launch; beyond it their sets are
  /// wide and not exact.
  explicit Model(std::size_t search_states = default_search_states);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  /// Everything, with words for people.
  Analysis analyse(const Case& test_case, const std::vector<LatitudePin>& pins = {},
                   Leaning leaning = Leaning::found);
  /// The predicate alone, as analyse() has it: the fast path. Builds no text and does not look at
  /// the sub kernels launched alone, on which the predicate does not depend.
  Allowed allowed(const Case& test_case, const std::vector<LatitudePin>& pins = {});
  /// The same with one guarantee weakened: what a target may show that breaks it. Restrictions that
  /// the mix breaks by its text are not looked at.
  Allowed allowed(const Case& test_case, const std::vector<LatitudePin>& pins,
                  const Relaxation& relaxed);
  /// For an outcome of the case: how it comes about where words race, or which of them cannot be.
  Witness witness(const Case& test_case, const Outcome& outcome,
                  const std::vector<LatitudePin>& pins = {});
  /// One way to what the behaviour names, in words: to a memory other than that of the sub kernels
  /// launched one by one where data depends on the schedule; how far each core comes where it
  /// stalls. Empty where nothing is open. `analysis` is that of the case under the pins.
  std::vector<std::string> one_way(const Case& test_case, const Analysis& analysis,
                                   const std::vector<LatitudePin>& pins = {});
  /// Shows each launch of the case's plan as the analysis has it. Nothing of one that is refused.
  void show(const Case& test_case, const std::vector<LatitudePin>& pins, LaunchListener& listener);
  /// Portable in the sense of semantics §5 as far as this mix shows, on every platform that does
  /// not refuse it (L-3, L-6, L-11, L-13); `why` gets the first reason.
  bool is_legal(const Case& test_case, std::string* why = nullptr);

 private:
  void add_leaning(const Case& test_case, const std::vector<LatitudePin>& pins, Analysis& analysis);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Convenience for single cases.
Analysis analyse(const Case& test_case, const std::vector<LatitudePin>& pins = {});

}  // namespace skcts::model
