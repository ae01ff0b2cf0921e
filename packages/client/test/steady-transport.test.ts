import { getEventListeners } from "node:events";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { RetryInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { describe, expect, test } from "vitest";
import type { ClientOptions } from "../src/client-options.js";
import { createClientOver } from "../src/client-over.js";
import type { World } from "../src/world.js";

/** What an attempt comes to: an answer, or an error; and how many milliseconds that takes. */
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

/** A client whose attempts come to what is given, in a time that passes as it is told to. */
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
    stream: () => Promise.reject(new Error("there are no streams")),
  };
  const world: World = {
    now: () => time,
    random: () => 0.5,
    // Time passes once nothing else goes on.
    async sleep(ms, signal) {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      time += ms;
    },
  };
  let released = 0;
  const client = createClientOver(transport, options, () => released++, world);
  return {
    client,
    seen,
    at: () => seen.map(({ at }) => at),
    timeouts: () => seen.map(({ timeoutMs }) => timeoutMs),
    released: () => released,
  };
}

const ask = ({ client }: ReturnType<typeof scripted>, call = {}) =>
  client.countries.getCountry({ country: "FR" }, call).then(
    () => "OK",
    (error: unknown) => Code[ConnectError.from(error).code],
  );

describe("retries", () => {
  test.each<[string, readonly Step[], ClientOptions, string, number[]]>([
    ["an answer needs none", [OK], {}, "OK", [0]],
    ["waits half of 100, 200 and 400 ms", [GONE, GONE, GONE, OK], {}, "OK", [0, 50, 150, 350]],
    ["three times", [GONE, GONE, GONE, GONE], {}, "Unavailable", [0, 50, 150, 350]],
    ["none", [GONE], { retries: { count: 0 } }, "Unavailable", [0]],
    ["as often as it is told", [GONE, GONE], { retries: { count: 1 } }, "Unavailable", [0, 50]],
    [
      "as soon as it is told",
      [GONE, GONE, OK],
      { retries: { baseDelay: 10, maxDelay: 12 } },
      "OK",
      [0, 5, 11],
    ],
    ["when it is told to come back", [limited(3n), OK], {}, "OK", [0, 3_050]],
    ["unless that is too late", [limited(10n), OK], {}, "ResourceExhausted", [0]],
    [
      "a minute at the most without a deadline",
      [limited(59n), limited(60n)],
      { timeout: 0 },
      "ResourceExhausted",
      [0, 59_050],
    ],
    [
      "while there is time",
      [{ ...GONE, takes: 60 }, { ...GONE, takes: 60 }, OK],
      { timeout: 250 },
      "Unavailable",
      [0, 110],
    ],
  ])("%s", async (_, steps, options, outcome, at) => {
    const script = scripted(steps, options);
    expect([await ask(script), script.at()]).toEqual([outcome, at]);
  });

  test("not what changes something", async () => {
    const script = scripted([GONE, OK]);
    await expect(script.client.otp.generateOtp({})).rejects.toThrow("gone");
    expect(script.at()).toEqual([0]);
  });

  test("ends with the last error", async () => {
    const script = scripted([GONE, { error: gone("still gone") }], { retries: { count: 1 } });
    await expect(script.client.about.getAbout({})).rejects.toThrow("still gone");
  });

  test("a hundred at once, and one for ten answers", async () => {
    const failures = new Array<Step>(200).fill(GONE);
    const script = scripted([...failures, ...new Array<Step>(10).fill(OK), GONE, OK, GONE, OK], {
      retries: { count: 1, baseDelay: 0 },
    });
    for (let call = 0; call < 100; call++) {
      expect(await ask(script)).toBe("Unavailable");
    }
    expect(script.seen).toHaveLength(200);
    for (let call = 0; call < 10; call++) {
      expect(await ask(script)).toBe("OK");
    }
    expect(await ask(script)).toBe("OK");
    expect(await ask(script)).toBe("Unavailable");
    expect(script.seen).toHaveLength(213);
  });
});

describe("deadlines", () => {
  test("are what is left of that of the call", async () => {
    const script = scripted([{ ...GONE, takes: 1_000.4 }, GONE, OK], { timeout: 5_000 });
    expect([await ask(script), script.timeouts()]).toEqual(["OK", [5_000, 3_950, 3_850]]);
  });

  test.each<[string, ClientOptions, object, number]>([
    ["10 s if nobody says anything", {}, {}, 10_000],
    ["the client's", { timeout: 300 }, {}, 300],
    ["the call's", { timeout: 300 }, { timeoutMs: 20 }, 20],
    ["none for the client", { timeout: 0 }, {}, 0],
    ["none for the call", {}, { timeoutMs: 0 }, 0],
  ])("%s", async (_, options, call, timeoutMs) => {
    const script = scripted([OK], options);
    await ask(script, call);
    expect(script.timeouts()).toEqual([timeoutMs]);
  });
});

describe("signals", () => {
  test("of the caller end the waiting", async () => {
    const caller = new AbortController();
    const script = scripted([GONE, OK]);
    const asked = ask(script, { signal: caller.signal });
    caller.abort();
    expect([await asked, script.at()]).toEqual(["Canceled", [0]]);
  });

  test("are let go of when the call is over", async () => {
    const caller = new AbortController();
    const script = scripted([GONE, OK, { error: new ConnectError("wrong", Code.Internal) }], {
      apiKey: () => "ut_key",
    });
    expect(await ask(script, { signal: caller.signal })).toBe("OK");
    expect(await ask(script, { signal: caller.signal })).toBe("Internal");
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
  });

  test("of a client that is closed end every call, and it is released once", async () => {
    const script = scripted([OK]);
    const asked = ask(script);
    script.client.close();
    script.client.close();
    expect([await asked, await ask(script), script.released()]).toEqual(["Canceled", "Canceled", 1]);
  });
});

describe("headers", () => {
  test("are the client's and the call's, which goes first", async () => {
    const script = scripted([OK], { headers: { "x-team": "blue", "x-part": "a" }, apiKey: "ut_key" });
    await ask(script, { headers: { "x-part": "b" } });
    expect(Object.fromEntries(script.seen[0]?.headers ?? [])).toEqual({
      "x-team": "blue",
      "x-part": "b",
      authorization: "Bearer ut_key",
    });
  });

  test("of a call may have a key of their own", async () => {
    const script = scripted([OK], { apiKey: "ut_key" });
    await ask(script, { headers: { Authorization: "Bearer other" } });
    expect(script.seen[0]?.headers.get("authorization")).toBe("Bearer other");
  });

  test("have the key of the moment in each attempt", async () => {
    let asked = 0;
    const script = scripted([GONE, OK], { apiKey: async () => `ut_${++asked}` });
    await ask(script);
    expect(script.seen.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer ut_1",
      "Bearer ut_2",
    ]);
  });
});

describe("a key", () => {
  test.each(["", " ", "two words", "line\nbreak", "ключ"])(
    "%j is none, and no error repeats it",
    async (apiKey) => {
      expect(() => scripted([OK], { apiKey })).toThrow("the API key has characters that no key has");
      const script = scripted([OK], { apiKey: () => apiKey });
      await expect(script.client.about.getAbout({})).rejects.toThrow(
        "[invalid_argument] the API key has characters that no key has",
      );
      expect(script.seen).toEqual([]);
    },
  );

  test("that never comes ends with the deadline", async () => {
    const script = scripted([OK], { apiKey: () => new Promise<string>(() => {}) });
    expect([await ask(script), script.seen]).toEqual(["DeadlineExceeded", []]);
  });

  test("that cannot be had ends the call with what was wrong", async () => {
    const script = scripted([OK], {
      apiKey: () => Promise.reject(new ConnectError("no vault", Code.Unauthenticated)),
    });
    expect(await ask(script)).toBe("Unauthenticated");
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
])("%o means nothing", (options) => {
  expect(() => scripted([], options)).toThrow(RangeError);
});
