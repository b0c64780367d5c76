// Case text: a case as canonical JSON, read and written without loss.
//
// docs/writing-a-case.md shows the text on an example; spec/schema/case.schema.json describes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/error.h"

namespace skcts {

/// Longest text that is read. Longer ones are an error before a byte of them is parsed.
inline constexpr std::size_t max_case_bytes = std::size_t{16} << 20;
/// Deepest nesting of objects and lists that is read.
inline constexpr int max_case_depth = 32;

/// A case and what was accepted with a remark (an alias of an option, say).
struct CaseReading {
  Case value;
  std::vector<Error> warnings;  ///< With file, line and column of the words they are about.
  bool operator==(const CaseReading&) const = default;
};

/// Reads case text. `file` only names the text in messages. An error carries line and column, the
/// path of the field, what was expected, and the nearest known name where there is one. Reading
/// checks the text (names, types, ranges of the fields); whether the case means anything is
/// validate()'s question.
Result<CaseReading> read_case_with_warnings(std::string_view text, std::string_view file);

/// The same without the warnings.
Result<Case> read_case(std::string_view text, std::string_view file);

/// Reads a file; one that is no regular file, cannot be opened or is too large is an error without
/// a line.
Result<CaseReading> read_case_file_with_warnings(const std::string& path);
Result<Case> read_case_file(const std::string& path);

/// The text of a case file (spec/text_file.h). An error has no line.
Result<std::string> read_case_file_text(const std::string& path);

/// Gives errors of validate() the file and the place in the text that the case was read from: that
/// of their field, or of what holds it where the text does not spell the field out.
void place_errors(std::string_view text, std::string_view file, std::vector<Error>& errors);

/// The canonical text: fixed field order, one printing, defaults left out, an instruction a line,
/// LF at the end of each line. read_case gives back an equal case as long as names of regions,
/// sub kernels and tensors are unique and names of TPipes, queues and local tensors stand in
/// order of first use, which both hold for each case that was read or passes validate().
std::string write_case(const Case& value);

/// One instruction as case text on one line, e.g. for messages. `sub_kernel` gives the names.
std::string write_instruction(const Mix& mix, const SubKernel& sub_kernel,
                              const Instruction& instruction);

}  // namespace skcts
