// Looks at a case: every core's program is walked, every GM word remembers who wrote it.
#include "generators/features.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "generators/accesses.h"
#include "generators/captured.h"
#include "generators/edit.h"
#include "generators/features_world.h"
#include "generators/groups.h"
#include "generators/launch.h"
#include "generators/random.h"
#include "spec/program.h"

namespace skcts::generators {

namespace {

struct Word {
  std::int32_t writer_sub = -1;  ///< Last sub kernel before the present one that wrote it.
  std::int32_t writer = -1;
  How how = How::none;
  bool is_read = false;       ///< By an earlier sub kernel.
  std::int32_t now_sub = -1;  ///< The present sub kernel, once it wrote the word.
  std::int32_t now_writer = -1;
  How now_how = How::none;
};

struct Line {
  std::int32_t core = -1;        ///< The only core so far; -2: several.
  std::int32_t scalar_sub = -1;  ///< A sub kernel whose scalar accesses touched it.
  bool stored = false;           ///< By a cached store.
  std::int32_t dma_sub = -1;     ///< Last sub kernel that stored to it by DMA, and
  std::int32_t dma_core = -1;    ///< the first core that did.
};

/// What the lists and the tiling mean for a sub kernel.
struct Placed {
  bool before = false;
  bool after = false;
  bool disable = false;
  bool offload = false;
  [[nodiscard]] bool standard() const { return !before && !after && !disable && !offload; }
};

class Inspector {
 public:
  explicit Inspector(const Case& c);
  Features look();

 private:
  void add(Feature f) { out_.set.add(f); }
  void add_if(bool holds, Feature f) {
    if (holds) out_.set.add(f);
  }
  void look_at_options();
  void look_at_shapes();
  void look_at_tasks();
  void look_at_program(int k, CoreKind kind);
  void look_at_op(int k, CoreKind kind, const Instruction& in);
  void look_at_tpipes(const std::vector<Instruction>& program, CoreKind kind);
  void look_at_polls(const Instruction& in);
  void look_at_repeat(const Instruction& in);
  void look_at_waits(const std::vector<Instruction>& program);
  void walk(int k);
  void settle(int k);
  void settle_read(int k, const Access& a);
  void settle_write(int k, const Access& a);
  void look_at_lines();
  [[nodiscard]] bool follow_in_launch(int k) const {
    const int of = group_of_[static_cast<std::size_t>(k)];
    return k > 0 && of >= 0 && of == group_of_[static_cast<std::size_t>(k) - 1];
  }
  [[nodiscard]] bool early_call_works(int k, Op call) const;
  [[nodiscard]] int shape_workers(int k) const {
    const Shape& s = shapes_[static_cast<std::size_t>(k)];
    return std::max(aic_cores(s.type, s.blocks), aiv_cores(s.type, s.blocks));
  }

  const Case& case_;
  const Mix& mix_;
  bool is_captured_;
  Options options_;
  std::vector<LaunchGroup> groups_;
  std::vector<int> group_of_;     ///< The first launch of each sub kernel; -1: none.
  std::vector<Launch> launches_;  ///< Of each sub kernel.
  std::vector<Shape> shapes_;
  std::vector<Placed> placed_;
  GmLayout layout_;
  std::vector<Word> words_;
  std::vector<Line> lines_;
  std::vector<Access> accesses_;
  Features out_;
};

Inspector::Inspector(const Case& c)
    : case_(c), mix_(c.mix), is_captured_(c.path == "aclgraph"), layout_(layout_of(c.mix)) {
  OptionParse parse = options_of(c);
  if (parse.options) options_ = std::move(*parse.options);
  if (is_captured_) options_.stream_fusion = true;  // whatever it says (ACL-3)
  const auto lists = [](const std::vector<std::string>& list, const SubKernel& s) {
    return std::find(list.begin(), list.end(), s.matched_op_type()) != list.end();
  };
  for (const SubKernel& s : mix_.sub_kernels) {
    shapes_.push_back({s.type, s.blocks});
    Placed p;
    if (is_captured_) {
      const Around around = captured_refreshes(s.name, s.sk_bind, options_);
      placed_.push_back({around.before, around.after, !around.before && !around.after, false});
      continue;
    }
    p.offload = s.tiling == Tiling::offload;
    p.before = !p.offload && lists(options_.dcci_before_kernel_start, s);
    p.after = !p.offload && lists(options_.dcci_after_kernel_end, s);
    p.disable = !p.offload && lists(options_.dcci_disable_on_kernel, s);
    placed_.push_back(p);
  }
  groups_ = launch_groups(case_);
  group_of_.assign(shapes_.size(), -1);
  launches_.resize(shapes_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Launch launch = launch_of_group(mix_, options_, groups_[g]);
    for (const int k : groups_[g].subs) {
      int& of = group_of_[static_cast<std::size_t>(k)];
      if (of >= 0) continue;
      of = static_cast<int>(g);
      launches_[static_cast<std::size_t>(k)] = launch;
    }
  }
  words_.resize(static_cast<std::size_t>(layout_.words));
  lines_.resize(static_cast<std::size_t>(layout_.words / 16 + 1));
}

bool Inspector::early_call_works(int k, Op call) const {
  const int of = group_of_[static_cast<std::size_t>(k)];
  if (of < 0) return false;
  const LaunchGroup& group = groups_[static_cast<std::size_t>(of)];
  if (group.alone || is_two_stream(mix_, options_, group)) return false;
  const SubKernel& s = mix_.sub_kernels[static_cast<std::size_t>(k)];
  if (is_captured_) return captured_call_works(call, s.sk_bind, options_);
  return options_.early_start == 1 && s.tiling == Tiling::fixed;
}

void Inspector::look_at_options() {
  if (is_captured_) return;
  const Options defaults;
  const Options& o = options_;
  add_if(o.func_align != defaults.func_align, Feature::option_func_align);
  add_if(o.preload_code != defaults.preload_code, Feature::option_preload_code);
  add_if(o.early_start == 0, Feature::option_early_start_0);
  add_if(o.early_start == 2, Feature::option_early_start_2);
  add_if(o.stream_fusion, Feature::option_stream_fusion);
  add_if(o.debug_dcci_all, Feature::option_debug_dcci_all);
  add_if(o.debug_sync_all, Feature::option_debug_sync_all);
  add_if(o.feed_sync_all, Feature::option_feed_sync_all);
  add_if(o.profiling, Feature::option_profiling);
  add_if(!o.compile_options.empty(), Feature::option_compile_options);
  add_if(!o.strict_scope_check.empty(), Feature::option_strict_scope_check);
  add_if(!o.dcci_before_kernel_start.empty(), Feature::option_dcci_before);
  add_if(!o.dcci_after_kernel_end.empty(), Feature::option_dcci_after);
  add_if(!o.dcci_disable_on_kernel.empty(), Feature::option_dcci_disable);
  add_if(o.split_mode != defaults.split_mode, Feature::option_split_mode);
  add_if(o.debug_aic_num != 0, Feature::option_debug_aic_num);
  add_if(o.debug_aiv_num != 0, Feature::option_debug_aiv_num);
}

void Inspector::look_at_shapes() {
  constexpr Feature types[] = {Feature::aiv_only,    Feature::aic_only,    Feature::mix_aiv_1_0,
                               Feature::mix_aic_1_0, Feature::mix_aic_1_1, Feature::mix_aic_1_2};
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    const Shape& s = shapes_[k];
    const SubKernel& sub = mix_.sub_kernels[k];
    const int cores = cores_of(s);
    add(types[static_cast<int>(s.type)]);
    add_if(s.blocks == 1, Feature::one_block);
    add_if(s.blocks > 1 && s.blocks % 2 == 1, Feature::odd_blocks);
    add_if(sub.tiling == Tiling::offload, Feature::tiling_offload);
    add_if(sub.counted_blocks() > s.blocks, Feature::counted_wider);
    add_if(sub.counted_type() != s.type, Feature::counted_as_other);
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      add_if(runs_on(s.type, kind) && !is_full_width(s, kind, launches_[k]),
             Feature::narrower_than_launch);
    }
    add_if(s.type == KernelType::mix_aic_1_1 && launches_[k].ratio() == 2,
           Feature::one_to_one_at_1_2);
    if (k == 0) continue;
    const int before = cores_of(shapes_[k - 1]);
    add(cores == before  ? Feature::equal_neighbours
        : cores < before ? Feature::narrower_neighbour
                         : Feature::wider_neighbour);
  }
}

bool calls(const SubKernel& s, Op op) {
  const auto has = [op](const std::vector<Instruction>& program) {
    return std::any_of(program.begin(), program.end(),
                       [op](const Instruction& in) { return in.op == op; });
  };
  return has(s.aic) || has(s.aiv);
}

void Inspector::look_at_tasks() {
  const int count = static_cast<int>(mix_.sub_kernels.size());
  for (int k = 0; k < count; ++k) {
    const SubKernel& s = mix_.sub_kernels[static_cast<std::size_t>(k)];
    const bool head = early_call_works(k, Op::wait_pre_task_end) && follow_in_launch(k);
    const bool tail = early_call_works(k, Op::set_next_task_start) && k + 1 < count &&
                      follow_in_launch(k + 1);
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const std::vector<Instruction>& program = s.program(kind);
      add_if(head && has_work_beyond(program, Op::wait_pre_task_end), Feature::head_work);
      add_if(tail && has_work_beyond(program, Op::set_next_task_start), Feature::tail_work);
    }
    if (!follow_in_launch(k)) continue;
    const SubKernel& p = mix_.sub_kernels[static_cast<std::size_t>(k) - 1];
    const bool set = early_call_works(k - 1, Op::set_next_task_start) &&
                     calls(p, Op::set_next_task_start);
    const bool wait =
        early_call_works(k, Op::wait_pre_task_end) && calls(s, Op::wait_pre_task_end);
    add(set && wait ? Feature::early_both
        : set       ? Feature::early_set
        : wait      ? Feature::early_wait
                    : Feature::early_none);
  }
}

void Inspector::look_at_tpipes(const std::vector<Instruction>& program, CoreKind kind) {
  int pipes = 0;
  for (const Instruction& in : program) {
    if (in.op == Op::tpipe_init) ++pipes;
    if (in.op == Op::init_buffer && in.position != Position::veccalc) {
      add(in.num >= 2 ? Feature::tque_double : Feature::tque_single);
    }
    if (in.op == Op::tbuf_get) add(Feature::tbuf);
  }
  add_if(pipes == 1, Feature::tpipe_one);
  add_if(pipes >= 2, Feature::tpipe_several);
  add_if(pipes >= 1 && kind == CoreKind::aic, Feature::tpipe_on_cube);
}

void Inspector::look_at_polls(const Instruction& in) {
  add(Feature::poll);
  const bool cached = in.via == PollVia::get_value || in.via == PollVia::raw_load;
  add_if(cached, Feature::poll_through_cache);
  add_if(in.via == PollVia::data_copy, Feature::poll_by_dma);
}

void Inspector::look_at_repeat(const Instruction& in) {
  add(Feature::repeat);
  bool raises = false;
  bool waits = false;
  for_each_in(in.body, [&](const Instruction& inner) {
    raises = raises || (inner.op == Op::cross_core_set_flag && inner.mode == 2);
    waits = waits || inner.op == Op::cross_core_wait_flag;
  });
  add_if(raises && !waits, Feature::run_ahead);
}

void Inspector::look_at_op(int k, CoreKind kind, const Instruction& in) {
  const Shape& shape = shapes_[static_cast<std::size_t>(k)];
  const SubKernel& sub = mix_.sub_kernels[static_cast<std::size_t>(k)];
  const Launch& launch = launches_[static_cast<std::size_t>(k)];
  const bool narrow = !is_full_width(shape, kind, launch);
  const bool by_tensor = in.src.space == Space::tensor || in.dst.space == Space::tensor;
  switch (in.op) {
    case Op::data_copy:
      add_if(in.src.space == Space::l1, Feature::l1_to_gm);
      add_if(in.atomic_add, Feature::atomic_add);
      break;
    case Op::fixpipe: add_if(in.atomic_add, Feature::atomic_add); break;
    case Op::mmad: add(Feature::cube_compute); break;
    case Op::get_value:
      add_if(by_tensor, Feature::get_value);
      add_if(by_tensor && sub.tensors[static_cast<std::size_t>(in.src.index)].is_const,
             Feature::const_tensor);
      break;
    case Op::set_value: add_if(by_tensor, Feature::set_value); break;
    case Op::assign: add(Feature::operator_assign); break;
    case Op::raw_load:
    case Op::raw_store: add(Feature::raw_access); break;
    case Op::read_gm_bypass:
    case Op::write_gm_bypass: add(Feature::bypass_access); break;
    case Op::dcci:
      add(in.line == CacheLine::single ? Feature::dcci_single : Feature::dcci_entire);
      break;
    case Op::tensor_copy: add(Feature::tensor_copy); break;
    case Op::tensor_end: add(Feature::tensor_end); break;
    case Op::get_block_num:
      add(Feature::block_num_query);
      add_if(shape.blocks < launch.blocks, Feature::narrow_block_num_query);
      break;
    case Op::get_block_idx:
    case Op::get_sub_block_idx:
    case Op::get_task_ratio: add(Feature::other_query); break;
    case Op::set_flag: add(Feature::event_flags); break;
    case Op::cross_core_set_flag:
      if (in.mode == 0) add(Feature::hand_made_full_core);
      if (in.mode == 1) add(Feature::mode_1);
      if (in.mode == 2) {
        add(kind == CoreKind::aic ? Feature::mode_2_from_cube : Feature::mode_2_from_vector);
      }
      add_if(in.mode == 4, Feature::mode_4);
      add_if(in.mode != 0 && shape.blocks < launch.blocks, Feature::narrow_block_sync);
      break;
    case Op::sync_all:
      add(in.aiv_only ? Feature::sync_all_vector : Feature::sync_all_both);
      add(narrow ? Feature::sync_all_fed : Feature::sync_all_full_width);
      break;
    case Op::soft_sync_all: add(Feature::soft_sync_all); break;
    case Op::ib_set: add(Feature::ib_sync); break;
    case Op::poll: look_at_polls(in); break;
    case Op::matmul: add(Feature::matmul); break;
    case Op::repeat: look_at_repeat(in); break;
    default: break;
  }
}

/// On the 950 a wait holds the pipe that it names; elsewhere the word means nothing (L-33).
void Inspector::look_at_waits(const std::vector<Instruction>& program) {
  const Profile* const profile = find_profile(case_.profile);
  if (profile == nullptr || !profile->is_3510()) return;
  std::optional<Pipe> first;
  for_each_in(program, [&](const Instruction& in) {
    if (in.op != Op::cross_core_wait_flag || in.pipe == Pipe::s) return;
    add(Feature::wait_on_pipe);
    add_if(first && *first != in.pipe, Feature::waits_on_two_pipes);
    first = first.value_or(in.pipe);
  });
}

int raises_of(const std::vector<Instruction>& program) {
  int count = 0;
  for_each_in(program, [&count](const Instruction& in) {
    if (in.op == Op::cross_core_set_flag && in.mode == 2) ++count;
  });
  return count;
}

void Inspector::look_at_program(int k, CoreKind kind) {
  const SubKernel& sub = mix_.sub_kernels[static_cast<std::size_t>(k)];
  const auto& program = sub.program(kind);
  for_each_in(program, [&](const Instruction& in) {
    look_at_op(k, kind, in);
    for (const Operand* o : {&in.src, &in.dst}) {
      const bool shifts = o->at.shift != 0 && (o->at.block != 0 || o->at.core != 0);
      add_if(shifts && shape_workers(k) > 1, Feature::neighbour_shift);
    }
  });
  look_at_tpipes(program, kind);
  look_at_waits(program);
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].op != Op::set_flag) continue;
    const bool paired = i + 1 < program.size() && program[i + 1].op == Op::wait_flag &&
                        program[i + 1].event == program[i].event;
    add_if(!paired, Feature::hand_made_reuse);
  }
  const Instruction* first = nullptr;
  for (const Instruction& in : program) {
    if (in.op != Op::cross_core_set_flag || in.mode != 2) continue;
    if (first == nullptr) first = &in;
    add_if(in.pipe != first->pipe, Feature::two_flags);
  }
  if (kind == CoreKind::aic) {
    add_if(raises_of(sub.aic) >= 2 && raises_of(sub.aiv) >= 1, Feature::ring);
  }
}

void Inspector::walk(int k) {
  const SubKernel& sub = mix_.sub_kernels[static_cast<std::size_t>(k)];
  accesses_.clear();
  for_each_core(
      sub, launches_[static_cast<std::size_t>(k)], [&](CoreKind kind, const Indices& at, int core) {
        std::int64_t executed = 0;
        for_each_instruction(sub.program(kind), at,
                             [&](const Instruction& in, const Indices& here, int place) {
                               ++executed;
                               add_accesses(in, sub, layout_, here, core, place, accesses_);
                             });
        out_.executed_instructions += executed;
        add_if(executed == 1, Feature::single_instruction);
      });
  settle(k);
}

void Inspector::settle_read(int k, const Access& a) {
  const Placed& here = placed_[static_cast<std::size_t>(k)];
  for (std::int64_t w = a.first; w < a.first + a.count; ++w) {
    const Word& word = words_[static_cast<std::size_t>(w)];
    const bool scalar = a.how != How::dma;
    if (scalar && word.now_sub == k && word.now_writer != a.core && word.now_how != How::dma) {
      add(Feature::hand_over_within);
    }
    if (word.now_sub == k && word.now_how != How::dma && !scalar) add(Feature::hand_over_to_dma);
    if (word.writer_sub < 0) continue;
    if (!scalar && word.how != How::dma) add(Feature::hand_over_to_dma);
    if (word.writer == a.core) continue;
    if (!scalar) add(Feature::communication_by_dma);
    const bool cached = a.how == How::cached || word.how == How::cached;
    if (!scalar || word.how == How::dma || !cached) continue;
    const Placed& there = placed_[static_cast<std::size_t>(word.writer_sub)];
    add(Feature::hand_over_across);
    add_if(here.standard() && there.standard(), Feature::hand_over_default);
    add_if(here.before && a.how == How::cached, Feature::hand_over_before);
    add_if(there.after && word.how == How::cached, Feature::hand_over_after);
    add_if(is_captured_ && there.after && word.how == How::cached, Feature::captured_refresh);
    add_if(here.disable || there.disable, Feature::hand_over_disable);
    add_if(here.offload || there.offload, Feature::hand_over_offload);
  }
}

void Inspector::settle_write(int k, const Access& a) {
  for (std::int64_t w = a.first; w < a.first + a.count; ++w) {
    Word& word = words_[static_cast<std::size_t>(w)];
    add_if(word.is_read, Feature::anti_dependence);
    add_if(word.writer_sub >= 0, Feature::output_dependence);
    word.now_sub = k;
    word.now_writer = a.core;
    word.now_how = a.how;
    if (a.how != How::dma || a.atomic) continue;
    Line& line = lines_[static_cast<std::size_t>(w / 16)];
    add_if(line.dma_sub == k && line.dma_core != a.core, Feature::false_sharing_by_dma);
    if (line.dma_sub != k) line.dma_core = a.core;
    line.dma_sub = k;
  }
}

void Inspector::settle(int k) {
  for (const Access& a : accesses_) {
    if (a.write) settle_write(k, a);
    for (std::int64_t n = a.first / 16; n <= (a.first + a.count - 1) / 16; ++n) {
      Line& line = lines_[static_cast<std::size_t>(n)];
      line.core = line.core == -1 || line.core == a.core ? a.core : -2;
      line.stored = line.stored || (a.write && a.how == How::cached);
      if (a.how != How::cached) continue;
      add_if(line.scalar_sub >= 0 && line.scalar_sub != k, Feature::shared_line);
      line.scalar_sub = k;
    }
  }
  for (const Access& a : accesses_) {
    if (!a.write) settle_read(k, a);
  }
  for (const Access& a : accesses_) {
    for (std::int64_t w = a.first; w < a.first + a.count; ++w) {
      Word& word = words_[static_cast<std::size_t>(w)];
      if (!a.write) {
        word.is_read = true;
        continue;
      }
      word.writer_sub = word.now_sub;
      word.writer = word.now_writer;
      word.how = word.now_how;
    }
  }
}

void Inspector::look_at_lines() {
  for (const Line& line : lines_) {
    add_if(line.stored && line.core >= 0, Feature::line_per_core);
  }
}

Features Inspector::look() {
  out_.sub_kernels = static_cast<int>(mix_.sub_kernels.size());
  look_at_options();
  look_at_shapes();
  add_world_features(case_, options_, groups_, out_);
  if (is_captured_) add_captured_features(case_, options_, groups_, out_);
  look_at_tasks();
  for (int k = 0; k < out_.sub_kernels; ++k) {
    look_at_program(k, CoreKind::aic);
    look_at_program(k, CoreKind::aiv);
    walk(k);
  }
  look_at_lines();
  add_if(!out_.has(Feature::tpipe_one) && !out_.has(Feature::tpipe_several), Feature::tpipe_none);
  return out_;
}

}  // namespace

bool has_work_beyond(const std::vector<Instruction>& program, Op call) {
  const auto is_work = [](const Instruction& in) {
    return in.op != Op::pipe_barrier && (in.op < Op::get_block_num || in.op > Op::get_task_ratio);
  };
  const auto at = std::find_if(program.begin(), program.end(),
                               [call](const Instruction& in) { return in.op == call; });
  if (at == program.end()) return false;
  return call == Op::set_next_task_start ? std::any_of(at + 1, program.end(), is_work)
                                         : std::any_of(program.begin(), at, is_work);
}

Features features_of(const Case& value) {
  return Inspector(value).look();
}

}  // namespace skcts::generators
