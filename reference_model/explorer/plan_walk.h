// Walks the launches of a plan one after the other, from every memory that the one before left.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference_model/explorer/explorer.h"
#include "reference_model/explorer/machine.h"
#include "reference_model/explorer/parts.h"
#include "reference_model/explorer/search.h"
#include "spec/case.h"

namespace skcts::explorer {

/// Order of Outcome for sets.
struct OutcomeOrder {
  bool operator()(const Outcome& a, const Outcome& b) const { return before(a, b); }
};

/// The outcomes of a case, and the run that ends as somebody wants it.
class Findings {
 public:
  Findings(Budget& budget, const std::function<bool(const Outcome&)>* wanted)
      : wanted_(wanted), claim_(budget) {}

  /// False: the walk is over, there is a witness or no room.
  bool record(Outcome outcome, const std::function<std::vector<std::string>()>& steps);
  std::vector<Outcome> take();

  std::optional<Witness> witness;

 private:
  const std::function<bool(const Outcome&)>* wanted_;
  std::set<Outcome, OutcomeOrder> outcomes_;
  Claim claim_;
};

class PlanWalk {
 public:
  /// `programs` has one for each part; those of the host are empty.
  PlanWalk(const std::vector<Part>& parts, const std::vector<LaunchProgram>& programs,
           const GmLayout& layout, const GmWords& gm,
           const std::map<LatitudeId, std::uint8_t>& pinned, Tally& tally, Findings& findings)
      : parts_(parts),
        programs_(programs),
        layout_(layout),
        gm_(gm),
        pinned_(pinned),
        tally_(tally),
        findings_(findings) {}

  /// False: a bound was reached, or the walk is over.
  bool run(const Freedom& freedom);

 private:
  /// What is left to be walked: parts from `next` on, from these fronts.
  struct Left {
    std::size_t next = 0;
    std::vector<Word> fronts;                     ///< One after the other.
    std::vector<std::vector<std::string>> leads;  ///< Traced: the steps to each front.
    std::vector<Residue> residue;
    bool residue_settled = false;  ///< L-5 has been asked for the launch that comes next.
    std::vector<QueryRecord> queries;
    Claim claim;
  };

  std::size_t front_words() const { return gm_.state_words() + actors_words_; }
  std::size_t fronts_of(const Left& left) const { return left.fronts.size() / front_words(); }
  const std::vector<std::string>& lead_to(const Left& left, std::size_t front) const;
  bool push(Left left);
  bool step(Left left);
  bool refuse(const LaunchProgram& program, const Left& left);
  bool end(const Left& left);
  bool launch(Left left);
  bool ends(const Machine& machine, const Search& search, const Left& left,
            const std::function<std::vector<std::string>(std::uint32_t)>& lead);
  bool actors();
  Freedom freedom_of(std::size_t part) const;
  void host(const PlanStep& step, Left& left) const;
  std::vector<std::uint32_t> memory_of(const Word* front) const;

  const std::vector<Part>& parts_;
  const std::vector<LaunchProgram>& programs_;
  const GmLayout& layout_;
  const GmWords& gm_;
  const std::map<LatitudeId, std::uint8_t>& pinned_;
  Tally& tally_;
  Findings& findings_;
  Freedom freedom_;
  std::size_t actors_words_ = 0;  ///< Of a front: how far the outside actors have come.
  std::vector<Left> stack_;
};

}  // namespace skcts::explorer
