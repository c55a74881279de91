#!/usr/bin/env bash
# From a fresh clone on Debian 12 to a working build:
#
#   bash cmake/bootstrap.sh run     installs what is missing, builds into build/, compares two formulations on the
#                                   branch pendulum and writes their trajectories into build/results/
#   bash cmake/bootstrap.sh test    the same, then all tests; the last line reads "N passed, N failed"
#   bash cmake/bootstrap.sh install only installs the packages that a build needs
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache git ca-certificates
  libboost-dev libboost-filesystem-dev libboost-system-dev libeigen3-dev libfmt-dev libyaml-cpp-dev
  nlohmann-json3-dev libsundials-dev libhdf5-dev libcli11-dev libginac-dev libpugixml-dev catch2 zlib1g-dev
  dpkg-dev python3-dev python3-numpy pybind11-dev
  libopenblas0
)
# The page of reports is put together with npm, and tested in a browser. Either may be there from elsewhere.
command -v npm >/dev/null || packages+=(nodejs npm)
need_browser() { command -v chromium >/dev/null || packages+=(chromium); }
# Sources of compiled models are compiled for a graphics processor too.
need_clang() { command -v clang++ >/dev/null || packages+=(clang); }
# The documentation site is built, and its links are followed, by a test.
need_site() { packages+=(python3-sphinx python3-myst-parser furo libjs-katex python3-pil); }

fail() {
  echo "bootstrap: $*" >&2
  exit 1
}

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this script installs packages with apt-get, which this system does not have." \
      "Install the equivalents of: ${packages[*]}; then: cmake --preset ci && cmake --build --preset ci"
  local missing=() package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "installing ${missing[*]} needs root: run this as root, or install sudo"
    as_root=(sudo)
  fi
  echo "bootstrap: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# Builds the given targets, or everything, for the given instruction sets.
build() {
  local variants=$1
  shift
  cmake --preset ci -DPOLYFORM_VARIANTS="$variants"
  cmake --build --preset ci ${1:+--target "$@"}
}

demonstrate() {
  mkdir -p build/results
  build/bin/polyform compare apps/models/branch_pendulum.yaml --solvers riccati,cartesian --duration 5 \
    --output build/results/branch_pendulum.csv
}

# Runs all tests and prints the count on a line of its own, last. Status 0 when all passed.
run_tests() {
  local log=build/results/ctest.log summary failed total
  ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" 2>&1 | tee "$log" || true
  summary=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+' "$log" | tail -n 1) || fail "ctest ran no tests"
  failed=$(sed -E 's/.* passed, ([0-9]+) tests? failed.*/\1/' <<<"$summary")
  total=$(sed -E 's/.* out of ([0-9]+).*/\1/' <<<"$summary")
  echo "$((total - failed)) passed, $failed failed"
  ((failed == 0))
}

[[ $# -eq 1 ]] || { usage >&2; exit 2; }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case $1 in
  install) install_packages ;;
  run)
    install_packages
    build native polyform polyform_all_plugins
    demonstrate
    ;;
  test)
    need_browser
    need_clang
    need_site
    install_packages
    build ON
    demonstrate
    run_tests
    ;;
  help | --help | -h) usage ;;
  *)
    usage >&2
    fail "unknown command '$1'; expected run, test or install"
    ;;
esac
