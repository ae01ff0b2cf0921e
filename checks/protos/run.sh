#!/usr/bin/env bash
# Generates all code again, and fails if it differs from what is committed, or if the proto files break clients.
set -euo pipefail
cd "$(dirname "$0")/../.."

folders="gen packages/connect-transcoding/gen packages/testing/gen packages/connect-transcoding/examples
  test/contract/documents/api.txt deploy/kubernetes/components/gateway-api src/workbench/schema"
npm run --silent generate >/dev/null
# shellcheck disable=SC2086 # several folders
git diff --exit-code --stat -- $folders
# shellcheck disable=SC2086
test -z "$(git status --porcelain -- $folders)"

# A lock file must not name the host of a registry.
if git ls-files '*package-lock.json' | xargs grep -nE '"resolved": "[a-z+]+:'; then
  exit 1
fi

node checks/protos/breaking.mjs
