// RATIO: MIX 1:1 inside a 1:2 launch.
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {

std::vector<Property> ratio_properties() {
  std::vector<Property> all;
  all.push_back(legal_property(RuleId::ratio_1,
                               "a MIX 1:1 sub kernel gives the same memory in a 1:2 launch",
                               has_all({Feature::one_to_one_at_1_2})));
  all.push_back(operator_property(RuleId::ratio_2, "a mode-2 flag from one vector core stalls"));
  all.push_back(operator_property(RuleId::ratio_3,
                                  "a Matmul call from both vector cores of a MIX 1:1 stalls"));
  all.push_back(
      operator_property(RuleId::ratio_4, "work split by a fixed ratio is doubled or wrong"));
  return all;
}

}  // namespace skcts::suites
