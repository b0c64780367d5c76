// Operator text: an operator as canonical JSON, read and written without loss.
//
// docs/certifying.md shows the text; spec/schema/operator.schema.json describes it.
#pragma once

#include <string>
#include <string_view>

#include "spec/error.h"
#include "spec/operator.h"

namespace skcts {

/// Reads operator text. `file` only names the text in messages, which are those of case text: line,
/// column, path of the field, what was expected. Whether it means anything is validate()'s matter.
Result<Operator> read_operator(std::string_view text, std::string_view file);

/// The canonical text, laid out as case text is: read_operator gives back an equal operator.
std::string write_operator(const Operator& value);

}  // namespace skcts
