#include "generators/touches.h"

#include "generators/edit.h"
#include "spec/program.h"

namespace skcts::generators {

namespace {

/// Ids that N <= 4 Matmul objects and their start use (SYNC-7).
constexpr std::uint32_t matmul_flags = 0x80ff;

bool is_cached(Op op) {
  return op == Op::get_value || op == Op::set_value || op == Op::assign || op == Op::raw_load ||
         op == Op::raw_store;
}

bool is_wait(Op op) {
  return op == Op::poll || op == Op::soft_sync_all || op == Op::ib_set || op == Op::ib_wait;
}

}  // namespace

Touches::Touches(const Mix& mix)
    : regions_(mix.regions.size()),
      touch_(mix.sub_kernels.size(), std::vector<Touch>(mix.regions.size())),
      flags_(mix.sub_kernels.size(), 0),
      waits_inside_(mix.sub_kernels.size(), false) {
  for (std::size_t k = 0; k < mix.sub_kernels.size(); ++k) {
    const SubKernel& sub = mix.sub_kernels[k];
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      bool late = false;
      for_each_in(sub.program(kind), [&](const Instruction& in) {
        late = late || in.op == Op::set_next_task_start;
        look_at(static_cast<int>(k), sub, in, late);
      });
    }
  }
}

void Touches::look_at(int sub, const SubKernel& kernel, const Instruction& in, bool late) {
  const auto k = static_cast<std::size_t>(sub);
  const auto touch = [&](const Operand& o, bool writes) {
    int region = -1;
    if (o.space == Space::gm) region = o.index;
    if (o.space == Space::tensor) region = kernel.tensors[static_cast<std::size_t>(o.index)].region;
    if (region < 0) return;
    Touch& t = touch_[k][static_cast<std::size_t>(region)];
    (writes ? t.writes : t.reads) = true;
    t.cached = t.cached || is_cached(in.op) || in.op == Op::poll;
    t.late = t.late || late;
    t.waits = t.waits || is_wait(in.op);
  };
  touch(in.src, false);
  touch(in.src_b, false);
  touch(in.dst, in.op != Op::dcci);
  if (is_wait(in.op)) touch(in.src, true);
  const bool flag = in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
  if (flag) flags_[k] |= 1u << (static_cast<unsigned>(in.id) & 15u);
  if (in.op == Op::matmul) flags_[k] |= matmul_flags;
  waits_inside_[k] =
      waits_inside_[k] || flag || is_wait(in.op) || in.op == Op::matmul || in.op == Op::sync_all;
}

bool Touches::share_data(int a, int b) const {
  for (int r = 0; r < regions(); ++r) {
    const Touch& x = of(a, r);
    const Touch& y = of(b, r);
    if (x.any() && y.any() && (x.writes || y.writes)) return true;
  }
  return false;
}

bool Touches::share_flags(int a, int b) const {
  return (flags_[static_cast<std::size_t>(a)] & flags_[static_cast<std::size_t>(b)]) != 0;
}

}  // namespace skcts::generators
