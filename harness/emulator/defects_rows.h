// The two halves of the catalogue of defects.
#pragma once

#include <span>

#include "harness/emulator/defects.h"

namespace skcts::emulator {

std::span<const Defect> composer_defects();
std::span<const Defect> machine_defects();

}  // namespace skcts::emulator
