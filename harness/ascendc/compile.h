// Operator source to a shared object that operator_program.h loads.
#pragma once

#include <string>
#include <vector>

#include "harness/ascendc/description.h"
#include "spec/embedded.h"
#include "spec/error.h"

namespace skcts::ascendc {

/// The facade, as it is compiled against: device.h and everything in include/.
std::span<const EmbeddedFile> facade_headers();

/// What is compiled in the place of the source: it includes the source and calls the kernel.
std::string wrapper_text(const OperatorDescription& description, const std::string& source,
                         const std::string& description_text);

struct CompileRequest {
  std::string source;                 ///< op.cpp
  std::string description;            ///< op.json; empty: beside the source
  std::string out;                    ///< op.so
  std::string compiler = "g++";       ///< Found in PATH.
  std::vector<std::string> includes;  ///< More folders for #include.
  std::vector<std::string> defines;   ///< NAME or NAME=VALUE
};

/// Compiles. Words of the compiler are the message of the error, with the source's file and lines.
Result<void> compile_operator(const CompileRequest& request);

}  // namespace skcts::ascendc
