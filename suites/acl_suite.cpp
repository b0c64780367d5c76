// ACL: what the composer of captured graphs promises.
#include <string>
#include <utility>

#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

/// Mixes with the one feature and with the other, in turn.
Property in_turn(RuleId rule, std::string shows, Feature one, Feature other) {
  Property property = legal_property(rule, std::move(shows), has_any({one, other}));
  property.make = [rule, one, other](const Source& source, std::uint64_t index) {
    Focus focus = generators::focus_for(rule);
    focus.require = {index % 2 == 0 ? one : other};
    Case mix = generators::generate(seed_of(rule, source.seed), index, focus, *source.profile);
    return std::optional(fused_and_alone(std::move(mix), source, index));
  };
  return property;
}

}  // namespace

std::vector<Property> acl_properties() {
  std::vector<Property> all;
  all.push_back(legal_property(RuleId::acl_1,
                               "sub kernels of one core kind are launched as AIV_ONLY or AIC_ONLY",
                               has_all({captured_plain_launch})));
  all.push_back(legal_property(RuleId::acl_2,
                               "GetBlockNum of a directly launched sub kernel is the launch's",
                               has_all({captured_direct})));
  all.push_back(legal_property(RuleId::acl_3, "streams of a captured graph and their events",
                               has_all({captured_streams})));
  // Calls that take part, and calls that would let work overlap if they did.
  all.push_back(in_turn(RuleId::acl_4,
                        "early start with the option and the capability, not without",
                        captured_early_call, captured_idle_call));
  // Lines that the refresh behind a sub kernel takes out, and sub kernels without one.
  all.push_back(in_turn(RuleId::acl_5, "a refresh follows each sub kernel that does not do without",
                        captured_refresh, captured_disabled));
  all.push_back(legal_property(RuleId::acl_6, "an option that cannot be used changes nothing",
                               has_all({captured_bad_option})));
  all.push_back(legal_property(RuleId::acl_7, "a sub kernel in batch mode is cut off",
                               has_all({captured_batch_cut})));
  all.push_back(legal_property(RuleId::acl_8, "marks are sets of names",
                               has_all({captured_scope_set})));
  all.push_back(legal_property(RuleId::acl_9, "debug_per_op_max_core_num launches each by itself",
                               has_all({captured_by_itself})));
  return all;
}

}  // namespace skcts::suites
