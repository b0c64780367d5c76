#include "reference_model/trace.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reference_model/timing.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

using Json = nlohmann::ordered_json;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Lanes of a core: its sub kernels above its pipes.
constexpr int sub_kernel_lane = 0;
int lane_of(Pipe pipe) {
  return pipe == Pipe::all ? 1 : 1 + static_cast<int>(pipe);
}

constexpr std::int64_t ticks = 10;  ///< Microseconds that a unit of logical time is drawn with.

class Tracer : public LaunchListener {
 public:
  Tracer(const Case& test_case, const Analysis& analysis) : mix_(test_case.mix) {
    for (const StuckWait& wait : analysis.waiting) {
      reasons_[{wait.waiting.launch, wait.waiting.core, wait.waiting.instruction}] = wait.reason;
    }
  }

  void launch(const LaunchView& view) override {
    view_ = &view;
    timing_ = timing_of(view.program, view.stall, one_unit);
    names_.clear();
    for (std::size_t t = 0; t < view.program.threads.size(); ++t) thread(t);
    start_ += timing_.end + 2;  // the next launch comes behind
  }

  std::string text(const Case& test_case) && {
    Json trace;
    trace["traceEvents"] = std::move(events_);
    trace["displayTimeUnit"] = "ms";
    trace["metadata"] =
        Json{{"case", test_case.name},
             {"clock", "logical"},
             {"note",
              fmt::format("Logical time, no measurement: each step takes one unit ({} us in this "
                          "file) and starts as soon as the order of the analysis lets it.",
                          ticks)}};
    return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  std::int64_t process(std::size_t thread) const {
    const Thread& own = view_->program.threads[thread];
    const CoreId core = own.core;
    if (own.outside >= 0) return view_->number * 100'000 + 50'000 + own.outside;
    const std::int64_t number = core.kind == CoreKind::aic ? core.index : 10'000 + core.index;
    return launch_of(own) * 100'000 + number;
  }
  std::int32_t launch_of(const Thread& thread) const {
    return view_->program.number_of(thread, view_->number);
  }
  /// Where a step starts in the drawing.
  std::int64_t drawn(std::int64_t time) const { return (start_ + time) * ticks; }

  void name(const char* kind, std::int64_t pid, int tid, Json args) {
    if (!names_.insert({kind, pid, tid}).second) return;
    Json event{{"name", kind}, {"ph", "M"}, {"pid", pid}, {"tid", tid}};
    event["args"] = std::move(args);
    events_.push_back(std::move(event));
  }

  void slice(std::int64_t pid, int tid, std::int64_t from, std::int64_t to, std::string what,
             const char* category, Json args) {
    Json event{{"name", std::move(what)},    {"cat", category}, {"ph", "X"}, {"ts", drawn(from)},
               {"dur", (to - from) * ticks}, {"pid", pid},      {"tid", tid}};
    event["args"] = std::move(args);
    events_.push_back(std::move(event));
  }

  void thread(std::size_t number) {
    const Thread& own = view_->program.threads[number];
    const std::int64_t pid = process(number);
    name("process_name", pid, 0,
         Json{{"name", fmt::format("launch {} {}", launch_of(own),
                                   own.outside >= 0 ? fmt::format("outside {}", own.outside)
                                                    : to_string(own.core))}});
    name("process_sort_index", pid, 0, Json{{"sort_index", pid}});
    sub_kernels(number);
    const std::int32_t first = view_->stall.first_step[number];
    for (std::size_t i = 0; i < own.steps.size(); ++i) {
      if (own.steps[i].kind == StepKind::mark) continue;
      step(number, own.steps[i], first + static_cast<std::int32_t>(i));
    }
  }

  /// From the first to the last of what a core does for a sub kernel.
  void sub_kernels(std::size_t number) {
    const Thread& own = view_->program.threads[number];
    const std::int64_t pid = process(number);
    struct Span {
      std::int64_t from = -1, to = -1;
    };
    std::map<std::int32_t, Span> spans;
    for (std::size_t i = 0; i < own.steps.size(); ++i) {
      const Step& step = own.steps[i];
      const StepTime& time = timing_.steps[at(view_->stall.first_step[number]) + i];
      if (step.sub_kernel < 0 || step.instruction < 0) continue;
      if (time.start < 0 && time.issued < 0) continue;
      Span& span = spans[step.sub_kernel];
      const std::int64_t from = time.issued >= 0 ? time.issued : time.start;
      span.from = span.from < 0 ? from : std::min(span.from, from);
      span.to = std::max(span.to, time.end < 0 ? timing_.end + 1 : time.end);
    }
    if (spans.empty()) return;
    name("thread_name", pid, sub_kernel_lane, Json{{"name", "sub kernels"}});
    name("thread_sort_index", pid, sub_kernel_lane, Json{{"sort_index", sub_kernel_lane}});
    std::int64_t shown = 0;  // slices of one lane must not cross
    for (const auto& [place, span] : spans) {
      const std::int64_t from = std::max(span.from, shown);
      if (span.to <= from) continue;
      slice(pid, sub_kernel_lane, from, span.to, sub_kernel(place).name, "sub kernel",
            Json::object());
      shown = span.to;
    }
  }

  const SubKernel& sub_kernel(std::int32_t place) const {
    return mix_.sub_kernels[at(view_->program.shape.sub_kernels[at(place)])];
  }

  std::string what(const Step& step, CoreKind kind) const {
    if (step.instruction >= 0 && step.sub_kernel >= 0) {
      const SubKernel& owner = sub_kernel(step.sub_kernel);
      const Instruction* in = instruction_at(owner.program(kind), step.instruction);
      if (in != nullptr) return std::string(to_string(in->op));
    }
    switch (step.kind) {
      case StepKind::refresh: return "refresh (inserted)";
      case StepKind::arrive: return "boundary: arrives";
      case StepKind::pass: return "boundary";
      default: return "inserted";
    }
  }

  Json arguments(const Step& step) const {
    Json args = Json::object();
    if (step.sub_kernel >= 0) args["sub_kernel"] = sub_kernel(step.sub_kernel).name;
    if (step.instruction >= 0) args["instruction"] = step.instruction;
    if (step.id >= 0 && step.kind != StepKind::mark) args["id"] = step.id;
    return args;
  }

  void step(std::size_t number, const Step& step, std::int32_t flat) {
    const StepTime& time = timing_.steps[at(flat)];
    const CoreId core = view_->program.threads[number].core;
    const std::int64_t pid = process(number);
    const bool waits = step.kind == StepKind::wait || step.kind == StepKind::pass ||
                       step.kind == StepKind::poll || step.kind == StepKind::wait_event;
    if (time.end < 0 && !(waits && time.issued >= 0)) return;
    const int tid = lane_of(step.pipe);
    name("thread_name", pid, tid,
         Json{{"name",
               step.pipe == Pipe::all ? std::string("S") : std::string(to_string(step.pipe))}});
    name("thread_sort_index", pid, tid, Json{{"sort_index", tid}});
    const std::string told = what(step, core.kind);
    if (time.end < 0) {
      if (!is_first_stuck(number, step, flat)) return;
      Json args = arguments(step);
      const auto reason =
          reasons_.find({launch_of(view_->program.threads[number]), core, step.instruction});
      if (reason != reasons_.end()) args["reason"] = reason->second;
      slice(pid, tid, standing(number, step, time), timing_.end + 1, "STUCK: " + told, "stuck",
            std::move(args));
      return;
    }
    const std::int64_t stood = standing(number, step, time);
    if (waits && time.start > stood) {
      slice(pid, tid, stood, time.start, "waits: " + told, "waiting", arguments(step));
    }
    slice(pid, tid, time.start, time.end, told, "step", arguments(step));
    busy_[{pid, tid}] = time.end;
    if (time.released_by >= 0) arrow(time.released_by, flat);
  }

  /// When a step is at the head of its pipe.
  std::int64_t standing(std::size_t number, const Step& step, const StepTime& time) const {
    const auto busy = busy_.find({process(number), lane_of(step.pipe)});
    return std::max(time.issued, busy == busy_.end() ? std::int64_t{0} : busy->second);
  }

  /// Only the head of a stuck pipe stands; what is behind it is not seen.
  bool is_first_stuck(std::size_t number, const Step& step, std::int32_t flat) const {
    for (std::int32_t before = view_->stall.first_step[number]; before < flat; ++before) {
      const Step& other =
          view_->program.threads[number].steps[at(before - view_->stall.first_step[number])];
      const bool stands = timing_.steps[at(before)].issued >= 0 &&
                          timing_.steps[at(before)].end < 0 && other.kind != StepKind::mark;
      if (stands && other.pipe == step.pipe) return false;
    }
    return true;
  }

  void arrow(std::int32_t from, std::int32_t to) {
    const auto end = [&](const char* phase, std::int32_t flat) {
      const auto thread = at(view_->stall.thread_of(flat));
      const Step& step =
          view_->program.threads[thread].steps[at(flat - view_->stall.first_step[thread])];
      Json event{{"name", "releases"},
                 {"cat", "order"},
                 {"ph", phase},
                 {"id", flows_},
                 {"ts", drawn(timing_.steps[at(flat)].start)},
                 {"pid", process(thread)},
                 {"tid", lane_of(step.pipe)}};
      if (*phase == 'f') event["bp"] = "e";
      events_.push_back(std::move(event));
    };
    ++flows_;
    end("s", from);
    end("f", to);
  }

  const Mix& mix_;
  const LaunchView* view_ = nullptr;
  Timing timing_;
  std::int64_t start_ = 0;
  std::int64_t flows_ = 0;
  Json events_ = Json::array();
  std::set<std::tuple<std::string, std::int64_t, int>> names_;
  std::map<std::pair<std::int64_t, int>, std::int64_t> busy_;
  std::map<std::tuple<std::int32_t, CoreId, std::int32_t>, std::string> reasons_;
};

}  // namespace

std::string trace_json(Model& model, const Case& test_case, const std::vector<LatitudePin>& pins,
                       const Analysis& analysis) {
  Tracer tracer(test_case, analysis);
  model.show(test_case, pins, tracer);
  return std::move(tracer).text(test_case);
}

}  // namespace skcts::model
