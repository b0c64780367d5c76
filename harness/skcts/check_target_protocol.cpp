// Checks of the talk itself: hello, small questions, and what a target does with nonsense.
#include <algorithm>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "harness/skcts/check_target_talk.h"
#include "spec/profile.h"

namespace skcts::program {
namespace {

/// For small questions: a target that needs longer for a case need not for them.
std::int64_t question_ms(const Talk& talk) {
  constexpr std::int64_t most = 2'000;
  return std::min(most, talk.deadline_ms());
}

std::string same_hello(Talk& talk) {
  const wire::Welcome first = talk.welcome();
  talk.close();
  if (std::string problem = talk.open(); !problem.empty()) return problem;
  return talk.welcome() == first ? "" : "the second connection says another hello";
}

std::string has_name(Talk& talk) {
  return talk.welcome().target.name.empty() ? "the name is empty" : "";
}

std::string known_profile(Talk& talk) {
  const std::string& name = talk.welcome().target.profile;
  if (name.empty() || find_profile(name) != nullptr) return {};
  return fmt::format("'{}' is no profile; known: {}", name, join_names(profile_names()));
}

std::string known_paths(Talk& talk) {
  for (const std::string& path : talk.welcome().target.paths) {
    if (path != "ge" && path != "aclgraph") return fmt::format("'{}' is no path", path);
  }
  return {};
}

std::string known_instructions(Talk& talk) {
  for (const std::string& name : talk.welcome().target.instructions) {
    if (!find_op(name)) return fmt::format("'{}' is no instruction of case text", name);
  }
  return {};
}

std::string no_name_twice(Talk& talk) {
  const TargetDescription& target = talk.welcome().target;
  for (const auto* list : {&target.paths, &target.instructions, &target.options}) {
    const std::set<std::string> names(list->begin(), list->end());
    if (names.size() != list->size()) return "a name stands twice in a list";
  }
  return {};
}

std::string answers_done(Talk& talk, wire::AskKind asked, wire::DoneKind expected) {
  constexpr std::uint64_t id = 18'446'744'073'709'551'557u;  // needs all 64 bits
  talk.session().send(wire::Ask{asked, id});
  const bool came = talk.wait_for(
      [&](const wire::Reply& reply) {
        const auto* const done = std::get_if<wire::Done>(&reply);
        return done != nullptr && done->kind == expected && done->id == id;
      },
      question_ms(talk));
  return came ? "" : talk.problem();
}

std::string answers_ping(Talk& talk) {
  return answers_done(talk, wire::AskKind::ping, wire::DoneKind::pong);
}
std::string answers_reset(Talk& talk) {
  return answers_done(talk, wire::AskKind::reset, wire::DoneKind::reset);
}

std::string state_of_nothing(Talk& talk) {
  talk.session().send(wire::Ask{wire::AskKind::state, 999});
  const bool came = talk.wait_for(
      [&](const wire::Reply& reply) {
        const auto* const state = std::get_if<wire::State>(&reply);
        return state != nullptr && state->id == 999 && state->waiting.empty();
      },
      question_ms(talk));
  return came ? "" : talk.problem();
}

std::string cancel_of_nothing(Talk& talk) {
  talk.session().send(wire::Ask{wire::AskKind::cancel, 999});
  return answers_ping(talk);
}

/// After the words the target has to complain or to hang up, and to take a new connection.
std::string after_nonsense(Talk& talk, std::string_view text) {
  talk.session().send_text(text);
  const auto reply = talk.session().receive(question_ms(talk));
  const bool over = talk.session().broken() != wire::Break::none;
  talk.close();
  if (std::string problem = talk.open(); !problem.empty()) {
    return "no new connection afterwards: " + problem;
  }
  if (over) return {};
  return reply ? "an answer came to what makes no sense" : "neither an error nor an end came";
}

std::string unknown_type(Talk& talk) {
  return after_nonsense(talk, R"({"type":"no-such-message"})");
}
std::string no_json(Talk& talk) {
  return after_nonsense(talk, "{\"type\":");
}
std::string run_without_case(Talk& talk) {
  return after_nonsense(talk, R"({"type":"run","id":5})");
}
std::string second_hello(Talk& talk) {
  return after_nonsense(talk, R"({"type":"hello","protocol":1})");
}

std::string goodbye_closes(Talk& talk) {
  talk.session().send(wire::Goodbye{});
  talk.session().receive(question_ms(talk));
  const bool closed = talk.session().broken() == wire::Break::gone;
  talk.close();
  return closed ? talk.open() : "the connection is still open";
}

}  // namespace

std::vector<TargetCheck> checks_of_protocol() {
  return {
      {"hello has a name", has_name},
      {"hello is the same in each connection", same_hello},
      {"the profile is known", known_profile},
      {"the paths are known", known_paths},
      {"the instructions are known", known_instructions},
      {"no list names anything twice", no_name_twice},
      {"ping is answered, with all 64 bits of its id", answers_ping},
      {"reset is answered", answers_reset},
      {"the state of a case that does not run is nothing", state_of_nothing},
      {"to cancel a case that does not run does no harm", cancel_of_nothing},
      {"an unknown message ends the conversation, not the target", unknown_type},
      {"so does a text that is no JSON", no_json},
      {"so does a run without a case", run_without_case},
      {"so does a second hello", second_hello},
      {"goodbye closes the connection", goodbye_closes},
  };
}

}  // namespace skcts::program
