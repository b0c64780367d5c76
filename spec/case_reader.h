// The reader of case text, for readers of other texts that hold the same parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/instruction_read.h"

namespace skcts {

/// Reads a whole case; its parts are there for readers that are built on it.
class CaseReader : public InstructionReader {
 public:
  using InstructionReader::InstructionReader;

  bool read(Case& to);

 protected:
  template <class Read>
  bool each_object(const JsonNode& list, std::string_view plural, std::string_view what, Keys keys,
                   Read&& read_it) {
    if (!expect_list(list, plural, most_names)) return false;
    return each(list, [&](const JsonNode& child, std::size_t index) {
      Scope scope(*this, index);
      return expect_object(child, what) && check_keys(child, keys, what) && read_it(child, index);
    });
  }

  bool read_options(const JsonNode& node, std::string_view path, std::string& to);
  bool read_regions(const JsonNode& node, std::vector<Region>& to);
  /// References to regions are to those that were read before.
  bool read_sub_kernel(const JsonNode& node, SubKernel& to);

 private:
  bool read_format(const JsonNode& node);
  bool read_mix(const JsonNode& node, std::string_view path, Mix& to);
  bool read_init(const JsonNode& node, RegionInit& to);
  bool read_words(const JsonNode& node, std::vector<std::uint32_t>& to);
  bool read_tensors(const JsonNode& node, std::vector<Tensor>& to);
  bool read_names(const JsonNode& node);
  bool read_type(const JsonNode& node, KernelType& to);
  bool read_marks(const JsonNode& node, std::vector<std::string>& to);
  bool read_texts(const JsonNode& node, std::string_view plural, std::size_t most,
                  std::vector<std::string>& to);
  /// The one of the first `count` enumerators that is a key of the object; none or several are an
  /// error with the example.
  template <class Kind, std::size_t count>
  bool read_kind(const JsonNode& node, std::string_view what, std::string_view example, Kind& to);
  bool read_outside(const JsonNode& node, std::vector<OutsideActor>& to);
  bool read_outside_step(const JsonNode& node, OutsideStep& to);
  bool read_plan(const JsonNode& node, const Mix& mix, Plan& to);
  bool read_step(const JsonNode& node, const NameIndex& kernels, PlanStep& to);
  bool read_latitudes(const JsonNode& node, std::vector<std::string>& to);
  bool read_schedule(const JsonNode& node, Schedule& to);
  bool read_expectation(const JsonNode& node, Expectation& to);
  bool read_provenance(const JsonNode& node, Provenance& to);
};

}  // namespace skcts
