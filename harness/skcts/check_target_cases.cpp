// Checks with cases whose end is known.
#include <algorithm>

#include <fmt/format.h>

#include "harness/skcts/check_target_talk.h"
#include "harness/wire/answer_check.h"
#include "harness/wire/clock.h"
#include "suites/mixes.h"

namespace skcts::program {
namespace {

using Found = std::optional<wire::Answer>;

std::string skip(std::string_view why) {
  return fmt::format("{}{}", skipped, why);
}

/// The known good case, with another first word, as the target is asked for it.
std::optional<wire::ProbeCase> good_case(Talk& talk, std::uint32_t change = 0) {
  auto probe = probe_for(talk.welcome().target);
  if (!probe || change == 0) return probe;
  probe->test_case.mix.regions.front().init.first += change;
  for (std::uint32_t& word : probe->memory) word += change;
  return probe;
}

std::string words_of(const wire::Answer& answer) {
  if (answer.cancelled) return "cancelled";
  const RunResult& result = answer.result;
  if (result.end != RunEnd::answered) {
    return fmt::format("{} {}", to_string(result.end), result.detail);
  }
  return fmt::format("{} {}", to_string(result.outcome.status), result.outcome.reason);
}

std::string is_good(const Talk& talk, const wire::ProbeCase& probe, const Found& answer) {
  if (!answer) return talk.problem();
  if (answer->result.end != RunEnd::answered ||
      answer->result.outcome.status != OutcomeStatus::completed) {
    return fmt::format("it has to complete, but: {}", words_of(*answer));
  }
  if (std::string text = wire::misfit_of(probe.test_case, answer->result); !text.empty()) {
    return text;
  }
  const auto& memory = answer->result.outcome.memory;
  const auto at = std::ranges::mismatch(memory, probe.memory);
  if (at.in1 == memory.end()) return {};
  return fmt::format("word {} of GM is {:#x} and must be {:#x}", at.in1 - memory.begin(), *at.in1,
                     *at.in2);
}

constexpr std::string_view no_good_case = "the claims leave no known good case";

std::string good(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  return is_good(talk, *probe, talk.ask(probe->test_case));
}

std::string tag_returns(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  wire::Run run = talk.request(probe->test_case);
  run.tag = "a tag with \"quotes\" and \xc3\xa9";
  const Found answer = talk.ask(run);
  if (!answer) return talk.problem();
  return answer->tag == run.tag ? "" : fmt::format("the tag came back as '{}'", answer->tag);
}

std::string no_deadline(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  wire::Run run = talk.request(probe->test_case);
  run.deadline_ms = 0;
  if (std::string problem = talk.open(); !problem.empty()) return problem;
  talk.session().send(run);
  return is_good(talk, *probe, talk.answer_to(run, talk.deadline_ms()));
}

std::string under_every_strategy(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  for (const char* const text : {"round-robin/keep", "random/random", "pct:3/drop", "starve"}) {
    wire::Run run = talk.request(probe->test_case);
    run.strategy = *parse_strategy(text);
    run.strategy.seed = 12'345'678'901'234'567'890u;
    std::string wrong = is_good(talk, *probe, talk.ask(run));
    if (!wrong.empty()) return fmt::format("{}: {}", text, wrong);
  }
  return {};
}

std::string deterministic(Talk& talk) {
  if (!talk.welcome().target.honours_schedules) return skip("it honours no schedules");
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  const Found first = talk.ask(probe->test_case);
  const Found second = first ? talk.ask(probe->test_case) : Found();
  if (!second) return talk.problem();
  return first->result.outcome == second->result.outcome ? "" : "two outcomes of one schedule";
}

std::string replays(Talk& talk) {
  if (!talk.welcome().target.honours_schedules) return skip("it honours no schedules");
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  const Found first = talk.ask(probe->test_case);
  if (!first) return talk.problem();
  wire::Run again = talk.request(probe->test_case);
  again.replay = first->result.schedule;
  const Found second = talk.ask(again);
  if (!second) return talk.problem();
  if (!second->result.replay_fitted) return "its own schedule does not fit it";
  return first->result.outcome == second->result.outcome ? "" : "its schedule gave another outcome";
}

std::string no_residue(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  for (std::uint32_t change = 1; change <= 3; ++change) {
    const auto other = good_case(talk, change << 8);
    std::string wrong = is_good(talk, *other, talk.ask(other->test_case));
    if (!wrong.empty()) return wrong;
    wrong = is_good(talk, *probe, talk.ask(probe->test_case));
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string reset_leaves_nothing(Talk& talk) {
  const auto other = good_case(talk, 0x100);
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  const std::string wrong = is_good(talk, *other, talk.ask(other->test_case));
  if (!wrong.empty()) return wrong;
  talk.session().send(wire::Ask{wire::AskKind::reset, 77});
  const bool done = talk.wait_for(
      [](const wire::Reply& reply) { return std::holds_alternative<wire::Done>(reply); },
      talk.deadline_ms());
  if (!done) return talk.problem();
  return is_good(talk, *probe, talk.ask(probe->test_case));
}

std::string pipelined(Talk& talk) {
  const int depth = std::min(talk.welcome().pipeline, 8);
  if (depth < 2) return skip("it takes one case at a time");
  if (std::string problem = talk.open(); !problem.empty()) return problem;
  std::vector<wire::Run> runs;
  std::vector<wire::ProbeCase> probes;
  for (int i = 0; i < depth; ++i) {
    const auto probe = good_case(talk, static_cast<std::uint32_t>(i) << 8);
    if (!probe) return skip(no_good_case);
    probes.push_back(*probe);
    runs.push_back(talk.request(probe->test_case));
    talk.session().send(runs.back());
  }
  std::vector<bool> answered(runs.size());
  std::string wrong;
  std::size_t left = runs.size();
  const auto take = [&](const wire::Reply& reply) {
    const auto* const answer = std::get_if<wire::Answer>(&reply);
    if (answer == nullptr) return false;
    const auto at = std::ranges::find(runs, answer->id, &wire::Run::id);
    if (at == runs.end()) return wrong = "an answer to no case that was asked for", true;
    const auto place = static_cast<std::size_t>(at - runs.begin());
    if (answered[place]) return wrong = "a case was answered twice", true;
    answered[place] = true;
    const std::string bad = is_good(talk, probes[place], *answer);
    if (!bad.empty()) return wrong = bad, true;
    return --left == 0;
  };
  if (!talk.wait_for(take, depth * talk.deadline_ms())) return talk.problem();
  return wrong;
}

std::string large_memory(Talk& talk) {
  auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  constexpr std::int32_t words = 1 << 16;
  probe->test_case.mix.regions.push_back({.name = "C", .words = words, .init = {.first = 9}});
  probe->memory.resize(probe->memory.size() + words, 9);
  return is_good(talk, *probe, talk.ask(probe->test_case));
}

std::string traced(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  wire::Run run = talk.request(probe->test_case);
  run.trace = true;
  return is_good(talk, *probe, talk.ask(run));
}

std::string counts_as_declared(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  const Found answer = talk.ask(probe->test_case);
  if (!answer) return talk.problem();
  const bool told = !answer->result.outcome.counts.empty();
  if (told == talk.welcome().target.declares_counts) return {};
  return told ? "counts are told that hello does not declare" : "hello declares counts, none came";
}

std::string queries_are_logged(Talk& talk) {
  auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  Case& value = probe->test_case;
  value.mix.sub_kernels.front().aiv.push_back(
      suites::instruction(Op::get_block_idx, [](Instruction&) {}));
  if (std::string text = missing_support(talk.welcome().target, value); !text.empty()) {
    return skip(text);
  }
  const Found answer = talk.ask(value);
  if (std::string wrong = is_good(talk, *probe, answer); !wrong.empty()) return wrong;
  return answer->result.outcome.queries.size() == 1
             ? ""
             : fmt::format("one query ran, {} were logged", answer->result.outcome.queries.size());
}

std::string bad_options_are_refused(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  if (!talk.welcome().target.options.empty()) return skip("it claims some options only");
  Case value = probe->test_case;
  value.mix.options = "no-such-option=1";
  const Found answer = talk.ask(value);
  if (!answer) return talk.problem();
  const bool refused = answer->result.end == RunEnd::answered &&
                       answer->result.outcome.status == OutcomeStatus::refused;
  return refused ? "" : fmt::format("a refusal is due, but: {}", words_of(*answer));
}

/// The stall, or nothing where the claims do not reach that far.
std::optional<Case> known_stall(Talk& talk) {
  Case value = stalling_case(talk.welcome().target);
  if (!missing_support(talk.welcome().target, value).empty()) return std::nullopt;
  return value;
}
constexpr std::string_view no_stall = "the claims leave no known stall";

std::string stall_ends(Talk& talk) {
  const auto value = known_stall(talk);
  if (!value) return skip(no_stall);
  const Found answer = talk.ask(*value);
  if (!answer) return talk.problem();
  const bool stalled = answer->result.end == RunEnd::timeout ||
                       (answer->result.end == RunEnd::answered &&
                        answer->result.outcome.status == OutcomeStatus::stalled);
  return stalled ? "" : fmt::format("a stall or the deadline is due, but: {}", words_of(*answer));
}

std::string stall_names_cores(Talk& talk) {
  const auto value = known_stall(talk);
  if (!value) return skip(no_stall);
  const Found answer = talk.ask(*value);
  if (!answer) return talk.problem();
  if (answer->result.end != RunEnd::answered) return skip("it shows stalls by the deadline alone");
  const auto& waiting = answer->result.outcome.waiting;
  if (waiting.empty()) return "no core is named that waits";
  return wire::misfit_of(*value, answer->result);
}

std::string state_during_a_stall(Talk& talk) {
  const auto value = known_stall(talk);
  if (!value) return skip(no_stall);
  if (!talk.welcome().answers_while_busy) return skip("it answers nothing while a case runs");
  const wire::Run run = talk.request(*value);
  if (std::string problem = talk.open(); !problem.empty()) return problem;
  talk.session().send(run);
  talk.session().send(wire::Ask{wire::AskKind::state, run.id});
  bool state = false;
  bool ended = false;  // the stall may be told before the question is read
  talk.wait_for(
      [&](const wire::Reply& reply) {
        const auto* const answer = std::get_if<wire::Answer>(&reply);
        ended = ended || (answer != nullptr && answer->id == run.id);
        state = state || std::holds_alternative<wire::State>(reply);
        return state && ended;
      },
      2 * talk.deadline_ms());
  if (!state) return "no state came: " + talk.problem();
  return ended ? "" : "the case did not end: " + talk.problem();
}

std::string good_after_a_stall(Talk& talk) {
  const auto value = known_stall(talk);
  if (!value) return skip(no_stall);
  if (!talk.ask(*value)) talk.close();
  return good(talk);
}

std::string good_in_a_new_connection(Talk& talk) {
  talk.close();
  return good(talk);
}

std::string unclaimed_is_not_supported(Talk& talk) {
  const auto probe = good_case(talk);
  if (!probe) return skip(no_good_case);
  if (talk.welcome().target.instructions.empty()) return skip("it claims every instruction");
  Case value = probe->test_case;
  value.mix.sub_kernels.front().aiv.push_back(
      suites::instruction(Op::sync_all, [](Instruction& i) { i.aiv_only = true; }));
  if (missing_support(talk.welcome().target, value).empty()) return skip("it claims SyncAll");
  const Found answer = talk.ask(value);
  if (!answer) return talk.problem();
  return answer->result.end == RunEnd::not_supported ||
                 answer->result.outcome.status == OutcomeStatus::refused
             ? ""
             : fmt::format("not-supported is due, but: {}", words_of(*answer));
}

}  // namespace

std::vector<TargetCheck> checks_of_cases() {
  return {
      {"a known good case completes with its memory", good},
      {"the tag comes back unchanged", tag_returns},
      {"a run without a deadline is answered", no_deadline},
      {"the known good case is good under every strategy", under_every_strategy},
      {"one schedule, one outcome, where that is claimed", deterministic},
      {"its own schedule replays", replays},
      {"no case leaves anything to the next", no_residue},
      {"reset leaves nothing", reset_leaves_nothing},
      {"cases asked for together are answered once each", pipelined},
      {"a GM of 65,568 words comes back whole", large_memory},
      {"a trace that is asked for does no harm", traced},
      {"counts are told if and only if they are declared", counts_as_declared},
      {"a query is logged", queries_are_logged},
      {"a wrong option string is refused", bad_options_are_refused},
      {"what is not claimed is not supported", unclaimed_is_not_supported},
      {"a known stall ends within the deadline", stall_ends},
      {"a stall names the cores that wait", stall_names_cores},
      {"the state is told during a stall", state_during_a_stall},
      {"a good case is good after a stall", good_after_a_stall},
      {"and in a new connection", good_in_a_new_connection},
  };
}

}  // namespace skcts::program
