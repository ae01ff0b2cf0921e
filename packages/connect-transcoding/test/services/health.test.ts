import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test } from "vitest";
import { healthRoutes } from "../../src/services/health.js";

const SERVICE = "library.v1.LibraryService";
const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = Status;

/** A client of the health service, and the health that it reports. */
function setUp(isServing: boolean) {
  const listeners = new Set<() => void>();
  const state = { isServing, isStopping: false };
  const update = (change: Partial<typeof state>): void => {
    Object.assign(state, change);
    for (const listener of listeners) {
      listener();
    }
  };
  const transport = createRouterTransport(
    healthRoutes({
      services: [SERVICE],
      isServing: () => state.isServing,
      isStopping: () => state.isStopping,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
  );
  const client = createClient(Health, transport);
  /** Watches a service; the returned function reads the next status, or `end`. */
  const watch = (service: string, signal?: AbortSignal) => {
    const options = signal === undefined ? {} : { signal };
    const statuses = client.watch({ service }, options)[Symbol.asyncIterator]();
    return async () => {
      const { done, value } = await statuses.next();
      return done === true ? "end" : value.status;
    };
  };
  return { client, update, watch, listeners };
}

/** Resolves when the server waits for a change. */
const idle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("Check", () => {
  test("returns the status of a service, and of the server for the empty name", async () => {
    const { client, update } = setUp(true);
    const statuses = async () =>
      Promise.all(["", SERVICE].map(async (service) => (await client.check({ service })).status));
    expect(await statuses()).toEqual([SERVING, SERVING]);
    update({ isServing: false });
    expect(await statuses()).toEqual([NOT_SERVING, NOT_SERVING]);
  });

  test("throws NOT_FOUND for an unknown service", async () => {
    const { client } = setUp(true);
    await expect(client.check({ service: "nope" })).rejects.toMatchObject({ code: Code.NotFound });
  });
});

test("List returns the status of every service", async () => {
  expect((await setUp(true).client.list({})).statuses).toMatchObject({
    "": { status: SERVING },
    [SERVICE]: { status: SERVING },
  });
});

describe("Watch", () => {
  test("sends the status, and then each change", async () => {
    const { update, watch } = setUp(false);
    const next = watch(SERVICE);
    expect(await next()).toBe(NOT_SERVING);
    for (const isServing of [true, false, true]) {
      const status = next();
      await idle();
      update({ isServing });
      expect(await status).toBe(isServing ? SERVING : NOT_SERVING);
    }
  });

  test("sends the latest status to a slow client, and none twice", async () => {
    const { update, watch } = setUp(true);
    const next = watch("");
    expect(await next()).toBe(SERVING);
    const status = next();
    await idle();
    update({});
    update({ isServing: false });
    update({ isServing: true });
    update({ isServing: false });
    expect(await status).toBe(NOT_SERVING);
  });

  test("sends SERVICE_UNKNOWN for an unknown service, and waits", async () => {
    const { update, watch } = setUp(true);
    const next = watch("nope");
    expect(await next()).toBe(SERVICE_UNKNOWN);
    const end = next();
    await idle();
    update({ isStopping: true });
    expect(await end).toBe("end");
  });

  test("sends the last change when the server shuts down, and ends", async () => {
    const { update, watch, listeners } = setUp(true);
    const next = watch(SERVICE);
    expect(await next()).toBe(SERVING);
    const status = next();
    await idle();
    update({ isServing: false, isStopping: true });
    expect([await status, await next(), listeners.size]).toEqual([NOT_SERVING, "end", 0]);
  });

  test("unsubscribes when the client cancels the call", async () => {
    const { watch, listeners } = setUp(true);
    const controller = new AbortController();
    const next = watch(SERVICE, controller.signal);
    expect(await next()).toBe(SERVING);
    const waiting = next().catch((error: unknown) => error);
    await idle();
    expect(listeners.size).toBe(1);
    controller.abort();
    expect(await waiting).toMatchObject({ code: Code.Canceled });
    await idle();
    expect(listeners.size).toBe(0);
  });
});
