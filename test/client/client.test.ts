import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { createRouterTransport } from "@connectrpc/connect";
import type { ClientTransportOptions } from "@utility-tools/client";
import * as node from "@utility-tools/client";
import {
  Code,
  createClientOver,
  methodOf,
  readError,
  serviceNameOf,
  type UtilityToolsClient,
} from "@utility-tools/client";
import * as browser from "@utility-tools/client/browser";
import { SERVICES } from "@utility-tools/protos/services.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { makeApiKey, parseApiKeys } from "connect-transcoding-operations/access/api-keys";
import { limitRate, memoryStore } from "connect-transcoding-operations/access/rate-limit";
import { requireApiKey } from "connect-transcoding-operations/access/require-api-key";
import { TLS } from "connect-transcoding-testing/files.js";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { useServer } from "../contract/support/serve.js";
import { builtProgram } from "../support/programs.js";

type Make = (url: string, options?: ClientTransportOptions) => UtilityToolsClient;

const overNode =
  (own: node.NodeClientOptions): Make =>
  (url, options) =>
    node.createUtilityToolsClient(url, { ...own, ...options });
const overFetch =
  (own: browser.BrowserClientOptions): Make =>
  (url, options) =>
    browser.createUtilityToolsClient(url, { ...own, ...options });

const CLIENTS: readonly (readonly [string, Make])[] = [
  ["Node", overNode({})],
  ["Node, Connect with JSON", overNode({ protocol: "connect", binary: false })],
  ["Node, Connect with GET", overNode({ httpGet: true })],
  ["Node, gRPC", overNode({ protocol: "grpc" })],
  ["Node, gRPC with JSON", overNode({ protocol: "grpc", binary: false })],
  ["Node, gRPC-Web", overNode({ protocol: "grpc-web" })],
  ["fetch", overFetch({})],
  ["fetch, Connect with JSON", overFetch({ binary: false })],
  ["fetch, Connect with GET", overFetch({ httpGet: true })],
  ["fetch, gRPC-Web", overFetch({ protocol: "grpc-web" })],
];

const made = makeApiKey("tests", (size) => new Uint8Array(size).fill(7));
const { key, line } = made.ok ? made.value : { key: "", line: "" };
const parsed = parseApiKeys(line);
const keys = parsed.ok ? parsed.value : new Map();

/** No client trusts it. */
const UNTRUSTED = {
  cert: readFileSync(join(TLS, "first-cert.pem")),
  key: readFileSync(join(TLS, "first-key.pem")),
};

const open = useServer();
const closed = useServer({
  onRequest: requireApiKey({ keys: () => keys, realm: "utility-tools", openAreas: [] }),
});

const opened: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) {
    each.close();
  }
});
afterAll(endPrograms);

/** Closes something after the test. */
function keep<Closable extends { close(): unknown }>(closable: Closable): Closable {
  opened.push(closable);
  return closable;
}

/** A TCP server that calls `onConnection` with each connection. */
async function listen(onConnection: (socket: Socket, count: number) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    onConnection(socket, sockets.length);
  }).listen(0, "127.0.0.1");
  keep(server);
  keep({
    close: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  });
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, server };
}

/** The outcome of a call: `OK`, or the code and the reason of its error. */
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (thrown: unknown) => {
      const { code, reason } = readError(thrown);
      return reason === "" ? Code[code] : `${Code[code]} ${reason}`;
    },
  );

describe.each(CLIENTS)("%s", (_, make) => {
  test("calls methods", async () => {
    const client = keep(make(open.url));
    const { ip, metadata } = await client.geoIp.lookupIp({ ipAddress: "::ffff:8.8.8.8" });
    expect([ip, metadata?.asn, metadata?.location?.country]).toEqual(["8.8.8.8", 15169, "US"]);
    const { results } = await client.geoIp.batchLookupIps({ ipAddresses: ["8.8.8.8", "10.0.0.1"] });
    expect(results.map(({ input, outcome }) => [input, outcome.case])).toEqual([
      ["8.8.8.8", "answer"],
      ["10.0.0.1", "error"],
    ]);
    expect((await client.otp.generateOtp({ label: "jane" })).otpUrl).toMatch(/^otpauth:\/\/totp\/jane\?/);
  });

  test("names the method, the field and the reason in the message of an error", async () => {
    const { geoIp, otp } = keep(make(open.url));
    const messageOf = (call: Promise<unknown>) =>
      call.then(
        () => "",
        (thrown: Error) => thrown.message,
      );
    expect(await messageOf(geoIp.lookupIp({}))).toBe(
      "[invalid_argument] geoIp.lookupIp: ip_address: is required: an IPv4 or IPv6 address (REQUIRED)",
    );
    expect(await messageOf(otp.generateOtp({ digits: 7, label: "a:b" }))).toBe(
      "[invalid_argument] otp.generateOtp: label: must not contain a colon, which separates issuer and label in otp_url (COLON); " +
        "digits: must be 6 or 8, is 7 (INVALID_DIGITS)",
    );
    expect(await messageOf(geoIp.lookupIp({ ipAddress: "10.0.0.1" }))).toMatch(
      /^\[not_found\] geoIp\.lookupIp: 10\.0\.0\.1 .* \(RESERVED_ADDRESS\)$/,
    );
  });

  test("returns structured errors", async () => {
    const client = keep(make(open.url));
    const error = readError(await client.otp.generateOtp({ digits: 7 }).catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({
      code: Code.InvalidArgument,
      reason: "INVALID_PARAMETERS",
      violations: [{ field: "digits", reason: "INVALID_DIGITS" }],
      retryAfter: undefined,
    });
    const reserved = await client.geoIp
      .lookupIp({ ipAddress: "10.0.0.1" })
      .catch((thrown: unknown) => thrown);
    expect(readError(reserved)).toMatchObject({
      code: Code.NotFound,
      reason: "RESERVED_ADDRESS",
      metadata: { block: "10.0.0.0/8" },
    });
  });

  test("sends its API key", async () => {
    const calls = [{}, { apiKey: "ut_wrong" }, { apiKey: key }, { apiKey: async () => key }].map((options) =>
      outcome(keep(make(closed.url, options)).about.getAbout({})),
    );
    expect(await Promise.all(calls)).toEqual([
      "Unauthenticated API_KEY_MISSING",
      "Unauthenticated API_KEY_INVALID",
      "OK",
      "OK",
    ]);
  });

  test("enforces timeouts", async () => {
    const silent = await listen(() => {});
    const client = keep(make(silent.url, { timeout: 40 }));
    expect(await outcome(client.about.getAbout({}))).toBe("DeadlineExceeded");
    expect(await outcome(client.about.getAbout({}, { timeoutMs: 20 }))).toBe("DeadlineExceeded");
    expect(await outcome(client.about.getAbout({}, { signal: AbortSignal.timeout(20) }))).toBe("Canceled");
  });

  test("reports a broken connection as UNAVAILABLE, and retries", async () => {
    const breaking = await listen((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const retries = { count: 2, baseDelay: 1 };
    const client = keep(make(breaking.url, { retries }));
    expect(await outcome(client.about.getAbout({}))).toBe("Unavailable");
    expect(breaking.sockets.length).toBe(3);
    expect(await outcome(client.otp.generateOtp({}))).toBe("Unavailable");
    expect(breaking.sockets.length).toBe(4);
  });

  test("reports a rejected connection as UNAVAILABLE", async () => {
    const { url, server } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await outcome(keep(make(url, { retries: { count: 0 } })).about.getAbout({}))).toBe("Unavailable");
  });

  test("reports a failed TLS handshake as UNAVAILABLE", async () => {
    const cleartext = (await listen((socket) => socket.once("data", () => socket.end("no TLS")))).server;
    const untrusted = keep(createTlsServer(UNTRUSTED)).listen(0, "127.0.0.1");
    await once(untrusted, "listening");
    for (const { port } of [cleartext.address(), untrusted.address()] as AddressInfo[]) {
      const client = keep(make(`https://127.0.0.1:${port}`, { retries: { count: 0 } }));
      expect(await outcome(client.about.getAbout({}))).toBe("Unavailable");
    }
  });

  test("close cancels pending and later calls", async () => {
    let arrive = (_: Socket): void => {};
    const arrived = new Promise<Socket>((resolve) => {
      arrive = resolve;
    });
    let requests = 0;
    const silent = await listen((socket) => {
      socket.once("data", () => {
        requests++;
        arrive(socket);
      });
    });
    const client = make(silent.url);
    const call = outcome(client.about.getAbout({}));
    const disconnected = once(await arrived, "close");
    client.close();
    expect(await call).toBe("Canceled");
    await disconnected;
    expect(await outcome(client.about.getAbout({}))).toBe("Canceled");
    expect(requests).toBe(1);
  });
});

test.each(CLIENTS.filter(([name]) => !name.includes("gRPC")))(
  "%s does not follow redirects",
  async (_, make) => {
    let requests = 0;
    const elsewhere = await listen(() => requests++);
    const redirecting = keep(
      createHttpServer((_request, response) => {
        response.writeHead(307, { location: elsewhere.url }).end();
      }).listen(0, "127.0.0.1"),
    );
    await once(redirecting, "listening");
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const call = keep(make(url, { apiKey: "ut_hunter2", retries: { baseDelay: 1 } })).about.getAbout({});
    await expect(call).rejects.toThrow();
    await expect(call).rejects.not.toThrow(/hunter2/);
    expect(requests).toBe(0);
  },
);

describe("a rate limit", () => {
  const clock = { now: 0 };
  const limit = limitRate({ limit: 1, window: 1, store: memoryStore(1), now: () => clock.now });
  let requests = 0;
  const limited = useServer({
    onRequest: (request) => {
      requests++;
      return limit.onRequest(request);
    },
  });

  test("is waited for only if it ends before the deadline", async () => {
    const client = keep(node.createUtilityToolsClient(limited.url));
    expect(await outcome(client.about.getAbout({}))).toBe("OK");
    expect(await outcome(client.about.getAbout({}, { timeoutMs: 500 }))).toBe(
      "ResourceExhausted RATE_LIMIT_EXCEEDED",
    );
    expect(requests).toBe(2);
    const waiting = outcome(client.about.getAbout({}));
    await expect.poll(() => requests).toBe(3);
    clock.now += 1_000;
    expect(await waiting).toBe("OK");
    expect(requests).toBe(4);
  });
});

test("Node: opens at most maxConnections", async () => {
  const silent = await listen(() => {});
  const client = keep(node.createUtilityToolsClient(silent.url, { maxConnections: 2 }));
  const ending = new AbortController();
  const calls = Array.from({ length: 10 }, () =>
    outcome(client.about.getAbout({}, { signal: ending.signal })),
  );
  await expect.poll(() => silent.sockets.length).toBe(2);
  // A third connection would follow at once.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(silent.sockets).toHaveLength(2);
  ending.abort();
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["Canceled"]));
});

test.each(["connect", "grpc", "grpc-web"])(
  "Node: a program exits after a call over %s without closing the client",
  async (protocol) => {
    const entry = builtProgram("client");
    const program = runProgram([
      "--input-type=module",
      "-e",
      `import { createUtilityToolsClient } from ${JSON.stringify(entry)};
     const client = createUtilityToolsClient("${open.url}", { protocol: "${protocol}" });
     console.log((await client.countries.getCountry({ country: "fr" })).country.capital);`,
    ]);
    expect([await program.exit, program.out(), program.err()]).toEqual([0, "Paris\n", ""]);
  },
);

test("rejects an unsupported protocol", () => {
  const grpc = { protocol: "grpc" } as unknown as browser.BrowserClientOptions;
  expect(() => browser.createUtilityToolsClient(open.url, grpc)).toThrow(
    'protocol must be "connect" or "grpc-web": browsers do not expose',
  );
  const soap = { protocol: "soap" } as unknown as node.NodeClientOptions;
  expect(() => node.createUtilityToolsClient(open.url, soap)).toThrow(
    'must be "connect", "grpc" or "grpc-web"',
  );
});

test.each([
  [
    () => node.createUtilityToolsClient(open.url, { apikey: "a" } as never),
    "createUtilityToolsClient",
    "apikey",
    "apiKey",
  ],
  [
    () => browser.createUtilityToolsClient(open.url, { maxConnections: 1 } as never),
    "createUtilityToolsClient",
    "maxConnections",
    undefined,
  ],
  [
    () =>
      createClientOver(
        createRouterTransport(() => {}),
        { timeoutMs: undefined } as never,
      ),
    "the client",
    "timeoutMs",
    "timeout",
  ],
  [
    () => node.createUtilityToolsClient(open.url, { retries: { counts: 1 } as never }),
    "retries",
    "counts",
    "count",
  ],
])("rejects an unknown option: %#", (create, where, option, similar) => {
  const suggestion = similar === undefined ? "" : `; did you mean ${similar}?`;
  expect(create).toThrow(TypeError);
  expect(create).toThrow(`${where} has no option "${option}"${suggestion}; allowed: `);
});

test.each(Object.entries(SERVICES))("serviceNameOf returns %s", (name, service) => {
  expect(serviceNameOf(service)).toBe(name);
});

test("methodOf finds every method of a client", () => {
  const client = createClientOver(createRouterTransport(() => {}));
  for (const service of Object.values(SERVICES)) {
    for (const method of service.methods) {
      expect(methodOf(client, method as typeof SERVICES.geoIp.method.lookupIp)).toBeTypeOf("function");
    }
  }
});

test("methodOf returns a function that calls the method", async () => {
  const { method } = SERVICES.email;
  const transport = createRouterTransport(({ rpc }) => {
    rpc(method.sanitizeEmail, ({ email }) => ({ email: email.toLowerCase() }));
  });
  const call = methodOf(createClientOver(transport), method.sanitizeEmail);
  expect(await call({ email: "A@B.example" })).toMatchObject({ email: "a@b.example" });
});

test("serviceNameOf throws for an unknown service", () => {
  expect(() => serviceNameOf(Health)).toThrow("the client does not have the service grpc.health.v1.Health");
});
