// Launches are taken from a stack: it holds one for each launch at which L-5 leaves a choice.
#include "reference_model/explorer/plan_walk.h"

#include <algorithm>

namespace skcts::explorer {

namespace {

constexpr std::uint64_t bytes_of_outcome = sizeof(Outcome) + 128;  ///< Without what it lists.

std::uint64_t bytes_of(const Outcome& outcome) {
  return bytes_of_outcome + outcome.memory.size() * sizeof(std::uint32_t) +
         outcome.waiting.size() * sizeof(Waiting) + outcome.queries.size() * sizeof(QueryRecord) +
         outcome.reason.size();
}

}  // namespace

bool Findings::record(Outcome outcome, const std::function<std::vector<std::string>()>& steps) {
  if (outcomes_.contains(outcome)) return true;
  if (wanted_ != nullptr && (*wanted_)(outcome)) {
    witness = Witness{steps(), outcome};
    return false;
  }
  if (!claim_.add(bytes_of(outcome))) return false;
  outcomes_.insert(std::move(outcome));
  return true;
}

std::vector<Outcome> Findings::take() {
  std::vector<Outcome> all;
  all.reserve(outcomes_.size());
  while (!outcomes_.empty()) {
    all.push_back(std::move(outcomes_.extract(outcomes_.begin()).value()));
  }
  return all;
}

bool PlanWalk::run(const Freedom& freedom) {
  freedom_ = freedom;
  stack_.clear();
  if (!actors()) return false;
  Left all{.claim = Claim(tally_.budget)};
  all.fronts.assign(front_words(), 0);
  for (std::size_t w = 0; w < gm_.words.size(); ++w) {
    all.fronts[GmWords::first + w] = gm_.initial[static_cast<std::size_t>(gm_.words[w])];
  }
  // Option strings and operators are looked at before anything runs; what a launch asks of the
  // chip and its streams when its turn comes, which never does behind a launch that stalls.
  const auto refused = std::ranges::find_if(programs_, &LaunchProgram::refused_first);
  if (refused != programs_.end()) return refuse(*refused, all);
  if (!push(std::move(all))) return false;
  while (!stack_.empty()) {
    Left next = std::move(stack_.back());
    stack_.pop_back();
    if (!tally_.budget.within(tally_.states) || !step(std::move(next))) return false;
  }
  return true;
}

/// The state of the actors is the same number of words in every launch.
bool PlanWalk::actors() {
  if (parts_.empty() || !parts_.back().pause) return true;
  const Machine machine(programs_.back(), gm_, freedom_, {});
  if (!machine.too_large().empty()) {
    tally_.budget.stop(machine.too_large());
    return false;
  }
  actors_words_ = machine.actors_words();
  return true;
}

Freedom PlanWalk::freedom_of(std::size_t part) const {
  Freedom freedom = freedom_;
  const auto pin = pinned_.find(37);
  freedom.lost_at_end = programs_[part].fused && pin != pinned_.end() &&
                        pin->second == latitude_pin(37, "lost").position;
  // With the last launch the actors come to their end: nothing happens behind it but what they do.
  const bool last =
      part + 1 == parts_.size() ||
      (part + 2 == parts_.size() && !parts_[part].pause && programs_[part].raised_by_end.empty() &&
       freedom.write_backs && !freedom.lost_at_end);
  freedom.goes_on = actors_words_ != 0 && !last;
  return freedom;
}

bool PlanWalk::push(Left left) {
  std::uint64_t bytes = left.fronts.size() * sizeof(Word) +
                        left.queries.size() * sizeof(QueryRecord) +
                        left.residue.size() * sizeof(Residue) + sizeof(Left);
  for (const std::vector<std::string>& lead : left.leads) {
    for (const std::string& line : lead) bytes += sizeof(line) + line.size();
  }
  left.claim.clear();
  if (!left.claim.add(bytes)) return false;
  stack_.push_back(std::move(left));
  return true;
}

const std::vector<std::string>& PlanWalk::lead_to(const Left& left, std::size_t front) const {
  static const std::vector<std::string> none;
  return front < left.leads.size() ? left.leads[front] : none;
}

std::vector<std::uint32_t> PlanWalk::memory_of(const Word* front) const {
  std::vector<std::uint32_t> memory = gm_.initial;
  tally_.budget.work(memory.size() / 16);
  for (std::size_t w = 0; w < gm_.words.size(); ++w) {
    memory[static_cast<std::size_t>(gm_.words[w])] = front[GmWords::first + w];
  }
  return memory;
}

bool PlanWalk::end(const Left& left) {
  for (std::size_t f = 0; f < fronts_of(left); ++f) {
    if (!tally_.budget.within()) return false;
    Outcome outcome;
    outcome.memory = memory_of(left.fronts.data() + f * front_words());
    outcome.queries = left.queries;
    if (!findings_.record(std::move(outcome), [&] { return lead_to(left, f); })) return false;
  }
  return true;
}

bool PlanWalk::refuse(const LaunchProgram& program, const Left& left) {
  Outcome outcome;
  outcome.status = OutcomeStatus::refused;
  outcome.rule = program.refused_rule;
  outcome.reason = program.reason;
  return findings_.record(std::move(outcome), [&] { return lead_to(left, 0); });
}

bool PlanWalk::step(Left left) {
  if (left.next == parts_.size()) return end(left);
  const Part& part = parts_[left.next];
  if (part.host != nullptr) {
    host(*part.host, left);
    ++left.next;
    return push(std::move(left));
  }
  const LaunchProgram& program = programs_[left.next];
  if (program.refused) return refuse(program, left);
  // L-5: what earlier launches left in the counters.
  if (!part.pause && !left.residue.empty() && !left.residue_settled) {
    const auto pin = pinned_.find(5);
    left.residue_settled = true;
    if (pin == pinned_.end()) {
      Left cleared{left.next, left.fronts,  left.leads,          {},
                   true,      left.queries, Claim(tally_.budget)};
      return push(std::move(left)) && push(std::move(cleared));
    }
    if (pin->second == 0) left.residue.clear();
  }
  return launch(std::move(left));
}

bool PlanWalk::launch(Left left) {
  const LaunchProgram& program = programs_[left.next];
  const bool pause = parts_[left.next].pause;
  const std::vector<Residue> none;
  Machine machine(program, gm_, freedom_of(left.next), pause ? none : left.residue);
  if (!machine.too_large().empty()) {
    tally_.budget.stop(machine.too_large());
    return false;
  }
  tally_.budget.work(machine.state_words() + machine.looks());
  Search search(machine, front_words(), tally_);
  for (std::size_t f = 0; f < fronts_of(left); ++f) {
    search.start(left.fronts.data() + f * front_words());
  }
  const auto lead = [&](std::uint32_t state) {
    std::uint32_t start = 0;
    const std::vector<std::string> steps = search.steps_to(state, start);
    std::vector<std::string> all = lead_to(left, start);
    all.insert(all.end(), steps.begin(), steps.end());
    return all;
  };
  const auto on_stall = [&](const Word* s, std::uint32_t state) {
    Outcome outcome;
    outcome.status = OutcomeStatus::stalled;
    outcome.waiting = machine.waiting(s);
    outcome.memory = memory_of(s);
    outcome.queries = left.queries;
    for (const QueryRecord& record : machine.queries(s)) outcome.queries.push_back(record);
    return findings_.record(std::move(outcome), [&] { return lead(state); });
  };
  const auto on_error = [&](RuleId rule, std::uint32_t state) {
    Outcome outcome;
    outcome.status = OutcomeStatus::error;
    outcome.rule = rule;
    outcome.reason = std::string(to_string(rule));
    return findings_.record(std::move(outcome), [&] { return lead(state); });
  };
  if (!search.run(on_stall, on_error)) return false;
  for (const QueryRecord& record : machine.all_queries()) left.queries.push_back(record);
  if (!pause) {
    left.residue = machine.residue();
    left.residue_settled = false;
  }
  return ends(machine, search, left, lead);
}

/// Ends that leave different counters go on by themselves.
bool PlanWalk::ends(const Machine& machine, const Search& search, const Left& left,
                    const std::function<std::vector<std::string>(std::uint32_t)>& lead) {
  const LaunchProgram& program = programs_[left.next];
  const std::size_t words = front_words() + machine.residue_words();
  std::map<std::vector<Word>, std::vector<std::size_t>> by_residue;
  tally_.budget.work(search.finals().size());
  for (std::size_t f = 0; f < search.finals().size(); ++f) {
    const Word* const end = search.finals()[f];
    by_residue[{end + front_words(), end + words}].push_back(f);
  }
  for (const auto& [counts, places] : by_residue) {
    Left after{.next = left.next + 1, .claim = Claim(tally_.budget)};
    if (!after.claim.add(places.size() * words * sizeof(Word))) return false;
    after.fronts.reserve(places.size() * front_words());
    for (const std::size_t f : places) {
      const Word* const front = search.finals()[f];
      after.fronts.insert(after.fronts.end(), front, front + front_words());
      if (tally_.traced) after.leads.push_back(lead(search.final_state(f)));
      Word* const made = after.fronts.data() + after.fronts.size() - front_words();
      for (const int event : program.raised_by_end) gm_.event(event).set(made, 1);
    }
    after.queries = left.queries;
    after.residue = counts.empty() ? left.residue : machine.residue_of(counts.data());
    after.residue_settled = left.residue_settled;
    if (!push(std::move(after))) return false;
  }
  return true;
}

void PlanWalk::host(const PlanStep& step, Left& left) const {
  const std::int64_t base = layout_.base[static_cast<std::size_t>(step.region)];
  tally_.budget.work(step.values.size() * fronts_of(left));
  for (std::size_t j = 0; j < step.values.size(); ++j) {
    const int at = gm_.find(base + step.at + static_cast<std::int64_t>(j));
    for (std::size_t f = 0; f < fronts_of(left); ++f) {
      left.fronts[f * front_words() + static_cast<std::size_t>(at)] = step.values[j];
    }
  }
}

}  // namespace skcts::explorer
