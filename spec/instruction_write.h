// Writes instructions as case text on one line; the printing behind write_case and
// write_instruction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "spec/instruction_text.h"
#include "spec/json_tree.h"
#include "spec/mix.h"

namespace skcts {

/// An object on one line, key by key.
class Inline {
 public:
  void add(std::string_view key, std::string_view json) {
    text_ += text_.size() > 1 ? ", " : "";
    text_ += json_quoted(key);
    text_ += ": ";
    text_ += json;
  }
  void add_text(std::string_view key, std::string_view text) { add(key, json_quoted(text)); }
  template <class Int>
  void add_int(std::string_view key, Int value) {
    add(key, fmt::format("{}", value));
  }
  /// Leaves an empty text out.
  void add_note(std::string_view note) {
    if (!note.empty()) add_text("note", note);
  }
  std::string done() && { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

/// The name at a place; a place that leads nowhere shows itself, so that a broken case can still
/// be printed.
template <class List, class NameOf>
std::string name_at(const List& list, std::int64_t place, NameOf&& name_of) {
  if (place >= 0 && static_cast<std::size_t>(place) < list.size()) {
    return json_quoted(name_of(list[static_cast<std::size_t>(place)]));
  }
  return json_quoted(fmt::format("#{}", place));
}

/// Writes the instructions of one sub kernel.
class InstructionWriter {
 public:
  InstructionWriter(const Mix& mix, const SubKernel& kernel) : mix_(mix), kernel_(kernel) {}

  /// Everything but the body of a Repeat; the caller may add to it.
  Inline head(const Instruction& in) const;
  /// The whole instruction, a body included.
  std::string whole(const Instruction& in) const;

 private:
  std::string region(std::int64_t place) const;
  std::string tensor(std::int64_t place) const;
  std::string name(std::int64_t place) const;
  Inline operand(const Instruction& in, const Operand& from, const std::string& place) const;
  std::string operand_text(const Instruction& in, const Operand& from, std::string_view key) const;
  std::string ranges_text(const Instruction& in, const std::vector<Range>& ranges,
                          std::string_view key) const;
  std::string object_text(const Instruction& in, std::int64_t place) const;
  std::string field_text(const Instruction& in, const FieldText& field) const;

  const Mix& mix_;
  const SubKernel& kernel_;
};

/// True when reading the programs alone would give the same list of names.
bool names_in_order_of_use(const SubKernel& kernel);

}  // namespace skcts
