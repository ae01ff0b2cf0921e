#!/usr/bin/env bash
# Checks the types of the data build, and compares the committed data with its sources. Options are passed to vitest.
set -euo pipefail
cd "$(dirname "$0")/../.."

tsc -p data/build
exec vitest run --root data/build "$@"
