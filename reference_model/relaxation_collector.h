// Gathers the weakenings that a case offers; used by the files relaxation*.cpp alone.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference_model/contract.h"
#include "reference_model/relaxation.h"
#include "spec/options.h"

namespace skcts::model {

inline constexpr std::array both_kinds = {CoreKind::aic, CoreKind::aiv};

/// "AIC" or "AIV".
inline std::string_view upper(CoreKind kind) {
  return kind == CoreKind::aic ? "AIC" : "AIV";
}

/// What one side of a sub kernel's program holds, as far as weakenings look.
struct SideFacts {
  std::set<Op> ops;
  std::set<std::pair<std::int32_t, std::int32_t>> raises;  ///< Id, mode.
  std::set<std::int32_t> waits;
  std::set<HardEvent> events;
  std::set<Pipe> barriers;
  std::set<std::int32_t> read_objects, stored_objects;
  bool has(Op op) const { return ops.count(op) != 0; }
};

SideFacts facts_of(const SubKernel& sub, CoreKind kind);

class Collector {
 public:
  explicit Collector(const Case& test_case)
      : case_(test_case), mix_(test_case.mix), parsed_(options_of(test_case)) {
    if (parsed_.options) options_ = *parsed_.options;
  }

  std::vector<Relaxation> run();

 private:
  Relaxation& add(RuleId rule, Weakening what, int size, std::int32_t place, std::string name,
                  std::string as_if);
  void fused(const std::vector<std::int32_t>& list);
  void launch(const LaunchShape& shape, const ShapeOrRefusal& made);
  void guards(std::int32_t place, const LaunchShape& shape);
  void indices(std::int32_t place, const LaunchShape& shape);
  void ratio(std::int32_t place, const LaunchShape& shape);
  void calls(const std::vector<std::int32_t>& list, std::size_t at);
  void block_number(std::int32_t place, const LaunchShape& shape);
  void full_core(std::int32_t place, const LaunchShape& shape);
  void flags(std::int32_t place);
  void boundary(std::int32_t place, std::int32_t next, const LaunchShape& shape);
  void refreshes(std::int32_t place);
  void in_core(std::int32_t place);
  void alone(std::int32_t place);
  void options();
  void own_calls(std::int32_t place, std::int32_t next, const BoundaryRelation& relation);
  void called_refreshes(std::int32_t place);
  void events(std::int32_t place);
  void streams(const std::vector<std::int32_t>& list);
  void marks();
  void machine();
  void whole_case(std::size_t launches);
  bool leaves_flags() const;
  void inserted_by_contract();
  void everywhere();

  const SubKernel& sub(std::int32_t place) const {
    return mix_.sub_kernels[static_cast<std::size_t>(place)];
  }
  const std::string& name(std::int32_t place) const { return sub(place).name; }

  const Case& case_;
  const Mix& mix_;
  OptionParse parsed_;
  Options options_;
  std::vector<Relaxation> found_;
};

}  // namespace skcts::model
