import { setImmediate as iteration } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  CALL,
  COSTLY_CALL,
  clientQueue,
  createQueue,
  createTurns,
  type Queue,
} from "../../src/core/turns.js";

/** Takes time, on a fake clock if there is one: on a busy machine, a loop can take longer. */
function spin(milliseconds: number): void {
  if (vi.isFakeTimers()) {
    vi.advanceTimersByTime(milliseconds);
    return;
  }
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    // Works.
  }
}

/** Returns the queue of a name, the same each time: `a` or `a connection 2` of the client `a`. */
function createQueues(): (name: string) => Queue {
  const queues = new Map<string, Queue>();
  return (name) => {
    const queue = queues.get(name) ?? createQueue(name.slice(0, 1));
    queues.set(name, queue);
    return queue;
  };
}

/** Adds pieces of work that each take longer than a slice, and resolves to the order in which they ran. */
async function orderOf(added: readonly (readonly [queue: string, name: string])[]) {
  const turns = createTurns();
  const queueOf = createQueues();
  const order: string[] = [];
  for (const [queue, name] of added) {
    turns.add(queueOf(queue), () => {
      spin(2.1);
      order.push(name);
      return true;
    });
  }
  while (order.length < added.length) {
    await iteration();
  }
  return order;
}

function fakeClock(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

test("a runtime that does not count iterations has one slice in each", async () => {
  fakeClock();
  const turns = createTurns(() => undefined);
  expect(turns.timeLeft()).toBe(0);
  await iteration();
  await iteration();
  expect(turns.timeLeft()).toBeGreaterThan(0);
  vi.advanceTimersByTime(2.1);
  expect(turns.timeLeft()).toBe(0);
  await iteration();
  await iteration();
  expect(turns.timeLeft()).toBeGreaterThan(0);
});

describe("waiting work", () => {
  test("of one client runs in order", async () => {
    expect(await orderOf([1, 2, 3, 4].map((id) => ["a", `${id}`] as const))).toEqual(["1", "2", "3", "4"]);
  });

  test("of several clients runs in turns", async () => {
    expect(
      await orderOf([
        ["a", "a1"],
        ["a", "a2"],
        ["a", "a3"],
        ["b", "b1"],
        ["c", "c1"],
        ["b", "b2"],
      ]),
    ).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  test("of a queue that has used time runs after that of others of its client", async () => {
    fakeClock();
    expect(
      await orderOf([
        ["a connection 1", "1a"],
        ["a connection 1", "1b"],
        ["a connection 1", "1c"],
        ["a connection 2", "2a"],
        ["a connection 2", "2b"],
        ["a connection 3", "3a"],
      ]),
    ).toEqual(["1a", "2a", "3a", "1b", "2b", "1c"]);
  });

  test("of a queue that has used little runs before that of others that have used more", async () => {
    fakeClock();
    const turns = createTurns();
    const light = createQueue("a");
    const order: string[] = [];
    let left = 30;
    for (let number = 0; number < 10; number++) {
      turns.resume(createQueue("a"), () => {
        spin(2.1);
        order.push("heavy");
        left -= 1;
        return left < 10;
      });
    }
    while (left > 0) {
      await iteration();
      if (left < 20 && left > 0 && order.at(-1) === "heavy") {
        const before = order.length;
        turns.add(light, () => order.push(`light after ${order.length - before}`) > 0);
      }
    }
    expect([...new Set(order)]).toEqual(["heavy", "light after 0"]);
  });

  test("of a queue that has used a slice gets one of eight slices beside new connections of its client", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const turns = createTurns();
    const order: string[] = [];
    let isOver = false;
    const run = (name: string) => {
      vi.advanceTimersByTime(2.1);
      order.push(name);
      isOver = order.length === 40;
      return isOver;
    };
    const addNew = () =>
      turns.add(createQueue("a"), () => {
        if (!isOver && !run("new")) {
          addNew();
        }
        return true;
      });
    addNew();
    turns.resume(createQueue("a"), () => isOver || run("long"));
    while (!isOver) {
      await iteration();
    }
    await iteration();
    const places = order.flatMap((name, index) => (name === "long" ? [index] : []));
    expect(places.length).toBeGreaterThan(3);
    expect(Math.max(...places.slice(1).map((place, index) => place - (places[index] ?? 0)))).toBeLessThan(10);
  });

  test("that has begun takes turns with other work of its queue", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    const order: string[] = [];
    let left = 3;
    turns.add(queueOf("a"), () => {
      order.push("first");
      turns.resume(queueOf("a"), (until) => {
        spin(until - performance.now());
        order.push(`step ${left}`);
        left -= 1;
        return left === 0;
      });
      return true;
    });
    turns.add(queueOf("a"), () => {
      order.push("second");
      return true;
    });
    turns.add(queueOf("b"), () => {
      order.push("other");
      return true;
    });
    while (order.length < 6) {
      await iteration();
    }
    // The slice of the client may end before the first step.
    expect(order.filter((name) => name !== "other")).toEqual([
      "first",
      "second",
      "step 3",
      "step 2",
      "step 1",
    ]);
    expect(order.indexOf("other")).toBeLessThan(order.indexOf("step 2"));
  });

  test("that is asynchronous goes on one piece at a time", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    const order: string[] = [];
    const pieces = ["a", "b", "a", "b", "a"].map(async (client, index) => {
      await turns.wait(queueOf(client));
      order.push(`begin ${index}`);
      for (let step = 0; step < 10; step++) {
        await undefined;
      }
      order.push(`end ${index}`);
    });
    await Promise.all(pieces);
    const ended = order.filter((_, at) => at % 2 === 1);
    expect(order).toEqual(ended.flatMap((end) => [end.replace("end", "begin"), end]));
    expect(ended).toHaveLength(5);
  });

  test("that is asynchronous goes on in one iteration while there is time", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    const iterations = new Set<number | undefined>();
    const pieces = Array.from({ length: 8 }, async (_, index) => {
      await turns.wait(queueOf(`${index % 2}`));
      iterations.add(performance.nodeTiming.uvMetricsInfo.loopCount);
    });
    await Promise.all(pieces);
    // A busy machine may interrupt the turn.
    expect(iterations.size).toBeLessThan(pieces.length);
  });

  test("that is asynchronous and slow leaves the others to the next iterations", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    let done = 0;
    const pieces = Array.from({ length: 10 }, async () => {
      await turns.wait(queueOf("a"));
      spin(21);
      done += 1;
    });
    const perIteration: number[] = [];
    while (done < pieces.length) {
      const before = done;
      await iteration();
      perIteration.push(done - before);
    }
    expect(Math.max(...perIteration)).toBe(1);
    await Promise.all(pieces);
  });

  test("that is asynchronous lets other clients go after its slice", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    const order: string[] = [];
    const pieces = ["a1", "a2", "b1", "c1"].map(async (name) => {
      await turns.wait(queueOf(name.slice(0, 1)));
      spin(2.1);
      order.push(name);
    });
    await Promise.all(pieces);
    expect(order).toEqual(["a1", "b1", "c1", "a2"]);
  });

  test("that is asynchronous and over takes no turn", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    let done = 0;
    for (let index = 0; index < 5; index++) {
      void turns
        .wait(queueOf("a"), () => true)
        .then(() => {
          done += 1;
        });
    }
    await iteration();
    await iteration();
    expect(done).toBe(5);
  });

  test("leaves iterations of the event loop in between", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    let done = 0;
    for (let index = 0; index < 20; index++) {
      turns.add(queueOf("a"), () => {
        spin(3);
        done += 1;
        return true;
      });
    }
    const perIteration: number[] = [];
    while (done < 20) {
      const before = done;
      await iteration();
      perIteration.push(done - before);
    }
    // A turn takes as long as other work has taken, but at most 20 ms.
    expect(Math.max(...perIteration)).toBeLessThanOrEqual(7);
  });

  test("waits while connections are accepted, but for no more than 20 ms", async () => {
    fakeClock();
    const turns = createTurns();
    const queueOf = createQueues();
    let isDone = false;
    let iterations = 0;
    turns.add(queueOf("a"), () => {
      isDone = true;
      return true;
    });
    while (!isDone) {
      turns.onConnection();
      await iteration();
      spin(1);
      iterations += 1;
    }
    expect(iterations).toBe(21);
  });

  test.each([
    ["costly", COSTLY_CALL, ["read 1", "read 2", "read 3", "short call", "costly call 1", "costly call 2"]],
    ["short", CALL, ["read 1", "read 2", "read 3", "costly call 1", "costly call 2", "short call"]],
  ])(
    "of new connections is read before calls begin, and %s calls yield to others",
    async (_, milliseconds, expected) => {
      fakeClock();
      const turns = createTurns();
      const order: string[] = [];
      /** Adds a connection with a request, whose call takes its time if it need not yield. */
      const connect = (number: number, name: string, cost: number) => {
        const queue = createQueue("a");
        const call = () => {
          order.push(name);
          return true;
        };
        const begin = () => (turns.yields({ queue }, cost) ? turns.add(queue, begin) : call()) !== false;
        turns.add(queue, () => {
          order.push(`read ${number}`);
          if (number === 1) {
            // The process is interrupted.
            spin(50);
          }
          return begin();
        });
      };
      connect(1, "costly call 1", milliseconds);
      connect(2, "costly call 2", milliseconds);
      connect(3, "short call", CALL);
      while (order.length < expected.length) {
        await iteration();
      }
      expect(order).toEqual(expected);
    },
  );

  test("of a client that has no other connection need not yield", async () => {
    const turns = createTurns();
    const queue = createQueue("a");
    expect(turns.yields({ queue }, COSTLY_CALL)).toBe(false);
    const yielded = new Promise((resolve) => {
      turns.add(createQueue("b"), () => true);
      turns.add(queue, () => {
        resolve([turns.yields({ queue }, COSTLY_CALL), turns.mayBegin()]);
        return true;
      });
    });
    expect(turns.mayBegin()).toBe(false);
    expect(await yielded).toEqual([false, true]);
  });
});

describe("timeLeft", () => {
  /** Repeats a measurement in iterations until there is time left. A busy machine may take up the time of some. */
  async function expectTime(measure: () => Promise<number>): Promise<void> {
    let left = 0;
    for (let tries = 0; left === 0 && tries < 1_000; tries++) {
      await iteration();
      left = await measure();
    }
    expect(left).toBeGreaterThan(0);
  }

  test("ends after some milliseconds, and begins again in the next iteration", async () => {
    const turns = createTurns();
    await expectTime(async () => turns.timeLeft());
    spin(5);
    expect(turns.timeLeft()).toBe(0);
    await expectTime(async () => turns.timeLeft());
  });

  test("is over while work waits", async () => {
    const turns = createTurns();
    const queueOf = createQueues();
    await expectTime(async () => {
      let timeOfWork = 0;
      turns.add(queueOf("a"), () => {
        timeOfWork = turns.timeLeft();
        return true;
      });
      expect(turns.timeLeft()).toBe(0);
      await iteration();
      return timeOfWork;
    });
    await expectTime(async () => turns.timeLeft());
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["", ""],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["2001:db8::1:2:3:4:6", "2001:db8:0:1"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["2001:db8::", "2001:db8:0:0"],
  // RFC 4291, section 2.5.5.2: an IPv4 client of a port that listens on IPv6.
  ["::ffff:192.0.2.1", "192.0.2.1"],
  // Other spellings of the same addresses: express-rate-limit #667, Truxify #12187.
  ["::ffff:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:c000:201", "192.0.2.1"],
  ["2001:DB8:0001:2::6", "2001:db8:1:2"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8:0:0"],
])("the queue of the client %s is %s", (address, queue) => {
  expect(clientQueue(address)).toBe(queue);
});
