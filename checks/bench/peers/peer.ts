import { randomBytes } from "node:crypto";
import type { Tool } from "../../../src/tools/tool.js";
import { releaseTools } from "../../../test/support/release-tools.js";
import { startBareHttp } from "./bare-http.js";
import { startBareHttp2 } from "./bare-http2.js";
import { connectListener } from "./connect-node.js";
import { startFastify } from "./fastify.js";
import { startGrpcJs } from "./grpc-js.js";
import { http1Server, http2Server, listenOnLoopback } from "./listen.js";
import { startEngineStreams, startGrpcJsStreams } from "./streams.js";
import { startUWebSockets } from "./uwebsockets.js";

// Runs one peer in a separate process: `node --import ./packages/testing/typescript.mjs checks/bench/peers/peer.ts fastify`.

const PEERS: ReadonlyMap<string, (tools: readonly Tool[]) => Promise<string>> = new Map([
  ["fastify", (tools) => startFastify(tools)],
  ["fastify-http2", (tools) => startFastify(tools, true)],
  ["bare-http", startBareHttp],
  ["grpc-js", startGrpcJs],
  ["bare-http2", startBareHttp2],
  ["connect-http1", (tools) => listenOnLoopback(http1Server(connectListener(tools)))],
  ["connect-http2", (tools) => listenOnLoopback(http2Server(connectListener(tools)))],
  ["engine-streams", startEngineStreams],
  ["grpc-js-streams", startGrpcJsStreams],
  ["uwebsockets", startUWebSockets],
]);

const name = process.argv[2] ?? "";
const start = PEERS.get(name);
if (start === undefined) {
  throw new Error(`there is no peer ${name}; there are ${[...PEERS.keys()].join(", ")}`);
}
process.on("SIGTERM", () => process.exit(0));
console.log(`${name} is ready on ${await start(await releaseTools({ now: Date.now, randomBytes }))}`);
