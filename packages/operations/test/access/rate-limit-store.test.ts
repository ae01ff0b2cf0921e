import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ErrorReply } from "@redis/client";
import { freePort } from "connect-transcoding-testing/ports.js";
import { afterEach, describe, expect, test } from "vitest";
import { type Consumption, memoryStore } from "../../src/access/rate-limit.js";
import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
  storeErrorText,
} from "../../src/access/rate-limit-store.js";
import { type RespServer, startRespServer } from "./resp-server.js";

const open: { close(): void }[] = [];
const servers: RespServer[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) {
    store.close();
  }
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(...args: Parameters<typeof startRespServer>): Promise<RespServer> {
  const server = await startRespServer(...args);
  servers.push(server);
  return server;
}

/** Opens a store with a local one whose counts start at 1001. `next` returns the next state. */
function openStore(url: string, options: Partial<SharedStoreOptions> = {}) {
  const states: string[] = [];
  let wake = (): void => {};
  const counts = memoryStore(1);
  const opened = openSharedStore({
    url,
    limit: 5,
    window: 1,
    local: {
      consume: (key, now, cost) => {
        const { count, resetMs } = counts.consume(key, now, cost);
        return { count: 1_000 + count, resetMs };
      },
    },
    onState: (state, why) => {
      states.push(`${state}: ${why}`);
      wake();
    },
    probeInterval: 20,
    ...options,
  });
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  const store: SharedStore = opened.value;
  open.push(store);
  const next = async (): Promise<string> => {
    const state = states.shift();
    return (
      state ??
      new Promise<void>((resolve) => {
        wake = resolve;
      }).then(next)
    );
  };
  return { store, next, states };
}

const countOf = async (consumption: Consumption | Promise<Consumption>) => (await consumption).count;
const urlOf = ({ port }: RespServer) => `redis://127.0.0.1:${port}`;

test.each([
  ["rediss:", "rediss:// needs a port with TLS, and one without needs redis://"],
  ["redis:", "a port with TLS needs rediss://"],
])("a URL with %s to the other kind of port: the reason says so", async (scheme, hint) => {
  // Redis waits for the rest of a TLS record, and a server with TLS closes the connection; each client sees it closed.
  const server = createServer((socket) => socket.on("error", () => {}).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { next } = openStore(`${scheme}//127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await next()).toMatch(new RegExp(`^down: \\w+: ${hint}$`));
  server.close();
});

test("stores on one server share counts", async () => {
  const server = await serve();
  const [one, other] = [openStore(urlOf(server)), openStore(urlOf(server))];
  expect(await Promise.all([one.next(), other.next()])).toEqual(["up: it responds", "up: it responds"]);
  expect(await one.store.consume("a", 0)).toEqual({ count: 1, resetMs: 1_000 });
  expect(await other.store.consume("a", 0)).toEqual({ count: 2, resetMs: 1_000 });
  expect(await countOf(other.store.consume("b", 0))).toBe(1);
  expect(await countOf(one.store.consume("a", 0))).toBe(3);
});

test("counts continue above the limit", async () => {
  const { store, next } = openStore(urlOf(await serve()));
  await next();
  const counts = await Promise.all(Array.from({ length: 8 }, () => countOf(store.consume("a", 0))));
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("a request can count several times, with one command", async () => {
  const server = await serve();
  const { store, next } = openStore(urlOf(server));
  await next();
  expect(await countOf(store.consume("a", 0, 4))).toBe(4);
  expect(await countOf(store.consume("a", 0, 999))).toBe(1_003);
  // The first one is the probe.
  expect(server.commands.filter(([name]) => name === "EVAL")).toHaveLength(3);
});

test("keys in the store contain the limit", async () => {
  const server = await serve();
  const { store, next } = openStore(urlOf(server));
  await next();
  await store.consume("key:ci", 0);
  const keys = server.commands.filter(([name]) => name === "EVAL").map((command) => command[3]);
  expect(keys).toEqual(["utility-tools:limit:5/1s:probe of the store", "utility-tools:limit:5/1s:key:ci"]);
});

describe("the local store counts immediately", () => {
  test("until the server has responded", async () => {
    const { store } = openStore(urlOf(await serve()));
    expect(store.consume("a", 0)).toEqual({ count: 1_001, resetMs: 1_000 });
  });

  test("while no server listens, and the shared one once it does", async () => {
    const port = await freePort();
    const { store, next, states } = openStore(`redis://127.0.0.1:${port}`);
    expect(await next()).toBe("down: ECONNREFUSED: no server listens at this host and port");
    expect(store.consume("a", 0)).toEqual({ count: 1_001, resetMs: 1_000 });
    await serve(port);
    expect(await next()).toBe("up: it responds");
    expect(await countOf(store.consume("a", 0))).toBe(1);
    expect(states).toEqual([]);
  });

  test("after the server stops, and the shared one once it is back", async () => {
    const first = await serve();
    const { store, next } = openStore(urlOf(first));
    expect(await next()).toBe("up: it responds");
    await first.stop();
    servers.pop();
    expect(await next()).toMatch(/^down: /);
    expect(store.consume("a", 0)).toMatchObject({ count: 1_001 });
    await serve(first.port);
    expect(await next()).toBe("up: it responds");
    expect(await countOf(store.consume("a", 0))).toBe(1);
  });

  test("after the store is closed", async () => {
    const server = await serve();
    const { store, next, states } = openStore(urlOf(server));
    await next();
    const [connection] = server.connections;
    store.close();
    expect(store.consume("a", 0)).toMatchObject({ count: 1_001 });
    if (connection !== undefined && !connection.closed) {
      await once(connection, "close");
    }
    expect(server.connections.size).toBe(0);
    expect(states).toEqual([]);
  });
});

describe("the local store counts requests in flight", () => {
  test("on a timeout, and later requests do not wait", async () => {
    const server = await serve();
    const { store, next } = openStore(urlOf(server), { timeout: 50 });
    await next();
    server.mode = "silence";
    const waiting = [store.consume("a", 0), store.consume("a", 0, 5)];
    expect(await Promise.all(waiting.map(countOf))).toEqual([1_001, 1_006]);
    expect(await next()).toBe("down: no response within 50 ms");
    expect(store.consume("a", 0, 3)).toMatchObject({ count: 1_009 });
  });

  test("but not if this process was busy when the response arrived", async () => {
    const { store, next, states } = openStore(urlOf(await serve()), { timeout: 40 });
    await next();
    const waiting = store.consume("a", 0);
    const until = performance.now() + 100;
    while (performance.now() < until) {}
    expect(await countOf(waiting)).toBe(1);
    expect(states).toEqual([]);
  });

  test("when the connection closes", async () => {
    const server = await serve();
    const { store, next } = openStore(urlOf(server), { timeout: 20_000 });
    await next();
    server.mode = "silence";
    const waiting = store.consume("a", 0);
    const [connection] = server.connections;
    connection?.destroy();
    expect(await countOf(waiting)).toBe(1_001);
    expect(await next()).toMatch(/^down: /);
  });

  test.each([
    [
      "an error",
      { error: "OOM command not allowed when used memory > 'maxmemory'." },
      "down: it returned OOM: its memory is full",
    ],
    [
      "an error that quotes a secret",
      { error: "ERR unknown command 'x', 'secret'" },
      "down: it returned ERR: check password and database number",
    ],
    [
      "a wrong password",
      { error: "WRONGPASS invalid" },
      "down: it returned WRONGPASS: correct user and password",
    ],
    ["no password", { error: "NOAUTH required" }, "down: it returned NOAUTH: correct user and password"],
    [
      "a missing permission",
      { error: "NOPERM this user has no permissions" },
      "down: it returned NOPERM: the user needs eval, set, incrby, pttl, expire and select on utility-tools:limit:*",
    ],
    [
      "an error of a replica",
      { error: "READONLY You can't write against a read only replica." },
      "down: it returned READONLY: it is a replica, use the primary server",
    ],
    [
      "an error of a cluster",
      { error: "MOVED 3999 127.0.0.1:6381" },
      "down: it returned MOVED: it is part of a cluster, which needs a proxy",
    ],
    ["an unknown error", { error: "LOADING Redis is loading" }, "down: it returned LOADING"],
    ["no count", { raw: "+OK\r\n" }, "down: TypeError"],
    ["an array of something else", { raw: "*2\r\n+a\r\n+b\r\n" }, "down: TypeError"],
  ])("when the server responds with %s, and the shared one once it counts again", async (_, mode, state) => {
    const server = await serve();
    const { store, next, states } = openStore(urlOf(server));
    await next();
    server.mode = mode;
    expect(await countOf(store.consume("a", 0))).toBe(1_001);
    expect(await next()).toBe(state);
    expect(store.consume("a", 0)).toMatchObject({ count: 1_002 });
    server.mode = "count";
    expect(await next()).toBe("up: it responds");
    expect(await countOf(store.consume("a", 0))).toBe(1);
    expect(states).toEqual([]);
  });
});

test("at most one probe is in flight", async () => {
  const server = await serve(0, "silence");
  const { next, states } = openStore(urlOf(server), { timeout: 50 });
  expect(await next()).toBe("down: no response within 50 ms");
  // Ten probe intervals.
  await sleep(200);
  expect(server.commands.filter(([name]) => name === "EVAL")).toHaveLength(1);
  expect(states).toEqual([]);
});

describe("a password", () => {
  test("is sent to the server", async () => {
    const server = await serve();
    const { next } = openStore(`redis://user:hunter2@127.0.0.1:${server.port}/3`);
    expect(await next()).toBe("up: it responds");
    expect(server.commands.slice(0, 2)).toEqual([
      ["AUTH", "user", "hunter2"],
      ["SELECT", "3"],
    ]);
  });

  test("is never reported, even if the server quotes it", async () => {
    const server = await serve(0, { error: "ERR what is hunter2" });
    const { next } = openStore(`redis://:hunter2@127.0.0.1:${server.port}`);
    expect(await next()).toBe("down: it returned ERR: check password and database number");
    server.mode = "count";
    expect(await next()).toBe("up: it responds");
  });
});

test.each([
  "",
  "redis:///0",
  "unix:///run/redis.sock",
  "127.0.0.1",
  "http://user:hunter2@127.0.0.1",
  "redis://user:hunter2@host:99999",
  "redis://:hunter2@host/x",
  "redis://:hunter%zz@host",
  "redis://:hunter#2@host",
  "redis://:hunter/2@host",
  "redis://:hunter?2@host",
])("rejects the URL %j without quoting it", (url) => {
  const opened = openSharedStore({ url, limit: 1, window: 1, local: memoryStore(1), onState: () => {} });
  expect(opened).toEqual({
    ok: false,
    failure: {
      reason: "INVALID_STORE_URL",
      description:
        "must be redis:// or rediss:// with a host, and a database number if any; in its password, %, #, / and ? " +
        "are percent-encoded as %25, %23, %2F and %3F",
    },
  });
});

const systemError = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1 hunter2"), {
  code: "ECONNREFUSED",
});

test.each([
  [systemError, "ECONNREFUSED"],
  [new DOMException("no response within 200 ms", "TimeoutError"), "no response within 200 ms"],
  [new ErrorReply("WRONGPASS invalid username-password pair"), "it returned WRONGPASS"],
  // The response of servers before version 6 to the greeting of RESP 3.
  [
    new ErrorReply("ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `hunter2`"),
    "it returned ERR",
  ],
  [new ErrorReply("hunter2"), "ErrorReply"],
  [new TypeError("hunter2"), "TypeError"],
  [Object.assign(new Error("hunter2"), { code: "hunter2" }), "Error"],
  ["hunter2", "an unknown error"],
  [undefined, "an unknown error"],
])("storeErrorText of %s", (error, text) => {
  expect(storeErrorText(error)).toBe(text);
});
