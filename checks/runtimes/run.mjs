// Serves a small service on other runtimes, with the engine's own server and with their servers of fetch, and calls it with real
// clients in every protocol. Arguments: the runtimes, of `bun`, `deno` and `node`; default: all.
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { checkEqual, conclude, startService } from "../lib/checks.mjs";

const ROOT = new URL("../..", import.meta.url).pathname;
const PROGRAMS = `${ROOT}checks/runtimes/node_modules/.bin`;
const SERVER = `${ROOT}checks/runtimes/server.mjs`;

/** The commands that run the server on a runtime. */
const RUNTIMES = {
  node: [process.execPath, [SERVER]],
  bun: [`${PROGRAMS}/bun`, ["run", SERVER]],
  deno: [`${PROGRAMS}/deno`, ["run", "--allow-all", "--no-check", SERVER]],
};

/** Checks the value that a function resolves to. */
async function checkResult(what, run, expected) {
  checkEqual(what, await run().catch(String), expected);
}

async function callAll(name, url, host) {
  const rest = async (path, read) => {
    const response = await fetch(url + path);
    return [response.status, read(await response.text())];
  };
  await checkResult(`${name}: REST`, () => rest("/health", JSON.parse), [200, { status: "SERVING" }]);
  const readStatus = (text) => JSON.parse(text).error.status;
  await checkResult(`${name}: an error`, () => rest("/nothing", readStatus), [404, "NOT_FOUND"]);
  const countLines = (text) => text.trim().split("\n").length;
  await checkResult(`${name}: a stream over REST`, () => rest("/watch", countLines), [200, 3]);
  const sessions = [];
  const manager = () => {
    const session = new Http2SessionManager(url);
    sessions.push(session);
    return session;
  };
  const transports = {
    "Connect over HTTP/1.1": () => createConnectTransport({ baseUrl: url, httpVersion: "1.1" }),
    "Connect with JSON": () =>
      createConnectTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: false }),
    "gRPC-Web over HTTP/1.1": () => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" }),
    ...(host === "server" && {
      "Connect over HTTP/2": () => createConnectTransport({ baseUrl: url, sessionManager: manager() }),
      "gRPC-Web over HTTP/2": () => createGrpcWebTransport({ baseUrl: url, sessionManager: manager() }),
      gRPC: () => createGrpcTransport({ baseUrl: url, sessionManager: manager() }),
    }),
  };
  for (const [protocol, create] of Object.entries(transports)) {
    const client = createClient(Health, create());
    const unary = async () => (await client.check({})).status;
    await checkResult(`${name}: ${protocol}, unary`, unary, 1);
    const stream = async () => {
      const statuses = [];
      for await (const { status } of client.watch({})) {
        statuses.push(status);
      }
      return statuses;
    };
    await checkResult(`${name}: ${protocol}, stream`, stream, [1, 2, 1]);
  }
  for (const session of sessions) {
    session.abort();
  }
}

const chosen = process.argv.slice(2);
for (const [runtime, [program, args]] of Object.entries(RUNTIMES)) {
  for (const host of runtime === "node" ? ["server"] : ["fetch", "server"]) {
    if (chosen.length === 0 || chosen.includes(runtime)) {
      const server = await startService(program, [...args, host], process.env);
      await callAll(`${runtime}, ${host}`, server.url, host);
      await server.stop();
    }
  }
}
conclude();
