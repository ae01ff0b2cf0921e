#!/usr/bin/env bash
# `npm run test:redis`: holds replicas that share a limit to it, on a real Redis or Valkey that is killed and comes back. It
# listens on 127.0.0.1 alone and keeps nothing. Takes about 20 seconds.
#
#   test/redis/run.sh stores    the stores and the rule alone
#   test/redis/run.sh           these, and two replicas of the service
set -euo pipefail
cd "$(dirname "$0")/../.."

server=$(command -v redis-server || command -v valkey-server || true)
if [ -z "$server" ]; then
  echo "This takes a Redis or Valkey server, and there is no 'redis-server' on the PATH: apt-get install redis-server" >&2
  exit 1
fi

node_modules/.bin/tsc -p test/redis/tsconfig.json
exec node dist/test/redis/shared-limit.js "$server" "$@"
