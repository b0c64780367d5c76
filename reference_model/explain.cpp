#include "reference_model/explain.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reference_model/wait_chain.h"
#include "spec/case_text.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

using Json = nlohmann::ordered_json;

std::string sub_kernel_name(const Mix& mix, std::int32_t place) {
  if (place < 0 || place >= static_cast<std::int32_t>(mix.sub_kernels.size())) return "";
  return mix.sub_kernels[static_cast<std::size_t>(place)].name;
}

/// "CrossCoreWaitFlag", or "" where the SuperKernel inserted the step.
std::string op_name(const Mix& mix, std::int32_t sub_kernel, CoreKind kind,
                    std::int32_t instruction) {
  if (instruction < 0 || sub_kernel < 0 ||
      sub_kernel >= static_cast<std::int32_t>(mix.sub_kernels.size())) {
    return "";
  }
  const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(sub_kernel)];
  const Instruction* found = instruction_at(sub.program(kind), instruction);
  return found == nullptr ? "" : std::string(to_string(found->op));
}

std::string latitude_list(const std::vector<LatitudeId>& latitudes) {
  std::string text;
  for (const LatitudeId id : latitudes) {
    text += fmt::format("{}L-{}", text.empty() ? "" : ", ", static_cast<int>(id));
  }
  return text;
}

void add_launches(std::string& text, const Mix& mix, const Analysis& analysis) {
  for (const LaunchShape& shape : analysis.launches) {
    std::string names;
    for (const std::int32_t place : shape.sub_kernels) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", sub_kernel_name(mix, place));
    }
    text +=
        fmt::format("launch: {} x {} ({} AIC, {} AIV){}: {}\n", to_string(shape.type), shape.blocks,
                    shape.aic_count, shape.aiv_count, shape.fused ? "" : " alone", names);
  }
}

/// Cores that stand alike are one line.
void add_waits(std::string& text, const Mix& mix, const Analysis& analysis) {
  for (const WaitGroup& group : wait_groups(analysis.waiting)) {
    const Waiting& at = group.wait.waiting;
    const std::string op = op_name(mix, at.sub_kernel, at.core.kind, at.instruction);
    text += fmt::format(
        "waits: {} at {} {}: {} [{}]\n", core_names(group.cores),
        sub_kernel_name(mix, at.sub_kernel),
        op.empty() ? std::string("boundary") : fmt::format("#{} {}", at.instruction, op),
        group_text(group), to_string(group.wait.rule));
  }
}

/// Why the set may be wider than what can happen.
void add_inexact(std::string& text, std::string_view about, InexactReasons reasons) {
  for (const Inexact reason : reasons.list()) {
    text += fmt::format("not exact ({}): {}\n", about, sentence_of(reason));
  }
}

void add_inexact(Json& list, std::string_view about, InexactReasons reasons) {
  for (const Inexact reason : reasons.list()) {
    list.push_back(
        Json{{"reason", to_string(reason)}, {"about", about}, {"text", sentence_of(reason)}});
  }
}

Json access_json(const Mix& mix, const Access& access) {
  return Json{{"core", to_string(access.core)},
              {"sub_kernel", sub_kernel_name(mix, access.sub_kernel)},
              {"instruction", access.instruction},
              {"op", op_name(mix, access.sub_kernel, access.core.kind, access.instruction)},
              {"pipe", to_string(access.pipe)},
              {"write", access.write},
              {"memory", to_string(access.space)},
              {"word", access.word},
              {"words", access.words},
              {"text", access.text}};
}

Json rule_json(const std::optional<RuleId>& rule) {
  return rule ? Json(to_string(*rule)) : Json(nullptr);
}

Json latitudes_json(const std::vector<LatitudeId>& latitudes) {
  Json list = Json::array();
  for (const LatitudeId id : latitudes) list.push_back(fmt::format("L-{}", static_cast<int>(id)));
  return list;
}

Json launch_json(const Mix& mix, const LaunchShape& shape) {
  Json names = Json::array();
  for (const std::int32_t place : shape.sub_kernels) names.push_back(sub_kernel_name(mix, place));
  return Json{{"type", to_string(shape.type)}, {"blocks", shape.blocks},
              {"aic", shape.aic_count},        {"aiv", shape.aiv_count},
              {"fused", shape.fused},          {"sub_kernels", std::move(names)}};
}

/// Each edit with what it needs to be made again; places count with the edits before it made.
Json repair_json(const Case& test_case, const Repair& repair) {
  Json edits = Json::array();
  Case made = test_case;
  for (const Edit& edit : repair.edits) {
    const Mix& now = made.mix;
    Json one{{"kind", to_string(edit.kind)}};
    if (edit.at.sub_kernel >= 0) one["sub_kernel"] = sub_kernel_name(now, edit.at.sub_kernel);
    if (edit.at.place >= 0) {
      one["side"] = to_string(edit.at.side);
      one["place"] = edit.at.place;
    }
    const SubKernel* sub = edit.at.sub_kernel < 0
                               ? nullptr
                               : &now.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)];
    switch (edit.kind) {
      case EditKind::insert:
      case EditKind::insert_behind:
      case EditKind::change:
        one["instruction"] = Json::parse(write_instruction(now, *sub, edit.instruction));
        break;
      case EditKind::split:
      case EditKind::remove: break;
      case EditKind::options: one["options"] = edit.options; break;
      case EditKind::kernel_type: one["type"] = to_string(edit.type); break;
      case EditKind::widen: one["blocks"] = edit.blocks; break;
      case EditKind::region:
        one["region"] = now.regions[static_cast<std::size_t>(edit.region)].name;
        one["words"] = edit.words;
        one["init"] = Json{
            {"values", edit.init.values}, {"first", edit.init.first}, {"step", edit.init.step}};
        break;
    }
    edits.push_back(std::move(one));
    made = repaired(made, {{edit}});
  }
  return Json{{"sentence", sentence_of(test_case, repair)}, {"edits", std::move(edits)}};
}

/// The first set of words in full, up to a length; how many more there are.
void add_way(std::string& text, const std::vector<std::string>& way) {
  constexpr std::size_t steps_max = 24;
  const auto is_heading = [](const std::string& line) { return line.ends_with(':'); };
  const auto next = way.empty() ? way.end() : std::find_if(way.begin() + 1, way.end(), is_heading);
  const auto shown =
      std::min(next, way.begin() + static_cast<std::ptrdiff_t>(std::min(steps_max, way.size())));
  if (!way.empty()) text += "one way:\n";
  for (auto line = way.begin(); line != shown; ++line) text += "  " + *line + "\n";
  const auto steps = next - shown;
  const auto sets = std::count_if(next, way.end(), is_heading);
  if (steps > 0) text += fmt::format("  and {} more step{}\n", steps, steps == 1 ? "" : "s");
  if (sets > 0) text += fmt::format("  and {} more set{} of words\n", sets, sets == 1 ? "" : "s");
}

}  // namespace

std::string explain_text(const Case& test_case, const Analysis& analysis, const MoreToTell& more) {
  const Mix& mix = test_case.mix;
  std::string text =
      fmt::format("{}{}", to_string(analysis.behaviour),
                  analysis.rule ? fmt::format(" [{}]", to_string(*analysis.rule)) : "");
  if (!analysis.sentence.empty()) text += ": " + analysis.sentence;
  text += "\n";
  add_launches(text, mix, analysis);
  add_waits(text, mix, analysis);
  constexpr std::size_t races_max = 8;
  for (std::size_t i = 0; i < analysis.races.size() && i < races_max; ++i) {
    const Race& race = analysis.races[i];
    text += fmt::format("race: {} against {}: {} [{}, {}]\n", race.first.text, race.second.text,
                        race.missing_edge, to_string(race.rule), race.hazard);
  }
  if (analysis.races.size() > races_max) {
    text += fmt::format("race: {} more\n", analysis.races.size() - races_max);
  }
  if (more.repair) text += fmt::format("repair: {}\n", sentence_of(test_case, *more.repair));
  for (const Also& also : analysis.also) {
    std::string what;
    if (also.behaviour) what += fmt::format(" {}", to_string(*also.behaviour));
    if (also.rule) what += fmt::format(" [{}]", to_string(*also.rule));
    if (!also.latitudes.empty()) what += fmt::format(" under {}", latitude_list(also.latitudes));
    text += fmt::format("also:{}{}{}\n", what, what.empty() || also.witness.empty() ? "" : ":",
                        also.witness.empty() ? "" : " " + also.witness);
  }
  if (!analysis.latitudes.empty()) {
    text += fmt::format("leans on: {}\n", latitude_list(analysis.latitudes));
  }
  add_inexact(text, "status", analysis.stall_open);
  add_inexact(text, "values", analysis.data_open);
  add_way(text, more.way);
  return text;
}

std::string explain_json(const Case& test_case, const Analysis& analysis, const MoreToTell& more) {
  const Mix& mix = test_case.mix;
  Json json;
  json["behaviour"] = to_string(analysis.behaviour);
  json["rule"] = rule_json(analysis.rule);
  json["sentence"] = analysis.sentence;
  json["exact"] = analysis.exact;
  json["inexact"] = Json::array();
  add_inexact(json["inexact"], "status", analysis.stall_open);
  add_inexact(json["inexact"], "values", analysis.data_open);
  json["portable"] = analysis.portable;
  json["way"] = more.way;
  json["also"] = Json::array();
  for (const Also& also : analysis.also) {
    json["also"].push_back(
        Json{{"behaviour", also.behaviour ? Json(to_string(*also.behaviour)) : Json(nullptr)},
             {"rule", rule_json(also.rule)},
             {"latitudes", latitudes_json(also.latitudes)},
             {"witness", also.witness}});
  }
  json["latitudes"] = latitudes_json(analysis.latitudes);
  json["waiting"] = Json::array();
  for (const StuckWait& wait : analysis.waiting) {
    const Waiting& at = wait.waiting;
    Json missing = Json::array();
    for (const CoreId core : wait.missing) missing.push_back(to_string(core));
    json["waiting"].push_back(
        Json{{"core", to_string(at.core)},
             {"launch", at.launch},
             {"sub_kernel", sub_kernel_name(mix, at.sub_kernel)},
             {"instruction", at.instruction},
             {"op", op_name(mix, at.sub_kernel, at.core.kind, at.instruction)},
             {"kind", to_string(at.kind)},
             {"id", at.id},
             {"missing", std::move(missing)},
             {"root", wait.root},
             {"certain", wait.certain},
             {"rule", to_string(wait.rule)},
             {"reason", wait.reason}});
  }
  json["races"] = Json::array();
  for (const Race& race : analysis.races) {
    json["races"].push_back(Json{{"rule", to_string(race.rule)},
                                 {"hazard", race.hazard},
                                 {"first", access_json(mix, race.first)},
                                 {"second", access_json(mix, race.second)},
                                 {"missing_edge", race.missing_edge},
                                 {"text", race.text}});
  }
  json["repair"] = more.repair ? repair_json(test_case, *more.repair) : Json(nullptr);
  json["launch"] =
      analysis.launches.empty() ? Json(nullptr) : launch_json(mix, analysis.launches.front());
  json["launches"] = Json::array();
  for (const LaunchShape& shape : analysis.launches) {
    json["launches"].push_back(launch_json(mix, shape));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skcts::model
