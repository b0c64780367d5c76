// The parts of an outcome, out of a parsed text.
#include "harness/wire/message_reader.h"

#include <array>

#include "harness/wire/message.h"
#include "spec/enum_names.h"
#include "spec/instruction_text.h"
#include "spec/rule.h"

namespace skcts::wire {
namespace {

constexpr std::size_t most_names = 4096;

constexpr std::array<std::string_view, 6> waiting_keys = {"core",        "launch", "sub_kernel",
                                                          "instruction", "for",    "id"};
constexpr std::array<std::string_view, 8> inserted_keys = {
    "sub_kernel",    "refresh_per_access", "refresh_before", "refresh_after",
    "refresh_debug", "barrier_before",     "barrier_debug",  "feed_joins"};
constexpr std::array<std::string_view, 4> launch_keys = {"type", "blocks", "fused", "inserted"};
constexpr std::array<std::string_view, 7> outcome_keys = {"status", "waiting", "reason",  "rule",
                                                          "memory", "queries", "launches"};
constexpr std::array<std::string_view, 4> schedule_keys = {"strategy", "seed", "choices", "note"};

constexpr std::size_t wait_kind_count = static_cast<std::size_t>(WaitKind::cores) + 1;

}  // namespace

bool MessageReader::read_texts(const JsonNode& list, std::string_view plural,
                               std::vector<std::string>& to) {
  return each_of(list, plural, most_names,
                 [&](const JsonNode& node) { return read_string(node, to.emplace_back()); });
}

bool MessageReader::read_words(const JsonNode& list, std::vector<std::uint32_t>& to) {
  if (list.kind == JsonNode::Kind::list) to.reserve(list.child_count);
  return each_of(list, "32-bit words", std::size_t{1} << 21, [&](const JsonNode& node) {
    return read_int(node, 0, std::numeric_limits<std::uint32_t>::max(), to.emplace_back());
  });
}

bool MessageReader::read_core(const JsonNode& node, CoreId& to) {
  std::string text;
  if (!read_string(node, text)) return false;
  const auto core = parse_core(text);
  if (!core) return fail_type(node, "a core such as \"aic:0\" or \"aiv:3\"");
  to = *core;
  return true;
}

bool MessageReader::read_waiting(const JsonNode& list, std::vector<Waiting>& to) {
  constexpr std::string_view what = "a waiting core";
  const Keys kinds = names_of<WaitKind, wait_kind_count>();
  return each_of(list, "waiting cores", most_records, [&](const JsonNode& node) {
    Waiting& waiting = to.emplace_back();
    return expect_object(node, what) && check_keys(node, waiting_keys, what) &&
           required(node, "core", what,
                    [&](const JsonNode& n) { return read_core(n, waiting.core); }) &&
           optional_int(node, "launch", 0, most_int, waiting.launch) &&
           optional_int(node, "sub_kernel", -1, most_int, waiting.sub_kernel) &&
           optional_int(node, "instruction", -1, most_int, waiting.instruction) &&
           required(node, "for", what,
                    [&](const JsonNode& n) {
                      return read_enum(n, "what a core waits for", kinds, waiting.kind);
                    }) &&
           optional_int(node, "id", -1, most_int, waiting.id);
  });
}

bool MessageReader::read_query(const JsonNode& node, QueryRecord& to) {
  return read_tuple(node, "a query: core, launch, sub kernel, instruction, value", 5,
                    [&](const JsonNode& child, std::size_t place) {
                      switch (place) {
                        case 0: return read_core(child, to.core);
                        case 1: return read_int(child, 0, most_int, to.launch);
                        case 2: return read_int(child, 0, most_int, to.sub_kernel);
                        case 3: return read_int(child, 0, most_int, to.instruction);
                        default: return read_int(child, -most_long, most_long, to.value);
                      }
                    });
}

bool MessageReader::read_inserted(const JsonNode& node, InsertedCounts& to) {
  constexpr std::string_view what = "what was inserted for a sub kernel";
  return expect_object(node, what) && check_keys(node, inserted_keys, what) &&
         optional_int(node, "sub_kernel", 0, most_int, to.sub_kernel) &&
         optional_int(node, "refresh_per_access", 0, most_long, to.refresh_per_access) &&
         optional_int(node, "refresh_before", 0, most_long, to.refresh_before) &&
         optional_int(node, "refresh_after", 0, most_long, to.refresh_after) &&
         optional_int(node, "refresh_debug", 0, most_long, to.refresh_debug) &&
         optional_int(node, "barrier_before", 0, most_long, to.barrier_before) &&
         optional_int(node, "barrier_debug", 0, most_long, to.barrier_debug) &&
         optional_int(node, "feed_joins", 0, most_long, to.feed_joins);
}

bool MessageReader::read_launch(const JsonNode& node, LaunchCounts& to) {
  constexpr std::string_view what = "a launch";
  const auto type = [&](const JsonNode& n) {
    return read_enum(n, "a kernel type", names_of<KernelType, std::size(all_kernel_types)>(),
                     to.type);
  };
  return expect_object(node, what) && check_keys(node, launch_keys, what) &&
         required(node, "type", what, type) &&
         optional_int(node, "blocks", 0, most_int, to.blocks) &&
         optional_flag(node, "fused", to.fused) &&
         optional(node, "inserted", [&](const JsonNode& list) {
           return each_of(list, "sub kernels", most_records, [&](const JsonNode& n) {
             return read_inserted(n, to.inserted.emplace_back());
           });
         });
}

bool MessageReader::read_outcome(const JsonNode& node, Outcome& to) {
  constexpr std::string_view what = "an outcome";
  const auto status = [&](const JsonNode& n) {
    return read_enum(n, "an outcome's status", names_of<OutcomeStatus, 4>(), to.status);
  };
  const auto rule = [&](const JsonNode& n) {
    std::string name;
    if (!read_string(n, name)) return false;
    to.rule = find_rule(name);
    return to.rule.has_value() || fail_type(n, "the name of a rule, such as \"SYNC-5\"");
  };
  const auto list = [&](std::string_view plural, auto& records, auto read_one) {
    return [&records, plural, read_one, this](const JsonNode& n) {
      return each_of(n, plural, most_records, [&](const JsonNode& child) {
        return (this->*read_one)(child, records.emplace_back());
      });
    };
  };
  return expect_object(node, what) && check_keys(node, outcome_keys, what) &&
         required(node, "status", what, status) &&
         optional(node, "waiting",
                  [&](const JsonNode& n) { return read_waiting(n, to.waiting); }) &&
         optional_text(node, "reason", to.reason) && optional(node, "rule", rule) &&
         optional(node, "memory", [&](const JsonNode& n) { return read_words(n, to.memory); }) &&
         optional(node, "queries", list("queries", to.queries, &MessageReader::read_query)) &&
         optional(node, "launches", list("launches", to.counts, &MessageReader::read_launch));
}

bool MessageReader::read_schedule(const JsonNode& node, Schedule& to) {
  constexpr std::string_view what = "a schedule";
  return expect_object(node, what) && check_keys(node, schedule_keys, what) &&
         optional_text(node, "strategy", to.strategy) &&
         optional(node, "seed", [&](const JsonNode& n) { return read_uint64(n, to.seed); }) &&
         optional(node, "choices", [&](const JsonNode& n) { return read_words(n, to.choices); }) &&
         optional_text(node, "note", to.note);
}

bool MessageReader::read_event(const JsonNode& node, TraceEvent& to) {
  return read_tuple(node, "an event: begin, end, core, pipe, sub kernel, instruction, text", 7,
                    [&](const JsonNode& child, std::size_t place) {
                      switch (place) {
                        case 0: return read_int(child, 0, most_long, to.begin);
                        case 1: return read_int(child, -1, most_long, to.end);
                        case 2: return read_core(child, to.core);
                        case 3: return read_enum(child, "a pipe", pipe_names(), to.pipe);
                        case 4: return read_int(child, -1, most_int, to.sub_kernel);
                        case 5: return read_int(child, -1, most_int, to.instruction);
                        default: return read_string(child, to.text);
                      }
                    });
}

}  // namespace skcts::wire
