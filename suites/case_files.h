// The written cases that are compiled in, and their names as tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/embedded.h"
#include "spec/error.h"

namespace skcts::suites {

/// A file of spec/cases that is a case (its folder's index is none).
struct WrittenCase {
  std::string file;  ///< "spec/cases/reports/skb-09.json"
  std::string test;  ///< "reports_skb_09"
  std::string_view text;
};

/// All of them, sorted by file.
std::vector<WrittenCase> written_cases();

}  // namespace skcts::suites
