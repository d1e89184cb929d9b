# Shared by the scripts beside it: what must be installed, and how it is installed.
# shellcheck shell=bash

build_packages=(g++ cmake ninja-build pkg-config libfmt-dev libexpected-dev libcli11-dev libzstd-dev
  libxxhash-dev nlohmann-json3-dev libmnl-dev libtomlplusplus-dev)
test_packages=(libgtest-dev libgmock-dev clang-format procps iproute2 util-linux e2fsprogs dpkg-dev
  file jq net-tools)

die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# Installs those of the named packages that are missing; touches the network only then.
install_missing() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing and only root can install them: ${missing[*]}"
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
