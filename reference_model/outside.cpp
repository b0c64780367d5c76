#include "reference_model/outside.h"

namespace skcts::model {

namespace {

/// What the 950 has and the sources do not tell: ids that reach nobody.
std::string undecided_on_3510(const std::vector<Instruction>& program, CoreKind kind) {
  for (const Instruction& in : program) {
    std::string inside = undecided_on_3510(in.body, kind);
    if (!inside.empty()) return inside;
    if (in.op != Op::cross_core_set_flag || (in.id & 31) <= 15) continue;
    if (in.mode != 4) return "flag ids above 15 are not decided in other modes than 4";
    if (kind == CoreKind::aiv) return "flag ids above 15 are not decided on vector cores";
  }
  return {};
}

std::string undecided_on_3510(const Mix& mix) {
  for (const SubKernel& sub : mix.sub_kernels) {
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      std::string found = undecided_on_3510(sub.program(kind), kind);
      if (!found.empty()) return found;
    }
  }
  return {};
}

}  // namespace

std::string undecided(const Case& test_case, const Profile& profile) {
  if (profile.is_3510()) return undecided_on_3510(test_case.mix);
  return {};
}

}  // namespace skcts::model
