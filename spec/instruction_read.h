// Reads the programs of one sub kernel from case text.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spec/json_reader.h"
#include "spec/mix.h"

namespace skcts {

/// Names in the order of their places, with a fast way back.
class NameIndex {
 public:
  /// The place of the name, which is added when it is new.
  std::size_t intern(std::string_view name);
  /// Adds one more place; a name that is there already keeps its first place.
  void append(std::string_view name);
  /// The place of the name, or npos.
  std::size_t find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
};

/// A reader that knows instructions and their parts.
class InstructionReader : public JsonReader {
 public:
  using JsonReader::JsonReader;

 protected:
  /// Most entries of a list whose places are 16 bits wide.
  static constexpr std::size_t most_names = 32767;

  /// A list of instructions. References go to `regions_`, `tensors_` and `names_`.
  bool read_program(const JsonNode& node, std::vector<Instruction>& to);
  /// The name of a region as its place.
  bool read_region(const JsonNode& node, std::int16_t& to);
  bool read_note(const JsonNode& object, std::string& to);
  bool read_reference(const JsonNode& node, std::string_view what, const NameIndex& names,
                      std::int64_t& to);

  NameIndex regions_;
  NameIndex tensors_;  ///< Of the sub kernel that is being read.
  NameIndex names_;    ///< The same: TPipes, queues and local tensors.

 private:
  bool read_instruction(const JsonNode& node, Instruction& to);
  bool read_field(Field field, const JsonNode& node, Instruction& to);
  bool read_scalar_field(Field field, const JsonNode& node, Instruction& to);
  bool read_word_field(Field field, const JsonNode& node, Instruction& to);
  bool read_object_field(Field field, const JsonNode& node, Instruction& to);
  bool read_expr(const JsonNode& node, std::int64_t highest_base, Expr& to);
  bool read_value(const JsonNode& node, Value& to);
  bool read_operand(const JsonNode& node, bool in_range, Operand& to);
  bool read_space(const JsonNode& node, bool in_range, Operand& to);
  bool read_ranges(const JsonNode& node, std::vector<Range>& to);
  bool read_where(const JsonNode& node, Where& to);
  bool read_event(const JsonNode& node, HardEvent& to);
  bool intern_name(const JsonNode& node, std::string_view what, std::int16_t& to);
  /// Keeps the note of an object inside the instruction that is being read.
  bool read_field_note(const JsonNode& object);

  std::vector<FieldNote>* field_notes_ = nullptr;
  std::size_t instruction_path_ = 0;  ///< Length of the path of the instruction.
};

}  // namespace skcts
