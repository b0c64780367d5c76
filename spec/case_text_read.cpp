// Reading case text: the parts above the programs.
#include <array>
#include <limits>
#include <sstream>

#include "spec/aclgraph_options.h"
#include "spec/case_reader.h"
#include "spec/case_text.h"
#include "spec/enum_names.h"
#include "spec/options.h"
#include "spec/text_file.h"

namespace skcts {
namespace {

constexpr std::int64_t lowest_int = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t highest_int = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t highest_word = std::numeric_limits<std::uint32_t>::max();

constexpr std::array<std::string_view, 11> case_keys = {
    "format", "name", "note",   "profile",  "path",      "latitudes",
    "mix",    "plan", "expect", "schedule", "provenance"};
constexpr std::array<std::string_view, 5> mix_keys = {"options", "note", "regions", "sub_kernels",
                                                      "outside"};
constexpr std::array<std::string_view, 5> region_keys = {"name", "words", "offset_bytes", "init",
                                                         "note"};
constexpr std::array<std::string_view, 4> init_keys = {"values", "first", "step", "note"};
constexpr std::array<std::string_view, 20> sub_kernel_keys = {
    "name",   "type", "blocks", "tiling", "launch_blocks", "launch_type", "tiling_key", "op_type",
    "stream", "recv", "send",   "scope",  "tensors",       "names",       "note",       "aic",
    "aiv",    "sk_bind", "batch_mode", "direct_launch"};
constexpr std::array<std::string_view, 4> tensor_keys = {"name", "gm", "const", "note"};
constexpr std::array<std::string_view, 9> step_keys = {
    "fused", "alone", "host_write", "marked", "beside", "at", "values", "sharing", "note"};
constexpr std::array<std::string_view, 3> actor_keys = {"name", "steps", "note"};
constexpr std::array<std::string_view, 10> outside_keys = {
    "wait", "write", "copy", "raise", "at", "values", "to", "to_at", "count", "note"};
constexpr std::array<std::string_view, 4> schedule_keys = {"strategy", "seed", "choices", "note"};
constexpr std::array<std::string_view, 3> expect_keys = {"behaviour", "rule", "note"};
constexpr std::array<std::string_view, 7> provenance_keys = {"source", "seed", "index", "target",
                                                             "rule",   "key",  "note"};

}  // namespace

template <class Kind, std::size_t count>
bool CaseReader::read_kind(const JsonNode& node, std::string_view what, std::string_view example,
                           Kind& to) {
  const Keys names = names_of<Kind, count>();
  int given = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (find(node, names[i]) == nullptr) continue;
    to = static_cast<Kind>(i);
    ++given;
  }
  if (given == 1) return true;
  return fail(node, fmt::format("{} has one of {}", what, join_names(names)),
              fmt::format("such as {}", example));
}

bool CaseReader::read(Case& to) {
  const JsonNode& top = root();
  if (!expect_object(top, "a case")) return false;
  // Before all else: another format may have other keys.
  if (!required(top, "format", "a case", [&](const JsonNode& n) { return read_format(n); })) {
    return false;
  }
  return check_keys(top, case_keys, "a case") && optional_text(top, "name", to.name) &&
         read_note(top, to.note) && optional_text(top, "profile", to.profile) &&
         optional_text(top, "path", to.path) &&
         optional(top, "latitudes",
                  [&](const JsonNode& n) { return read_latitudes(n, to.latitudes); }) &&
         required(top, "mix", "a case",
                  [&](const JsonNode& n) { return read_mix(n, to.path, to.mix); }) &&
         optional(top, "plan", [&](const JsonNode& n) { return read_plan(n, to.mix, to.plan); }) &&
         optional(top, "expect",
                  [&](const JsonNode& n) { return read_expectation(n, to.expect.emplace()); }) &&
         optional(top, "schedule",
                  [&](const JsonNode& n) { return read_schedule(n, to.schedule.emplace()); }) &&
         optional(top, "provenance",
                  [&](const JsonNode& n) { return read_provenance(n, to.provenance.emplace()); });
}

bool CaseReader::read_format(const JsonNode& node) {
  std::int64_t format = 0;
  if (!read_integer(node, 0, highest_int, format)) return false;
  if (format == case_format) return true;
  return fail(node, fmt::format("format {}, but this build reads format {}", format, case_format),
              format > case_format ? "the file needs a newer skcts" : "");
}

bool CaseReader::read_mix(const JsonNode& node, std::string_view path, Mix& to) {
  if (!expect_object(node, "a mix") || !check_keys(node, mix_keys, "a mix")) return false;
  return read_note(node, to.note) &&
         optional(node, "options",
                  [&](const JsonNode& n) { return read_options(n, path, to.options); }) &&
         optional(node, "regions",
                  [&](const JsonNode& n) { return read_regions(n, to.regions); }) &&
         required(node, "sub_kernels", "a mix",
                  [&](const JsonNode& list) {
                    return each_object(list, "sub kernels", "a sub kernel", sub_kernel_keys,
                                       [&](const JsonNode& child, std::size_t) {
                                         return read_sub_kernel(child,
                                                                to.sub_kernels.emplace_back());
                                       });
                  }) &&
         optional(node, "outside", [&](const JsonNode& n) { return read_outside(n, to.outside); });
}

bool CaseReader::read_options(const JsonNode& node, std::string_view path, std::string& to) {
  if (!read_string(node, to)) return false;
  if (path != "aclgraph") {  // which has no aliases
    AliasedOptions resolved = resolve_option_aliases(to);
    for (std::string& text : resolved.warnings) warn(node, std::move(text));
    to = std::move(resolved.text);
  }
  for (std::string& text : parse_options_on(path, to).warnings) warn(node, std::move(text));
  return true;
}

bool CaseReader::read_regions(const JsonNode& node, std::vector<Region>& to) {
  return each_object(
      node, "regions", "a region", region_keys, [&](const JsonNode& child, std::size_t) {
        Region& region = to.emplace_back();
        const auto name = [&](const JsonNode& n) { return read_string(n, region.name); };
        const auto words = [&](const JsonNode& n) {
          return read_int(n, 0, highest_int, region.words);
        };
        const auto offset = [&](const JsonNode& n) {
          return read_int(n, lowest_int, highest_int, region.offset_bytes);
        };
        const auto init = [&](const JsonNode& n) { return read_init(n, region.init); };
        if (!required(child, "name", "a region", name) ||
            !required(child, "words", "a region", words) ||
            !optional(child, "offset_bytes", offset) || !optional(child, "init", init)) {
          return false;
        }
        regions_.append(region.name);
        return read_note(child, region.note);
      });
}

bool CaseReader::read_init(const JsonNode& node, RegionInit& to) {
  if (node.kind == JsonNode::Kind::integer) return read_int(node, 0, highest_word, to.first);
  if (node.kind == JsonNode::Kind::list) return read_words(node, to.values);
  if (node.kind != JsonNode::Kind::object) {
    return fail_type(node, "a word, a list of words, or {\"first\": ..., \"step\": ...}");
  }
  const auto word = [&](std::uint32_t& target) {
    return [this, &target](const JsonNode& n) { return read_int(n, 0, highest_word, target); };
  };
  return check_keys(node, init_keys, "an initial value") &&
         optional(node, "values", [&](const JsonNode& n) { return read_words(n, to.values); }) &&
         optional(node, "first", word(to.first)) && optional(node, "step", word(to.step)) &&
         read_note(node, to.note);
}

bool CaseReader::read_words(const JsonNode& node, std::vector<std::uint32_t>& to) {
  if (!expect_list(node, "words", std::size_t{1} << 21)) return false;
  to.reserve(node.child_count);
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    to.push_back(0);
    return read_int(child, 0, highest_word, to.back());
  });
}

bool CaseReader::read_sub_kernel(const JsonNode& node, SubKernel& to) {
  tensors_ = NameIndex();
  names_ = NameIndex();
  const auto tiling = [&](const JsonNode& n) {
    return read_enum(n, "a tiling mode", names_of<Tiling, 2>(), to.tiling);
  };
  const auto number = [&](std::int32_t& target) {
    return
        [this, &target](const JsonNode& n) { return read_int(n, lowest_int, highest_int, target); };
  };
  const auto events = [&](std::vector<std::string>& target) {
    return [this, &target](const JsonNode& n) {
      return read_texts(n, "events", most_names, target);
    };
  };
  const bool read =
      required(node, "name", "a sub kernel",
               [&](const JsonNode& n) { return read_string(n, to.name); }) &&
      required(node, "type", "a sub kernel",
               [&](const JsonNode& n) { return read_type(n, to.type); }) &&
      required(node, "blocks", "a sub kernel", number(to.blocks)) &&
      optional(node, "tiling", tiling) &&
      optional(node, "launch_blocks", number(to.launch_blocks)) &&
      optional(node, "launch_type",
               [&](const JsonNode& n) { return read_type(n, to.launch_type.emplace()); }) &&
      optional(node, "tiling_key", number(to.tiling_key)) &&
      optional(node, "stream", number(to.stream)) &&
      optional(node, "recv", events(to.recv)) && optional(node, "send", events(to.send)) &&
      optional(node, "scope", [&](const JsonNode& n) { return read_marks(n, to.scope); }) &&
      optional(node, "sk_bind", number(to.sk_bind)) &&
      optional(node, "batch_mode",
               [&](const JsonNode& n) { return read_bool(n, to.batch_mode); }) &&
      optional(node, "direct_launch",
               [&](const JsonNode& n) { return read_bool(n, to.direct_launch); }) &&
      optional_text(node, "op_type", to.op_type) && read_note(node, to.note) &&
      optional(node, "tensors", [&](const JsonNode& n) { return read_tensors(n, to.tensors); }) &&
      optional(node, "names", [&](const JsonNode& n) { return read_names(n); }) &&
      optional(node, "aic", [&](const JsonNode& n) { return read_program(n, to.aic); }) &&
      optional(node, "aiv", [&](const JsonNode& n) { return read_program(n, to.aiv); });
  to.names = names_.names();
  return read;
}

bool CaseReader::read_type(const JsonNode& node, KernelType& to) {
  return read_enum(node, "a kernel type", names_of<KernelType, 6>(), to);
}

bool CaseReader::read_texts(const JsonNode& node, std::string_view plural, std::size_t most,
                            std::vector<std::string>& to) {
  if (!expect_list(node, plural, most)) return false;
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    return read_string(child, to.emplace_back());
  });
}

bool CaseReader::read_marks(const JsonNode& node, std::vector<std::string>& to) {
  if (!expect_list(node, "scope marks, each a name or null", most_names)) return false;
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    to.emplace_back();
    if (child.kind == JsonNode::Kind::null) return true;
    if (!read_string(child, to.back())) return false;
    if (!to.back().empty()) return true;
    return fail(child, "an empty scope name", "null is the mark that takes out of a scope");
  });
}

bool CaseReader::read_outside(const JsonNode& node, std::vector<OutsideActor>& to) {
  return each_object(
      node, "outside actors", "an outside actor", actor_keys,
      [&](const JsonNode& child, std::size_t) {
        OutsideActor& actor = to.emplace_back();
        return required(child, "name", "an outside actor",
                        [&](const JsonNode& n) { return read_string(n, actor.name); }) &&
               read_note(child, actor.note) &&
               required(child, "steps", "an outside actor", [&](const JsonNode& list) {
                 return each_object(list, "steps", "a step of an outside actor", outside_keys,
                                    [&](const JsonNode& step, std::size_t) {
                                      return read_outside_step(step, actor.steps.emplace_back());
                                    });
               });
      });
}

bool CaseReader::read_outside_step(const JsonNode& node, OutsideStep& to) {
  constexpr std::string_view what = "a step of an outside actor";
  if (!read_kind<OutsideKind, 4>(node, what, R"({"raise": "e"})", to.kind)) return false;
  const bool writes = to.kind == OutsideKind::write;
  const bool copies = to.kind == OutsideKind::copy;
  const auto misplaced = [&](std::string_view key, bool belongs, std::string_view kind) {
    const JsonNode* extra = belongs ? nullptr : find(node, key);
    if (extra == nullptr) return false;
    Scope scope(*this, key);
    fail(*extra, fmt::format("\"{}\" belongs to a {} step", key, kind));
    return true;
  };
  if (misplaced("at", writes || copies, "write or copy") || misplaced("values", writes, "write") ||
      misplaced("to", copies, "copy") || misplaced("to_at", copies, "copy") ||
      misplaced("count", copies, "copy") || !read_note(node, to.note)) {
    return false;
  }
  const std::string_view key = to_string(to.kind);
  const auto place = [&](std::int32_t& target) {
    return [this, &target](const JsonNode& n) { return read_int(n, 0, highest_int, target); };
  };
  if (!writes && !copies) {
    return optional(node, key, [&](const JsonNode& n) { return read_string(n, to.event); });
  }
  if (!optional(node, key, [&](const JsonNode& n) { return read_region(n, to.region); }) ||
      !optional(node, "at", place(to.at))) {
    return false;
  }
  if (writes) {
    return required(node, "values", what,
                    [&](const JsonNode& n) { return read_words(n, to.values); });
  }
  return required(node, "to", what, [&](const JsonNode& n) { return read_region(n, to.to); }) &&
         optional(node, "to_at", place(to.to_at)) && required(node, "count", what, place(to.count));
}

bool CaseReader::read_tensors(const JsonNode& node, std::vector<Tensor>& to) {
  return each_object(
      node, "GlobalTensors", "a GlobalTensor", tensor_keys,
      [&](const JsonNode& child, std::size_t) {
        Tensor& tensor = to.emplace_back();
        const auto name = [&](const JsonNode& n) { return read_string(n, tensor.name); };
        const auto region = [&](const JsonNode& n) { return read_region(n, tensor.region); };
        const auto is_const = [&](const JsonNode& n) { return read_bool(n, tensor.is_const); };
        if (!required(child, "name", "a GlobalTensor", name) ||
            !required(child, "gm", "a GlobalTensor", region) ||
            !optional(child, "const", is_const)) {
          return false;
        }
        tensors_.append(tensor.name);
        return read_note(child, tensor.note);
      });
}

bool CaseReader::read_names(const JsonNode& node) {
  if (!expect_list(node, "names", most_names)) return false;
  return each(node, [&](const JsonNode& child, std::size_t index) {
    Scope scope(*this, index);
    std::string name;
    if (!read_string(child, name)) return false;
    names_.append(name);
    return true;
  });
}

bool CaseReader::read_plan(const JsonNode& node, const Mix& mix, Plan& to) {
  NameIndex kernels;
  for (const SubKernel& kernel : mix.sub_kernels) kernels.append(kernel.name);
  return each_object(node, "steps", "a step", step_keys, [&](const JsonNode& child, std::size_t) {
    return read_step(child, kernels, to.steps.emplace_back());
  });
}

bool CaseReader::read_step(const JsonNode& node, const NameIndex& kernels, PlanStep& to) {
  if (!read_kind<StepKind, 5>(node, "a step", R"({"fused": ["k0", "k1"]})", to.kind)) return false;
  if (!read_note(node, to.note)) return false;
  if (to.kind == StepKind::host_write) {
    return optional(node, "host_write",
                    [&](const JsonNode& n) { return read_region(n, to.region); }) &&
           optional(node, "at",
                    [&](const JsonNode& n) { return read_int(n, 0, highest_int, to.at); }) &&
           required(node, "values", "a host_write step",
                    [&](const JsonNode& n) { return read_words(n, to.values); });
  }
  for (const std::string_view key : {"at", "values"}) {
    if (const JsonNode* extra = find(node, key)) {
      Scope scope(*this, key);
      return fail(*extra, fmt::format("\"{}\" belongs to a host_write step", key));
    }
  }
  if (to.kind == StepKind::beside) {
    const auto sharing = [&](const JsonNode& n) {
      return read_enum(n, "a way to share the cores", names_of<CoreSharing, 2>(), to.sharing);
    };
    return optional(node, "sharing", sharing) && optional(node, "beside", [&](const JsonNode& n) {
             return each_object(n, "steps", "a step", step_keys,
                                [&](const JsonNode& child, std::size_t) {
                                  if (find(child, "beside") != nullptr) {
                                    return fail(child, "a beside step inside a beside step",
                                                "list its steps in the outer one");
                                  }
                                  return read_step(child, kernels, to.beside.emplace_back());
                                });
           });
  }
  if (const JsonNode* extra = find(node, "sharing")) {
    Scope scope(*this, "sharing");
    return fail(*extra, "\"sharing\" belongs to a beside step");
  }
  return optional(node, to_string(to.kind), [&](const JsonNode& list) {
    if (!expect_list(list, "sub kernels", most_names)) return false;
    return each(list, [&](const JsonNode& child, std::size_t index) {
      Scope scope(*this, index);
      std::int64_t place = 0;
      if (!read_reference(child, "a sub kernel of the mix", kernels, place)) return false;
      to.sub_kernels.push_back(static_cast<std::int32_t>(place));
      return true;
    });
  });
}

bool CaseReader::read_latitudes(const JsonNode& node, std::vector<std::string>& to) {
  return read_texts(node, "latitude pins such as \"L-14=drained\"", 64, to);
}

bool CaseReader::read_schedule(const JsonNode& node, Schedule& to) {
  return expect_object(node, "a schedule") && check_keys(node, schedule_keys, "a schedule") &&
         optional_text(node, "strategy", to.strategy) &&
         optional(node, "seed", [&](const JsonNode& n) { return read_uint64(n, to.seed); }) &&
         optional(node, "choices", [&](const JsonNode& n) { return read_words(n, to.choices); }) &&
         read_note(node, to.note);
}

bool CaseReader::read_expectation(const JsonNode& node, Expectation& to) {
  static constexpr std::array<std::string_view, 7> names = {
      "refused",    "error",    "stalls", "may-stall", "nondeterministic-data",
      "wrong-data", "completes"};
  const auto behaviour = [&](const JsonNode& n) {
    std::size_t place = 0;
    if (!read_name(n, "a behaviour", names, place)) return false;
    to.behaviour = *find_behaviour(names[place]);
    return true;
  };
  return expect_object(node, "an expectation") && check_keys(node, expect_keys, "an expectation") &&
         required(node, "behaviour", "an expectation", behaviour) &&
         optional_text(node, "rule", to.rule) && read_note(node, to.note);
}

bool CaseReader::read_provenance(const JsonNode& node, Provenance& to) {
  return expect_object(node, "a provenance") && check_keys(node, provenance_keys, "a provenance") &&
         optional_text(node, "source", to.source) &&
         optional(node, "seed", [&](const JsonNode& n) { return read_uint64(n, to.seed); }) &&
         optional(node, "index", [&](const JsonNode& n) { return read_uint64(n, to.index); }) &&
         optional_text(node, "target", to.target) && optional_text(node, "rule", to.rule) &&
         optional_text(node, "key", to.key) && read_note(node, to.note);
}

namespace {

/// The value of a reading, or its error.
Result<Case> without_warnings(Result<CaseReading> reading) {
  if (!reading) return std::move(reading).error();
  return std::move(reading.value().value);
}

}  // namespace

Result<CaseReading> read_case_with_warnings(std::string_view text, std::string_view file) {
  const JsonLimits limits{.bytes = max_case_bytes, .depth = max_case_depth};
  const Result<JsonTree> tree = parse_json(text, file, limits);
  if (!tree) return tree.error();
  CaseReader reader(text, file, *tree);
  CaseReading reading;
  if (!reader.read(reading.value)) return reader.error();
  reading.warnings = reader.warnings();
  return reading;
}

Result<Case> read_case(std::string_view text, std::string_view file) {
  return without_warnings(read_case_with_warnings(text, file));
}

Result<std::string> read_case_file_text(const std::string& path) {
  return read_text_file(path, max_case_bytes);
}

Result<CaseReading> read_case_file_with_warnings(const std::string& path) {
  const Result<std::string> text = read_case_file_text(path);
  if (!text) return text.error();
  return read_case_with_warnings(*text, path);
}

Result<Case> read_case_file(const std::string& path) {
  return without_warnings(read_case_file_with_warnings(path));
}

}  // namespace skcts
