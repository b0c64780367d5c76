// Writing case text in its canonical form.
#include <fmt/format.h>

#include "spec/case_layout.h"
#include "spec/case_text.h"
#include "spec/instruction_write.h"

namespace skcts {
namespace {

std::string inline_words(const std::vector<std::uint32_t>& words) {
  return fmt::format("[{}]", fmt::join(words, ", "));
}

}  // namespace

std::string inline_names(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) {
    if (text.size() > 1) text += ", ";
    text += json_quoted(name);
  }
  return text + "]";
}

namespace {

/// Scope marks; None is null.
std::string inline_marks(const std::vector<std::string>& marks) {
  std::string text = "[";
  for (const std::string& mark : marks) {
    if (text.size() > 1) text += ", ";
    text += mark.empty() ? "null" : json_quoted(mark);
  }
  return text + "]";
}

std::string region_text(const Region& region) {
  Inline object;
  object.add_text("name", region.name);
  object.add_int("words", region.words);
  if (region.offset_bytes != 0) object.add_int("offset_bytes", region.offset_bytes);
  const RegionInit& init = region.init;
  const bool plain = init.note.empty() && init.step == 0;
  if (plain && init.values.empty()) {
    if (init.first != 0) object.add_int("init", init.first);
  } else if (plain && init.first == 0) {
    object.add("init", inline_words(init.values));
  } else {
    Inline inner;
    if (!init.values.empty()) inner.add("values", inline_words(init.values));
    if (init.first != 0) inner.add_int("first", init.first);
    if (init.step != 0) inner.add_int("step", init.step);
    inner.add_note(init.note);
    object.add("init", std::move(inner).done());
  }
  object.add_note(region.note);
  return std::move(object).done();
}

std::string tensor_text(const Mix& mix, const Tensor& tensor) {
  Inline object;
  object.add_text("name", tensor.name);
  object.add("gm", name_at(mix.regions, tensor.region, [](const Region& r) { return r.name; }));
  if (tensor.is_const) object.add("const", "true");
  object.add_note(tensor.note);
  return std::move(object).done();
}

void write_program(Layout& out, const InstructionWriter& writer,
                   const std::vector<Instruction>& program) {
  out.open('[');
  for (const Instruction& in : program) {
    out.item();
    if (in.op != Op::repeat) {
      out.raw(writer.whole(in));
      continue;
    }
    // The body is the one part of an instruction that has lines of its own.
    std::string head = writer.head(in).done();
    head.pop_back();
    out.raw(head + ", \"body\": ");
    write_program(out, writer, in.body);
    out.raw("}");
  }
  out.close(']');
}

}  // namespace

void write_regions(Layout& out, const std::vector<Region>& regions) {
  out.open('[');
  for (const Region& region : regions) {
    out.item();
    out.raw(region_text(region));
  }
  out.close(']');
}

void write_sub_kernel(Layout& out, const Mix& mix, const SubKernel& kernel) {
  const InstructionWriter writer(mix, kernel);
  out.open('{');
  out.text("name", kernel.name);
  out.text("type", to_string(kernel.type));
  out.key("blocks");
  out.raw(fmt::format("{}", kernel.blocks));
  if (kernel.tiling != Tiling::fixed) out.text("tiling", to_string(kernel.tiling));
  const auto number = [&](std::string_view key, std::int32_t value) {
    if (value == 0) return;
    out.key(key);
    out.raw(fmt::format("{}", value));
  };
  const auto names = [&](std::string_view key, const std::vector<std::string>& list) {
    if (list.empty()) return;
    out.key(key);
    out.raw(inline_names(list));
  };
  const auto flag = [&](std::string_view key, bool value) {
    if (!value) return;
    out.key(key);
    out.raw("true");
  };
  number("launch_blocks", kernel.launch_blocks);
  if (kernel.launch_type) out.text("launch_type", to_string(*kernel.launch_type));
  number("tiling_key", kernel.tiling_key);
  if (!kernel.op_type.empty()) out.text("op_type", kernel.op_type);
  number("stream", kernel.stream);
  names("recv", kernel.recv);
  names("send", kernel.send);
  if (!kernel.scope.empty()) {
    out.key("scope");
    out.raw(inline_marks(kernel.scope));
  }
  number("sk_bind", kernel.sk_bind);
  flag("batch_mode", kernel.batch_mode);
  flag("direct_launch", kernel.direct_launch);
  out.note(kernel.note);
  if (!kernel.tensors.empty()) {
    out.key("tensors");
    out.open('[');
    for (const Tensor& tensor : kernel.tensors) {
      out.item();
      out.raw(tensor_text(mix, tensor));
    }
    out.close(']');
  }
  if (!names_in_order_of_use(kernel)) {
    out.key("names");
    out.raw(inline_names(kernel.names));
  }
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (kernel.program(kind).empty()) continue;
    out.key(to_string(kind));
    write_program(out, writer, kernel.program(kind));
  }
  out.close('}');
}

namespace {

std::string outside_step_text(const Mix& mix, const OutsideStep& step) {
  const auto region = [&](std::int16_t place) {
    return name_at(mix.regions, place, [](const Region& r) { return r.name; });
  };
  Inline object;
  if (step.kind == OutsideKind::wait || step.kind == OutsideKind::raise) {
    object.add_text(to_string(step.kind), step.event);
  } else {
    object.add(to_string(step.kind), region(step.region));
    if (step.at != 0) object.add_int("at", step.at);
    if (step.kind == OutsideKind::write) {
      object.add("values", inline_words(step.values));
    } else {
      object.add("to", region(step.to));
      if (step.to_at != 0) object.add_int("to_at", step.to_at);
      object.add_int("count", step.count);
    }
  }
  object.add_note(step.note);
  return std::move(object).done();
}

void write_actor(Layout& out, const Mix& mix, const OutsideActor& actor) {
  out.open('{');
  out.text("name", actor.name);
  out.note(actor.note);
  out.key("steps");
  out.open('[');
  for (const OutsideStep& step : actor.steps) {
    out.item();
    out.raw(outside_step_text(mix, step));
  }
  out.close(']');
  out.close('}');
}

void write_mix(Layout& out, const Mix& mix) {
  out.open('{');
  if (!mix.options.empty()) out.text("options", mix.options);
  out.note(mix.note);
  if (!mix.regions.empty()) {
    out.key("regions");
    write_regions(out, mix.regions);
  }
  out.key("sub_kernels");
  out.open('[');
  for (const SubKernel& kernel : mix.sub_kernels) {
    out.item();
    write_sub_kernel(out, mix, kernel);
  }
  out.close(']');
  if (!mix.outside.empty()) {
    out.key("outside");
    out.open('[');
    for (const OutsideActor& actor : mix.outside) {
      out.item();
      write_actor(out, mix, actor);
    }
    out.close(']');
  }
  out.close('}');
}

std::string step_text(const Mix& mix, const PlanStep& step) {
  Inline object;
  if (step.kind == StepKind::beside) {
    std::string list = "[";
    for (const PlanStep& inner : step.beside) {
      if (list.size() > 1) list += ", ";
      list += step_text(mix, inner);
    }
    object.add(to_string(step.kind), list + "]");
    if (step.sharing != CoreSharing::batch) object.add_text("sharing", to_string(step.sharing));
  } else if (step.kind == StepKind::host_write) {
    object.add(to_string(step.kind),
               name_at(mix.regions, step.region, [](const Region& r) { return r.name; }));
    if (step.at != 0) object.add_int("at", step.at);
    object.add("values", inline_words(step.values));
  } else {
    std::string list = "[";
    for (const std::int32_t place : step.sub_kernels) {
      if (list.size() > 1) list += ", ";
      list += name_at(mix.sub_kernels, place, [](const SubKernel& k) { return k.name; });
    }
    object.add(to_string(step.kind), list + "]");
  }
  object.add_note(step.note);
  return std::move(object).done();
}

std::string expectation_text(const Expectation& expect) {
  Inline object;
  object.add_text("behaviour", to_string(expect.behaviour));
  if (!expect.rule.empty()) object.add_text("rule", expect.rule);
  object.add_note(expect.note);
  return std::move(object).done();
}

std::string provenance_text(const Provenance& from) {
  Inline object;
  if (!from.source.empty()) object.add_text("source", from.source);
  if (from.seed != 0) object.add_int("seed", from.seed);
  if (from.index != 0) object.add_int("index", from.index);
  if (!from.target.empty()) object.add_text("target", from.target);
  if (!from.rule.empty()) object.add_text("rule", from.rule);
  if (!from.key.empty()) object.add_text("key", from.key);
  object.add_note(from.note);
  return std::move(object).done();
}

void write_schedule(Layout& out, const Schedule& schedule) {
  out.open('{');
  if (!schedule.strategy.empty()) out.text("strategy", schedule.strategy);
  if (schedule.seed != 0) {
    out.key("seed");
    out.raw(fmt::format("{}", schedule.seed));
  }
  out.note(schedule.note);
  if (!schedule.choices.empty()) {
    out.key("choices");
    out.words(schedule.choices);
  }
  out.close('}');
}

}  // namespace

std::string write_case(const Case& value) {
  Layout out;
  out.open('{');
  out.key("format");
  out.raw(fmt::format("{}", case_format));
  if (!value.name.empty()) out.text("name", value.name);
  out.note(value.note);
  out.text("profile", value.profile);
  out.text("path", value.path);
  if (!value.latitudes.empty()) {
    out.key("latitudes");
    out.raw(inline_names(value.latitudes));
  }
  out.key("mix");
  write_mix(out, value.mix);
  if (!value.plan.steps.empty()) {
    out.key("plan");
    out.open('[');
    for (const PlanStep& step : value.plan.steps) {
      out.item();
      out.raw(step_text(value.mix, step));
    }
    out.close(']');
  }
  if (value.expect) {
    out.key("expect");
    out.raw(expectation_text(*value.expect));
  }
  if (value.schedule) {
    out.key("schedule");
    write_schedule(out, *value.schedule);
  }
  if (value.provenance) {
    out.key("provenance");
    out.raw(provenance_text(*value.provenance));
  }
  out.close('}');
  return std::move(out).done();
}

std::string write_instruction(const Mix& mix, const SubKernel& sub_kernel,
                              const Instruction& instruction) {
  return InstructionWriter(mix, sub_kernel).whole(instruction);
}

}  // namespace skcts
