import { join } from "node:path";
import { grpcFrame } from "connect-transcoding-testing/load/workload.js";
import { startWatchedServer } from "connect-transcoding-testing/processes/watched-server.js";
import { runAttacks } from "../../packages/http-server/checks/hostile/run-attacks.js";
import { OURS, ROOT } from "../lib/processes/service.js";

await runAttacks({
  attacks: join(import.meta.dirname, "tool-attacks.ts"),
  polite: {
    path: "/v1/geoIp?ip_address=8.8.8.8",
    // `ip_address` is field 1 of the message.
    grpc: {
      path: "/utilitytools.v1.GeoIpService/LookupIp",
      body: grpcFrame(Buffer.from("\x0a\x078.8.8.8")),
    },
  },
  maxMemory: 768,
  start: ({ headersTimeout, requestTimeout, idleTimeout, maxConnections }, certificate) =>
    startWatchedServer(OURS, {
      cwd: ROOT,
      environment: {
        ...certificate,
        HEADERS_TIMEOUT: `${headersTimeout}ms`,
        REQUEST_TIMEOUT: `${requestTimeout}ms`,
        IDLE_TIMEOUT: `${idleTimeout}ms`,
        MAX_CONNECTIONS: String(maxConnections),
      },
    }),
});
