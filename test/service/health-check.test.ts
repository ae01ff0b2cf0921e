import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import { TLS } from "connect-transcoding-testing/files.js";
import { afterEach, describe, expect, test } from "vitest";
import { checkHealth, settingFlagsOf } from "../../src/service/health-check.js";

const CERT = join(TLS, "first-cert.pem");
const KEY = join(TLS, "first-key.pem");

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});

/** Listens on a free port of an address. Returns the port as a setting. */
async function listen(server: Server, host = "127.0.0.1"): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  return String((server.address() as AddressInfo).port);
}

const respond =
  (status: number, body = ""): RequestListener =>
  ({ url }, response) => {
    response.writeHead(url === "/readyz" ? status : 404, { connection: "close" }).end(body);
  };

test.each(["127.0.0.1", "0.0.0.0", "localhost"])("a service on %s is ready", async (HOST) => {
  const PORT = await listen(createServer(respond(200)), HOST);
  expect(await checkHealth({ HOST, PORT })).toEqual({ status: 0, text: "ready" });
});

test("a service with TLS is ready, whatever the name in its certificate", async () => {
  const tls = { cert: readFileSync(CERT), key: readFileSync(KEY) };
  const PORT = await listen(createTlsServer(tls, respond(200)));
  const env = { PORT, TLS_CERT_FILE: CERT, TLS_KEY_FILE: KEY };
  expect(await checkHealth(env)).toEqual({ status: 0, text: "ready" });
});

describe("a service that needs a header of the PROXY protocol", () => {
  const HEADER = "PROXY UNKNOWN\r\n";
  /** Forwards connections with the header to another server, and resets others. */
  const needsHeader = (port: number): Server =>
    createTcpServer((socket) => {
      socket.once("data", (chunk) => {
        if (chunk.toString("latin1", 0, HEADER.length) !== HEADER) {
          socket.resetAndDestroy();
          return;
        }
        const target = connect(port, "127.0.0.1");
        target.write(chunk.subarray(HEADER.length));
        socket.pipe(target).pipe(socket);
      });
    });
  const env = { PROXY_PROTOCOL: "required", TRUSTED_PROXIES: "10.0.0.0/8,127.0.0.0/8,::1" };
  const tls = { TLS_CERT_FILE: CERT, TLS_KEY_FILE: KEY };

  test.each<[string, Server, Record<string, string>]>([
    ["in cleartext", createServer(respond(200)), {}],
    ["with TLS", createTlsServer({ cert: readFileSync(CERT), key: readFileSync(KEY) }, respond(200)), tls],
  ])("is ready %s", async (_how, server, settings) => {
    const PORT = await listen(needsHeader(Number(await listen(server))));
    expect(await checkHealth({ PORT, ...env, ...settings })).toEqual({ status: 0, text: "ready" });
  });

  test("gets none if this machine is not a proxy", async () => {
    const PORT = await listen(createServer(respond(200)));
    expect(await checkHealth({ PORT, ...env, TRUSTED_PROXIES: "10.0.0.0/8" })).toEqual({
      status: 0,
      text: "ready",
    });
  });
});

test("a service that is not ready has status 1, with the body", async () => {
  const PORT = await listen(createServer(respond(503, '{"ready":false}')));
  expect(await checkHealth({ PORT })).toEqual({
    status: 1,
    text: `http://127.0.0.1:${PORT}/readyz responded 503: {"ready":false}`,
  });
});

test("a service that cannot be reached has status 1", async () => {
  const closed = createTcpServer();
  const PORT = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  servers.length = 0;
  expect(await checkHealth({ PORT })).toEqual({
    status: 1,
    text: `http://127.0.0.1:${PORT}/readyz cannot be reached (no server listens at this host and port)`,
  });
});

test("a service that does not respond has status 1", async () => {
  const PORT = await listen(createTcpServer((socket) => socket.unref()));
  expect(await checkHealth({ PORT })).toEqual({
    status: 1,
    text: `http://127.0.0.1:${PORT}/readyz did not respond within 2000 ms`,
  });
});

test.each([
  [{ PORT: "x" }, "PORT must be a number from 0 to 65535"],
  [{ PORT: "0" }, "PORT is 0, so that the port of the service is unknown"],
])("%j has status 78", async (env, text) => {
  expect(await checkHealth(env)).toEqual({ status: 78, text });
});

test.each([
  ["node\0dist/src/main.js\0--port\x009000\0--host=::\0", { "--port": "9000", "--host": "::" }],
  ["/dev/init\0--\0node\0/app/dist/src/main.js\0serve\0--port\x009000\0", { "--port": "9000" }],
  ["node\0dist/src/main.js\0", {}],
  ["/sbin/init\0--port\x009000\0", {}],
  ["", {}],
])("the flags of the service are read from %j", (commandLine, flags) => {
  expect(Object.fromEntries(settingFlagsOf(commandLine, "/app/dist/src/main.js"))).toEqual(flags);
});

test("a flag of the service is used instead of the variable", async () => {
  const port = await listen(createServer(respond(200)));
  expect(await checkHealth({ PORT: "1" }, new Map([["--port", port]]))).toEqual({ status: 0, text: "ready" });
});
