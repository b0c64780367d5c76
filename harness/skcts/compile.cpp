// skcts compile: operator source to a shared object.
#include "harness/ascendc/compile.h"

#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"

namespace skcts::program {

ExitCode compile_source(const CompileArguments& arguments) {
  ascendc::CompileRequest request;
  request.source = arguments.file;
  request.description = arguments.description;
  request.out = arguments.out;
  if (request.out.empty()) {
    const std::size_t dot = arguments.file.rfind('.');
    const std::size_t slash = arguments.file.rfind('/');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    request.out = arguments.file.substr(0, has_ending ? dot : arguments.file.size()) + ".so";
  }
  request.compiler = arguments.compiler;
  request.includes = arguments.includes;
  request.defines = arguments.defines;
  const Result<void> done = ascendc::compile_operator(request);
  if (!done.ok()) return complain(done.error()), ExitCode::usage;
  return ExitCode::pass;
}

}  // namespace skcts::program
