# shellcheck shell=bash disable=SC2034  # the lists are used by the scripts that source this
# What run.sh, test.sh and .ci/run share: Debian packages, configuring, building. Sourced, not run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Packages by purpose; "package:command" counts as present when the command exists.
packages_program=(
  g++:g++ cmake:cmake ninja-build:ninja
  librapidcheck-dev libgtest-dev libfmt-dev nlohmann-json3-dev libcli11-dev libxxhash-dev
  libboost1.81-dev libboost-context1.81-dev libssl-dev libarchive-dev
)
packages_tests=(libgmock-dev openssl:openssl python3:python3)
packages_clang=(clang-19:clang++-19 libclang-rt-19-dev)
# Faster builds only: they ride along when something has to be installed anyway.
packages_optional=(ccache:ccache mold:mold)

jobs=${SKCTS_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }

# fail TEXT: stops with exit code 3, the suite's own error.
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 3
}

# missing_packages ENTRY...: prints the packages of those entries that are absent.
missing_packages() {
  local entry package
  for entry in "$@"; do
    package=${entry%%:*}
    if [[ $entry == *:* ]] && command -v "${entry#*:}" >/dev/null; then continue; fi
    # shellcheck disable=SC2016  # dpkg-query expands this, not the shell
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]]; then
      continue
    fi
    printf '%s\n' "$package"
  done
}

# as_root COMMAND...: runs it as root; fails when that is not possible.
as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

can_install() {
  command -v apt-get >/dev/null || return 1
  [[ $EUID -eq 0 ]] || command -v sudo >/dev/null
}

# simulate PACKAGE...: prints what apt-get would do; fails when it cannot.
simulate() {
  LC_ALL=C apt-get -s install --no-install-recommends "$@" 2>&1
}

# removals: from a simulation on standard input, the packages that would go.
removals() {
  awk '$1 == "Remv" { print $2 }' | paste -sd ' '
}

# refuse_removals PACKAGE...: stops, naming the pair, when these would push another one out.
refuse_removals() {
  local package removed
  for package in "$@" "$*"; do
    # shellcheck disable=SC2086  # the last round is all of them together
    removed=$(simulate $package | removals)
    if [[ -n $removed ]]; then
      fail "installing $package would remove $removed; nothing was changed." \
        "Decide which of them this machine keeps, then run again."
    fi
  done
}

# need_packages ENTRY...: installs what is absent, never at the price of a package that is there.
need_packages() {
  local missing optional package plan
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi
  if ! can_install; then
    fail "these Debian packages are missing, and neither root nor sudo is at hand to install" \
      "them: ${missing[*]}"
  fi
  say "Installing ${missing[*]}"
  if ! simulate "${missing[@]}" >/dev/null; then
    as_root apt-get update -q || fail "apt-get update failed; missing: ${missing[*]}"
    plan=$(simulate "${missing[@]}") || fail "cannot install ${missing[*]}: $plan"
  fi
  refuse_removals "${missing[@]}"
  mapfile -t optional < <(missing_packages "${packages_optional[@]}")
  for package in "${optional[@]}"; do
    if plan=$(simulate "${missing[@]}" "$package") && [[ -z $(removals <<<"$plan") ]]; then
      missing+=("$package")
    fi
  done
  install_now "${missing[@]}" || {
    # The package lists may be older than the archive.
    as_root apt-get update -q && install_now "${missing[@]}"
  } || fail "apt-get could not install: ${missing[*]}"
}

install_now() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends --no-remove "$@"
}

# configure NAME OPTION...: configures build/NAME unless that was done with the same options.
configure() {
  local name=$1 directory=$root/build/$1 wanted
  shift
  wanted="$root $*"
  if [[ -f $directory/build.ninja && $(cat "$directory/configured" 2>/dev/null) == "$wanted" ]]
  then
    return
  fi
  say "Configuring build/$name"
  rm -f "$directory/configured"
  cmake --fresh -S "$root" -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "$@" \
    >"$root/build/$name.log" 2>&1 || {
    cat "$root/build/$name.log" >&2
    return 1
  }
  printf '%s' "$wanted" >"$directory/configured"
}

# build NAME TARGET: builds one target; ninja looks after changed lists of files itself.
build() {
  say "Building build/$1"
  NINJA_STATUS='[%f/%t] ' ninja -C "$root/build/$1" -j "$jobs" "$2"
}

# run_tests NAME ARGUMENT...: ctest over build/NAME; results also in build/NAME/junit.xml.
run_tests() {
  local directory=$root/build/$1
  shift
  rm -f "$directory/junit.xml"
  ctest --test-dir "$directory" -j2 --output-on-failure --no-tests=error \
    --output-junit "$directory/junit.xml" "$@"
}
