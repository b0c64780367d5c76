// The reader of recorded sequences: a line is a verb and its words.
#include "harness/emulator/recorded.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "spec/pipe.h"

namespace skcts::emulator {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t blank = line.find(' ');
    words.push_back(line.substr(0, blank));
    if (blank == std::string_view::npos) break;
    line.remove_prefix(blank + 1);
  }
  return words;
}

std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The number behind a prefix: "op3", "mode2", "base+64".
std::optional<std::int32_t> number_behind(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return number(text.substr(prefix.size()));
}

/// A pair of kinds as early start numbers it (machine §7.2): 0 to 10, without 3 and 7.
std::optional<std::int32_t> early_pair(std::optional<std::int32_t> config) {
  if (!config || *config > 10 || *config == 3 || *config == 7) return std::nullopt;
  return config;
}

/// "all", "block_idx<4", "aiv_linear_idx>=6"
std::optional<Guard> read_guard(std::string_view text) {
  if (text == "all") return Guard{};
  Guard guard;
  guard.linear = text.starts_with("aiv_linear_idx");
  const std::string_view index = guard.linear ? "aiv_linear_idx" : "block_idx";
  for (const auto& [sign, which] : {std::pair{std::string_view("<"), Guard::Which::below},
                                    std::pair{std::string_view(">="), Guard::Which::from}}) {
    if (const auto bound = number_behind(std::string(index) + std::string(sign), text)) {
      guard.which = which;
      guard.bound = *bound;
      return guard;
    }
  }
  return std::nullopt;
}

class SequenceReader {
 public:
  SequenceReader(const RecordedLaunch& recorded, const std::vector<RecordedOp>& ops,
                 ComposedLaunch& launch)
      : recorded_(recorded), ops_(ops), launch_(launch) {}

  std::optional<Refusal> read() {
    if (read_list(recorded_.sequence)) return std::nullopt;
    return Refusal{fmt::format("'{}' is no step of a launch", wrong_), {}};
  }

 private:
  /// False where a line is not understood; it is kept in `wrong_`.
  bool read_list(const std::vector<std::string>& list);
  bool line();
  bool enter();
  bool run();
  bool run_offload();
  bool feed();
  bool whole_refresh();
  bool early();
  bool flag();
  bool event();

  std::string_view word(std::size_t i) const {
    return i < words_.size() ? words_[i] : std::string_view{};
  }
  /// The sub kernel that runs next (at a boundary: the later one); behind the last it is the last.
  int later() const { return std::min(next_op_, static_cast<int>(launch_.uses.size()) - 1); }
  SubKernelUse& use(int op) { return launch_.uses[static_cast<std::size_t>(op)]; }
  Purpose purpose_here() const {
    if (next_op_ == 0) return Purpose::none;  // the feed records are zeroed
    return next_op_ < static_cast<int>(launch_.uses.size()) ? Purpose::boundary : Purpose::debug;
  }

  ComposedStep& add(ComposedKind kind, int op) {
    ComposedStep& step = launch_.steps.emplace_back();
    step.kind = kind;
    step.op = op;
    step.sub_kernel = use(std::max(op, 0)).sub_kernel;
    return step;
  }
  /// "AIC", "AIV", "both", "all"; false for another word.
  static bool set_kinds(std::string_view kind, ComposedStep& step) {
    step.aic = kind == "AIC" || kind == "both" || kind == "all";
    step.aiv = kind == "AIV" || kind == "both" || kind == "all";
    return step.aic || step.aiv;
  }
  /// "@all", "@AIC", "@both"
  static bool set_who(std::string_view who, ComposedStep& step) {
    return who.starts_with('@') && set_kinds(who.substr(1), step);
  }
  static bool set_guard(std::string_view text, ComposedStep& step) {
    const auto guard = read_guard(text);
    if (guard) step.guard = *guard;
    return guard.has_value();
  }

  /// The line behind the present one begins with these words.
  bool next_line(std::string_view start) const {
    return at_ + 1 < list_->size() && (*list_)[at_ + 1].starts_with(start);
  }

  const RecordedLaunch& recorded_;
  const std::vector<RecordedOp>& ops_;
  ComposedLaunch& launch_;
  const std::vector<std::string>* list_ = nullptr;
  std::size_t at_ = 0;
  std::string wrong_;
  std::vector<std::string_view> words_;
  int next_op_ = 0;
};

bool SequenceReader::read_list(const std::vector<std::string>& list) {
  list_ = &list;
  for (at_ = 0; at_ < list.size(); ++at_) {
    words_ = words_of(list[at_]);
    if (line()) continue;
    if (wrong_.empty()) wrong_ = list[at_];
    return false;
  }
  return true;
}

/// "enter aic list @AIC": the cores of one kind go through a list of their own.
bool SequenceReader::enter() {
  const bool cube = word(1) == "aic";
  if ((!cube && word(1) != "aiv") || word(2) != "list" || list_ != &recorded_.sequence)
    return false;
  const std::size_t here = at_;
  const std::size_t first = launch_.steps.size();
  const int outside = next_op_;
  next_op_ = 0;
  if (!read_list(cube ? recorded_.aic_list : recorded_.aiv_list)) return false;
  for (std::size_t i = first; i < launch_.steps.size(); ++i) {
    ComposedStep& step = launch_.steps[i];
    (cube ? step.aiv : step.aic) = false;
  }
  next_op_ = std::max(next_op_, outside);
  list_ = &recorded_.sequence;
  at_ = here;
  return true;
}

bool SequenceReader::line() {
  const std::string_view verb = word(0);
  if (verb == "enter") return enter();
  if (verb == "run") return run();
  if (verb == "run_dynamic") return run_offload();
  if (verb.starts_with("feed")) return feed();
  if (verb == "dcci_all") return whole_refresh();
  if (verb.starts_with("early_")) return early();
  if (verb == "flag_set" || verb == "flag_wait") return flag();
  if (verb == "notify" || verb == "wait_event") return event();
  if (verb == "prof") return true;             // a time record
  if (verb == "clear_wait_lock") return true;  // an event happens once
  // Which binary tiling offload calls is the sub kernel's own here.
  if (verb == "dyn_switch" || verb == "dyn_lock_clear") return true;
  if (verb == "pipe_all") {
    ComposedStep& step = add(ComposedKind::pipe_all, later());
    step.purpose = next_line("dcci_all @both") ? Purpose::debug : Purpose::none;
    return set_kinds("all", step);
  }
  if (verb == "sync_all" && (word(1) == "mix" || word(1) == "aiv_only")) {
    ComposedStep& step = add(ComposedKind::sync_all, later());
    step.purpose = purpose_here();
    step.aiv_only = word(1) == "aiv_only";
    return set_who(word(2), step);
  }
  return false;
}

bool SequenceReader::run() {
  const auto op = number_behind("op", word(1));
  if (!op || *op >= static_cast<std::int32_t>(launch_.uses.size())) return false;
  ComposedStep& step = add(ComposedKind::run, *op);
  next_op_ = *op + 1;
  return set_kinds(word(2), step) && set_guard(word(3), step);
}

/// "run_dynamic op0 both": whoever its type at run time names, in all blocks of the launch.
bool SequenceReader::run_offload() {
  const auto op = number_behind("op", word(1));
  if (!op || *op >= static_cast<std::int32_t>(launch_.uses.size()) || word(2) != "both") {
    return false;
  }
  ComposedStep& step = add(ComposedKind::run, *op);
  const KernelType type = ops_[static_cast<std::size_t>(*op)].type;
  step.aic = runs_on(type, CoreKind::aic);
  step.aiv = runs_on(type, CoreKind::aiv);
  next_op_ = *op + 1;
  return true;
}

bool SequenceReader::feed() {
  const std::string_view verb = word(0);
  if (verb == "feed") {
    if (word(1) != "on" && word(1) != "off") return false;
    ComposedStep& step = add(ComposedKind::feed_switch, later());
    step.on = use(later()).fed = word(1) == "on";
    return set_kinds("all", step);
  }
  if (!launch_.options.feed_sync_all) return false;  // there are no records
  if (verb == "feed_ws_clear") return set_kinds(word(1), add(ComposedKind::feed_clear, -1));
  if (verb == "feed_slot") {
    ComposedStep& step = add(ComposedKind::feed_slot, later());
    const auto offset = number_behind("base+", word(2));
    const auto records = static_cast<std::int32_t>(2 * launch_.uses.size());
    if (!offset || *offset % 64 != 0 || *offset / 64 >= records) return false;
    step.id = *offset;
    return set_kinds(word(1), step);
  }
  const int op = std::max(next_op_ - 1, 0);
  if (verb == "feed_end") {
    ComposedStep& step = add(ComposedKind::feed_end, op);
    return set_kinds(word(1), step) && set_guard(word(2), step);
  }
  if (verb != "feed_complement" || word(2) != "not-active") return false;
  // Those that the guard of the call before keeps out.
  ComposedStep& step = add(ComposedKind::feed_complement, op);
  if (!set_kinds(word(1), step)) return false;
  for (const ComposedStep& call : launch_.steps) {
    if (call.kind != ComposedKind::run || call.op != op || call.aic != step.aic) continue;
    if (call.guard.which != Guard::Which::below) return false;
    step.guard = {Guard::Which::from, call.guard.linear, call.guard.bound};
    return true;
  }
  return false;
}

bool SequenceReader::whole_refresh() {
  const bool called = next_op_ > 0;
  const bool call_follows = next_line("run ") || next_line("run_dynamic ");
  ComposedStep& step = add(ComposedKind::refresh_all, call_follows ? later() : next_op_ - 1);
  if (!set_who(word(1), step) || (!called && !call_follows)) return false;
  step.purpose = step.aic && step.aiv ? Purpose::debug
                 : call_follows       ? Purpose::before
                                      : Purpose::after;
  return word(2).empty() || set_guard(word(2), step);
}

bool SequenceReader::early() {
  const std::string_view verb = word(0);
  if (next_op_ == 0 || next_op_ >= static_cast<int>(launch_.uses.size())) return false;
  if (verb == "early_cfg") {
    const auto config = early_pair(number(word(1)));
    ComposedStep& step = add(ComposedKind::early_config, next_op_);
    if (!config) return false;
    step.config = use(next_op_).own_config = *config;
    step.purpose = Purpose::boundary;
    return set_kinds("all", step);
  }
  const bool sets = verb == "early_set";
  ComposedStep& step = add(sets ? ComposedKind::early_set : ComposedKind::early_wait, next_op_);
  step.purpose = Purpose::boundary;
  if (!sets) {
    if (!verb.ends_with(')')) return false;
    const auto config = early_pair(number_behind("early_wait(", verb.substr(0, verb.size() - 1)));
    if (!config) return false;
    step.config = *config;
  }
  if (!set_kinds(word(1), step) || !set_guard(word(2), step)) return false;
  // A step of the other cores only: those that are called raise, or wait, themselves.
  if (step.guard.which == Guard::Which::from) {
    (sets ? use(next_op_ - 1).own_set : use(next_op_).own_wait) = true;
  }
  return true;
}

/// "notify AIC idx0 param 3": behind the sub kernel that raises it; "wait_event AIV idx0 param 6":
/// in front of the one that waits.
bool SequenceReader::event() {
  const bool raises = word(0) == "notify";
  if (word(2) != "idx0" || (raises && next_op_ == 0)) return false;
  const int op = raises ? next_op_ - 1 : later();
  const RecordedOp& subject = ops_[static_cast<std::size_t>(op)];
  const auto& named = raises ? subject.raised : subject.awaited;
  const ComposedKind kind = raises ? ComposedKind::notify : ComposedKind::watch;
  const auto before = static_cast<std::size_t>(
      std::count_if(launch_.steps.begin(), launch_.steps.end(),
                    [&](const ComposedStep& step) { return step.kind == kind && step.op == op; }));
  if (before >= named.size()) return false;
  ComposedStep& step = add(kind, op);
  step.id = named[before];
  step.guard = {Guard::Which::below, true, 1};
  return (word(1) == "AIC" || word(1) == "AIV") && set_kinds(word(1), step);
}

bool SequenceReader::flag() {
  const bool sets = word(0) == "flag_set";
  const auto id = number(word(1));
  if (!id || *id > 15) return false;
  ComposedStep& step = add(sets ? ComposedKind::flag_set : ComposedKind::flag_wait, later());
  step.id = *id;
  step.purpose = purpose_here();
  if (!sets) return set_who(word(2), step);
  const auto mode = number_behind("mode", word(2));
  const auto pipe = find_pipe(word(4));
  if (!mode || *mode > 2 || word(3) != "pipe" || !pipe || *pipe == Pipe::s) return false;
  step.mode = *mode;
  step.pipe = *pipe;
  return set_who(word(5), step);
}

}  // namespace

std::optional<Refusal> read_sequence(const RecordedLaunch& recorded,
                                     const std::vector<RecordedOp>& ops, ComposedLaunch& launch) {
  return SequenceReader(recorded, ops, launch).read();
}

}  // namespace skcts::emulator
