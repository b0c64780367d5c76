// Messages out of JSON texts: which one, then its members.
#include <array>
#include <utility>

#include "harness/wire/message.h"
#include "harness/wire/message_reader.h"
#include "spec/case_text.h"
#include "spec/enum_names.h"

namespace skcts::wire {
namespace {

constexpr std::string_view text_name = "message";

constexpr JsonLimits limits{.bytes = std::size_t{32} << 20};

/// The text of a list or an object that starts at `offset` of a text that was parsed.
std::string_view text_of_value(std::string_view text, std::size_t offset) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = offset; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return text.substr(offset, at + 1 - offset);
    }
  }
  return text.substr(offset);
}

class RequestReader : public MessageReader {
 public:
  using MessageReader::MessageReader;

  bool read(Request& to);

 private:
  bool read_hello(const JsonNode& node, Hello& to);
  bool read_run(const JsonNode& node, Run& to);
  bool read_case(const JsonNode& node, Case& to);
};

constexpr std::array<std::string_view, 7> request_types = {"hello", "run",  "state",  "cancel",
                                                           "reset", "ping", "goodbye"};
constexpr std::array<std::string_view, 3> hello_keys = {"type", "protocol", "client"};
constexpr std::array<std::string_view, 11> run_keys = {
    "type",   "id",    "tag",        "deadline_ms", "strategy", "seed",
    "replay", "trace", "step_limit", "options",     "case"};
constexpr std::array<std::string_view, 2> id_keys = {"type", "id"};
constexpr std::array<std::string_view, 1> bare_keys = {"type"};

bool RequestReader::read(Request& to) {
  std::size_t type = 0;
  if (!read_type(request_types, type)) return false;
  switch (type) {
    case 0: return read_hello(root(), to.emplace<Hello>());
    case 1: return read_run(root(), to.emplace<Run>());
    case 6: to.emplace<Goodbye>(); return check_keys(root(), bare_keys, "goodbye");
    default: break;
  }
  Ask& ask = to.emplace<Ask>();
  ask.kind = static_cast<AskKind>(type - 2);
  return check_keys(root(), id_keys, request_types[type]) &&
         id_of(root(), request_types[type], ask.id);
}

bool RequestReader::read_hello(const JsonNode& node, Hello& to) {
  if (!read_protocol(node, to.protocol)) return false;
  if (to.protocol != protocol_version) return true;
  return check_keys(node, hello_keys, "hello") && optional_text(node, "client", to.client);
}

bool RequestReader::read_run(const JsonNode& node, Run& to) {
  const auto strategy = [&](const JsonNode& n) {
    std::string text;
    if (!read_string(n, text)) return false;
    const auto parsed = parse_strategy(text);
    if (!parsed) return fail_type(n, "a strategy such as \"random\" or \"pct:3/keep\"");
    to.strategy = *parsed;
    return true;
  };
  return check_keys(node, run_keys, "run") && id_of(node, "run", to.id) &&
         optional_text(node, "tag", to.tag) &&
         optional_int(node, "deadline_ms", 0, most_long, to.deadline_ms) &&
         optional(node, "strategy", strategy) &&
         optional(node, "seed",
                  [&](const JsonNode& n) { return read_uint64(n, to.strategy.seed); }) &&
         optional(node, "replay",
                  [&](const JsonNode& n) { return read_schedule(n, to.replay.emplace()); }) &&
         optional_flag(node, "trace", to.trace) &&
         optional_int(node, "step_limit", 0, most_long, to.step_limit) &&
         required(node, "case", "run",
                  [&](const JsonNode& n) { return read_case(n, to.test_case); }) &&
         optional_text(node, "options", to.test_case.mix.options);
}

bool RequestReader::read_case(const JsonNode& node, Case& to) {
  if (!expect_object(node, "a case")) return false;
  Result<Case> read = skcts::read_case(text_of_value(text(), node.offset), "case");
  if (!read) return fail(node, to_string(read.error()));
  to = std::move(*read);
  return true;
}

class ReplyReader : public MessageReader {
 public:
  using MessageReader::MessageReader;

  bool read(Reply& to);

 private:
  bool read_welcome(const JsonNode& node, Welcome& to);
  bool read_target(const JsonNode& node, TargetDescription& to);
  bool read_counts(const JsonNode& node, TargetDescription& to);
  bool read_latitudes(const JsonNode& node, std::vector<LatitudePin>& to);
  bool read_result(const JsonNode& node, Answer& to);
  bool read_answered(const JsonNode& node, RunResult& to);
  bool read_state(const JsonNode& node, State& to);
};

constexpr std::array<std::string_view, 6> reply_types = {"hello", "result", "state",
                                                         "reset", "pong",   "error"};
constexpr std::array<std::string_view, 13> welcome_keys = {
    "type",    "protocol",  "name",   "profile",           "paths",        "instructions",
    "options", "latitudes", "counts", "honours_schedules", "consequences", "answers_while_busy",
    "pipeline"};
constexpr std::array<std::string_view, 11> result_keys = {
    "type",    "id",       "tag",           "end",   "detail", "waiting",
    "outcome", "schedule", "replay_fitted", "steps", "trace"};
constexpr std::array<std::string_view, 5> state_keys = {"type", "id", "known", "waiting", "text"};
constexpr std::array<std::string_view, 2> error_keys = {"type", "message"};

bool ReplyReader::read(Reply& to) {
  std::size_t type = 0;
  if (!read_type(reply_types, type)) return false;
  switch (type) {
    case 0: return read_welcome(root(), to.emplace<Welcome>());
    case 1: return read_result(root(), to.emplace<Answer>());
    case 2: return read_state(root(), to.emplace<State>());
    case 5: {
      Complaint& complaint = to.emplace<Complaint>();
      return check_keys(root(), error_keys, "error") &&
             optional_text(root(), "message", complaint.message);
    }
    default: break;
  }
  Done& done = to.emplace<Done>();
  done.kind = type == 3 ? DoneKind::reset : DoneKind::pong;
  return check_keys(root(), id_keys, reply_types[type]) &&
         id_of(root(), reply_types[type], done.id);
}

bool ReplyReader::read_welcome(const JsonNode& node, Welcome& to) {
  if (!read_protocol(node, to.protocol)) return false;
  if (to.protocol != protocol_version) return true;
  constexpr int most_pipeline = 1024;
  return check_keys(node, welcome_keys, "hello") && read_target(node, to.target) &&
         optional_flag(node, "answers_while_busy", to.answers_while_busy) &&
         optional_int(node, "pipeline", 1, most_pipeline, to.pipeline);
}

bool ReplyReader::read_target(const JsonNode& node, TargetDescription& to) {
  const auto texts = [&](std::string_view key, std::vector<std::string>& list) {
    return optional(node, key, [&](const JsonNode& n) { return read_texts(n, key, list); });
  };
  static constexpr std::array<std::string_view, 2> consequences = {"lenient", "exact"};
  return required(node, "name", "hello",
                  [&](const JsonNode& n) { return read_string(n, to.name); }) &&
         optional_text(node, "profile", to.profile) && texts("paths", to.paths) &&
         texts("instructions", to.instructions) && texts("options", to.options) &&
         optional(node, "latitudes",
                  [&](const JsonNode& n) { return read_latitudes(n, to.latitudes); }) &&
         optional(node, "counts", [&](const JsonNode& n) { return read_counts(n, to); }) &&
         optional_flag(node, "honours_schedules", to.honours_schedules) &&
         optional(node, "consequences", [&](const JsonNode& n) {
           std::size_t place = 0;
           if (!read_name(n, "how consequences are kept", consequences, place)) return false;
           to.exact_consequences = place == 1;
           return true;
         });
}

bool ReplyReader::read_counts(const JsonNode& node, TargetDescription& to) {
  const Keys names = names_of<CountKind, count_kind_count>();
  std::array<bool, count_kind_count> told{};
  const bool read = each_of(node, "kinds of counts", count_kind_count, [&](const JsonNode& n) {
    std::size_t place = 0;
    if (!read_name(n, "a kind of counts", names, place)) return false;
    told[place] = true;
    to.declares_counts = true;
    return true;
  });
  for (std::size_t i = 0; to.declares_counts && i < told.size(); ++i) {
    if (!told[i]) to.undeclared_counts.push_back(static_cast<CountKind>(i));
  }
  return read;
}

bool ReplyReader::read_latitudes(const JsonNode& node, std::vector<LatitudePin>& to) {
  return each_of(node, "latitudes", latitude_count, [&](const JsonNode& n) {
    std::string text;
    if (!read_string(n, text)) return false;
    const Result<LatitudePin> pin = parse_latitude_pin(text);
    if (!pin) return fail(n, pin.error().message, pin.error().hint);
    for (const LatitudePin& other : to) {
      if (other.id == pin->id) return fail(n, "a second position of " + to_string(other));
    }
    to.push_back(*pin);
    return true;
  });
}

bool ReplyReader::read_result(const JsonNode& node, Answer& to) {
  static constexpr std::array<std::string_view, 5> ends = {"answered", "timeout", "crash",
                                                           "not-supported", "cancelled"};
  std::size_t end = 0;
  if (!check_keys(node, result_keys, "result") || !id_of(node, "result", to.id) ||
      !required(node, "tag", "result", [&](const JsonNode& n) { return read_string(n, to.tag); }) ||
      !required(node, "end", "result",
                [&](const JsonNode& n) { return read_name(n, "an end", ends, end); })) {
    return false;
  }
  if (ends[end] == "cancelled") {
    to.cancelled = true;
    return true;
  }
  if (end == 0) return read_answered(node, to.result);
  std::string detail;
  std::vector<Waiting> waiting;
  if (!optional_text(node, "detail", detail) ||
      !optional(node, "waiting", [&](const JsonNode& n) { return read_waiting(n, waiting); })) {
    return false;
  }
  to.result = unanswered(*find_run_end(ends[end]), std::move(detail));
  to.result.waiting = std::move(waiting);
  return true;
}

bool ReplyReader::read_answered(const JsonNode& node, RunResult& to) {
  return required(node, "outcome", "result",
                  [&](const JsonNode& n) { return read_outcome(n, to.outcome); }) &&
         optional(node, "schedule",
                  [&](const JsonNode& n) { return read_schedule(n, to.schedule); }) &&
         optional_flag(node, "replay_fitted", to.replay_fitted) &&
         optional_int(node, "steps", 0, most_long, to.steps) &&
         optional(node, "trace", [&](const JsonNode& list) {
           return each_of(list, "events", most_records, [&](const JsonNode& n) {
             return read_event(n, to.trace.emplace_back());
           });
         });
}

bool ReplyReader::read_state(const JsonNode& node, State& to) {
  return check_keys(node, state_keys, "state") && id_of(node, "state", to.id) &&
         optional_flag(node, "known", to.known) &&
         optional(node, "waiting",
                  [&](const JsonNode& n) { return read_waiting(n, to.waiting); }) &&
         optional_text(node, "text", to.text);
}

}  // namespace

Result<Request> read_request(std::string_view text) {
  return read_json<RequestReader, Request>(text, text_name, limits);
}
Result<Reply> read_reply(std::string_view text) {
  return read_json<ReplyReader, Reply>(text, text_name, limits);
}

}  // namespace skcts::wire
