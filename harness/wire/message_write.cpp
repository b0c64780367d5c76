// Messages as JSON texts, fields in the order of docs/protocol.md.
#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "harness/wire/message.h"
#include "spec/case_text.h"
#include "spec/json_tree.h"

namespace skcts::wire {
namespace {

/// An object as it grows. Members that say nothing new are left out by their callers.
class Object {
 public:
  Object& raw(std::string_view key, std::string_view json) {
    text_ += text_.size() == 1 ? "\"" : ",\"";
    text_ += key;
    text_ += "\":";
    text_ += json;
    return *this;
  }
  Object& text(std::string_view key, std::string_view value) {
    return raw(key, json_quoted(value));
  }
  template <class Int>
  Object& number(std::string_view key, Int value) {
    return raw(key, fmt::format("{}", value));
  }
  Object& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  std::string done() && {
    text_ += '}';
    return std::move(text_);
  }

 private:
  std::string text_ = "{";
};

template <class Items, class Print>
std::string list_of(const Items& items, Print&& print) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += print(item);
  }
  return text + ']';
}

std::string texts(const std::vector<std::string>& values) {
  return list_of(values, [](const std::string& value) { return json_quoted(value); });
}

std::string words(std::span<const std::uint32_t> values) {
  std::string text = "[";
  for (const std::uint32_t value : values) {
    fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? "," : "", value);
  }
  return text + ']';
}

std::string core_text(CoreId core) {
  return json_quoted(to_string(core));
}

std::string waiting_text(const Waiting& waiting) {
  Object object;
  object.raw("core", core_text(waiting.core));
  object.number("launch", waiting.launch).number("sub_kernel", waiting.sub_kernel);
  object.number("instruction", waiting.instruction).text("for", to_string(waiting.kind));
  return std::move(object.number("id", waiting.id)).done();
}

std::string query_text(const QueryRecord& query) {
  return fmt::format("[{},{},{},{},{}]", core_text(query.core), query.launch, query.sub_kernel,
                     query.instruction, query.value);
}

std::string inserted_text(const InsertedCounts& counts) {
  Object object;
  object.number("sub_kernel", counts.sub_kernel);
  object.number("refresh_per_access", counts.refresh_per_access);
  object.number("refresh_before", counts.refresh_before);
  object.number("refresh_after", counts.refresh_after);
  object.number("refresh_debug", counts.refresh_debug);
  object.number("barrier_before", counts.barrier_before);
  object.number("barrier_debug", counts.barrier_debug);
  return std::move(object.number("feed_joins", counts.feed_joins)).done();
}

std::string launch_text(const LaunchCounts& launch) {
  Object object;
  object.text("type", to_string(launch.type)).number("blocks", launch.blocks);
  object.flag("fused", launch.fused);
  return std::move(object.raw("inserted", list_of(launch.inserted, inserted_text))).done();
}

std::string outcome_text(const Outcome& outcome) {
  Object object;
  object.text("status", to_string(outcome.status));
  if (!outcome.waiting.empty()) object.raw("waiting", list_of(outcome.waiting, waiting_text));
  if (!outcome.reason.empty()) object.text("reason", outcome.reason);
  if (outcome.rule) object.text("rule", to_string(*outcome.rule));
  object.raw("memory", words(outcome.memory));
  if (!outcome.queries.empty()) object.raw("queries", list_of(outcome.queries, query_text));
  if (!outcome.counts.empty()) object.raw("launches", list_of(outcome.counts, launch_text));
  return std::move(object).done();
}

std::string schedule_text(const Schedule& schedule) {
  Object object;
  object.text("strategy", schedule.strategy).number("seed", schedule.seed);
  object.raw("choices", words(schedule.choices));
  if (!schedule.note.empty()) object.text("note", schedule.note);
  return std::move(object).done();
}

std::string event_text(const TraceEvent& event) {
  return fmt::format("[{},{},{},{},{},{},{}]", event.begin, event.end, core_text(event.core),
                     json_quoted(to_string(event.pipe)), event.sub_kernel, event.instruction,
                     json_quoted(event.text));
}

std::string result_text(const Answer& answer) {
  const RunResult& result = answer.result;
  Object object;
  object.text("type", "result").number("id", answer.id).text("tag", answer.tag);
  if (answer.cancelled) return std::move(object.text("end", "cancelled")).done();
  object.text("end", to_string(result.end));
  if (result.end != RunEnd::answered) {
    object.text("detail", result.detail);
    if (!result.waiting.empty()) object.raw("waiting", list_of(result.waiting, waiting_text));
    return std::move(object).done();
  }
  object.raw("outcome", outcome_text(result.outcome));
  object.raw("schedule", schedule_text(result.schedule));
  if (!result.replay_fitted) object.flag("replay_fitted", false);
  object.number("steps", result.steps);
  if (!result.trace.empty()) object.raw("trace", list_of(result.trace, event_text));
  return std::move(object).done();
}

std::string welcome_text(const Welcome& welcome) {
  const TargetDescription& target = welcome.target;
  Object object;
  object.text("type", "hello").number("protocol", welcome.protocol).text("name", target.name);
  if (!target.profile.empty()) object.text("profile", target.profile);
  if (!target.paths.empty()) object.raw("paths", texts(target.paths));
  if (!target.instructions.empty()) object.raw("instructions", texts(target.instructions));
  if (!target.options.empty()) object.raw("options", texts(target.options));
  if (!target.latitudes.empty()) {
    object.raw("latitudes", list_of(target.latitudes, [](const LatitudePin& pin) {
                 return json_quoted(to_string(pin));
               }));
  }
  if (target.declares_counts) {
    std::vector<std::string> names;
    for (int i = 0; i < count_kind_count; ++i) {
      const auto kind = static_cast<CountKind>(i);
      if (std::ranges::find(target.undeclared_counts, kind) == target.undeclared_counts.end()) {
        names.emplace_back(to_string(kind));
      }
    }
    object.raw("counts", texts(names));
  }
  object.flag("honours_schedules", target.honours_schedules);
  object.text("consequences", target.exact_consequences ? "exact" : "lenient");
  object.flag("answers_while_busy", welcome.answers_while_busy);
  return std::move(object.number("pipeline", welcome.pipeline)).done();
}

std::string run_text(const Run& run) {
  Object object;
  object.text("type", "run").number("id", run.id).text("tag", run.tag);
  object.number("deadline_ms", run.deadline_ms).text("strategy", to_string(run.strategy));
  object.number("seed", run.strategy.seed);
  if (run.replay) object.raw("replay", schedule_text(*run.replay));
  if (run.trace) object.flag("trace", true);
  object.number("step_limit", run.step_limit);
  // Case text may spell an option by its alias, which reading replaces; a target gets it verbatim.
  object.text("options", run.test_case.mix.options);
  return std::move(object.raw("case", write_case(run.test_case))).done();
}

std::string typed(std::string_view type, std::uint64_t id) {
  Object object;
  return std::move(object.text("type", type).number("id", id)).done();
}

constexpr std::array<std::string_view, 4> ask_names = {"state", "cancel", "reset", "ping"};
constexpr std::array<std::string_view, 2> done_names = {"reset", "pong"};

struct Write {
  std::string operator()(const Hello& hello) const {
    Object object;
    object.text("type", "hello").number("protocol", hello.protocol);
    return std::move(object.text("client", hello.client)).done();
  }
  std::string operator()(const Run& run) const { return run_text(run); }
  std::string operator()(const Ask& ask) const {
    return typed(ask_names[static_cast<std::size_t>(ask.kind)], ask.id);
  }
  std::string operator()(const Goodbye&) const { return R"({"type":"goodbye"})"; }
  std::string operator()(const Welcome& welcome) const { return welcome_text(welcome); }
  std::string operator()(const Answer& answer) const { return result_text(answer); }
  std::string operator()(const State& state) const {
    Object object;
    object.text("type", "state").number("id", state.id).flag("known", state.known);
    if (!state.waiting.empty()) object.raw("waiting", list_of(state.waiting, waiting_text));
    if (!state.text.empty()) object.text("text", state.text);
    return std::move(object).done();
  }
  std::string operator()(const Done& done) const {
    return typed(done_names[static_cast<std::size_t>(done.kind)], done.id);
  }
  std::string operator()(const Complaint& complaint) const {
    Object object;
    return std::move(object.text("type", "error").text("message", complaint.message)).done();
  }
};

}  // namespace

std::string write_request(const Request& request) {
  return std::visit(Write{}, request);
}
std::string write_reply(const Reply& reply) {
  return std::visit(Write{}, reply);
}

}  // namespace skcts::wire
