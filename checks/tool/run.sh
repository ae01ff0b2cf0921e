#!/usr/bin/env bash
# `npm run check -- tool [NAME...]`: the tests, types and linters that concern tools. The names are those of folders in test/tools.
set -euo pipefail
cd "$(dirname "$0")/../.."

# What every tool is part of.
contract=(api documented-limits documented-patterns openapi openapi-links snippets tools-in-documents)
tests=(test/architecture.test.ts test/tools/tools.test.ts test/contract/tools/every-method.test.ts test/cli/commands.test.ts
  test/deploy/gateway-routes.test.ts test/workbench/kit/text.test.ts
  test/workbench/panels.test.ts test/workbench/schema "${contract[@]/#/test/contract/documents/}")
folders=("${@/#/test/tools/}")
if [ $# -gt 0 ]; then
  ls -d "${folders[@]}" >/dev/null
else
  folders=(test/tools)
fi

# With names, also the examples of their pages. Only these tests have names that begin with the path of a page; those of other pages are
# skipped.
options=()
if [ $# -gt 0 ]; then
  options=(test/documented-examples.test.ts --testNamePattern "^(?!README\.md|docs/\S+\.md)|^docs/tools/($(IFS='|'; echo "$*"))\.md")
fi
vitest run "${folders[@]}" "${tests[@]}" "${options[@]}" &
buf="node packages/testing/src/buf.mjs"
failed=0
# The types of the packages are in their builds.
$buf lint && $buf format --diff --exit-code proto && npm run --silent build:packages &&
  tsc -p tsconfig.json && tsc -p src/workbench || failed=1
wait $! || failed=1
exit $failed
