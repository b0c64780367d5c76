#!/usr/bin/env bash
# Runs the whole suite on the embedded emulator, after installing and building what is missing,
# and closes with one seeded defect. Arguments go to `skcts run`, for example:
#   ./run.sh --cases 100 --seed 7 --out report
# Exit code: that of the run; 3 when the seeded defect is not reported.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"

defect=feed-missing
skcts=$root/build/release/harness/skcts/skcts

need_packages "${packages_program[@]}"
mkdir -p "$root/build"
# No debug information: it costs a fifth of the build, and nobody debugs this one.
configure release -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 \
  -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DSKCTS_BUILD_TESTS=OFF || exit 3
build release skcts || exit 3

status=0
"$skcts" run "$@" || status=$?
if [[ $status -eq 2 || " $* " == *" --help "* || " $* " == *" --gtest_list_tests "* ]]; then
  exit "$status"
fi

echo
say "This is what a failure looks like: skcts run --target emulator:defect=$defect --cases 100"
shown=0
"$skcts" run --target "emulator:defect=$defect" --cases 100 --out "$root/build/release/defect" \
  >"$root/build/release/defect.txt" 2>&1 || shown=$?
tail -n 40 "$root/build/release/defect.txt"
if [[ $shown -ne 1 ]]; then
  say "The seeded defect was not reported: exit code $shown instead of 1"
  if [[ $status -eq 0 ]]; then exit 3; fi
fi
say "End of the seeded defect. Exit code of the run itself: $status"
exit "$status"
