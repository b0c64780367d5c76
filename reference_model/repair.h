// The smallest edit of a mix that mends what the analysis found. No repair is offered that the
// analysis does not find clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference_model/model.h"
#include "spec/case.h"

namespace skcts::model {

/// An instruction in the text of a mix; `place` counts in text order (spec/program.h).
struct Spot {
  std::int32_t sub_kernel = -1;  ///< Place in Mix::sub_kernels.
  CoreKind side = CoreKind::aiv;
  std::int32_t place = -1;
  bool operator==(const Spot&) const = default;
};

enum class EditKind : std::uint8_t {
  insert,         ///< `instruction` before the one at `at`; behind the last: at the program's end.
  insert_behind,  ///< The same, behind it and in the same list.
  remove,         ///< The one at `at`.
  change,         ///< The one at `at` becomes `instruction`.
  options,        ///< Mix::options becomes `options`.
  kernel_type,    ///< SubKernel::type becomes `type`.
  /// The sub kernel gets `blocks` blocks. The new ones make its calls of mode 0 flags, SyncAll,
  /// early start and barriers, and nothing else.
  widen,
  split,   ///< The sub kernel is launched on its own, between what came before it and after.
  region,  ///< The region `region` gets `words` words that start as `init` says.
};
std::string_view to_string(EditKind kind);  ///< "insert", ...

/// One step of a repair. Places are those of the mix with the edits before it applied.
struct Edit {
  EditKind kind = EditKind::insert;
  Spot at;
  Instruction instruction;
  std::string options;
  KernelType type = KernelType::mix_aiv_1_0;
  std::int32_t blocks = 0;
  std::int32_t region = -1;
  std::int32_t words = 0;
  RegionInit init;
  bool operator==(const Edit&) const = default;
};

struct Repair {
  std::vector<Edit> edits;  ///< Applied in this order.
  std::int32_t cost = 0;    ///< Smaller is less to change.
  std::int32_t away = 0;    ///< How far from the fault, in instructions.
  bool operator==(const Repair&) const = default;
};

/// The case with the edits made. Precondition: the places exist.
Case repaired(const Case& test_case, const Repair& repair);
/// For a kernel author: "insert PipeBarrier<V> before k0 aiv #5 Add".
std::string sentence_of(const Case& test_case, const Repair& repair);
/// The same for each edit, in order.
std::vector<std::string> sentences_of(const Case& test_case, const Repair& repair);

/// Looks for repairs. Buffers are kept; not thread-safe: one a thread.
class Repairer {
 public:
  /// The smallest repair found, or nothing: none is needed, none is known, or the bound was met.
  /// `analysis` is that of the case under the pins. The case with the repair completes, breaks no
  /// rule, and leaves the memory of the original's sub kernels launched one by one, where that is
  /// one memory.
  std::optional<Repair> find(const Case& test_case, const Analysis& analysis,
                             const std::vector<LatitudePin>& pins = {});
  /// Cases that the last find() analysed.
  std::size_t tries() const { return tries_; }

 private:
  struct Attempt {
    Repair repair;
    std::size_t trouble = 0;
    Analysis analysis;
  };
  /// Tries repairs on top of one that is no cure yet, smallest first; keeps what helps.
  std::optional<Repair> step(const Case& test_case, const Attempt& base,
                             std::vector<Attempt>& helps);
  bool is_clean(const Analysis& analysis) const;

  Model model_{1};  ///< The values of racing words are of no interest.
  std::vector<LatitudePin> pins_;
  std::vector<std::uint32_t> alone_memory_;
  std::size_t tries_ = 0;
  std::size_t tries_max_ = 0;
};

}  // namespace skcts::model
