#!/usr/bin/env bash
# Runs protobuf's conformance suite on the codecs of connect-transcoding. Options are passed to the suite's runner:
# `npm run check -- protobuf-conformance --test Required.Proto3.JsonInput.HelloWorld.JsonOutput`. Ends with its exit status.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=node_modules/.cache/protobuf-conformance
mkdir -p "$cache"
command=$(checks/protobuf-conformance/runner.sh)
read -ra runner <<<"$command"

node checks/lib/buf.mjs build checks/protobuf-conformance/node_modules/protobuf-conformance/include --exclude-source-info --output "$cache/protos.binpb"
exec "${runner[@]}" --enforce_recommended --maximum_edition 2023 \
  --failure_list checks/protobuf-conformance/known-failing.txt --output_dir "$cache" \
  "$@" "$(command -v node)" --import ./test/typescript.mjs checks/protobuf-conformance/testee.mjs "$cache/protos.binpb"
