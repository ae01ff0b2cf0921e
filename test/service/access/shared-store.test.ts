import { once } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Consumption } from "../../../src/service/access/limit-store.js";
import { memoryStore } from "../../../src/service/access/memory-store.js";
import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
} from "../../../src/service/access/shared-store.js";
import { freePort } from "../../free-port.js";
import { type RespServer, startRespServer } from "./resp-server.js";

const open: { close(): void }[] = [];
const servers: RespServer[] = [];
afterEach(async () => {
  vi.useRealTimers();
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

/** Opens a store with a local one whose counts begin at 1001; `next` is the next state that it tells of. */
function openStore(url: string, options: Partial<SharedStoreOptions> = {}) {
  const told: string[] = [];
  let wake = (): void => {};
  const counts = memoryStore(1);
  const opened = openSharedStore({
    url,
    limit: 5,
    window: 1,
    local: {
      consume: (key, now) => {
        const { count, resetMs } = counts.consume(key, now);
        return { count: 1_000 + count, resetMs };
      },
    },
    onState: (state, why) => {
      told.push(`${state}: ${why}`);
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
    const state = told.shift();
    return (
      state ??
      new Promise<void>((resolve) => {
        wake = resolve;
      }).then(next)
    );
  };
  return { store, next, told };
}

const countOf = async (consumption: Consumption | Promise<Consumption>) => (await consumption).count;
const urlOf = ({ port }: RespServer) => `redis://127.0.0.1:${port}`;

test("stores of one server share counts", async () => {
  const server = await serve();
  const [one, other] = [openStore(urlOf(server)), openStore(urlOf(server))];
  expect(await Promise.all([one.next(), other.next()])).toEqual(["up: it answers", "up: it answers"]);
  expect(await one.store.consume("a", 0)).toEqual({ count: 1, resetMs: 1_000 });
  expect(await other.store.consume("a", 0)).toEqual({ count: 2, resetMs: 1_000 });
  expect(await countOf(other.store.consume("b", 0))).toBe(1);
  expect(await countOf(one.store.consume("a", 0))).toBe(3);
});

test("counts above the limit are counts, too", async () => {
  const { store, next } = openStore(urlOf(await serve()));
  await next();
  const counts = await Promise.all(Array.from({ length: 8 }, () => countOf(store.consume("a", 0))));
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("keys say the limit that they are counted for", async () => {
  const server = await serve();
  const { store, next } = openStore(urlOf(server));
  await next();
  await store.consume("key:ci", 0);
  const keys = server.commands.filter(([name]) => name === "EVAL").map((command) => command[3]);
  expect(keys).toEqual(["utility-tools:limit:5/1s:probe of the store", "utility-tools:limit:5/1s:key:ci"]);
});

describe("the local store decides at once", () => {
  test("until the server is known", async () => {
    const { store } = openStore(urlOf(await serve()));
    expect(store.consume("a", 0)).toEqual({ count: 1_001, resetMs: 1_000 });
  });

  test("while nobody listens, and the shared one again when somebody does", async () => {
    const port = await freePort();
    const { store, next, told } = openStore(`redis://127.0.0.1:${port}`);
    expect(await next()).toBe("down: ECONNREFUSED");
    expect(store.consume("a", 0)).toEqual({ count: 1_001, resetMs: 1_000 });
    await serve(port);
    expect(await next()).toBe("up: it answers");
    expect(await countOf(store.consume("a", 0))).toBe(1);
    expect(told).toEqual([]);
  });

  test("after the server has gone, and the shared one when it is back", async () => {
    const first = await serve();
    const { store, next } = openStore(urlOf(first));
    expect(await next()).toBe("up: it answers");
    await first.stop();
    servers.pop();
    expect(await next()).toMatch(/^down: /);
    expect(store.consume("a", 0)).toMatchObject({ count: 1_001 });
    await serve(first.port);
    expect(await next()).toBe("up: it answers");
    expect(await countOf(store.consume("a", 0))).toBe(1);
  });

  test("when the store is closed", async () => {
    const server = await serve();
    const { store, next, told } = openStore(urlOf(server));
    await next();
    const [connection] = server.connections;
    store.close();
    expect(store.consume("a", 0)).toMatchObject({ count: 1_001 });
    if (connection !== undefined && !connection.closed) {
      await once(connection, "close");
    }
    expect(server.connections.size).toBe(0);
    expect(told).toEqual([]);
  });
});

describe("requests that wait are decided locally", () => {
  test("when the answer is late, and no further one waits until an answer is in time", async () => {
    const server = await serve();
    const { store, next } = openStore(urlOf(server), { deadline: 50 });
    await next();
    server.mode = "silence";
    const waiting = [store.consume("a", 0), store.consume("a", 0)];
    expect(await Promise.all(waiting.map(countOf))).toEqual([1_001, 1_002]);
    expect(await next()).toBe("down: no answer within 50 ms");
    expect(store.consume("a", 0)).toMatchObject({ count: 1_003 });
  });

  test("but not because this process was busy while the answer came", async () => {
    const { store, next, told } = openStore(urlOf(await serve()), { deadline: 40 });
    await next();
    const waiting = store.consume("a", 0);
    const until = performance.now() + 100;
    while (performance.now() < until) {}
    expect(await countOf(waiting)).toBe(1);
    expect(told).toEqual([]);
  });

  test("when the connection ends", async () => {
    const server = await serve();
    const { store, next } = openStore(urlOf(server), { deadline: 20_000 });
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
      "down: it answers OOM",
    ],
    ["an error that quotes", { error: "ERR unknown command 'x', 'secret'" }, "down: it answers ERR"],
    ["what is no count", { raw: "+OK\r\n" }, "down: TypeError"],
    ["an array of something else", { raw: "*2\r\n+a\r\n+b\r\n" }, "down: TypeError"],
  ])("when the server answers %s, and the shared one when it counts again", async (_, mode, state) => {
    const server = await serve();
    const { store, next, told } = openStore(urlOf(server));
    await next();
    server.mode = mode;
    expect(await countOf(store.consume("a", 0))).toBe(1_001);
    expect(await next()).toBe(state);
    expect(store.consume("a", 0)).toMatchObject({ count: 1_002 });
    server.mode = "count";
    expect(await next()).toBe("up: it answers");
    expect(await countOf(store.consume("a", 0))).toBe(1);
    expect(told).toEqual([]);
  });
});

test("a server that is silent is asked by one count at a time", async () => {
  vi.useFakeTimers();
  let counts = 0;
  const { told } = openStore("redis://127.0.0.1", {
    deadline: 50,
    connect: (_url, _limit, { onReady }) => {
      setImmediate(onReady);
      return {
        isReady: () => true,
        count: () => {
          counts++;
          return new Promise(() => {});
        },
        close: () => {},
      };
    },
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual(["down: no answer within 50 ms"]);
  expect(counts).toBe(1);
});

describe("a password", () => {
  test("goes to the server", async () => {
    const server = await serve();
    const { next } = openStore(`redis://user:hunter2@127.0.0.1:${server.port}/3`);
    expect(await next()).toBe("up: it answers");
    expect(server.commands.slice(0, 2)).toEqual([
      ["AUTH", "user", "hunter2"],
      ["SELECT", "3"],
    ]);
  });

  test("is not told, even when the server quotes it", async () => {
    const server = await serve(0, { error: "ERR what is hunter2" });
    const { next } = openStore(`redis://:hunter2@127.0.0.1:${server.port}`);
    expect(await next()).toBe("down: it answers ERR");
    server.mode = "count";
    expect(await next()).toBe("up: it answers");
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
])("refuses the URL %j without quoting it", (url) => {
  const opened = openSharedStore({ url, limit: 1, window: 1, local: memoryStore(1), onState: () => {} });
  expect(opened).toEqual({
    ok: false,
    failure: {
      reason: "INVALID_STORE_URL",
      description: "must be redis:// or rediss:// with a host, and a database number if any",
    },
  });
});
