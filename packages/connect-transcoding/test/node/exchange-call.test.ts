import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { describe, expect, test, vi } from "vitest";
import type { Exchange } from "../../src/node/exchange.js";
import { ExchangeCall, MAX_TIMER_MS } from "../../src/node/handler-context.js";

/** An exchange of which a call needs no more than its end. */
function exchange() {
  const listeners: (() => void)[] = [];
  const stub: Pick<Exchange, "onClose"> = { onClose: (listener) => void listeners.push(listener) };
  return {
    listeners,
    // Nothing else of it is used here.
    exchange: stub as Exchange,
    close: () => {
      for (const listener of listeners) {
        listener();
      }
    },
  };
}

const METHOD = Health.method.check;

describe("the signal of a call", () => {
  test("is made when it is asked for, once", () => {
    const { exchange: of, listeners } = exchange();
    const call = new ExchangeCall(METHOD, of, "http://a");
    expect(listeners).toHaveLength(0);
    expect(call.signal).toBe(call.signal);
    expect([call.signal.aborted, listeners.length]).toEqual([false, 1]);
  });

  test("is aborted when the caller goes", () => {
    const { exchange: of, close } = exchange();
    const { signal } = new ExchangeCall(METHOD, of, "http://a");
    close();
    expect(signal.reason).toMatchObject({ reason: "CANCELLED" });
  });

  test("is aborted when the time is up, which runs from the start", () => {
    vi.useFakeTimers();
    try {
      const { exchange: of, close } = exchange();
      const call = new ExchangeCall(METHOD, of, "http://a", 100);
      vi.advanceTimersByTime(99);
      expect(call.signal.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect(call.signal.reason).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
      close();
      expect(call.signal.reason).toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    } finally {
      vi.useRealTimers();
    }
  });

  test("leaves no timer behind", () => {
    vi.useFakeTimers();
    try {
      const { exchange: of, close } = exchange();
      const call = new ExchangeCall(METHOD, of, "http://a", 100);
      expect(vi.getTimerCount()).toBe(1);
      close();
      expect([vi.getTimerCount(), call.timeoutMs]).toEqual([0, 100]);
      new ExchangeCall(METHOD, of, "http://a", MAX_TIMER_MS + 1);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a call without a limit that nobody asks about listens to nothing", () => {
  const { exchange: of, listeners } = exchange();
  const call = new ExchangeCall(METHOD, of, "http://a");
  expect([call.hasEnded, listeners.length]).toEqual([false, 0]);
});

test("who waits for the time to be up is told, but not when the caller has gone before", () => {
  vi.useFakeTimers();
  try {
    let told = 0;
    const calls = [exchange(), exchange()].map((each) => {
      const call = new ExchangeCall(METHOD, each.exchange, "http://a", 100);
      call.onTimeUp = () => {
        told += 1;
      };
      return { call, close: each.close };
    });
    calls[0]?.close();
    vi.advanceTimersByTime(100);
    expect([told, ...calls.map(({ call }) => call.hasEnded)]).toEqual([1, true, true]);
    expect(calls.map(({ call }) => call.signal.reason.reason)).toEqual(["CANCELLED", "DEADLINE_EXCEEDED"]);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ["bad name", "x"],
  ["", "x"],
  ["x-a", "a\nb"],
  ["x-a", "\u20ac"],
])("no answer can have the header %j: %j", (name, value) => {
  const call = new ExchangeCall(METHOD, exchange().exchange, "http://a");
  expect(() => call.addHeader(name, value)).toThrow(TypeError);
  expect(() => call.addTrailer(name, value)).toThrow(TypeError);
  expect([call.addedHeaders, call.addedTrailers]).toEqual([[], []]);
});

test("headers and trailers are kept apart, in order, by lower-case names", () => {
  const call = new ExchangeCall(METHOD, exchange().exchange, "http://a");
  expect([call.addedHeaders, call.addedTrailers]).toEqual([[], []]);
  call.addHeader("X-A", "1");
  call.addTrailer("X-B", "2");
  call.addHeader("x-a", "3");
  expect([call.addedHeaders, call.addedTrailers]).toEqual([
    ["x-a", "1", "x-a", "3"],
    ["x-b", "2"],
  ]);
});
