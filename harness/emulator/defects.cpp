// The catalogue of defects as one list.
#include "harness/emulator/defects.h"

#include <vector>

#include "harness/emulator/defects_rows.h"

namespace skcts::emulator {

std::span<const Defect> defects() {
  static const std::vector<Defect> all = [] {
    std::vector<Defect> both;
    for (const auto half : {composer_defects(), machine_defects()}) {
      both.insert(both.end(), half.begin(), half.end());
    }
    return both;
  }();
  return all;
}

const Defect* find_defect(std::string_view name) {
  for (const Defect& defect : defects()) {
    if (defect.name == name) return &defect;
  }
  return nullptr;
}

}  // namespace skcts::emulator
