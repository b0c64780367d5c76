// Puts the sub kernels of a SuperKernel together: boundaries, guards, refreshes, feeding.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference_model/explorer/compose_parts.h"
#include "reference_model/explorer/explorer.h"

namespace skcts::explorer {

/// Waits and raises in order: (true = wait, id).
using WaitList = std::vector<std::pair<bool, int>>;

/// How one sub kernel of a SuperKernel is treated.
struct Member {
  const SubKernel* kernel = nullptr;
  int place = 0;
  bool own_set = false, own_wait = false;
  std::vector<int> recv, send;  ///< Events of the case.
  bool refreshes = false, refresh_before = false, refresh_after = false;
  int pair = -1;  ///< Recorded: the configuration of its own WaitPreTaskEnd.
  bool fed = false;
  std::vector<bool> aic_records, aiv_records;  ///< aiv_only of each record of block 0.
  int aic_base = 0, aiv_base = 0;              ///< Records of earlier sub kernels.
};

class Composer {
 public:
  Composer(const Settings& settings, const skcts::Options& options, LaunchProgram& launch,
           std::span<const std::int32_t> sub_kernels);

  /// By the contract: boundaries and refreshes as options and kinds ask for.
  void compose();

  /// By a recording. False: a step is not understood; then launch.not_understood.
  bool replay(const Recording& recording);

 private:
  bool holds(LatitudePin pin) const { return settings_.at.holds(pin); }
  Member member(int place) const;

  /// What block 0 publishes, in order.
  std::vector<bool> records(const SubKernel& kernel, CoreKind kind) const;
  bool runs(const SubKernel& kernel, const LaunchCore& core) const;
  Indices indices(const SubKernel& kernel, const LaunchCore& core) const;
  void boundary(std::size_t c, const Member& before, const Member& after);

  /// The barrier by the launch's type. `lands`: refreshes have landed when it releases.
  void full_barrier(std::size_t c, int place, bool lands);

  /// One step of a recording, on every core that takes it.
  bool recorded(const std::string& step);
  bool recorded_flag(const std::vector<std::string_view>& words);
  bool recorded_call(const std::vector<std::string_view>& words);

  /// Where the feed records of each sub kernel begin.
  void number_records();

  /// What a sub kernel waits for on the cores that run it.
  void gates(std::size_t c, const Member& member);
  /// The events that its end raises, where its call has not done so.
  void arrivals(std::size_t c, const Member& member);

  /// A sub kernel on one core, with what stands before and after its call.
  void around(std::size_t c, std::size_t m);

  /// `ends`: the end record is published.
  void call(std::size_t c, std::size_t m, bool ends);

  /// Who serves the Matmul calls of this core.
  void service(Run& run, std::size_t c) const;

  /// An idle core of a fed sub kernel: joins once for each record of block 0, up to the last one
  /// or until it sees that one early. It joins as the record asks that it sees.
  void complement(std::size_t c, const Member& member);
  const Settings& settings_;
  const skcts::Options& options_;
  LaunchProgram& launch_;
  std::vector<LaunchCore> cores_;
  std::vector<Member> members_;
  std::vector<CoreBuilder> builders_;
  std::size_t next_ = 0;  ///< Recorded: the sub kernel that is called next.
};

}  // namespace skcts::explorer
