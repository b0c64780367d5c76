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
  /// How many properties will run.
  void set_total(int properties) { properties_ = properties; }
  void record(const JournalRecord& record) override;
  void progress(const campaign::Progress& progress) override;

 private:
  void wipe();

  int properties_ = 0;
  bool terminal_;
  int ended_ = 0;
  std::int64_t cases_ = 0;  ///< Of the properties that have ended.
  double shown_at_ = 0;
  bool line_open_ = false;
};

}  // namespace skcts::program
