import { expect, test } from "vitest";
import { leasedStore } from "../../src/access/leased-store.js";
import { type Consumption, memoryStore } from "../../src/access/rate-limit.js";

/** Processes that share a store, with the number of round trips. */
function processes(limit: number, block: number, count = 1) {
  const shared = memoryStore(60);
  let trips = 0;
  const store = {
    consume: async (key: string, now: number, cost?: number): Promise<Consumption> => {
      trips += 1;
      return shared.consume(key, now, cost);
    },
  };
  return {
    stores: Array.from({ length: count }, () => leasedStore(store, limit, block)),
    trips: () => trips,
  };
}

/** Sends requests with these costs one after the other, to each process in turn. Returns the counts that are allowed. */
async function allowed(
  stores: ReturnType<typeof processes>["stores"],
  limit: number,
  costs: number[],
  now = 0,
) {
  let sum = 0;
  for (const [index, cost] of costs.entries()) {
    const { count } = (await stores[index % stores.length]?.consume("a", now, cost)) ?? { count: 0 };
    sum += count <= limit ? cost : 0;
  }
  return sum;
}

const ones = (count: number) => Array<number>(count).fill(1);

test.each([
  // limit, block, processes, costs, allowed, round trips
  [100, 1, 1, ones(120), 100, 101],
  [100, 10, 1, ones(120), 100, 11],
  [100, 30, 1, ones(120), 100, 5],
  [100, 1_000, 1, ones(120), 100, 2],
  [100, 10, 2, ones(300), 100, 12],
  [100, 10, 1, [50, 45, 5, 1], 100, 4],
  [100, 10, 1, [50, 60, 1], 50, 2],
  [100, 10, 1, [101], 0, 1],
])("limit %i in blocks of %i, %i processes: %j", async (limit, block, count, costs, sum, trips) => {
  const used = processes(limit, block, count);
  expect(await allowed(used.stores, limit, costs)).toBe(sum);
  expect(used.trips()).toBe(trips);
});

test("requests at the same time wait for one block, and a new window begins with another", async () => {
  const { stores, trips } = processes(100, 50);
  const counts = await Promise.all(ones(40).map(() => stores[0]?.consume("a", 0)));
  expect([trips(), counts.map((each) => each?.count)]).toEqual([
    1,
    Array.from({ length: 40 }, (_, index) => index + 1),
  ]);
  expect(await stores[0]?.consume("a", 59_999)).toEqual({ count: 41, resetMs: 1 });
  expect(await stores[0]?.consume("a", 60_000)).toEqual({ count: 1, resetMs: 60_000 });
  expect(await stores[0]?.consume("b", 60_000)).toEqual({ count: 1, resetMs: 60_000 });
  expect(trips()).toBe(3);
});
