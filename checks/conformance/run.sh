#!/usr/bin/env bash
# Builds the suite's runner and our server, and runs them. Options are passed to the runner: `npm run check -- conformance
# -- --trace --run '**/unary/*'`. Ends with the suite's summary and exit status.
set -euo pipefail
cd "$(dirname "$0")/../.."

module=connectrpc.com/conformance
version=v1.0.7
cache=node_modules/.cache/conformance/$version
runner=$cache/connectconformance
protos=$cache/protos.binpb

if [ ! -x "$runner" ] || [ ! -f "$protos" ]; then
  if ! command -v go >/dev/null; then
    echo "The suite is a Go program: building it takes Go 1.26 or later, and there is no 'go' on the PATH." >&2
    exit 1
  fi
  echo "Building $module $version, once; this takes a few minutes."
  mkdir -p "$cache"
  GOBIN=$PWD/$cache go install "$module/cmd/connectconformance@$version"
  source=$(go mod download -json "$module@$version" | node -p 'JSON.parse(fs.readFileSync(0, "utf8")).Dir')
  node checks/lib/buf.mjs build "$source/proto" --output "$protos"
fi

# `CONFORMANCE_HOST` is `server` (the service, the default), `node` (node:http and node:http2) or `fetch`; `CONFORMANCE_RUNTIME` is the
# command of the runtime, for example `bun run`.
host=${CONFORMANCE_HOST:-server}
config=checks/conformance/config.yaml
if [ "$host" = fetch ]; then
  config=checks/conformance/config-fetch.yaml
fi

# shellcheck disable=SC2086 # The command of the runtime can have arguments.
# With more servers at a time, one can take longer to start than the runner waits on a busy machine.
exec "$runner" -v --mode server --max-servers 2 \
  --conf "$config" \
  --known-failing @checks/conformance/known-failing.txt \
  "$@" -- ${CONFORMANCE_RUNTIME:-node --import ./test/typescript.mjs} checks/conformance/server.mjs "$protos" "$host"
