// The suites: one property a rule, one GoogleTest suite a chapter.
#pragma once

#include <vector>

#include "harness/campaign/property.h"
#include "harness/campaign/session.h"

namespace skcts::suites {

using campaign::Property;

std::vector<Property> core_properties();
std::vector<Property> sync_properties();
std::vector<Property> ratio_properties();
std::vector<Property> cache_properties();
std::vector<Property> pipe_properties();
std::vector<Property> task_properties();
std::vector<Property> fuse_properties();
std::vector<Property> acl_properties();

/// All of them in the order of the contract: one for each rule that needs no feature that is
/// missing (Rule::needs).
std::vector<Property> properties();

/// Registers each property as a GoogleTest test "Core.CORE_3" that runs it in the session and
/// fails, skips or passes as its status says, and each written case as "Cases.reports_skb_09".
/// The session must outlive RUN_ALL_TESTS.
void register_tests(campaign::Session& session);

}  // namespace skcts::suites
