import type { DescMethod } from "@bufbuild/protobuf";
import { Code, createContextKey, createContextValues } from "@connectrpc/connect";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallContext, type ContextOptions } from "../../src/call/context.js";
import { baseUrlKey, clientAddressKey } from "../../src/call/context-keys.js";
import type { Exchange } from "../../src/call/http/exchange.js";
import type { Format } from "../../src/protocols/format.js";

/** The longest delay of a timer in milliseconds. */
const MAX_TIMER_MS = 0x7fff_ffff;

const METHOD: DescMethod = Health.method.check;
const NO_OPTIONS: ContextOptions = { contextValues: undefined };

/** The part of an exchange that a context uses, and a function that closes it. */
function createExchange() {
  const listeners: (() => void)[] = [];
  const used: string[] = [];
  const exchange = {
    httpMethod: "POST",
    rawTarget: "/a?b",
    get clientAddress() {
      used.push("clientAddress");
      return "192.0.2.1";
    },
    *headers() {
      used.push("headers");
      yield ["x-a", "1"];
    },
    onClose: (listener: () => void) => {
      used.push("onClose");
      listeners.push(listener);
    },
  };
  const close = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  return { exchange: exchange as unknown as Exchange, used, close };
}

function createContext(options: Partial<ContextOptions> = {}, timeoutMs?: number, methodOptions = {}) {
  const { exchange, ...rest } = createExchange();
  const all = { ...NO_OPTIONS, ...options };
  const served = { method: METHOD, options: methodOptions };
  const format = { served, protocolName: "grpc", timeoutMs } as unknown as Format;
  return { context: new CallContext(format, exchange, "http://a", all), ...rest };
}

describe("a context", () => {
  test("describes the call", () => {
    const { context } = createContext();
    expect(context).toMatchObject({
      method: METHOD,
      service: Health,
      protocolName: "grpc",
      requestMethod: "POST",
      url: "http://a/a?b",
    });
    expect(context.requestHeader.get("X-A")).toBe("1");
  });

  test("creates everything on first use, once", () => {
    const { context, used } = createContext();
    expect([context.hasEnded, context.addedHeaders, context.addedTrailers, used]).toEqual([
      false,
      [],
      [],
      [],
    ]);
    for (const property of [
      "requestHeader",
      "responseHeader",
      "responseTrailer",
      "signal",
      "values",
    ] as const) {
      expect(context[property]).toBe(context[property]);
    }
    expect(used).toEqual(["headers", "onClose", "clientAddress"]);
  });

  test("has the values of the server, and those that `contextValues` returns", () => {
    const key = createContextKey("none");
    const { context, used } = createContext({
      contextValues: ({ rawTarget }) =>
        createContextValues().set(key, `from ${rawTarget}`).set(baseUrlKey, "replaced"),
    });
    expect(used).toEqual([]);
    expect([key, baseUrlKey, clientAddressKey].map((each) => context.values.get(each))).toEqual([
      "from /a?b",
      "http://a",
      "192.0.2.1",
    ]);
  });
});

describe("the response headers and trailers", () => {
  test("are separate lists with lower-case names", () => {
    const { context } = createContext();
    context.responseHeader.set("X-A", "1");
    context.responseTrailer.set("X-B", "2");
    context.responseHeader.append("x-a", "3");
    expect([context.addedHeaders, context.addedTrailers]).toEqual([
      ["x-a", "1, 3"],
      ["x-b", "2"],
    ]);
  });

  test.each([
    ["x-b", "a\u0001b"],
    ["x-b", "a\u007fb"],
  ])("reject %s: %j until it is removed, so that the error can be sent", (name, value) => {
    const { context } = createContext();
    for (const [headers, list] of [
      ["responseHeader", "addedHeaders"],
      ["responseTrailer", "addedTrailers"],
    ] as const) {
      context[headers].set("x-a", "1");
      context[headers].set(name, value);
      expect(() => context[list]).toThrow(TypeError);
      context.removeInvalidHeaders();
      expect(context[list]).toEqual(["x-a", "1"]);
    }
  });

  test.each([
    ["bad name", "x"],
    ["", "x"],
    ["x-a", "a\nb"],
    ["x-a", "\u20ac"],
  ])("cannot be %j: %j", (name, value) => {
    const { context } = createContext();
    expect(() => context.responseHeader.set(name, value)).toThrow(TypeError);
    expect(() => context.responseTrailer.set(name, value)).toThrow(TypeError);
    expect([context.addedHeaders, context.addedTrailers]).toEqual([[], []]);
  });
});

describe("the signal", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("is aborted when the client disconnects", () => {
    const { context, close } = createContext();
    const { signal } = context;
    expect(signal.aborted).toBe(false);
    close();
    expect(signal.reason).toMatchObject({ code: Code.Canceled });
    expect(context.endReason).toMatchObject({ code: Code.Canceled });
  });

  test("is aborted when the deadline expires, which counts from the start of the call", () => {
    const { context, close } = createContext({}, 100);
    vi.advanceTimersByTime(99);
    expect(context.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(context.signal.reason).toMatchObject({ code: Code.DeadlineExceeded });
    close();
    expect(context.signal.reason).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("is aborted from the start if the call has ended by its first use", () => {
    const { context, close } = createContext({}, 100);
    close();
    expect([context.hasEnded, context.signal.aborted]).toEqual([true, true]);
    expect(context.signal.reason).toMatchObject({ code: Code.Canceled });
  });

  test("is aborted when the server shuts down", () => {
    const shutdown = new AbortController();
    const { context } = createContext({}, undefined, { shutdownSignal: shutdown.signal });
    const { signal } = context;
    const reason = new Error("shutting down");
    shutdown.abort(reason);
    expect(signal.reason).toBe(reason);
    // The call itself goes on.
    expect(context.hasEnded).toBe(false);
  });

  test("leaves no timer behind", () => {
    const { close } = createContext({}, 100);
    expect(vi.getTimerCount()).toBe(1);
    close();
    expect(vi.getTimerCount()).toBe(0);
    createContext({}, MAX_TIMER_MS + 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("`timeoutMs` returns the time that remains", () => {
    const { context } = createContext({}, 100);
    vi.advanceTimersByTime(40);
    expect(context.timeoutMs()).toBe(60);
    expect(createContext().context.timeoutMs()).toBeUndefined();
    expect(createContext({}, MAX_TIMER_MS + 1).context.timeoutMs()).toBe(MAX_TIMER_MS + 1);
  });

  test("`onTimeout` is called when the deadline expires, but not if the client has disconnected before", () => {
    const onTimeout = vi.fn();
    const calls = [createContext({}, 100), createContext({}, 100)];
    for (const { context } of calls) {
      context.onTimeout = onTimeout;
    }
    calls[0]?.close();
    vi.advanceTimersByTime(100);
    expect(onTimeout).toHaveBeenCalledTimes(1);
    expect(calls.map(({ context }) => context.hasEnded)).toEqual([true, true]);
    expect(calls.map(({ context }) => context.signal.reason.code)).toEqual([
      Code.Canceled,
      Code.DeadlineExceeded,
    ]);
  });
});
