// The rules of the house as checks over its files: each returns one line a violation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/source_tree.h"

namespace skcts::repository {

using Files = std::vector<SourceFile>;
using Violations = std::vector<std::string>;
using Names = std::vector<std::string_view>;

/// A third party whose headers are kept to a short list of files.
struct ThirdParty {
  std::string_view prefix;  ///< Of the header's name.
  Names files;              ///< The only files that include it.
};

/// The lists that hold in this repository.
const std::vector<ThirdParty>& third_parties();
/// The only files of this repository that read a clock or draw without a seed.
const Names& clock_files();

/// A library includes another one that the table of arrows does not grant it, a file stands in no
/// library of the table, or an include in quotes names no file from the repository root.
Violations forbidden_arrows(const Files& files);

/// reference_model reaches harness/emulator, or the other way round, through any chain of our
/// own headers. Each line shows the chain.
Violations engines_that_meet(const Files& files);

/// Own headers that include each other in a circle, each circle once.
Violations include_cycles(const Files& files);

/// A third party's header in a file that is not on the list for it, a listed file without it, a
/// listed header that reaches another library through the headers of its own, or GoogleTest
/// outside tests, suites and the program.
Violations third_parties_astray(const Files& files, const std::vector<ThirdParty>& parties);

/// What RapidCheck keeps in implicit global state, used in generators, suites or harness.
Violations banned_rapidcheck(const Files& files);

/// Clocks and unseeded randomness outside the files listed for them.
Violations clocks_and_chance(const Files& files, const Names& listed);

/// A tab, a line of more than 100 columns, or a header without #pragma once or without a comment
/// on its first line.
Violations untidy_text(const Files& files);

}  // namespace skcts::repository
