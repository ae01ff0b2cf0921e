import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import v8 from "node:v8";
import vm from "node:vm";
import { expect, test } from "vitest";
import type { DroppedConnection } from "../../src/options.js";
import { Connections, type ServedConnection } from "../../src/port/connections.js";

/** Connections of sockets that exist in this test only, with a clock. */
function createCase({ maxConnections = 3, maxReserved = Number.POSITIVE_INFINITY } = {}) {
  const state = { now: 1_000, reserved: 0 };
  const dropped: DroppedConnection[] = [];
  const destroyed: string[] = [];
  const connections = new Connections({
    maxConnections,
    silenceTimeout: 1_000,
    reserve: () => {
      if (state.reserved >= maxReserved) {
        return false;
      }
      state.reserved += 1;
      return true;
    },
    release: () => {
      state.reserved -= 1;
    },
    onConnectionDropped: (which) => dropped.push(which),
    now: () => state.now,
  });
  /** Adds a connection. It is served if it is idle since a time, lingers, or is in use; otherwise it has sent nothing. */
  function add(name: string, remoteAddress: string, use?: { idleSince?: number; isLingering?: boolean }) {
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
    const served: ServedConnection & { idleSince: number | undefined; isLingering: boolean } = {
      idleSince: use?.idleSince,
      isLingering: use?.isLingering ?? false,
      check: (now) => calls.push(`check ${now}`),
      shutDown: (now, isLate) => calls.push(`shutDown ${now} ${isLate}`),
      destroy: () => calls.push("destroy"),
    };
    if (isAdded && use !== undefined) {
      connections.serve(tcp, served);
    }
    return { isAdded, served, calls, tcp, close: () => socket.emit("close") };
  }
  return { state, dropped, destroyed, connections, add };
}

test("counts connections, and reserves their fixed cost until they close", () => {
  const { state, connections, add } = createCase();
  const [one, two] = [add("one", "192.0.2.1"), add("two", "192.0.2.1", {})];
  expect([one.isAdded, two.isAdded, connections.size, state.reserved]).toEqual([true, true, 2, 2]);
  one.close();
  expect([connections.size, state.reserved]).toEqual([1, 1]);
  two.close();
  expect([connections.size, state.reserved]).toEqual([0, 0]);
});

test("replaces the connection that has been idle longest", () => {
  const { dropped, destroyed, connections, add } = createCase();
  add("later", "192.0.2.1", { idleSince: 300 });
  add("earlier", "192.0.2.2", { idleSince: 200 });
  add("in use", "192.0.2.3", {});
  expect(add("new", "192.0.2.4", {}).isAdded).toBe(true);
  expect([dropped, destroyed, connections.size]).toEqual([["idle"], ["earlier"], 3]);
});

test("replaces one of the client with the most connections first", () => {
  const { destroyed, add } = createCase({ maxConnections: 4 });
  add("a", "192.0.2.1", { idleSince: 100 });
  add("b", "192.0.2.2", { idleSince: 300 });
  add("c", "192.0.2.2", { idleSince: 200 });
  add("d", "192.0.2.2", {});
  add("new", "192.0.2.3", {});
  add("newer", "192.0.2.3", {});
  expect(destroyed).toEqual(["c", "b"]);
});

test("the /64 network of IPv6 addresses is one client", () => {
  const { destroyed, add } = createCase();
  add("a", "2001:db8:0:1::1", { idleSince: 300 });
  add("b", "2001:db8:0:1:ffff::2", { idleSince: 200 });
  add("c", "2001:db8:0:2::1", { idleSince: 100 });
  add("new", "2001:db8:0:3::1", {});
  expect(destroyed).toEqual(["b"]);
});

test("replaces a connection that lingers before idle ones", () => {
  const { destroyed, add } = createCase();
  add("idle", "192.0.2.1", { idleSince: 100 });
  add("also idle", "192.0.2.1", { idleSince: 100 });
  add("lingering", "192.0.2.2", { isLingering: true });
  add("new", "192.0.2.3", {});
  expect(destroyed).toEqual(["lingering"]);
});

test("counts a connection that has sent nothing as idle since it was opened", () => {
  const { state, destroyed, add } = createCase({ maxConnections: 2 });
  add("silent", "192.0.2.1");
  state.now = 1_400;
  add("idle", "192.0.2.1", { idleSince: 1_100 });
  state.now = 1_600;
  expect(add("new", "192.0.2.1", {}).isAdded).toBe(true);
  expect(destroyed).toEqual(["silent"]);
});

test("rejects a new connection if the others are in use, or idle for less than half a second", () => {
  const { state, dropped, destroyed, connections, add } = createCase({ maxConnections: 2 });
  add("in use", "192.0.2.1", {});
  add("idle", "192.0.2.1", { idleSince: 501 });
  expect(add("new", "192.0.2.1", {}).isAdded).toBe(false);
  expect([dropped, destroyed, connections.size, state.reserved]).toEqual([["new"], ["new"], 2, 2]);
  state.now = 1_001;
  expect(add("later", "192.0.2.1", {}).isAdded).toBe(true);
  expect(destroyed).toEqual(["new", "idle"]);
});

test("replaces a connection that was used just now, if its client has most of the connections and more than the other", () => {
  const { destroyed, add } = createCase();
  add("one", "192.0.2.1", { idleSince: 998 });
  add("two", "192.0.2.1", { idleSince: 999 });
  add("polite", "192.0.2.2", { idleSince: 100 });
  expect(add("new", "192.0.2.3", {}).isAdded).toBe(true);
  expect(destroyed).toEqual(["one"]);
});

test("does not replace a connection of a client with fewer connections", () => {
  const { dropped, destroyed, add } = createCase();
  add("polite", "192.0.2.2", { idleSince: 100 });
  add("one", "192.0.2.1", {});
  add("two", "192.0.2.1", {});
  expect(add("three", "192.0.2.1", {}).isAdded).toBe(false);
  expect([dropped, destroyed]).toEqual([["new"], ["three"]]);
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
    ["idle", "idle"],
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
    ["idle", "new"],
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

test("a shutdown reaches all connections, and closes silent ones once it is late", () => {
  const { destroyed, connections, add } = createCase();
  add("silent", "192.0.2.1");
  const { calls } = add("served", "192.0.2.1", {});
  connections.shutDown(false);
  expect(destroyed).toEqual([]);
  connections.shutDown(true);
  expect([destroyed, calls]).toEqual([["silent"], ["shutDown 1000 false", "shutDown 1000 true"]]);
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
