// All positions of the latitudes that a case asks about, and all depths of its queues.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference_model/explorer/compose.h"
#include "reference_model/explorer/explorer.h"
#include "reference_model/explorer/plan_walk.h"

namespace skcts::explorer {

class CaseWalk {
 public:
  CaseWalk(const Case& value, const Options& options, Tally& tally, Findings& findings);

  /// False: not supported, or over; the tally says why.
  bool run();

 private:
  bool unsupported(std::string why) {
    tally_.unsupported = std::move(why);
    return false;
  }
  bool pinned(LatitudePin pin) const {
    const auto found = pinned_.find(pin.id);
    return found != pinned_.end() && found->second == pin.position;
  }
  bool each_position(const std::vector<LatitudeId>& questions, std::size_t next,
                     LatitudeAssignment at);
  bool compose(const LatitudeAssignment& at);
  bool borders(const LatitudeAssignment& at);
  bool compose_plan(const LatitudeAssignment& at);
  /// Some launch ends in events, and has full-core waits that one more boundary could release.
  bool border_shows() const;
  bool compose_part(const Settings& settings, const Part& part, int launch);
  bool walk_depths();
  bool walk_plan(int depth);
  bool written_words();
  Freedom freedom(int depth) const;

  const Case& case_;
  const Options& options_;
  Tally& tally_;
  Findings& findings_;
  Plan plan_;
  std::vector<Part> parts_;
  GmLayout layout_;
  Claim gm_claim_;  ///< Of the words of GM, and of one copy of them.
  GmWords gm_;
  int piece_words_ = 8;
  std::map<LatitudeId, std::uint8_t> pinned_;
  const Profile* profile_ = nullptr;
  std::vector<std::string> events_;
  Claim programs_claim_;
  std::vector<LaunchProgram> programs_;
  int longest_wait_ = 1;  ///< Queues of this depth and more hold nobody up.
  bool border_behind_ = false;
  bool wait_first_ = false;  ///< Some core waits for an event before its set is issued.
};

}  // namespace skcts::explorer
