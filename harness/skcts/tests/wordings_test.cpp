// The words of `skcts explain`, whole, against golden files: a changed sentence is a reviewed diff.
//
// tests/golden/explain holds what the program prints for each written case (spec/cases) and for one
// mix of each kind of operator defect (tests/golden/defects, made once by `skcts generate
// --operator-defect`, so that a change of the generators changes no wording). To write the files
// anew: SKCTS_WRITE_GOLDEN=1 ctest -R Wordings, then read the diff.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"

namespace skcts::program {
namespace {

namespace fs = std::filesystem;

const fs::path root = SKCTS_SOURCE_DIR;
const fs::path golden = root / "tests/golden/explain";

/// Case files below a folder, by their paths from there.
std::vector<fs::path> cases_below(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool is_case =
        entry.path().extension() == ".json" && entry.path().filename() != "index.json";
    if (is_case) found.push_back(fs::relative(entry.path(), folder));
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// spec/cases/reports/skb-09.json has its words in reports/skb-09.txt.
fs::path words_of(fs::path test_case) {
  return golden / test_case.replace_extension(".txt");
}

struct Wording {
  fs::path test_case;  ///< From the root.
  fs::path words;
};

std::vector<Wording> all_wordings() {
  std::vector<Wording> all;
  for (const fs::path& path : cases_below(root / "spec/cases")) {
    all.push_back({fs::path("spec/cases") / path, words_of(path)});
  }
  for (const fs::path& path : cases_below(root / "tests/golden/defects")) {
    all.push_back({fs::path("tests/golden/defects") / path, words_of("defects" / path)});
  }
  return all;
}

TEST(Wordings, AreAsReviewed) {
  const bool write = std::getenv("SKCTS_WRITE_GOLDEN") != nullptr;
  const std::vector<Wording> all = all_wordings();
  EXPECT_GT(all.size(), 100u);
  for (const Wording& one : all) {
    const ChildResult told = run_child(SKCTS_BINARY, {"explain", (root / one.test_case).string()});
    EXPECT_EQ(told.exit_code, 0) << one.test_case << ": " << told.err;
    if (write) {
      fs::create_directories(one.words.parent_path());
      write_text(one.words.string(), told.out);
    }
    ASSERT_TRUE(fs::exists(one.words))
        << one.test_case << " has no golden file; SKCTS_WRITE_GOLDEN=1 writes it";
    EXPECT_EQ(told.out, read_text(one.words.string()))
        << one.test_case << ": changed words; SKCTS_WRITE_GOLDEN=1 writes them anew, for review";
  }
}

/// A golden file whose case is gone.
TEST(Wordings, EachHasItsCase) {
  std::vector<fs::path> known;
  for (const Wording& one : all_wordings()) known.push_back(one.words);
  for (const auto& entry : fs::recursive_directory_iterator(golden)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_NE(std::find(known.begin(), known.end(), entry.path()), known.end()) << entry.path();
  }
}

}  // namespace
}  // namespace skcts::program
