import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import v8 from "node:v8";
import vm from "node:vm";
import { expect, test } from "vitest";
import { Connections, type ConnectionsOptions } from "../../src/port/connections.js";
import { type ConnectionStage, type ServedConnection, Stage } from "../../src/port/stage.js";

/** How a connection is used: its stage, by default that of a request that is handled, and for whom a proxy uses it. */
interface Use {
  readonly stage?: ConnectionStage;
  readonly idleSince?: number;
  readonly clients?: readonly (string | undefined)[];
}

const PROXY = "198.51.100.1";
const [IDLE, ACTIVE] = [Stage.IDLE, Stage.ACTIVE];

/** Connections of sockets that exist in this test only, with a clock. */
function createCase({ maxReserved = Number.POSITIVE_INFINITY, ...limits }: Limits = {}) {
  const state = { now: 1_000, reserved: 0 };
  const dropped: string[] = [];
  const destroyed: string[] = [];
  const connections = new Connections({
    maxConnections: 3,
    maxConnectionsPerClient: undefined,
    silenceTimeout: 1_000,
    ...limits,
    reserve: (isForced) => {
      if (state.reserved >= maxReserved && !isForced) {
        return false;
      }
      state.reserved += 1;
      return true;
    },
    release: () => {
      state.reserved -= 1;
    },
    isGateway: (address) => address === PROXY,
    forwardedClient: ({ headers }) => headers.get("client"),
    onConnectionDropped: (which, client) => dropped.push(`${which} of ${client}`),
    now: () => state.now,
  });
  /** Adds a connection. Without a use, it has sent nothing. */
  function add(name: string, remoteAddress: string, use?: Use) {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroy: () => {
        destroyed.push(name);
        socket.emit("close");
      },
    });
    const tcp = socket as unknown as Socket;
    const isAdded = connections.add(tcp);
    const calls: string[] = [];
    const served: ServedConnection & Settable = {
      idleSince: use?.idleSince,
      stage: use?.stage ?? (use?.idleSince === undefined ? ACTIVE : IDLE),
      traffic: 0,
      clients: use?.clients ?? [],
      get openRequests() {
        const connection = { peerAddress: PROXY };
        return this.clients.map((client) => ({ connection, headers: { list: [], get: () => client } }));
      },
      check: (now: number) => calls.push(`check ${now}`),
      shutDown: (now: number, isLate: boolean) => calls.push(`shutDown ${now} ${isLate}`),
      destroy: () => calls.push("destroy"),
    };
    if (isAdded && use !== undefined) {
      connections.serve(tcp, served);
    }
    return { isAdded, served, calls, tcp, close: () => socket.emit("close") };
  }
  return { state, dropped, destroyed, connections, add };
}

/** What a test can change. */
interface Settable {
  idleSince: number | undefined;
  stage: ConnectionStage;
  traffic: number;
  clients: readonly (string | undefined)[];
}

type Limits = Partial<
  Pick<ConnectionsOptions, "maxConnections" | "maxConnectionsPerClient"> & { readonly maxReserved: number }
>;

test("counts connections, and reserves their fixed cost until they close", () => {
  const { state, connections, add } = createCase();
  const [one, two] = [add("one", "192.0.2.1"), add("two", "192.0.2.1", {})];
  expect([one.isAdded, two.isAdded, connections.size, state.reserved]).toEqual([true, true, 2, 2]);
  one.close();
  expect([connections.size, state.reserved]).toEqual([1, 1]);
  two.close();
  expect([connections.size, state.reserved]).toEqual([0, 0]);
});

const [A, B, C, D] = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
/** Other clients. */
const MANY = Array.from({ length: 15 }, (_, index) => `198.51.100.${100 + index}`);
const of = (address: string, ...uses: Use[]) => uses.map((use) => [address, use] as const);
const use = (stage: ConnectionStage): Use => ({ stage });
const idleSince = (time: number): Use => ({ idleSince: time });

/** Open connections by client, the client of a new one, and the position of the one that is closed; -1 is the new one. */
test.each<readonly [string, readonly (readonly [string, Use])[], string, number]>([
  // Of the client with the most, the least advanced first.
  ["lingering before idle", of(A, idleSince(100), use(Stage.LINGERING)), B, 1],
  ["no request before a partial head", of(A, use(Stage.HEAD), idleSince(999)), B, 1],
  ["a partial head before a body", of(A, use(Stage.BODY), use(Stage.HEAD)), B, 1],
  ["a body before an unread response", of(A, use(Stage.UNREAD), use(Stage.BODY)), B, 1],
  ["an unread response before a request", of(A, use(ACTIVE), use(Stage.UNREAD)), B, 1],
  ["a stream with traffic is a request", of(A, use(Stage.STREAM), use(ACTIVE)), B, 0],
  ["a request at last", of(A, use(ACTIVE), use(ACTIVE)), B, 0],
  ["the oldest of several heads", of(A, use(Stage.HEAD), use(Stage.HEAD)), B, 0],
  ["the one that is idle longest", of(A, idleSince(300), idleSince(200)), B, 1],
  // Of several clients.
  [
    "one of the client with the most",
    [...of(B, use(Stage.HEAD)), ...of(A, use(Stage.UNREAD), use(ACTIVE))],
    C,
    1,
  ],
  [
    "a head of the most before an idle one of another",
    [...of(B, idleSince(0)), ...of(A, use(Stage.HEAD), use(ACTIVE))],
    C,
    1,
  ],
  [
    "a request of a client with many before an idle one of another",
    [...of(B, idleSince(0)), ...of(A, use(ACTIVE), use(ACTIVE))],
    C,
    1,
  ],
  [
    "an idle one of another before a head of a client with less than an eighth",
    [...of(A, use(Stage.HEAD), {}), ...of(B, idleSince(0)), ...MANY.map((address) => [address, {}] as const)],
    C,
    2,
  ],
  [
    "a head of a client with less than an eighth if none is idle",
    [...of(A, {}, use(Stage.HEAD)), ...MANY.map((address) => [address, {}] as const)],
    C,
    1,
  ],
  [
    "the longest idle of clients with as many",
    [...of(A, idleSince(300)), ...of(B, idleSince(200)), ...of(D, {})],
    C,
    1,
  ],
  ["the new one of clients with as many in use", [...of(A, {}), ...of(B, use(Stage.HEAD))], C, -1],
  ["the new one of the client with the most", of(A, use(Stage.HEAD), use(Stage.BODY)), A, -1],
  ["an idle one of the same client", of(A, idleSince(500), use(ACTIVE)), A, 0],
  ["the new one, not one that was idle for less than 0.5 s", of(A, idleSince(501), use(ACTIVE)), A, -1],
  ["the new one, not an idle one of a client with fewer", [...of(B, idleSince(0)), ...of(A, {}, {})], A, -1],
  ["a client keeps as many as the other one", [...of(A, use(Stage.HEAD), {}), ...of(B, {})], B, -1],
  // Networks.
  [
    "the /64 network of IPv6 addresses is one client",
    [
      ...of("2001:db8:0:2::1", {}),
      ...of("2001:db8:0:1::1", {}),
      ...of("2001:db8:0:1:ffff::2", use(Stage.HEAD)),
    ],
    "2001:db8:0:3::1",
    2,
  ],
  [
    "an IPv4 address on an IPv6 port is one client",
    [...of(`::ffff:${B}`, {}), ...of(`::ffff:${A}`, {}, use(Stage.HEAD))],
    C,
    2,
  ],
  // Proxies.
  ["a proxy is not one client", of(PROXY, use(Stage.HEAD), use(Stage.BODY)), B, -1],
  ["a proxy's idle one is replaced", of(PROXY, idleSince(500), use(ACTIVE)), B, 0],
  [
    "the client of a proxy with the most",
    of(PROXY, { clients: [A] }, { stage: Stage.UNREAD, clients: [A] }, { clients: [B] }),
    C,
    1,
  ],
  [
    "for another request of a proxy",
    of(PROXY, { clients: [A] }, { stage: Stage.UNREAD, clients: [A] }),
    PROXY,
    1,
  ],
  [
    "not a connection for several clients",
    of(PROXY, { stage: Stage.BODY, clients: [A, B] }, { clients: [A, B] }),
    C,
    -1,
  ],
  [
    "a client with and without a proxy",
    [...of(A, {}), ...of(PROXY, { stage: Stage.BODY, clients: [A] })],
    C,
    1,
  ],
])("if there are too many, closes %s", (_title, open, client, closed) => {
  const { destroyed, add } = createCase({ maxConnections: open.length });
  for (const [index, [address, how]] of open.entries()) {
    add(String(index), address, how);
  }
  const isNew = closed === -1;
  expect([add("new", client).isAdded, destroyed]).toEqual([!isNew, [isNew ? "new" : String(closed)]]);
});

test("a stream counts as one without traffic after a second without bytes", () => {
  const { state, connections, destroyed, add } = createCase();
  const streams = ["quiet", "busy"].map((name) => add(name, A, use(Stage.STREAM)));
  add("request", A, {});
  for (state.now = 2_000; state.now <= 4_000; state.now += 1_000) {
    const [, busy] = streams;
    if (busy !== undefined) {
      busy.served.traffic += 1;
    }
    connections.sweep();
  }
  add("new", B);
  expect(destroyed).toEqual(["quiet"]);
});

test("does not close a connection that has advanced since it was found", () => {
  const { destroyed, dropped, add } = createCase();
  const [first, second] = [1, 2, 3].map((index) => add(`${index}`, A, use(Stage.HEAD)));
  add("new", B);
  if (second !== undefined) {
    second.served.stage = ACTIVE;
  }
  expect(first?.served.stage).toBe(Stage.HEAD);
  add("other", C);
  expect([destroyed, dropped]).toEqual([
    ["1", "3"],
    [`in_use of ${A}`, `in_use of ${A}`],
  ]);
});

test("a client with few connections gets in, however many another one opens", () => {
  const { dropped, connections, add } = createCase({ maxConnections: 100 });
  for (let index = 0; index < 1_000; index++) {
    add(`attacker ${index}`, A, use(Stage.HEAD));
    if (index % 20 === 0) {
      expect(add(`polite ${index}`, B, {}).isAdded).toBe(true);
    }
  }
  expect(connections.size).toBe(100);
  expect(dropped.filter((each) => each.endsWith(B))).toEqual([]);
});

test("the number of connections per client can be limited", () => {
  const { dropped, add } = createCase({ maxConnections: 10, maxConnectionsPerClient: 2 });
  const added = [idleSince(500), {}, {}, {}].map((how, index) => add(`${index}`, A, how).isAdded);
  expect([added, add("other", B).isAdded]).toEqual([[true, true, true, false], true]);
  expect(dropped).toEqual([`idle of ${A}`, `new of ${A}`]);
});

test("this machine gets in beyond the limit", () => {
  const { state, destroyed, connections, add } = createCase({ maxConnections: 2, maxReserved: 2 });
  add("one", B, {});
  add("two", C, {});
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.2"]) {
    expect(add(address, address, {}).isAdded).toBe(true);
  }
  expect([connections.size, state.reserved, destroyed]).toEqual([5, 5, []]);
  expect(add("other", D).isAdded).toBe(false);
  const many = Array.from({ length: 20 }, (_, index) => add(`more ${index}`, "127.0.0.1", {}).isAdded);
  expect([many.every(Boolean), connections.size, destroyed.length]).toEqual([true, 18, 8]);
});

test("the client of a connection is the one in the header of the PROXY protocol", () => {
  const { destroyed, connections, add } = createCase({ maxConnectionsPerClient: 2 });
  const opened = ["1", "2", "3"].map((name) => add(name, PROXY, use(Stage.HEAD)).tcp);
  for (const [index, socket] of opened.entries()) {
    connections.setClient(socket, index < 2 ? A : B);
  }
  add("new", C);
  expect(destroyed).toEqual(["1"]);
});

test("the number of connections per client is that of clients in the header of the PROXY protocol", () => {
  const { dropped, connections, add } = createCase({ maxConnections: 9, maxConnectionsPerClient: 2 });
  for (const name of ["1", "2", "3"]) {
    connections.setClient(add(name, PROXY, {}).tcp, A);
  }
  expect([dropped, connections.size]).toEqual([[`new of ${A}`], 2]);
});

test("the connections of a proxy are put in order once a second if none is used for their client", () => {
  const { state, dropped, connections, add } = createCase({ maxConnections: 100 });
  const opened = Array.from({ length: 100 }, (_, index) => add(`${index}`, PROXY, { clients: [A] }));
  add("first", B, {});
  let asked = 0;
  for (const { served } of opened) {
    Object.defineProperties(served, {
      clients: { value: [] },
      stage: {
        get: () => {
          asked += 1;
          return IDLE;
        },
      },
    });
  }
  for (let index = 0; index < 50; index++) {
    state.now += 1;
    add(`new ${index}`, C, {});
  }
  expect(asked).toBeLessThan(1_000);
  expect([connections.size, dropped.length]).toEqual([100, 51]);
});

test("a search that takes long is repeated later", () => {
  const { state, add } = createCase();
  let searches = 0;
  for (const address of [A, B, C]) {
    const { served } = add(address, address, use(Stage.HEAD));
    const check = () => {
      searches += 1;
      state.now += 10;
    };
    Object.defineProperty(served, "check", { value: check });
  }
  const counts = [0, 500, 200].map((pause) => {
    state.now += pause;
    add("new", D, {});
    return searches;
  });
  expect(counts).toEqual([3, 3, 6]);
});

test("checks before it searches, and does not replace a connection that has been used since", () => {
  const { dropped, destroyed, add } = createCase();
  const idle = [300, 200, 100].map((idleSince) => add(`${idleSince}`, "192.0.2.1", { idleSince }));
  add("new", "192.0.2.1", {});
  expect(idle[0]?.calls).toEqual(["check 1000"]);
  const [, next] = idle;
  if (next !== undefined) {
    next.served.idleSince = undefined;
  }
  add("newer", "192.0.2.1", {});
  expect([dropped, destroyed]).toEqual([
    [`idle of ${A}`, `idle of ${A}`],
    ["100", "300"],
  ]);
});

test("replaces one as well if there is no memory for another one", () => {
  const { state, dropped, destroyed, connections, add } = createCase({ maxConnections: 10, maxReserved: 2 });
  add("idle", "192.0.2.1", { idleSince: 100 });
  add("in use", "192.0.2.1", {});
  expect(add("new", "192.0.2.1", {}).isAdded).toBe(true);
  expect(add("newer", "192.0.2.1", {}).isAdded).toBe(false);
  expect([dropped, destroyed]).toEqual([
    [`idle of ${A}`, `new of ${A}`],
    ["idle", "newer"],
  ]);
  expect([connections.size, state.reserved]).toEqual([2, 2]);
});

test("a sweep checks connections, and closes those that have been silent for too long", () => {
  const { state, destroyed, connections, add } = createCase();
  add("silent", "192.0.2.1");
  const { calls } = add("served", "192.0.2.1", {});
  state.now = 1_999;
  connections.sweep();
  expect(destroyed).toEqual([]);
  state.now = 2_000;
  connections.sweep();
  expect(destroyed).toEqual(["silent"]);
  expect(calls).toEqual(["check 1999", "check 2000"]);
});

test("a shutdown reaches all connections, and closes silent ones once it is late and they are not new", () => {
  const { state, destroyed, connections, add } = createCase();
  add("silent", "192.0.2.1");
  const { calls } = add("served", "192.0.2.1", {});
  connections.shutDown(false);
  expect(destroyed).toEqual([]);
  state.now = 2_999;
  connections.shutDown(true);
  expect(destroyed).toEqual([]);
  state.now = 3_000;
  connections.shutDown(true);
  expect([destroyed, calls]).toEqual([
    ["silent"],
    ["shutDown 1000 false", "shutDown 2999 true", "shutDown 3000 true"],
  ]);
  connections.destroyAll();
  expect([destroyed, connections.size]).toEqual([["silent", "served"], 0]);
});

test("a connection that closed before its protocol was known is not served", () => {
  const { connections, add } = createCase();
  const { tcp, close, served, calls } = add("one", "192.0.2.1");
  close();
  connections.serve(tcp, served);
  expect([calls, connections.size]).toEqual([["destroy"], 0]);
});

test("releases connections that could be replaced and have closed", async () => {
  v8.setFlagsFromString("--expose-gc");
  const collect = vm.runInNewContext("gc") as () => void;
  const { connections, add } = createCase();
  const closed = addAndClose();
  connections.sweep();
  // What a WeakRef refers to stays until the end of the turn.
  await new Promise(setImmediate);
  collect();
  expect(closed.deref()).toBeUndefined();

  function addAndClose(): WeakRef<Socket> {
    add("oldest", "192.0.2.1", { idleSince: 100 });
    const { tcp, close } = add("older", "192.0.2.1", { idleSince: 200 });
    add("in use", "192.0.2.1", {});
    add("new", "192.0.2.2", {});
    close();
    return new WeakRef(tcp);
  }
});
