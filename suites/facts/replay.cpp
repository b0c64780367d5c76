// The calculator: a worklist over cores; each core's steps in order, raises as sets of facts.
#include "suites/facts/replay.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace skcts::facts {
namespace {

constexpr int part_count = 3;

/// What a core does at one step.
enum class Act : std::uint8_t { work, set, wait, drain, pass };

struct Micro {
  Act act = Act::drain;
  int op = 0;              ///< work, pass
  Part part = Part::body;  ///< work
  int flag = 0;            ///< set, wait
  int mode = 0;            ///< set
  Pipe pipe = Pipe::mte3;  ///< set
};

Micro set_flag(int flag, int mode, Pipe pipe) {
  return {.act = Act::set, .flag = flag, .mode = mode, .pipe = pipe};
}
Micro wait_flag(int flag) {
  return {.act = Act::wait, .flag = flag};
}

/// Flags that all cores of one kind share (mode 0), and the pipe that raises them.
struct AllCores {
  int flag;
  Pipe pipe;
};
constexpr AllCores all_cores(CoreKind kind) {
  return kind == CoreKind::aic ? AllCores{11, Pipe::fix} : AllCores{14, Pipe::mte3};
}
constexpr int aiv_to_aic = 12;  // mode 2
constexpr int aic_to_aiv = 13;  // mode 2

/// What WaitPreTaskEnd does with a pair configuration; kinds as in the first half of the number
/// (former) and the second (latter): 0 AIC, 1 AIV, 2 both.
std::vector<Micro> wait_steps(int config, CoreKind kind) {
  const int former = config >> 2;
  const int latter = config & 3;
  const bool cube_before = former != 1;
  const bool vector_before = former != 0;
  const bool cube_after = latter != 1;
  const bool vector_after = latter != 0;
  // AIC work reaches AIVs, and AIV work AICs, through the block, where the other side goes on.
  const bool down = cube_before && vector_after;
  const bool up = vector_before && cube_after;
  std::vector<Micro> steps;
  const bool aic = kind == CoreKind::aic;
  if (aic ? cube_before : vector_before) steps.push_back(wait_flag(all_cores(kind).flag));
  if (aic ? down : up) {
    steps.push_back(set_flag(aic ? aic_to_aiv : aiv_to_aic, 2, Pipe::mte3));
  }
  if (aic ? up : down) steps.push_back(wait_flag(aic ? aiv_to_aic : aic_to_aiv));
  return steps;
}

std::vector<Micro> sync_all_mix(CoreKind kind) {
  if (kind == CoreKind::aiv) {
    return {{.act = Act::drain}, set_flag(aiv_to_aic, 2, Pipe::mte3), wait_flag(aic_to_aiv)};
  }
  return {{.act = Act::drain},
          wait_flag(aiv_to_aic),
          set_flag(11, 0, Pipe::fix),
          wait_flag(11),
          set_flag(aic_to_aiv, 2, Pipe::mte3)};
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

int number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<CoreKind> kind_named(std::string_view name) {
  if (name == "AIC") return CoreKind::aic;
  if (name == "AIV") return CoreKind::aiv;
  return std::nullopt;
}

/// The steps of a sequence as one core executes them.
class Expansion {
 public:
  Expansion(const ReplayLaunch& launch, CoreId core) : launch_(launch), core_(core) {}

  /// False for a step that is not understood.
  bool add(std::string_view step) {
    const std::vector<std::string_view> w = words(step);
    const std::string_view verb = w[0];
    if (verb == "run") return run(number(w[1].substr(2)), w[2], w[3]);
    if (verb == "early_cfg") return config_ = number(w[1]), true;
    if (verb == "early_set") return early_set(w[1], w[2]);
    if (verb.starts_with("early_wait(")) return early_wait(number(verb.substr(11)), w[1], w[2]);
    if (verb == "flag_set") {
      const auto pipe = find_pipe(w[4]);
      if (!pipe) return false;
      if (!at(w[5])) return true;
      return steps_.push_back(set_flag(number(w[1]), w[2] == "mode2" ? 2 : 0, *pipe)), true;
    }
    if (verb == "flag_wait") {
      if (at(w[2])) steps_.push_back(wait_flag(number(w[1])));
      return true;
    }
    if (verb == "sync_all" && w[1] == "mix") return append(sync_all_mix(core_.kind));
    if (verb == "pipe_all") return steps_.push_back({.act = Act::drain}), true;
    // No order comes from these: refreshes, time records, and feeding where nobody calls SyncAll.
    return verb == "dcci_all" || verb == "prof" || verb.starts_with("feed");
  }

  std::vector<Micro> take() { return std::move(steps_); }

 private:
  bool at(std::string_view who) const {
    return who == "@all" || who == (core_.kind == CoreKind::aic ? "@AIC" : "@AIV");
  }

  bool append(const std::vector<Micro>& steps) {
    steps_.insert(steps_.end(), steps.begin(), steps.end());
    return true;
  }

  bool run(int op, std::string_view kind, std::string_view guard) {
    const ReplayOp& what = launch_.ops[static_cast<std::size_t>(op)];
    if (kind_named(kind) != core_.kind || !guard_holds(guard, core_, launch_.ratio())) {
      // A core that has no part in the op passes its wait point where it skips the call. Of the
      // two calls of a MIX op the first counts.
      const auto passed = [op](const Micro& step) {
        return step.act == Act::pass && step.op == op;
      };
      const bool own_call_follows = launch_.runs(op, core_);
      if (!own_call_follows && std::ranges::none_of(steps_, passed)) {
        steps_.push_back({.act = Act::pass, .op = op});
      }
      return true;
    }
    const auto work = [&](Part part) {
      steps_.push_back({.act = Act::work, .op = op, .part = part});
    };
    if (what.own_wait) {
      work(Part::head);
      append(wait_steps(config_, core_.kind));
    }
    steps_.push_back({.act = Act::pass, .op = op});
    work(Part::body);
    if (what.own_set) {
      steps_.push_back(set_flag(all_cores(core_.kind).flag, 0, all_cores(core_.kind).pipe));
      work(Part::tail);
    }
    return true;
  }

  bool early_set(std::string_view kind, std::string_view guard) {
    if (kind_named(kind) != core_.kind || !guard_holds(guard, core_, launch_.ratio())) return true;
    steps_.push_back(set_flag(all_cores(core_.kind).flag, 0, all_cores(core_.kind).pipe));
    return true;
  }

  bool early_wait(int config, std::string_view kind, std::string_view guard) {
    if (kind_named(kind) != core_.kind || !guard_holds(guard, core_, launch_.ratio())) return true;
    return append(wait_steps(config, core_.kind));
  }

  const ReplayLaunch& launch_;
  CoreId core_;
  int config_ = 0;
  std::vector<Micro> steps_;
};

using Bits = std::vector<std::uint64_t>;

void join(Bits& into, const Bits& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] |= from[i];
}

/// Numbers of cores and of pieces of work in a launch.
struct Numbering {
  explicit Numbering(const ReplayLaunch& launch)
      : aics(launch.cores(CoreKind::aic)), cores(aics + launch.cores(CoreKind::aiv)) {}

  int core(CoreId id) const { return id.kind == CoreKind::aic ? id.index : aics + id.index; }
  std::size_t wait_point(int op, CoreId id) const {
    return static_cast<std::size_t>(op * cores + core(id));
  }
  std::size_t work(int op, Part part, CoreId id, Pipe pipe) const {
    const int piece = (op * part_count + static_cast<int>(part)) * cores + core(id);
    return static_cast<std::size_t>(piece * pipe_count + static_cast<int>(pipe));
  }
  std::size_t words(std::size_t ops) const {
    return ops * static_cast<std::size_t>(part_count * cores * pipe_count) / 64 + 1;
  }

  int aics;
  int cores;
};

/// One core on its way.
struct Core {
  CoreId id;
  std::vector<Micro> steps;
  std::size_t at = 0;
  Bits scalar;                              // complete before whatever the core issues next
  std::array<Bits, pipe_count> pipes;       // complete when the pipe has done what it has now
  std::map<int, std::vector<Bits>> raised;  // by flag: what each raise carries
  std::map<int, std::size_t> waited;        // by flag: waits passed
};

/// All cores of a launch.
class Machine {
 public:
  Machine(const ReplayLaunch& launch, const std::vector<std::string>& sequence)
      : launch_(launch), numbers_(launch), words_(numbers_.words(launch.ops.size())) {
    known_.resize(launch.ops.size() * static_cast<std::size_t>(numbers_.cores));
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      for (int index = 0; index < launch.cores(kind); ++index) add({kind, index}, sequence);
    }
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Core& core : cores_) {
        while (core.at < core.steps.size() && advance(core)) moved = true;
      }
    }
    report();
  }

  std::vector<std::string> take_problems() { return std::move(problems_); }
  std::vector<Bits> take_known() { return std::move(known_); }

 private:
  void add(CoreId id, const std::vector<std::string>& sequence) {
    Expansion expansion(launch_, id);
    for (const std::string& step : sequence) {
      if (!expansion.add(step) && id.index == 0) problems_.push_back("not understood: " + step);
    }
    Core core;
    core.id = id;
    core.steps = expansion.take();
    core.scalar.assign(words_, 0);
    core.pipes.fill(Bits(words_, 0));
    cores_.push_back(std::move(core));
  }

  int block(CoreId id) const {
    return id.kind == CoreKind::aiv ? id.index / launch_.ratio() : id.index;
  }

  /// True when raises of the flag by `from` count for waits of `to`.
  bool feeds(int flag, CoreId from, CoreId to) const {
    if (flag == aiv_to_aic || flag == aic_to_aiv) {
      const CoreKind feeder = flag == aiv_to_aic ? CoreKind::aiv : CoreKind::aic;
      return from.kind == feeder && to.kind != feeder && block(from) == block(to);
    }
    return from.kind == to.kind;
  }

  /// What the wait number `turn` of a flag lets `to` know; nothing while a raise is missing.
  std::optional<Bits> answer(CoreId to, int flag, std::size_t turn) {
    Bits carried(words_, 0);
    bool fed = false;
    for (Core& from : cores_) {
      if (!feeds(flag, from.id, to)) continue;
      const std::vector<Bits>& raises = from.raised[flag];
      if (raises.size() <= turn) return std::nullopt;
      join(carried, raises[turn]);
      fed = true;
    }
    if (!fed) return std::nullopt;
    return carried;
  }

  void work(Core& core, const Micro& step) {
    for (int number = 0; number < pipe_count; ++number) {
      const Pipe pipe = static_cast<Pipe>(number);
      Bits& bits = core.pipes[static_cast<std::size_t>(number)];
      join(bits, core.scalar);
      const std::size_t place = numbers_.work(step.op, step.part, core.id, pipe);
      bits[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    // The scalar unit issues in order: its own work is done when it goes on.
    join(core.scalar, core.pipes[static_cast<std::size_t>(Pipe::s)]);
  }

  /// Does the core's next step; false when it has to wait.
  bool advance(Core& core) {
    const Micro& step = core.steps[core.at];
    switch (step.act) {
      case Act::work: work(core, step); break;
      case Act::set: {
        Bits& bits = core.pipes[static_cast<std::size_t>(step.pipe)];
        join(bits, core.scalar);
        core.raised[step.flag].push_back(bits);
        break;
      }
      case Act::wait: {
        const std::optional<Bits> carried = answer(core.id, step.flag, core.waited[step.flag]);
        if (!carried) return false;
        join(core.scalar, *carried);
        ++core.waited[step.flag];
        break;
      }
      case Act::drain:
        for (const Bits& bits : core.pipes) join(core.scalar, bits);
        break;
      case Act::pass: known_[numbers_.wait_point(step.op, core.id)] = core.scalar; break;
    }
    ++core.at;
    return true;
  }

  void report() {
    for (const Core& core : cores_) {
      if (core.at < core.steps.size()) {
        problems_.push_back(fmt::format("{} waits for flag {} without end", to_string(core.id),
                                        core.steps[core.at].flag));
      }
      for (const auto& [flag, raises] : core.raised) left_over(core, flag, raises.size());
    }
  }

  void left_over(const Core& from, int flag, std::size_t raises) {
    for (const Core& to : cores_) {
      if (!feeds(flag, from.id, to.id)) continue;
      const auto found = to.waited.find(flag);
      const std::size_t waits = found == to.waited.end() ? 0 : found->second;
      if (waits == raises) continue;
      problems_.push_back(fmt::format("{} raises flag {} {} times, {} waits for it {} times",
                                      to_string(from.id), flag, raises, to_string(to.id), waits));
    }
  }

  const ReplayLaunch& launch_;
  Numbering numbers_;
  std::size_t words_;
  std::vector<Core> cores_;
  std::vector<Bits> known_;
  std::vector<std::string> problems_;
};

}  // namespace

bool guard_holds(std::string_view guard, CoreId core, int ratio) {
  if (guard == "all") return true;
  const std::size_t op = guard.find_first_of("<>");
  if (op == std::string_view::npos) return false;
  const bool by_block = guard.substr(0, op) == "block_idx";
  const int index = by_block && core.kind == CoreKind::aiv ? core.index / ratio : core.index;
  if (guard.substr(op, 2) == ">=") return index >= number(guard.substr(op + 2));
  return index < number(guard.substr(op + 1));
}

std::vector<std::string> early_wait_steps(int config, CoreKind kind) {
  std::vector<std::string> out;
  for (const Micro& step : wait_steps(config, kind)) {
    out.push_back(fmt::format("{} {}", step.act == Act::set ? "set" : "wait", step.flag));
  }
  return out;
}

bool ReplayLaunch::runs(int op, CoreId core) const {
  const ReplayOp& what = ops[static_cast<std::size_t>(op)];
  if (!runs_on(what.type, core.kind)) return false;
  const bool by_block = is_mix_kind(what.type) && core.kind == CoreKind::aiv;
  return (by_block ? core.index / ratio() : core.index) < what.blocks;
}

Replay::Replay(const ReplayLaunch& launch, const std::vector<std::string>& sequence)
    : launch_(launch) {
  Machine machine(launch_, sequence);
  machine.run();
  problems_ = machine.take_problems();
  known_ = machine.take_known();
}

bool Replay::complete_before(int former, Part part, CoreId from, Pipe pipe, int latter,
                             CoreId to) const {
  const Numbering numbers(launch_);
  const Bits& bits = known_[numbers.wait_point(latter, to)];
  if (bits.empty()) return false;
  const std::size_t place = numbers.work(former, part, from, pipe);
  return (bits[place / 64] >> (place % 64) & 1) != 0;
}

}  // namespace skcts::facts
