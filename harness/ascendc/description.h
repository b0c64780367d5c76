// What stands beside an operator's source in op.json: how its kernel is launched, and on what data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/error.h"

namespace skcts::ascendc {

/// The values first + step * i, converted to the type of the argument.
struct Ramp {
  std::int64_t first = 0;
  std::int64_t step = 0;
  bool operator==(const Ramp&) const = default;
};

enum class ArgumentKind : std::uint8_t { buffer, tiling, scalar };

struct KernelArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::buffer;
  std::string type = "uint8_t";  ///< Of the elements, or of the scalar.
  std::int64_t count = 0;        ///< Elements of a buffer.
  Ramp init;
  std::optional<Ramp> golden;  ///< What a buffer holds after a run alone.
  std::int64_t value = 0;      ///< Of a scalar.
  bool operator==(const KernelArgument&) const = default;
};

struct TilingField {
  std::string name;
  std::string type;
  std::int64_t value = 0;
  bool operator==(const TilingField&) const = default;
};

struct OperatorDescription {
  std::string kernel;
  KernelType type = KernelType::aiv_only;
  std::int32_t blocks = 1;
  std::string profile = "a2-24";
  std::int32_t tiling_key = 0;
  /// Empty with fields: the struct is declared for the source, as a host's tiling header would.
  std::string tiling_struct;
  std::vector<TilingField> tiling_fields;
  bool auto_sync = true;  ///< As the compiler's automatic synchronisation, which is on by default.
  std::vector<KernelArgument> arguments;
  std::string expect;  ///< What a run alone shows: one of expectation_names; empty: not said.
  bool operator==(const OperatorDescription&) const = default;
};

/// golden: every schedule gives the golden output; wrong-data: some schedule gives another one;
/// stalls: no schedule completes; faults: the operator does what a core cannot.
inline constexpr std::array<std::string_view, 4> expectation_names = {"golden", "wrong-data",
                                                                      "stalls", "faults"};

/// Reads the text of an op.json; `file` names it in errors.
Result<OperatorDescription> read_description(std::string_view text, std::string_view file);

/// Bytes of an element; 0 for a type that is none.
int element_bytes(std::string_view type);

/// The 32-bit words of a buffer of these values.
std::vector<std::uint32_t> words_of(const KernelArgument& argument, const Ramp& ramp);

/// The case that launches the operator alone: a region for each buffer, and one sub kernel, whose
/// programs are empty because compiled code stands in for them.
Case case_of(const OperatorDescription& description);

/// The first word that differs from the golden output, in words; empty: none.
std::string golden_difference(const OperatorDescription& description, const GmLayout& layout,
                              const std::vector<std::uint32_t>& memory);

}  // namespace skcts::ascendc
