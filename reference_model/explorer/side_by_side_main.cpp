// The machines of scripts/spin as cases, for the explorer: how many outcomes and states they have.
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reference_model/explorer/explorer.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace {

using namespace skcts;

/// A word of the core's own block of eight, or of its neighbour's.
Operand own_word(Space space, std::int16_t index, std::int32_t shift = 0) {
  Operand made;
  made.space = space;
  made.index = index;
  made.at.core = 8;
  made.at.shift = shift;
  return made;
}

Region region(std::string name, int words) {
  Region made;
  made.name = std::move(name);
  made.words = words;
  made.init.values.assign(static_cast<std::size_t>(words), 1);
  return made;
}

Instruction store() {
  Instruction in;
  in.op = Op::data_copy;
  in.dst = own_word(Space::gm, 0);
  in.src = own_word(Space::ub, -1);  // Undefined: the explorer reads 0.
  in.count = 8;
  return in;
}

/// Loads a word of X and stores it to the core's word of Y, past the cache.
std::vector<Instruction> look(Operand from) {
  Instruction load, show;
  load.op = Op::read_gm_bypass;
  load.src = std::move(from);
  load.reg = 0;
  show.op = Op::write_gm_bypass;
  show.dst = own_word(Space::gm, 1);
  show.value.reg = 0;
  return {load, show};
}

Instruction flag(Op op, Pipe pipe) {
  Instruction in;
  in.op = op;
  in.pipe = pipe;
  if (op == Op::cross_core_set_flag) in.mode = 2;
  in.id = 3;
  return in;
}

/// One sub kernel on its own, with the regions that look() reads and writes.
Case case_of(SubKernel kernel) {
  Case made;
  made.profile = "a3-24";
  made.mix.regions = {region("X", 16 * kernel.blocks), region("Y", 16 * kernel.blocks)};
  made.mix.sub_kernels = {std::move(kernel)};
  return made;
}

SubKernel sub_kernel(std::string name, KernelType type, int blocks) {
  SubKernel made;
  made.name = std::move(name);
  made.type = type;
  made.blocks = blocks;
  return made;
}

Case message_passing(int pairs, bool race) {
  SubKernel kernel = sub_kernel("pairs", KernelType::mix_aic_1_1, pairs);
  kernel.aiv = {store(), flag(Op::cross_core_set_flag, race ? Pipe::v : Pipe::mte3)};
  kernel.aic = look(own_word(Space::gm, 0));
  kernel.aic.insert(kernel.aic.begin(), flag(Op::cross_core_wait_flag, Pipe::s));
  return case_of(std::move(kernel));
}

Case barrier(int cores, bool race) {
  SubKernel kernel = sub_kernel("ring", KernelType::mix_aiv_1_0, cores);
  kernel.aiv = {store()};
  if (!race) {
    Instruction all;
    all.op = Op::sync_all;
    all.aiv_only = true;
    kernel.aiv.push_back(all);
  }
  for (const Instruction& in : look(own_word(Space::gm, 0, 1))) kernel.aiv.push_back(in);
  return case_of(std::move(kernel));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view machine = argc > 1 ? argv[1] : "";
  const int size = argc > 2 ? std::atoi(argv[2]) : 0;
  const std::string_view mode = argc > 3 ? argv[3] : "full";
  const bool race = argc > 4 && std::string_view(argv[4]) == "race";
  const bool known = machine == "message_passing" || machine == "barrier";
  if (!known || size < 2 || size > 24 || (mode != "full" && mode != "plain")) {
    fmt::print(stderr,
               "usage: explorer_side_by_side message_passing|barrier SIZE [full|plain] [race]\n");
    return 2;
  }
  const Case value = machine == "barrier" ? barrier(size, race) : message_passing(size, race);
  for (const Error& error : validate(value)) fmt::print(stderr, "{}\n", to_string(error));
  explorer::Options options;
  options.piece_words = 8;
  options.reduction = mode == "plain" ? explorer::Reduction::none : explorer::Reduction::full;
  options.limits.max_states = 200'000'000;
  options.limits.max_bytes = std::uint64_t{16} << 30;
  const explorer::Exploration found = explorer::explore(value, options);
  fmt::print("{} {} {} {:.1f} {}\n", found.outcomes.size(), found.states, found.transitions,
             static_cast<double>(found.peak_bytes) / 1048576.0, found.complete ? "" : found.why);
  return found.complete ? 0 : 1;
}
