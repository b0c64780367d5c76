#!/usr/bin/env bash
# Runs every test through CTest, after installing and building what is missing.
# Arguments go to ctest, for example: ./test.sh -R skcts_judge
# Exit code: 0 when all passed; 3 when the build failed.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/common.sh"

need_packages "${packages_program[@]}" "${packages_tests[@]}"
mkdir -p "$root/build"
configure test -DCMAKE_CXX_COMPILER="${CXX:-g++}" || exit 3
build test all || exit 3
run_tests test "$@"
