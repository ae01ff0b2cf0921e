import { getEventListeners } from "node:events";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { RetryInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { SERVICES } from "@utility-tools/protos/services.js";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { describe, expect, test } from "vitest";
import { createClientOver } from "../../client/src/client.js";
import type { ClientOptions } from "../../client/src/options.js";
import { isRetryable, retryDelay, type Timing } from "../../client/src/retry.js";

const POLICY = { count: 4, baseDelay: 100, maxDelay: 500 };

test.each<[string, Code, number | undefined, number, number, number | undefined]>([
  // name, code, retryAfter, retries so far, random, delay
  ["the first delay starts at 0", Code.Unavailable, undefined, 0, 0, 0],
  ["and ends at baseDelay", Code.Unavailable, undefined, 0, 0.99, 99],
  ["the bound doubles", Code.Unavailable, undefined, 1, 0.5, 100],
  ["and doubles again", Code.Unavailable, undefined, 2, 0.5, 200],
  ["up to maxDelay", Code.Unavailable, undefined, 3, 0.5, 250],
  ["no retry after the last", Code.Unavailable, undefined, 4, 0.5, undefined],
  ["the delay from the service is a minimum", Code.Unavailable, 700, 0, 0, 700],
  ["plus a random part", Code.Unavailable, 700, 3, 0.5, 750],
  ["RESOURCE_EXHAUSTED with a delay is retried", Code.ResourceExhausted, 1_000, 0, 0.5, 1_050],
  ["also with a delay of 0", Code.ResourceExhausted, 0, 0, 0.5, 50],
  ["but not after the last retry", Code.ResourceExhausted, 1_000, 4, 0.5, undefined],
  ["RESOURCE_EXHAUSTED without a delay is not retried", Code.ResourceExhausted, undefined, 0, 0.5, undefined],
  ["INTERNAL is not retried", Code.Internal, undefined, 0, 0.5, undefined],
  ["not even with a delay", Code.Internal, 100, 0, 0.5, undefined],
  ["DEADLINE_EXCEEDED is not retried", Code.DeadlineExceeded, undefined, 0, 0.5, undefined],
  ["ABORTED is not retried", Code.Aborted, undefined, 0, 0.5, undefined],
  ["UNKNOWN is not retried", Code.Unknown, undefined, 0, 0.5, undefined],
  ["CANCELED is not retried", Code.Canceled, undefined, 0, 0.5, undefined],
])("retryDelay: %s", (_, code, retryAfter, retries, random, delay) => {
  expect(retryDelay({ code, retryAfter }, retries, POLICY, () => random)).toBe(delay);
});

test("every method may be retried, except those that generate a secret", () => {
  const notRetryable = Object.values(SERVICES)
    .flatMap(({ methods }) => methods)
    .filter((method) => !isRetryable(method))
    .map(({ name }) => name);
  expect(notRetryable).toEqual(["GenerateOtp", "GenerateHotp"]);
});

test("a stream may not be retried", () => {
  expect(isRetryable({ ...SERVICES.geoIp.method.lookupIp, methodKind: "server_streaming" })).toBe(false);
  expect(isRetryable(ServerReflection.method.serverReflectionInfo)).toBe(false);
});

/** The outcome of an attempt: a response, or an error; and how many milliseconds it takes. */
interface Step {
  readonly error?: ConnectError;
  readonly takes?: number;
}

const OK: Step = {};
const gone = (message = "gone") => new ConnectError(message, Code.Unavailable);
const GONE: Step = { error: gone() };
const limited = (seconds: bigint): Step => ({
  error: new ConnectError("too many", Code.ResourceExhausted, undefined, [
    { desc: RetryInfoSchema, value: { retryDelay: { seconds } } },
  ]),
});

/** A client with scripted outcomes and a simulated clock. */
function scripted(steps: readonly Step[], options: ClientOptions = {}) {
  let time = 1_000;
  let next = 0;
  const seen: { readonly at: number; readonly timeoutMs: number | undefined; readonly headers: Headers }[] =
    [];
  const transport: Transport = {
    async unary(method, signal, timeoutMs, header) {
      seen.push({ at: time - 1_000, timeoutMs, headers: new Headers(header) });
      const step = steps[next++] ?? OK;
      time += step.takes ?? 0;
      signal?.throwIfAborted();
      if (step.error !== undefined) {
        throw step.error;
      }
      return {
        stream: false,
        service: method.parent,
        method,
        header: new Headers(),
        trailer: new Headers(),
        message: create(method.output),
      };
    },
    stream: () => Promise.reject(new Error("not implemented")),
  };
  const timing: Timing = {
    now: () => time,
    random: () => 0.5,
    // Lets pending promises settle first.
    async sleep(ms, signal) {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      time += ms;
    },
  };
  let released = 0;
  const client = createClientOver(transport, options, () => released++, timing);
  return {
    client,
    seen,
    at: () => seen.map(({ at }) => at),
    timeouts: () => seen.map(({ timeoutMs }) => timeoutMs),
    released: () => released,
  };
}

const call = ({ client }: ReturnType<typeof scripted>, options = {}) =>
  client.countries.getCountry({ country: "FR" }, options).then(
    () => "OK",
    (error: unknown) => Code[ConnectError.from(error).code],
  );

describe("retries", () => {
  test.each<[string, readonly Step[], ClientOptions, string, number[]]>([
    ["not after a response", [OK], {}, "OK", [0]],
    ["after half of 100, 200 and 400 ms", [GONE, GONE, GONE, OK], {}, "OK", [0, 50, 150, 350]],
    ["three times at most", [GONE, GONE, GONE, GONE], {}, "Unavailable", [0, 50, 150, 350]],
    ["never, with count 0", [GONE], { retries: { count: 0 } }, "Unavailable", [0]],
    ["as often as count allows", [GONE, GONE], { retries: { count: 1 } }, "Unavailable", [0, 50]],
    [
      "as soon as baseDelay and maxDelay allow",
      [GONE, GONE, OK],
      { retries: { baseDelay: 10, maxDelay: 12 } },
      "OK",
      [0, 5, 11],
    ],
    ["after the delay from the service", [limited(3n), OK], {}, "OK", [0, 3_050]],
    ["not if that delay exceeds the deadline", [limited(10n), OK], {}, "ResourceExhausted", [0]],
    ["if it ends before the deadline", [limited(3n), OK], { timeout: 3_051 }, "OK", [0, 3_050]],
    ["not if it ends at the deadline", [limited(3n), OK], { timeout: 3_050 }, "ResourceExhausted", [0]],
    [
      "after a minute at most, without a deadline",
      [limited(59n), limited(60n)],
      { timeout: 0 },
      "ResourceExhausted",
      [0, 59_050],
    ],
    [
      "until the deadline",
      [{ ...GONE, takes: 60 }, { ...GONE, takes: 60 }, OK],
      { timeout: 250 },
      "Unavailable",
      [0, 110],
    ],
  ])("%s", async (_, steps, options, outcome, at) => {
    const script = scripted(steps, options);
    expect([await call(script), script.at()]).toEqual([outcome, at]);
  });

  test("not a method with side effects", async () => {
    const script = scripted([GONE, OK]);
    await expect(script.client.otp.generateOtp({})).rejects.toThrow("gone");
    expect(script.at()).toEqual([0]);
  });

  test("throws the last error", async () => {
    const script = scripted([GONE, { error: gone("still gone") }], { retries: { count: 1 } });
    await expect(script.client.about.getAbout({})).rejects.toThrow("still gone");
  });

  test("100 at first, and one more per ten responses", async () => {
    const failures = new Array<Step>(200).fill(GONE);
    const script = scripted([...failures, ...new Array<Step>(10).fill(OK), GONE, OK, GONE, OK], {
      retries: { count: 1, baseDelay: 0 },
    });
    for (let count = 0; count < 100; count++) {
      expect(await call(script)).toBe("Unavailable");
    }
    expect(script.seen).toHaveLength(200);
    for (let count = 0; count < 10; count++) {
      expect(await call(script)).toBe("OK");
    }
    expect(await call(script)).toBe("OK");
    expect(await call(script)).toBe("Unavailable");
    expect(script.seen).toHaveLength(213);
  });
});

describe("deadlines", () => {
  test("each attempt gets the time that remains", async () => {
    const script = scripted([{ ...GONE, takes: 1_000.4 }, GONE, OK], { timeout: 5_000 });
    expect([await call(script), script.timeouts()]).toEqual(["OK", [5_000, 3_950, 3_850]]);
  });

  test.each<[string, ClientOptions, object, number]>([
    ["10 s by default", {}, {}, 10_000],
    ["the timeout of the client", { timeout: 300 }, {}, 300],
    ["the timeout of the call", { timeout: 300 }, { timeoutMs: 20 }, 20],
    ["0 for the client", { timeout: 0 }, {}, 0],
    ["0 for the call", {}, { timeoutMs: 0 }, 0],
  ])("%s", async (_, options, callOptions, timeoutMs) => {
    const script = scripted([OK], options);
    await call(script, callOptions);
    expect(script.timeouts()).toEqual([timeoutMs]);
  });
});

describe("signals", () => {
  test("the signal of a call ends the delay before a retry", async () => {
    const program = new AbortController();
    const script = scripted([GONE, OK]);
    const pending = call(script, { signal: program.signal });
    program.abort();
    expect([await pending, script.at()]).toEqual(["Canceled", [0]]);
  });

  test("the client removes its listeners after the call", async () => {
    const program = new AbortController();
    const script = scripted([GONE, OK, { error: new ConnectError("wrong", Code.Internal) }], {
      apiKey: () => "ut_key",
    });
    expect(await call(script, { signal: program.signal })).toBe("OK");
    expect(await call(script, { signal: program.signal })).toBe("Internal");
    expect(getEventListeners(program.signal, "abort")).toEqual([]);
  });

  test("close cancels every call, and releases the connections once", async () => {
    const script = scripted([OK]);
    const pending = call(script);
    script.client.close();
    script.client.close();
    expect([await pending, await call(script), script.released()]).toEqual(["Canceled", "Canceled", 1]);
  });
});

describe("headers", () => {
  test("headers of a call override those of the client", async () => {
    const script = scripted([OK], { headers: { "x-team": "blue", "x-part": "a" }, apiKey: "ut_key" });
    await call(script, { headers: { "x-part": "b" } });
    expect(Object.fromEntries(script.seen[0]?.headers ?? [])).toEqual({
      "x-team": "blue",
      "x-part": "b",
      authorization: "Bearer ut_key",
    });
  });

  test("a call can set its own Authorization", async () => {
    const script = scripted([OK], { apiKey: "ut_key" });
    await call(script, { headers: { Authorization: "Bearer other" } });
    expect(script.seen[0]?.headers.get("authorization")).toBe("Bearer other");
  });

  test("the function for the API key is called for each attempt", async () => {
    let calls = 0;
    const script = scripted([GONE, OK], { apiKey: async () => `ut_${++calls}` });
    await call(script);
    expect(script.seen.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer ut_1",
      "Bearer ut_2",
    ]);
  });
});

describe("API keys", () => {
  test.each(["", " ", "two words", "line\nbreak", "ключ"])(
    "%j is invalid, and no error repeats it",
    async (apiKey) => {
      expect(() => scripted([OK], { apiKey })).toThrow("the API key has characters that no key has");
      const script = scripted([OK], { apiKey: () => apiKey });
      await expect(script.client.about.getAbout({})).rejects.toThrow(
        "[invalid_argument] about.getAbout: the API key has characters that no key has",
      );
      expect(script.seen).toEqual([]);
    },
  );

  test("a function that never returns fails with the deadline", async () => {
    const script = scripted([OK], { apiKey: () => new Promise<string>(() => {}) });
    expect([await call(script), script.seen]).toEqual(["DeadlineExceeded", []]);
  });

  test("an error of the function is the error of the call", async () => {
    const script = scripted([OK], {
      apiKey: () => Promise.reject(new ConnectError("no vault", Code.Unauthenticated)),
    });
    expect(await call(script)).toBe("Unauthenticated");
  });
});

test.each<ClientOptions>([
  { timeout: -1 },
  { timeout: Number.NaN },
  { timeout: 86_400_001 },
  { retries: { count: 0.5 } },
  { retries: { count: -1 } },
  { retries: { count: Number.POSITIVE_INFINITY } },
  { retries: { baseDelay: Number.NaN } },
  { retries: { maxDelay: -1 } },
])("rejects %o", (options) => {
  expect(() => scripted([], options)).toThrow(RangeError);
});
