#!/usr/bin/env bash
# need_packages against a made-up machine: apt-get, dpkg-query and sudo are stand-ins.
# Each case runs in a shell of its own whose PATH holds the stand-ins first.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
failures=0

stand_in() { cat >"$work/bin/$1" && chmod +x "$work/bin/$1"; }

# Installed packages are lines of the file `installed`; the archive knows those in `known`;
# installing `pushy` removes `victim`.
stand_in dpkg-query <<'END'
#!/bin/bash
grep -qx -- "${@: -1}" "$STATE/installed" && printf installed
END
stand_in apt-get <<'END'
#!/bin/bash
echo "$*" >>"$STATE/calls"
packages=() simulated=no
for word in "$@"; do
  case $word in
    update) cp "$STATE/archive" "$STATE/known"; exit 0 ;;
    -s) simulated=yes ;;
    install | -*) ;;
    *) packages+=("$word") ;;
  esac
done
for package in "${packages[@]}"; do
  if ! grep -qx -- "$package" "$STATE/known"; then
    echo "E: Unable to locate package $package"
    exit 100
  fi
  [[ $package == pushy ]] && echo "Remv victim [1.0]"
done
[[ $simulated == yes ]] && exit 0
printf '%s\n' "${packages[@]}" >>"$STATE/installed"
END
stand_in sudo <<'END'
#!/bin/bash
[[ $1 == -n ]] && shift
echo "sudo $*" >>"$STATE/calls"
exec "$@"
END

# machine INSTALLED KNOWN ARCHIVE: a fresh state, each argument a list of packages.
machine() {
  export STATE=$work/state
  rm -rf "$STATE" && mkdir "$STATE"
  printf '%s\n' "$1" | tr ' ' '\n' >"$STATE/installed"
  printf '%s\n' "$2" | tr ' ' '\n' >"$STATE/known"
  printf '%s\n' "$3" | tr ' ' '\n' >"$STATE/archive"
  : >"$STATE/calls"
}

# ask ENTRY...: need_packages there; text in $said, exit code in $code.
ask() {
  said=$(
    PATH=$work/bin:$PATH bash -c '. "$1/../scripts/common.sh"; packages_optional=(extra)
      can_install() { [[ ! -e $STATE/no-rights ]]; }
      shift; need_packages "$@"' ask "$here" "$@" 2>&1
  )
  code=$?
}

# expect WHAT CONDITION...: counts a failure when the condition does not hold.
expect() {
  local what=$1
  shift
  if ! "$@"; then
    printf 'FAILED: %s\n  said: %s (exit %s)\n  calls: %s\n' "$what" "$said" "$code" \
      "$(paste -sd '|' "$STATE/calls")"
    failures=$((failures + 1))
  fi
}
says() { [[ $said == *"$1"* ]]; }
exits() { [[ $code -eq $1 ]]; }
has() { grep -qx -- "$1" "$STATE/installed"; }
lacks() { ! has "$1"; }
called() { grep -q -- "$1" "$STATE/calls"; }
quiet() { [[ ! -s $STATE/calls ]]; }

machine "a b" "a b" "a b"
ask a b sh-package:sh
expect "all present: nothing is called" quiet
expect "all present: success" exits 0

machine "a" "a b extra" "a b extra"
ask a b
expect "the missing package comes" has b
expect "an optional one rides along" has extra
expect "an installation may remove nothing" called --no-remove
expect "success" exits 0

machine "a" "a" "a b"
ask a b
expect "an unknown package: the lists are updated first" called update
expect "then it comes" has b
expect "an optional one that is unknown is no obstacle" exits 0

machine "a" "a" "a"
ask a b
expect "a package that does not exist is named" says "cannot install b"
expect "and stops with the suite's own error" exits 3

machine "a victim" "a b pushy" "a b pushy"
ask b pushy
expect "what would go is named" says "installing pushy would remove victim"
expect "and stops" exits 3
expect "before anything is installed" lacks b

machine "a" "a b" "a b"
touch "$STATE/no-rights"
ask a b
expect "without rights the missing package is named" says "missing, and neither root nor sudo"
expect "by its name" says ": b"
expect "and stops" exits 3

machine "a" "a b" "a b"
ask no-such-command-package:no-such-command-here
expect "an absent command asks for its package" says "cannot install no-such-command-package"

if [[ $failures -eq 0 ]]; then echo "all package cases hold"; fi
[[ $failures -eq 0 ]]
