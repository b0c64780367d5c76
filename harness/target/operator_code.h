// Compiled operator code in place of the programs of a sub kernel: what a target asks of it.
//
// Such code speaks the language of mixes, one instruction at a time, and may need the value that a
// scalar load returned before it can go on. What the language has no instruction for is a Compute
// with a Computation, which works on the real data.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "spec/instruction.h"
#include "spec/kernel_type.h"
#include "spec/mix.h"
#include "spec/profile.h"

namespace skcts {

/// What a Compute instruction does with real data.
class Computation {
 public:
  virtual ~Computation() = default;
  /// Called once, when the instruction finishes. `read` are the words of its read ranges, in
  /// order, as they were when it read them; `written` are those of its written ranges as they are
  /// now: what is left as it is stays, so that parts of words and atomic updates can be had.
  virtual void finish(std::span<const std::uint32_t> read, std::span<std::uint32_t> written) = 0;
};

/// Where compiled code runs: one core in one sub kernel of one launch.
struct CodePlace {
  const Mix* mix = nullptr;
  const Profile* profile = nullptr;
  std::int32_t sub_kernel = 0;
  CoreId core;
  std::int32_t launch = 0;
};

/// What compiled code does on one core, in order. Objects belong to the OperatorCode.
class CodeStream {
 public:
  virtual ~CodeStream() = default;
  /// The next instruction, nullptr at the end; valid until the next call. `value` is what the last
  /// load or query returned.
  virtual const Instruction* next(std::uint32_t value) = 0;
  /// Of the last instruction, a Compute: what it does; nullptr: what Compute does in a mix.
  virtual Computation* computation() = 0;
  /// Not empty: the code cannot go on, and next() returned nullptr for that.
  virtual const std::string& fault_text() const = 0;
  /// Place of the last instruction, for reports.
  virtual std::int32_t place() const = 0;
};

class OperatorCode {
 public:
  virtual ~OperatorCode() = default;
  /// A case starts: no stream of an earlier one is asked again.
  virtual void begin_case() = 0;
  /// The stream of a core that enters a sub kernel; nullptr: it runs the program in the mix.
  virtual CodeStream* enter(const CodePlace& place) = 0;
};

}  // namespace skcts
