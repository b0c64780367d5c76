// Programs walked as each core would execute them.
#include <algorithm>

#include "spec/instruction_text.h"
#include "spec/program.h"
#include "spec/validate_program.h"
#include "spec/validate_queues.h"

namespace skcts {
namespace {

constexpr std::int64_t block_words = 8;

/// The path of the instruction with that number in text order, from its program on.
bool find_path(const std::vector<Instruction>& program, int& place, std::string& path) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const std::size_t length = path.size();
    path += fmt::format("[{}]", i);
    if (place-- == 0) return true;
    path += ".body";
    if (find_path(program[i].body, place, path)) return true;
    path.resize(length);
  }
  return false;
}

class Walk {
 public:
  Walk(const Mix& mix, const SubKernel& kernel, CoreKind kind, const Profile& profile,
       const std::string& path, Findings& findings)
      : mix_(mix),
        kernel_(kernel),
        kind_(kind),
        profile_(profile),
        path_(path),
        findings_(findings),
        reported_(static_cast<std::size_t>(instruction_count(kernel.program(kind))), false),
        alive_at_start_(kernel.tensors.size(), true),
        queues_(kernel, profile,
                [this](std::string_view field, std::string message, std::string hint) {
                  add(field, std::move(message), std::move(hint));
                }) {
    find_copies(kernel.program(kind));
  }

  void core(const Indices& at) {
    at_ = at;
    queues_.begin();
    tensor_alive_ = alive_at_start_;
    for_each_instruction(kernel_.program(kind_), at,
                         [&](const Instruction& in, const Indices& now, int place) {
                           if (findings_.full()) return;
                           at_ = now;
                           place_ = place;
                           step(in);
                         });
  }

 private:
  void find_copies(const std::vector<Instruction>& program) {
    for (const Instruction& in : program) {
      if (in.op == Op::tensor_copy) alive_at_start_[static_cast<std::size_t>(in.object)] = false;
      find_copies(in.body);
    }
  }

  /// One error an instruction is enough: the other cores would repeat it.
  void add(std::string_view field, std::string message, std::string hint = {}) {
    const auto place = static_cast<std::size_t>(place_);
    if (reported_[place]) return;
    reported_[place] = true;
    std::string path = path_;
    int count_down = place_;
    find_path(kernel_.program(kind_), count_down, path);
    findings_.add(fmt::format("{}.{}", path, field), std::move(message), std::move(hint));
  }

  std::string who() const {
    std::string text = fmt::format("block {}, sub {}, core {}", at_.block, at_.sub, at_.core);
    for (std::size_t d = 0; d < at_.repeat.size(); ++d) {
      if (at_.repeat[d] != 0) text += fmt::format(", {} = {}", "ijk"[d], at_.repeat[d]);
    }
    if (kernel_.type == KernelType::mix_aic_1_1 && at_.core_count > at_.block_count) {
      text += " (the sub kernel in a launch of ratio 1:2)";
    }
    return text;
  }

  const std::string& name(std::int16_t place) const {
    return kernel_.names[static_cast<std::size_t>(place)];
  }

  /// Checks `count` words of an operand, from `extra` words behind its address on.
  void words(const Operand& from, std::int64_t count, bool blocks, std::string_view field,
             std::int64_t extra = 0) {
    std::int64_t start = from.at.eval(at_) + extra;
    std::int64_t size = 0;
    std::int64_t lead = 0;  // words between a 64-byte line and word 0
    std::string what;
    if (from.space == Space::gm || from.space == Space::tensor) {
      std::int16_t place = from.index;
      if (from.space == Space::tensor) {
        const auto tensor = static_cast<std::size_t>(from.index);
        if (!tensor_alive_[tensor]) {
          return add(field, fmt::format("the GlobalTensor {} is not alive here",
                                        kernel_.tensors[tensor].name));
        }
        place = kernel_.tensors[tensor].region;
      }
      const Region& region = mix_.regions[static_cast<std::size_t>(place)];
      size = region.words;
      lead = region.offset_bytes / 4;
      what = fmt::format("region {} of {} words", region.name, size);
    } else if (from.space == Space::local_tensor) {
      const Stretch* const local = queues_.local(from.index);
      if (local == nullptr) {
        return add(field, fmt::format("no local tensor {} here", name(from.index)),
                   "AllocTensor, DeQue or Get makes one");
      }
      size = local->words;
      lead = local->base % block_words;
      what = fmt::format("local tensor {} of {} words", name(from.index), size);
    } else {
      size = words_of_memory(profile_, from.space);
      what = fmt::format("{} of {} words", to_string(from.space), size);
    }
    if (start < 0 || count > size || start > size - count) {
      return add(field,
                 fmt::format("words {} to {} lie outside the {}", start, start + count - 1, what),
                 fmt::format("for {}", who()));
    }
    if (blocks && (start + lead) % block_words != 0) {
      add(field, fmt::format("word {} of the {} is not 32-byte aligned", start, what),
          fmt::format("for {}", who()));
    }
  }

  void step(const Instruction& in) {
    switch (in.op) {
      case Op::data_copy:
      case Op::load_data:
      case Op::fixpipe:
        words(in.dst, in.count, true, "dst");
        return words(in.src, in.count, true, "src");
      case Op::duplicate: return words(in.dst, in.count, false, "dst");
      case Op::adds:
        words(in.dst, in.count, false, "dst");
        return words(in.src, in.count, false, "src");
      case Op::add:
      case Op::mmad:
      case Op::matmul: {
        const bool blocks = in.op == Op::matmul;
        words(in.dst, in.count, blocks, "dst");
        words(in.src, in.count, blocks, "src");
        return words(in.src_b, in.count, blocks, "src_b");
      }
      case Op::compute: {
        for (const Range& range : in.reads) words(range.from, range.count, false, "reads");
        for (const Range& range : in.writes) words(range.from, range.count, false, "writes");
        return;
      }
      case Op::get_value:
      case Op::raw_load:
      case Op::read_gm_bypass: return words(in.src, 1, false, "src");
      case Op::set_value:
      case Op::assign: written_tensor(in); return words(in.dst, 1, false, "dst");
      case Op::raw_store:
      case Op::write_gm_bypass: return words(in.dst, 1, false, "dst");
      case Op::dcci:
        if (in.line == CacheLine::single) words(in.dst, 1, false, "dst");
        return;
      case Op::soft_sync_all:
      case Op::ib_set:
      case Op::ib_wait: return workspace(in);
      case Op::poll: return poll(in);
      default: return resources(in);
    }
  }

  void written_tensor(const Instruction& in) {
    if (in.dst.space != Space::tensor) return;
    const Tensor& tensor = kernel_.tensors[static_cast<std::size_t>(in.dst.index)];
    if (tensor.is_const) add("dst", fmt::format("{} is a const GlobalTensor", tensor.name));
  }

  void poll(const Instruction& in) {
    words(in.src, 1, false, "src");
    if (in.via != PollVia::data_copy) return;
    // The copy takes the whole block of the word.
    const Region& region = mix_.regions[static_cast<std::size_t>(in.src.index)];
    const std::int64_t word = in.src.at.eval(at_) + region.offset_bytes / 4;
    words(in.src, block_words, false, "src", word / block_words * block_words - word);
    words(in.dst, block_words, true, "dst");
  }

  /// Slots of 32 bytes: one for each core, or for each block and event id.
  void workspace(const Instruction& in) {
    if (in.op == Op::soft_sync_all) {
      const std::int64_t cores = in.count > 0 ? in.count : at_.core_count;
      words(in.src, block_words * std::max<std::int64_t>(cores, at_.core + 1), true, "workspace");
      return words(in.dst, block_words * cores, true, "scratch");
    }
    const std::int64_t blocks = std::int64_t{kernel_.blocks} * (in.aiv_only ? 1 : 2);
    const std::int64_t block = in.value.expr.eval(at_);
    if (block < 0 || block >= blocks) {
      return add("block", fmt::format("block {} is none of the {}", block, blocks),
                 fmt::format("for {}", who()));
    }
    words(in.src, block_words, true, "workspace", block_words * (blocks * in.id + block));
    words(in.dst, block_words, true, "scratch");
  }

  void resources(const Instruction& in) {
    switch (in.op) {
      case Op::tensor_copy: return copy_tensor(in);
      case Op::tensor_end: return end_tensor(in.object);
      case Op::tpipe_init:
      case Op::tpipe_destroy:
      case Op::tpipe_end:
      case Op::init_buffer:
      case Op::alloc_tensor:
      case Op::enque:
      case Op::deque:
      case Op::free_tensor:
      case Op::tbuf_get: return queues_.call(in);
      default: return;
    }
  }

  void copy_tensor(const Instruction& in) {
    const auto to = static_cast<std::size_t>(in.object);
    const auto from = static_cast<std::size_t>(in.other);
    if (!tensor_alive_[from]) {
      return add("from",
                 fmt::format("the GlobalTensor {} is not alive here", kernel_.tensors[from].name));
    }
    if (tensor_alive_[to]) {
      return add("tensor",
                 fmt::format("the GlobalTensor {} is alive already", kernel_.tensors[to].name),
                 "GlobalTensorEndOfScope ends it");
    }
    tensor_alive_[to] = true;
  }

  void end_tensor(std::int16_t object) {
    const auto tensor = static_cast<std::size_t>(object);
    if (!tensor_alive_[tensor]) {
      return add("tensor", fmt::format("the GlobalTensor {} is not alive here",
                                       kernel_.tensors[tensor].name));
    }
    tensor_alive_[tensor] = false;
  }

  const Mix& mix_;
  const SubKernel& kernel_;
  CoreKind kind_;
  const Profile& profile_;
  const std::string& path_;
  Findings& findings_;
  std::vector<bool> reported_;
  std::vector<bool> alive_at_start_;
  std::vector<bool> tensor_alive_;
  QueueCheck queues_;
  Indices at_;
  int place_ = 0;
};

/// Every set of indices that a core of the sub kernel can see, alone and in any launch.
template <class Visit>
void each_core(const SubKernel& kernel, CoreKind kind, Visit&& visit) {
  const int blocks = kernel.blocks;
  const auto indices = [&](int block, int sub, int core, int core_count) {
    Indices at;
    at.block = block;
    at.sub = sub;
    at.core = core;
    at.block_count = blocks;
    at.core_count = core_count;
    at.key = kernel.tiling_key;
    visit(at);
  };
  if (kind == CoreKind::aic) {
    for (int block = 0; block < blocks; ++block) indices(block, 0, block, blocks);
    return;
  }
  const bool of_1_2 = kernel.type == KernelType::mix_aic_1_2;
  // Ratio 1: block and core coincide.
  if (!of_1_2) {
    for (int core = 0; core < blocks; ++core) indices(core, 0, core, blocks);
  }
  // Ratio 2: the AIVs are dense; an AIV kind stops at its own number of cores.
  const int cores = is_aiv_kind(kernel.type) ? blocks : 2 * blocks;
  for (int core = 0; core < cores; ++core) indices(core / 2, core % 2, core, cores);
}

}  // namespace

void validate_walk(const Mix& mix, const SubKernel& kernel, CoreKind kind, const Profile& profile,
                   const std::string& path, Findings& findings) {
  Walk walk(mix, kernel, kind, profile, path, findings);
  each_core(kernel, kind, [&](const Indices& at) { walk.core(at); });
}

}  // namespace skcts
