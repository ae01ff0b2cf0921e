#!/usr/bin/env bash
# Runs protobuf's conformance suite on the codecs of connect-transcoding. Options are passed to the suite's runner:
# `npm run check -- protobuf-conformance --test Required.Proto3.JsonInput.HelloWorld.JsonOutput`. Ends with its exit status.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

cache=node_modules/.cache/protobuf-conformance
mkdir -p "$cache"
command=$(packages/connect-transcoding/checks/protobuf-conformance/runner.sh)
read -ra runner <<<"$command"

node packages/testing/src/buf.mjs build packages/connect-transcoding/checks/protobuf-conformance/node_modules/protobuf-conformance/include --exclude-source-info --output "$cache/protos.binpb"
exec "${runner[@]}" --enforce_recommended --maximum_edition 2023 \
  --failure_list packages/connect-transcoding/checks/protobuf-conformance/known-failing.txt --output_dir "$cache" \
  "$@" "$(command -v node)" --import ./packages/testing/typescript.mjs packages/connect-transcoding/checks/protobuf-conformance/testee.mjs "$cache/protos.binpb"
