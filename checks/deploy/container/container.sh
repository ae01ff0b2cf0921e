#!/usr/bin/env bash
# Builds deploy/Containerfile and runs the image as users do: without root, on a read-only file system, as process 1.
# Requires root and Debian's buildah and runc. If the base image is not available, a stand-in is made from files of this
# machine: Node, npm, a shell and their libraries.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
here=$PWD

missing=()
for name in buildah runc curl; do
  command -v "$name" >/dev/null || missing+=("$name")
done
if [ "$(id -u)" -ne 0 ] || [ ${#missing[@]} -gt 0 ]; then
  echo "requires root, and these Debian packages: ${missing[*]:-all are installed}" >&2
  exit 1
fi

work=$(mktemp -d)
build() { buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }
container() { runc --root "$work/runc" "$@"; }
cleanup() {
  container delete --force utility-tools 2>/dev/null || true
  build rm --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

failures=0
check() {
  local what=$1
  shift
  if "$@"; then echo "ok     $what"; else echo "FAILED $what"; failures=$((failures + 1)); fi
}

# Builds a stand-in for the Node image from files of this machine, at the same paths.
stand_in() {
  local root=$work/base program library
  mkdir -p "$root"/{bin,etc/ssl/certs,root,tmp,usr/bin,usr/local/bin,usr/local/etc,usr/local/lib/node_modules,home/node}
  chmod 1777 "$root/tmp"
  cp -L "$(command -v node)" "$root/usr/local/bin/node"
  cp -L /bin/sh "$root/bin/sh"
  cp -L /usr/bin/env "$root/usr/bin/env"
  for program in node /bin/sh /usr/bin/env; do
    for library in $(ldd "$(command -v "$program")" | grep -o '/[^ ]*'); do
      mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"
    done
  done
  # Native modules may need more of the C library than the programs do.
  for library in $(dpkg --listfiles libc6 | grep '/lib/.*\.so\.[0-9]*$'); do
    mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"
  done
  cp -RL "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  echo 'cafile=/etc/ssl/certs/ca-certificates.crt' >"$root/usr/local/etc/npmrc"
  printf 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnode:x:1000:\n' >"$root/etc/group"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  build from --name base scratch >/dev/null
  build add --quiet base "$root" / >/dev/null
  build config --env PATH=/usr/local/bin:/usr/bin:/bin base
  build commit --quiet base "$1" >/dev/null
}

base=$(sed -n 's/^FROM \([^ ]*\)$/\1/p' deploy/Containerfile)
if ! build pull --quiet "$base" >/dev/null 2>&1; then
  echo "$base is not available: using a stand-in"
  stand_in "$base"
fi
if ! build bud --isolation chroot --pull-never --format docker --file deploy/Containerfile --tag utility-tools . >"$work/log" 2>&1; then
  tail -n 40 "$work/log"
  echo "FAILED the image is built"
  exit 1
fi
echo "ok     the image is built"

image=$(build mount "$(build from --pull-never localhost/utility-tools)")
build inspect --type image localhost/utility-tools >"$work/image.json"
echo "       /app has $(du -sm "$image/app" | cut -f1) MB"
check "it has no development packages" [ ! -e "$image/app/node_modules/typescript" ]
check "it has no sources, tests or history" [ -z "$(ls -d "$image"/app/{.git,test,src/tools,proto} 2>/dev/null)" ]

# Starts the image with its own configuration and additional environment variables.
start() {
  mkdir -p "$work/bundle"
  (cd "$work/bundle" && rm -f config.json && runc spec && node "$here/checks/deploy/container/container-config.mjs" "$image" "$@" <"$work/image.json")
  container run --bundle "$work/bundle" utility-tools >"$work/out" 2>&1 &
  running=$!
  for _ in $(seq 100); do
    grep -q 'is ready on' "$work/out" && return
    sleep 0.2
  done
  cat "$work/out"
}
responds() { curl --silent --max-time 5 "http://127.0.0.1:$port/v1/geoIp?ip_address=8.8.8.8" | grep -q '"asn":15169'; }
is_healthy() { node "$here/checks/deploy/container/container-config.mjs" --health-check <"$work/image.json" | xargs -0 runc --root "$work/runc" exec --env PORT="$port" utility-tools; }
ends_with_0() {
  container kill utility-tools TERM
  wait "$running"
}

port=$(node -e 'const s = net.createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
for workers in 1 2; do
  start PORT="$port" WORKERS=$workers
  check "it responds, with WORKERS=$workers" responds
  check "its health check succeeds" is_healthy
  started=$SECONDS
  check "it exits with 0 on SIGTERM" ends_with_0
  check "within 5 seconds" [ $((SECONDS - started)) -le 5 ]
done
[ "$failures" -eq 0 ]
