import { create } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { PublisherSchema } from "../../../packages/connect-transcoding/test/gen/library/v1/library_pb.js";
import type { Random } from "../../lib/random.js";
import { anyReference, type MessageReference } from "./messages.js";

/** An error to throw. */
export type ErrorScript = ReturnType<typeof anyError>;

export type Pair = readonly [name: string, value: string];

/** What a handler does, in this order. A unary handler returns the message that it sends last. */
export type Step =
  | { readonly do: "send"; readonly message: MessageReference; readonly asInit: boolean }
  /** Reads some messages, or all. */
  | { readonly do: "read"; readonly count: number }
  /** Stops the iteration of the requests. */
  | { readonly do: "stop reading" }
  | { readonly do: "pause" }
  | { readonly do: "add header" | "add trailer"; readonly pair: Pair }
  /** Waits until the signal is aborted. */
  | { readonly do: "wait" }
  | { readonly do: "throw"; readonly error: ErrorScript };

/** What an interceptor does besides observing. */
export type InterceptorScript = Partial<ReturnType<typeof anyInterceptor>>;

/** What a call does on the server. It is sent in a header. */
export interface Script {
  readonly steps: readonly Step[];
  readonly interceptors: readonly InterceptorScript[];
}

/** The header with the script. */
export const SCRIPT = "x-script";
/** The header with the number of the call. */
export const CALL = "x-call";

/** Encodes a script for the header. */
export function formatScript(script: Script): string {
  return Buffer.from(JSON.stringify(script)).toString("base64url");
}

/** Decodes the header. */
export function parseScript(text: string | null): Script {
  return text === null
    ? { steps: [], interceptors: [] }
    : (JSON.parse(Buffer.from(text, "base64url").toString()) as Script);
}

const TEXTS = ["", "a", "not found: “x” 100 %", "a\nb\r\nc", "ü\u{1f600}", " spaces ", "a,b;c"] as const;

/** Any error. */
function anyError(random: Random) {
  return {
    kind: random.oneIn(6) ? random.pick(["error", "text"] as const) : ("connect" as const),
    code: (1 + random.below(16)) as Code,
    message: random.pick(TEXTS),
    metadata: anyPairs(random, "x-error"),
    // As messages, or in binary.
    details: Array.from({ length: random.oneIn(2) ? 0 : random.below(3) }, () =>
      random.oneIn(2) ? ("message" as const) : ("binary" as const),
    ),
  };
}

/** Up to three headers, of which some are repeated and some are binary. */
export function anyPairs(random: Random, prefix: string): Pair[] {
  return random.oneIn(2) ? [] : Array.from({ length: random.below(4) }, () => anyPair(random, prefix));
}

function anyPair(random: Random, prefix: string): Pair {
  return random.oneIn(3)
    ? [`${prefix}-bin`, random.pick(["AAEC/w", "AAEC/w==", "", "YQ"])]
    : [
        `${prefix}-${random.pick(["a", "b"])}`,
        random.pick(["1", "two words", "a,b", 'q"uoted"', "~!@#$%^&*()"]),
      ];
}

/** A script for a handler. `takesStream` and `givesStream` say what its method does. */
export function anyScript(random: Random, takesStream: boolean, givesStream: boolean): Script {
  const steps: Step[] = [];
  const some = (prefix: string, what: "add header" | "add trailer"): void => {
    for (const pair of anyPairs(random, prefix)) {
      steps.push({ do: what, pair });
    }
  };
  some("x-head", "add header");
  some("x-trail", "add trailer");
  const reading = takesStream ? random.below(4) : 3;
  if (reading < 2) {
    steps.push({ do: "read", count: reading === 0 ? 1000 : 1 + random.below(3) });
  }
  const count = givesStream ? random.pick([0, 1, 1, 2, 3, 5, 40]) : 1;
  for (let index = 0; index < count; index++) {
    if (random.oneIn(5)) {
      steps.push({ do: "pause" });
    }
    if (reading === 2) {
      steps.push({ do: "read", count: 1 });
    }
    steps.push({ do: "send", message: anyReference(random), asInit: random.oneIn(2) });
    if (random.oneIn(10)) {
      some("x-late", "add trailer");
    }
  }
  if (takesStream && random.oneIn(6)) {
    steps.splice(random.below(steps.length + 1), 0, { do: "stop reading" });
  }
  some("x-trail", "add trailer");
  if (random.oneIn(4)) {
    steps.splice(random.below(steps.length + 1), 0, { do: "throw", error: anyError(random) });
  }
  const interceptors = Array.from({ length: 2 }, () => anyInterceptor(random));
  return { steps, interceptors };
}

function anyInterceptor(random: Random) {
  const maybe = <T>(of: number, value: () => T): T | undefined => (random.oneIn(of) ? value() : undefined);
  return {
    before: maybe(20, () => anyError(random)),
    after: maybe(20, () => anyError(random)),
    // After some response messages of a stream.
    amid: maybe(20, () => ({ count: random.below(4), error: anyError(random) })),
    requestHeader: maybe(4, () => anyPair(random, "x-added")),
    responseHeader: maybe(4, () => anyPair(random, "x-head")),
    responseTrailer: maybe(4, () => anyPair(random, "x-trail")),
    setsValue: maybe(4, () => true),
    // In place, or by others.
    requestMessages: maybe(4, () => random.pick(["change", "replace"] as const)),
    responseMessages: maybe(4, () => random.pick(["change", "replace"] as const)),
    // By a copy with other headers.
    replacesRequest: maybe(6, () => true),
    replacesResponse: maybe(6, () => true),
  };
}

/** Creates the error of a script. */
export function errorOf({ kind, code, message, metadata, details }: ErrorScript): unknown {
  if (kind !== "connect") {
    return kind === "error" ? new Error(message) : message;
  }
  const headers = new Headers();
  for (const [name, value] of metadata) {
    headers.append(name, value);
  }
  const error = new ConnectError(message, code, headers);
  error.details = details.map((each) =>
    each === "message"
      ? { desc: PublisherSchema, value: create(PublisherSchema, { name: message, parent: {} }) }
      : { type: "library.v1.Loan", value: Uint8Array.of(0x10, 7) },
  );
  return error;
}
