// Where lists of kernels in batch mode fall into several SuperKernels (ACL-7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skcts::model {

/// A kernel of the list: its cores of both kinds, 0 where it has none, and whether it asks for all
/// of them at once.
struct BatchKernel {
  std::int32_t cubes = 0;
  std::int32_t vectors = 0;
  bool batch = false;
};

/// The places in the list at which a SuperKernel begins; 0 first, unless the list is empty.
std::vector<std::size_t> batch_cuts(std::span<const BatchKernel> kernels);

}  // namespace skcts::model
