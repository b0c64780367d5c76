// How instructions stand in case text: keys, their order, and which may be left out.
#pragma once

#include <span>
#include <string_view>

#include "spec/instruction.h"

namespace skcts {

/// One field of an op in case text.
struct FieldText {
  Field field = Field::dst;
  std::string_view key;   ///< The key in the text; most often the field's own name.
  bool required = false;  ///< Otherwise a missing key means the value in default_instruction().
};

/// The fields of an op in the order of canonical text, built from fields_of().
std::span<const FieldText> instruction_text(Op op);

/// All keys that an object of that op may have: "op", its fields, "where", "note".
std::span<const std::string_view> instruction_keys(Op op);

/// The name of a field as the Instruction struct has it, for messages.
std::string_view field_name(Field field);

/// What an op means with every optional field left out.
Instruction default_instruction(Op op);

/// Whether that field of two instructions is the same.
bool same_field(Field field, const Instruction& a, const Instruction& b);

/// The words that case text uses for values, in the order of their enums.
std::span<const std::string_view> op_names();
std::span<const std::string_view> pipe_names();  ///< "S" ... "ALL"
std::span<const std::string_view> space_keys();  ///< "", "gm", "tensor", "UB", ... "local"
std::span<const std::string_view> line_names();
std::span<const std::string_view> dsb_names();
std::span<const std::string_view> via_names();
std::span<const std::string_view> compare_names();
std::span<const std::string_view> position_names();
std::span<const std::string_view> index_names();     ///< "block", ... "k"; of IndexName
std::span<const std::string_view> register_names();  ///< "r0" ... "r7"

}  // namespace skcts
