#!/usr/bin/env bash
# The explorer beside SPIN on the same two machines: states, seconds, memory, and whether a stale
# value is found. Needs the Debian packages spin and g++, and a configured build folder.
#   scripts/spin/run.sh [BUILD_FOLDER] [MESSAGE_PASSING_SIZES] [BARRIER_SIZES]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:-$here/../../build}
passing=${2:-"4 5 6"}
barriers=${3:-"5 6 7"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --build "$build" --target explorer_side_by_side >&2
explorer=$build/reference_model/explorer/explorer_side_by_side

TIMEFORMAT=%U  # CPU seconds: others may be at work here
row() { printf '%-16s %5s %-22s %12s %12s %9s %9s  %s\n' "$@"; }

# spin MACHINE SIZE "PAN OPTIONS" NAME [-DRACE]
spin_row() {
  local race=() reduction=()
  [[ -n ${5:-} ]] && race=("$5")
  [[ -n $3 ]] && reduction=("$3")
  (cd "$work" && spin -a -o3 -DN="$2" "${race[@]}" "$here/$1.pml" >/dev/null)
  gcc -O2 -w -DSAFETY -DVECTORSZ=4096 -DMEMLIM=12000 "${reduction[@]}" -o "$work/pan" "$work/pan.c"
  local seconds
  seconds=$({ time (cd "$work" && ./pan -m1000000 -w26 >"$work/out"); } 2>&1)
  local states transitions memory errors
  states=$(awk '/states, stored/ {print $1; exit}' "$work/out")
  transitions=$(awk '/transitions \(=/ {print $1; exit}' "$work/out")
  # Without the hash table and the stack, whose sizes are given.
  memory=$(awk '/actual memory usage for states/ {print $1; exit}' "$work/out")
  errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$work/out" | head -1)
  row "$1" "$2" "$4" "$states" "$transitions" "$seconds" "${memory:-?}" \
    "$([[ $errors == 0 ]] && echo never stale || echo stale)"
}

# explorer_row MACHINE SIZE plain|full NAME [race]
explorer_row() {
  local seconds outcomes states transitions memory race=()
  [[ -n ${5:-} ]] && race=("$5")
  seconds=$({ time "$explorer" "$1" "$2" "$3" "${race[@]}" >"$work/out"; } 2>&1)
  read -r outcomes states transitions memory <"$work/out"
  row "$1" "$2" "$4" "$states" "$transitions" "$seconds" "$memory" \
    "$([[ $outcomes == 1 ]] && echo never stale || echo "stale, $outcomes outcomes")"
}

row machine size engine states transitions seconds MB verdict
for machine in message_passing barrier; do
  [[ $machine == barrier ]] && sizes=$barriers || sizes=$passing
  for size in $sizes; do
    spin_row $machine "$size" -DNOREDUCE "SPIN, plain"
    explorer_row $machine "$size" plain "explorer, plain"
    spin_row $machine "$size" "" "SPIN, reduced"
    explorer_row $machine "$size" full "explorer, reduced"
  done
  spin_row $machine 2 "" "SPIN, racy twin" -DRACE
  explorer_row $machine 2 full "explorer, racy twin" race
done
