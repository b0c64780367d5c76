#include "generators/accesses.h"

#include "spec/program.h"

namespace skcts::generators {

void add_accesses(const Instruction& in, const SubKernel& sub, const GmLayout& layout,
                  const Indices& at, int core, int place, std::vector<Access>& out) {
  const auto add = [&](const Operand& o, std::int32_t count, How how, bool write) {
    int region = o.index;
    if (o.space != Space::gm && o.space != Space::tensor) return;
    if (o.space == Space::tensor) region = sub.tensors[static_cast<std::size_t>(o.index)].region;
    if (region < 0) return;
    const std::int64_t first = layout.base[static_cast<std::size_t>(region)] + o.at.eval(at);
    if (first < 0 || first + count > layout.words) return;
    out.push_back({first, count, core, how, write, write && in.atomic_add, place});
  };
  switch (in.op) {
    case Op::data_copy:
    case Op::fixpipe:
      add(in.src, in.count, How::dma, false);
      add(in.dst, in.count, How::dma, true);
      break;
    case Op::matmul:
      add(in.src, in.count, How::dma, false);
      add(in.src_b, in.count, How::dma, false);
      add(in.dst, in.count, How::dma, true);
      break;
    case Op::get_value:
    case Op::raw_load: add(in.src, 1, How::cached, false); break;
    case Op::set_value:
    case Op::assign:
    case Op::raw_store: add(in.dst, 1, How::cached, true); break;
    case Op::read_gm_bypass: add(in.src, 1, How::bypass, false); break;
    case Op::write_gm_bypass: add(in.dst, 1, How::bypass, true); break;
    default: break;
  }
}

std::vector<Access> accesses_of(const Mix& mix, const GmLayout& layout, const Launch& launch,
                                int k) {
  const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(k)];
  std::vector<Access> out;
  for_each_core(sub, launch, [&](CoreKind kind, const Indices& at, int core) {
    for_each_instruction(sub.program(kind), at,
                         [&](const Instruction& in, const Indices& here, int place) {
                           add_accesses(in, sub, layout, here, core, place, out);
                         });
  });
  return out;
}

}  // namespace skcts::generators
