// Runs of a compiled operator alone, and their recording.
#include "harness/ascendc/record.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "harness/emulator/emulator.h"

namespace skcts::ascendc {

namespace {

/// Every place of an instruction whose constant may differ from core to core.
template <class Visit>
void each_expr(Instruction& in, Visit&& visit) {
  visit(in.dst.at);
  visit(in.src.at);
  visit(in.src_b.at);
  visit(in.value.expr);
  for (Range& range : in.reads) visit(range.from.at);
  for (Range& range : in.writes) visit(range.from.at);
}
std::vector<std::int32_t> bases_of(const Instruction& in) {
  Instruction copy = in;
  std::vector<std::int32_t> bases;
  each_expr(copy, [&](const Expr& expr) { bases.push_back(expr.base); });
  return bases;
}
Instruction without_bases(Instruction in) {
  each_expr(in, [](Expr& expr) { expr.base = 0; });
  return in;
}

using Programs = std::vector<const CoreRecord*>;

/// The instruction that all cores execute at one place, in terms of the core; false: there is none.
bool merged_at(const Programs& cores, std::size_t place, Instruction& to) {
  to = cores.front()->instructions[place];
  const Instruction shape = without_bases(to);
  const std::vector<std::int32_t> first = bases_of(to);
  std::vector<std::int32_t> steps(first.size(), 0);
  for (std::size_t c = 1; c < cores.size(); ++c) {
    const Instruction& other = cores[c]->instructions[place];
    if (without_bases(other) != shape) return false;
    const std::vector<std::int32_t> bases = bases_of(other);
    for (std::size_t b = 0; b < bases.size(); ++b) {
      if (c == 1) steps[b] = bases[b] - first[b];
      if (bases[b] != first[b] + steps[b] * static_cast<std::int32_t>(c)) return false;
    }
  }
  std::size_t b = 0;
  each_expr(to, [&](Expr& expr) { expr.core = steps[b++]; });
  return true;
}

std::vector<Instruction> merged(const Programs& cores) {
  std::vector<Instruction> program;
  if (cores.empty()) return program;
  const std::size_t length = cores.front()->instructions.size();
  bool same = std::all_of(cores.begin(), cores.end(), [&](const CoreRecord* core) {
    return core->instructions.size() == length;
  });
  for (std::size_t place = 0; same && place < length; ++place) {
    same = merged_at(cores, place, program.emplace_back());
  }
  if (same) return program;
  program.clear();
  for (const CoreRecord* core : cores) {
    for (Instruction in : core->instructions) {
      in.where.all = {{IndexName::core, core->core.index, core->core.index}};
      program.push_back(std::move(in));
    }
  }
  return program;
}

/// Objects that no instruction names are no part of the recording.
void drop_unused_tensors(SubKernel& sub) {
  std::vector<std::int16_t> place(sub.tensors.size(), -1);
  const auto each_object = [&](auto&& visit) {
    for (std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
      for (Instruction& in : *program) {
        for (Operand* operand : {&in.dst, &in.src, &in.src_b}) {
          if (operand->space == Space::tensor) visit(operand->index);
        }
        if (in.op == Op::tensor_copy || in.op == Op::tensor_end) visit(in.object);
        if (in.op == Op::tensor_copy) visit(in.other);
      }
    }
  };
  each_object([&](std::int16_t& index) { place[static_cast<std::size_t>(index)] = 0; });
  std::vector<Tensor> kept;
  for (std::size_t t = 0; t < place.size(); ++t) {
    if (place[t] < 0) continue;
    place[t] = static_cast<std::int16_t>(kept.size());
    kept.push_back(sub.tensors[t]);
  }
  each_object([&](std::int16_t& index) { index = place[static_cast<std::size_t>(index)]; });
  sub.tensors = std::move(kept);
}

RunRequest request_of(int run) {
  RunRequest request;
  request.strategy.kind = static_cast<StrategyKind>(run % 4);
  request.strategy.cache = static_cast<CachePolicy>(run / 4 % 3);
  request.strategy.seed = static_cast<std::uint64_t>(run);
  return request;
}

}  // namespace

AloneRuns run_alone(OperatorProgram& program, int runs) {
  const Case test_case = case_of(program.description());
  const GmLayout layout = layout_of(test_case.mix);
  program.attach(test_case);
  emulator::Emulator target({.code = &program});
  AloneRuns shown;
  for (int run = 0; run < runs; ++run) {
    const Outcome outcome = target.run(test_case, request_of(run)).outcome;
    if (run == 0) shown.output = program.output();
    std::string words = outcome.reason;
    if (outcome.status == OutcomeStatus::stalled) {
      ++shown.stalled;
      words = "stalls: ";
      for (std::size_t i = 0; i < outcome.waiting.size() && i < 4; ++i) {
        const Waiting& waiting = outcome.waiting[i];
        words += fmt::format("{}{} waits for {} {}", i == 0 ? "" : ", ", to_string(waiting.core),
                             to_string(waiting.kind), waiting.id);
      }
    } else if (outcome.status != OutcomeStatus::completed) {
      ++shown.failed;
    } else {
      words = golden_difference(program.description(), layout, outcome.memory);
      ++(words.empty() ? shown.golden : shown.other);
    }
    if (shown.first_words.empty()) shown.first_words = words;
    ++shown.runs;
  }
  return shown;
}

Result<Operator> record_alone(OperatorProgram& program) {
  Case test_case = case_of(program.description());
  program.attach(test_case);
  program.record(true);
  emulator::Emulator target({.code = &program});
  const Outcome outcome = target.run(test_case, request_of(0)).outcome;
  program.record(false);
  if (outcome.status != OutcomeStatus::completed) {
    return Error{.field = program.description().kernel,
                 .message = fmt::format("does not complete alone ({}{}{}); a run that completes is "
                                        "recorded",
                                        to_string(outcome.status),
                                        outcome.reason.empty() ? "" : ": ", outcome.reason)};
  }
  SubKernel& sub = test_case.mix.sub_kernels.front();
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    Programs cores;
    for (const auto& record : program.records()) {
      if (record->core.kind == kind) cores.push_back(record.get());
    }
    std::sort(cores.begin(), cores.end(),
              [](const CoreRecord* a, const CoreRecord* b) { return a->core < b->core; });
    sub.program(kind) = merged(cores);
  }
  drop_unused_tensors(sub);
  Operator recorded;
  recorded.name = sub.name;
  recorded.source = "recorded from its source";
  recorded.regions = test_case.mix.regions;
  recorded.sub_kernel = std::move(sub);
  std::int16_t region = 0;
  for (const KernelArgument& argument : program.description().arguments) {
    if (argument.kind != ArgumentKind::buffer) continue;
    if (argument.golden) recorded.outputs.push_back(region);
    if (!argument.golden && argument.init != Ramp{}) recorded.inputs.push_back(region);
    ++region;
  }
  // A transfer that the language of mixes has no instruction for runs, but cannot be told in it.
  const auto errors = validate(recorded, *find_profile(program.description().profile));
  if (errors.empty()) return recorded;
  return Error{.field = errors.front().field,
               .message = "cannot be recorded: " + errors.front().message,
               .hint =
                   "transfers to or from GM are recorded in whole 32-byte blocks without "
                   "conversion (docs/ascendc.md)"};
}

Result<std::string> in_worker(const std::function<std::string()>& work, int cpu_seconds) {
  int ends[2];
  if (pipe(ends) != 0) return Error{.message = "no pipe to a worker process can be made"};
  const pid_t child = fork();
  if (child < 0) return Error{.message = "no worker process can be started"};
  if (child == 0) {
    close(ends[0]);
    const auto seconds = static_cast<rlim_t>(cpu_seconds);
    const rlimit limit{seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // A crash is told by the parent, whatever else would handle its signal here.
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(crash, SIG_DFL);
    const std::string text = work();
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) _exit(3);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t got = read(ends[0], piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL) {
      return Error{.message = fmt::format("the operator did not end within {} s of processor time",
                                          cpu_seconds)};
    }
    return Error{.message = fmt::format("the operator's process died: {} (signal {})",
                                        strsignal(signal), signal),
                 .hint =
                     "GM is reached through GlobalTensor, DataCopy and the like, not through "
                     "a pointer"};
  }
  if (WEXITSTATUS(status) != 0) return Error{.message = "the operator ended its own process"};
  return text;
}

}  // namespace skcts::ascendc
