// Serves a small service on other runtimes, with the engine's own server and with their servers of fetch, and calls it with real
// clients in every protocol. Arguments: the runtimes, of `bun`, `deno` and `node`; default: all.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";

const ROOT = new URL("../..", import.meta.url).pathname;
const PROGRAMS = `${ROOT}checks/runtimes/node_modules/.bin`;
const SERVER = `${ROOT}checks/runtimes/server.mjs`;

/** The commands that run a program on a runtime. */
const RUNTIMES = {
  node: () => [process.execPath, [SERVER]],
  bun: () => [`${PROGRAMS}/bun`, ["run", SERVER]],
  deno: () => [`${PROGRAMS}/deno`, ["run", "--allow-all", "--no-check", SERVER]],
};

async function start(runtime, host) {
  const [command, args] = RUNTIMES[runtime]();
  const child = spawn(command, [...args, host], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: line, stop: () => child.kill("SIGKILL") };
  }
  throw new Error(`${runtime} does not start`);
}

const results = [];

async function check(name, run) {
  try {
    await run();
    results.push(true);
    console.log(`ok   ${name}`);
  } catch (error) {
    results.push(false);
    console.log(`FAIL ${name}: ${error.message}`);
  }
}

function equal(actual, expected) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

async function callAll(name, url, host) {
  await check(`${name}: REST`, async () => {
    const response = await fetch(`${url}/health`);
    equal([response.status, await response.json()], [200, { status: "SERVING" }]);
    const missing = await fetch(`${url}/nothing`);
    equal([missing.status, (await missing.json()).error.status], [404, "NOT_FOUND"]);
  });
  await check(`${name}: a stream over REST`, async () => {
    const lines = (await (await fetch(`${url}/watch`)).text()).trim().split("\n");
    equal(lines.length, 3);
  });
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
    await check(`${name}: ${protocol}, unary`, async () => equal((await client.check({})).status, 1));
    await check(`${name}: ${protocol}, stream`, async () => {
      const statuses = [];
      for await (const { status } of client.watch({})) {
        statuses.push(status);
      }
      equal(statuses, [1, 2, 1]);
    });
  }
  for (const session of sessions) {
    session.abort();
  }
}

const chosen = process.argv.slice(2);
const runtimes = Object.keys(RUNTIMES).filter((name) => chosen.length === 0 || chosen.includes(name));
for (const runtime of runtimes) {
  for (const host of runtime === "node" ? ["server"] : ["fetch", "server"]) {
    const server = await start(runtime, host);
    await callAll(`${runtime}, ${host}`, server.url, host);
    server.stop();
  }
}
const failed = results.filter((isOk) => !isOk).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
