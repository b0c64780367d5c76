// How a run is shown while it goes: one line that moves on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "harness/campaign/sink.h"

namespace skcts::program {

class ProgressDisplay : public campaign::Sink {
 public:
  /// `terminal`: standard error is one.
  explicit ProgressDisplay(bool terminal) : terminal_(terminal) {}
  /// An iteration begins in which so many properties will run.
  void begin(int properties) {
    properties_ = properties;
    ended_ = 0;
  }
  void record(const JournalRecord& record) override;
  void progress(const campaign::Progress& progress) override;

 private:
  void wipe();

  int properties_ = 0;
  bool terminal_;
  int ended_ = 0;
  std::int64_t cases_ = 0;  ///< Of the properties that have ended, in all iterations.
  double shown_at_ = 0;
  bool line_open_ = false;
};

}  // namespace skcts::program
