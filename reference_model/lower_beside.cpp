// Launches side by side, written into one program.
//
// Each launch is written out as if it were the only one, with threads, joins and sub kernels of its
// own. What meets are GM, events (the join of the launch that raises it is the one) and ends: all
// cores of a launch arrive at its end behind the write-back of their caches, and whatever has to
// wait for the launch passes there. The end raises the event of a sub kernel that is launched
// alone.
#include <algorithm>

#include "reference_model/lower.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

bool has_no_raiser(const Join& join) {
  return join.members == std::vector<std::int32_t>{-1};
}

/// Appends launches to a program.
class Assembly {
 public:
  Assembly(std::span<const LaunchProgram> pieces, std::span<const BesideLaunch> launches,
           LaunchProgram& program)
      : pieces_(pieces), launches_(launches), out_(program) {}

  void run(std::span<const std::map<std::string, std::int32_t, std::less<>>> events) {
    start();
    for (std::size_t p = 0; p < pieces_.size(); ++p) append(p);
    meet_at_events(events);
    for (std::size_t p = 0; p < pieces_.size(); ++p) begin_and_end(p);
  }
  std::int32_t thread_of(std::size_t piece, std::int32_t thread) const {
    if (thread < 0) return thread;
    const std::int32_t cores = out_.parts[piece].core_count();
    if (thread < cores) return out_.parts[piece].first_thread + thread;
    return first_extra_[piece] + thread - cores;
  }

 private:
  /// All cores first, then whatever else has threads.
  void start() {
    out_ = LaunchProgram();
    out_.raises_in_order = pieces_.front().raises_in_order;
    std::int32_t threads = 0;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      LaunchPart& part = out_.parts.emplace_back();
      part.shape = pieces_[p].shape;
      part.stream = launches_[p].stream;
      part.flags_off = pieces_[p].flags_off;
      part.first_thread = threads;
      part.first_place = static_cast<std::int32_t>(out_.shape.sub_kernels.size());
      threads += part.core_count();
      out_.shape.aic_count += part.shape.aic_count;
      out_.shape.aiv_count += part.shape.aiv_count;
      out_.shape.sub_kernels.insert(out_.shape.sub_kernels.end(), part.shape.sub_kernels.begin(),
                                    part.shape.sub_kernels.end());
    }
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      first_extra_.push_back(threads);
      threads += static_cast<std::int32_t>(pieces_[p].threads.size()) - out_.parts[p].core_count();
    }
    out_.threads.resize(to_size(threads));
  }

  void append(std::size_t p) {
    const LaunchProgram& piece = pieces_[p];
    const LaunchPart& part = out_.parts[p];
    const auto ranges = static_cast<std::int32_t>(out_.ranges.size());
    const auto joins = static_cast<std::int32_t>(out_.joins.size());
    first_join_.push_back(joins);
    out_.ranges.insert(out_.ranges.end(), piece.ranges.begin(), piece.ranges.end());
    for (Join join : piece.joins) {
      if (join.sub_kernel >= 0) join.sub_kernel += part.first_place;
      for (std::int32_t& member : join.members) member = thread_of(p, member);
      out_.joins.push_back(std::move(join));
    }
    // Nothing orders the last sub kernel of a launch and the first one of the next.
    if (p > 0) out_.boundaries.emplace_back();
    out_.boundaries.insert(out_.boundaries.end(), piece.boundaries.begin(), piece.boundaries.end());
    for (std::size_t t = 0; t < piece.threads.size(); ++t) {
      Thread& thread = out_.threads[to_size(thread_of(p, static_cast<std::int32_t>(t)))];
      thread = piece.threads[t];
      thread.part = static_cast<std::int32_t>(p);
      for (Step& step : thread.steps) {
        for (std::int32_t* range :
             {&step.reads_begin, &step.reads_end, &step.writes_begin, &step.writes_end}) {
          *range += ranges;
        }
        if (step.join >= 0) step.join += joins;
        if (step.sub_kernel >= 0) step.sub_kernel += part.first_place;
      }
    }
  }

  void meet_at_events(std::span<const std::map<std::string, std::int32_t, std::less<>>> events) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      out_.parts[p].end_join = static_cast<std::int32_t>(out_.joins.size());
      Join end{.kind = JoinKind::launch_end};
      for (std::int32_t c = 0; c < out_.parts[p].core_count(); ++c) {
        end.members.push_back(out_.parts[p].first_thread + c);
      }
      out_.joins.push_back(std::move(end));
    }
    std::map<std::string, std::int32_t, std::less<>> raised_at;
    at_end_.resize(pieces_.size());
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      for (const std::string& event : launches_[p].raises_at_end) {
        raised_at[event] = static_cast<std::int32_t>(out_.joins.size());
        at_end_[p].push_back(raised_at[event]);
        Join join{.kind = JoinKind::event};
        join.members = out_.joins[to_size(out_.parts[p].end_join)].members;
        out_.joins.push_back(std::move(join));
      }
      for (const auto& [event, join] : events[p]) {
        if (!has_no_raiser(pieces_[p].joins[to_size(join)])) {
          raised_at[event] = first_join_[p] + join;
        }
      }
    }
    std::map<std::int32_t, std::int32_t> instead;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      for (const auto& [event, join] : events[p]) {
        const auto found = raised_at.find(event);
        if (found == raised_at.end() || found->second == first_join_[p] + join) continue;
        instead[first_join_[p] + join] = found->second;
      }
    }
    for (Thread& thread : out_.threads) {
      for (Step& step : thread.steps) {
        const auto found = instead.find(step.join);
        if (found != instead.end()) step.join = found->second;
      }
    }
  }

  void begin_and_end(std::size_t p) {
    LaunchPart& part = out_.parts[p];
    part.after_count = static_cast<std::int32_t>(launches_[p].after.size());
    for (std::int32_t c = 0; c < part.core_count(); ++c) {
      std::vector<Step>& steps = out_.threads[to_size(part.first_thread + c)].steps;
      Step step;
      step.kind = StepKind::pass;
      step.sub_kernel = part.first_place;
      step.reads_begin = step.reads_end = step.writes_begin = step.writes_end = 0;
      std::vector<Step> before;
      for (const std::int32_t earlier : launches_[p].after) {
        step.join = out_.parts[to_size(earlier)].end_join;
        before.push_back(step);
      }
      if (!before.empty()) {  // the launch begins here, with an empty cache
        Step empty = step;
        empty.kind = StepKind::refresh;
        empty.join = -1;
        empty.origin = Origin::end_of_launch;
        before.push_back(empty);
      }
      steps.insert(steps.begin(), before.begin(), before.end());
      step.kind = StepKind::arrive;
      step.pipe = Pipe::all;
      step.sub_kernel =
          part.first_place + static_cast<std::int32_t>(part.shape.sub_kernels.size()) - 1;
      step.join = part.end_join;
      steps.push_back(step);
      for (const std::int32_t event : at_end_[p]) {
        step.join = event;
        steps.push_back(step);
      }
    }
  }

  std::span<const LaunchProgram> pieces_;
  std::span<const BesideLaunch> launches_;
  LaunchProgram& out_;
  std::vector<std::int32_t> first_extra_;
  std::vector<std::int32_t> first_join_;
  std::vector<std::vector<std::int32_t>> at_end_;  ///< By launch: joins of its events.
};

}  // namespace

void Lowering::run_beside(std::span<const BesideLaunch> launches, LaunchProgram& program) {
  std::vector<LaunchProgram> pieces(launches.size());
  std::vector<std::map<std::string, std::int32_t, std::less<>>> events;
  std::vector<std::vector<Doubt>> doubts;
  std::vector<WordRange> private_words;
  bool left_region = false;
  for (std::size_t p = 0; p < launches.size(); ++p) {
    run(launches[p].input, pieces[p]);
    events.push_back(event_joins_);
    doubts.push_back(doubts_);
    private_words.insert(private_words.end(), private_words_.begin(), private_words_.end());
    left_region = left_region || left_region_;
  }
  Assembly assembly(pieces, launches, program);
  assembly.run(events);
  doubts_.clear();
  for (std::size_t p = 0; p < launches.size(); ++p) {
    for (Doubt doubt : doubts[p]) {
      const std::int32_t cores = program.parts[p].core_count();
      const bool core = doubt.thread >= 0 && doubt.thread < cores;
      // Behind what a core passes before its launch begins.
      const auto passes = static_cast<std::int32_t>(launches[p].after.size());
      if (core && doubt.step >= 0) doubt.step += passes + (passes > 0 ? 1 : 0);
      doubt.thread = assembly.thread_of(p, doubt.thread);
      doubts_.push_back(doubt);
    }
  }
  private_words_ = std::move(private_words);
  left_region_ = left_region;
}

}  // namespace skcts::model
