import { join } from "node:path";
import { grpcFrame } from "connect-transcoding-testing/load/workload.js";
import { startWatchedServer } from "connect-transcoding-testing/processes/watched-server.js";
import { SHELF_SERVER } from "connect-transcoding-testing/typescript-flags.js";
import { BOOK } from "./bytes.js";
import { runAttacks } from "./run-attacks.js";

await runAttacks({
  attacks: join(import.meta.dirname, "attacks.ts"),
  polite: { path: BOOK, grpc: { path: "/test.Service/GetBook", body: grpcFrame(Buffer.alloc(0)) } },
  maxMemory: 640,
  start: (limits, certificate) =>
    startWatchedServer(["--max-old-space-size=256", ...SHELF_SERVER], {
      environment: { ...certificate, LIMITS: JSON.stringify(limits) },
    }),
});
