// The reader of case text, for readers of other texts that hold the same parts.
#pragma once

#include <span>
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
  using Keys = std::span<const std::string_view>;

  /// Calls read_it(child) under the path of the key, if the key is there.
  template <class Read>
  bool optional(const JsonNode& object, std::string_view key, Read&& read_it) {
    const JsonNode* child = find(object, key);
    if (child == nullptr) return true;
    Scope scope(*this, key);
    return read_it(*child);
  }
  template <class Read>
  bool required(const JsonNode& object, std::string_view key, std::string_view what,
                Read&& read_it) {
    if (find(object, key) == nullptr) return fail_missing(object, key, what);
    return optional(object, key, read_it);
  }
  bool optional_text(const JsonNode& object, std::string_view key, std::string& to) {
    return optional(object, key, [&](const JsonNode& node) { return read_string(node, to); });
  }
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
  /// One of the first `count` enumerators, by its name.
  template <class Kind, std::size_t count>
  bool read_enum(const JsonNode& node, std::string_view what, Kind& to);
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
