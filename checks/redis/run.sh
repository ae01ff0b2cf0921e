#!/usr/bin/env bash
# `npm run check -- redis`: tests replicas that share a rate limit on a real Redis or Valkey server, which is killed and restarted.
# It listens only on 127.0.0.1 and stores nothing on disk. Takes about 20 seconds.
#
#   checks/redis/run.sh stores    only the store and the hook
#   checks/redis/run.sh           also two replicas of the service
set -euo pipefail
cd "$(dirname "$0")/../.."

server=$(command -v redis-server || command -v valkey-server || true)
if [ -z "$server" ]; then
  echo "This test needs 'redis-server' or 'valkey-server' on the PATH: apt-get install redis-server" >&2
  exit 1
fi

exec node --import ./test/typescript.mjs checks/redis/shared-limit.ts "$server" "$@"
