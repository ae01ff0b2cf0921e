import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { notesIn, statusesIn } from "./bytes-client.js";
import { type AnyRequest, type DoorAnswer, type DoorRequest, MARKER } from "./request.js";

/** What is to be said of an answer. */
export interface Verdict {
  /** How the request ended, in the words of its protocol. */
  readonly code: string;
  /** What must not be; undefined where all is well. */
  readonly problem: string | undefined;
  /** The one of {@link PRESCRIBED} by which a server's fault is none. */
  readonly prescribed?: Prescription;
}

/** A code for a server's fault that a protocol wants for a caller's mistake. */
export interface Prescription {
  readonly code: string;
  /** All of the error's text. */
  readonly message: string;
  readonly source: string;
}

/** All there are. */
const PRESCRIBED: readonly Prescription[] = [
  {
    code: "internal",
    message: "the message is compressed, and the headers name no encoding",
    source:
      "https://github.com/grpc/grpc/blob/v1.70.0/doc/compression.md#test-cases, the Compressed-Flag without an encoding",
  },
  {
    code: "internal",
    message: "received compressed envelope, but do not know how to decompress",
    source: "the same, as connect-node says it over gRPC-Web, Connect and in streams",
  },
  {
    code: "HTTP 505",
    message: "",
    source: "connect-node, for a bidirectional stream over HTTP/1.1 (RFC 9110, section 15.6.6)",
  },
];

/** Codes that say that it was the server. */
const SERVER_FAULTS = ["internal", "unknown", "data_loss"];

const GRPC_CODES = [
  "ok",
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];

/** Statuses above 499 that Connect has for codes that are nobody's fault: https://connectrpc.com/docs/protocol/#error-codes */
const CONNECT_STATUSES: Readonly<Record<string, number>> = { unimplemented: 501, deadline_exceeded: 504 };

/** Resets that answer what is no request of HTTP/2; the others are a server's fault, or say nothing. */
const ORDERLY_RESETS = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "CANCEL",
  "STREAM_CLOSED",
  "ENHANCE_YOUR_CALM",
  "REFUSED_STREAM",
];

/** What connect-node has for streams that go both ways; see {@link PRESCRIBED}. */
const VERSION_NOT_SUPPORTED = 505;

/** Judges what came back for a request. */
export function judge(request: AnyRequest, answer: DoorAnswer): Verdict {
  if (answer.end === "late") {
    return { code: "none in time", problem: "there is no answer" };
  }
  if (answer.end === "abandoned" && request.door === "octets") {
    return { code: "left open", problem: undefined };
  }
  if (request.door === "octets") {
    return judgeOctets(request.http, answer);
  }
  if (answer.end !== "complete") {
    return { code: answer.end, problem: problemOfEnd(request, answer) };
  }
  const outcome = outcomeOf(request, answer);
  const isFault =
    SERVER_FAULTS.includes(outcome.code) || isFaultyStatus(request, answer.status, outcome.code);
  const prescribed = isFault
    ? PRESCRIBED.find(({ code, message }) => code === outcome.code && message === outcome.message)
    : undefined;
  const problem =
    isFault && prescribed === undefined
      ? `HTTP ${answer.status}, ${outcome.code}: ${outcome.message}`
      : problemOfSecret(request, answer, outcome.code);
  return { code: outcome.code, problem, ...(prescribed === undefined ? {} : { prescribed }) };
}

function problemOfEnd(request: DoorRequest, { end }: DoorAnswer): string | undefined {
  if (end === "closed") {
    // RFC 9110, section 9.3.6: to a CONNECT nothing but a tunnel could be the answer, and Node ends its connection.
    return request.verb === "CONNECT" || request.breakOff
      ? undefined
      : "the connection ended without an answer";
  }
  return end === "abandoned" || ORDERLY_RESETS.some((code) => end === `reset ${code}`)
    ? undefined
    : `the stream ended with ${end}`;
}

function isFaultyStatus(request: DoorRequest, status: number, code: string): boolean {
  return !(status >= 200 && status < 500) && !(request.door !== "REST" && CONNECT_STATUSES[code] === status);
}

interface Outcome {
  readonly code: string;
  readonly message: string;
}

function outcomeOf(request: DoorRequest, { status, headers, body }: DoorAnswer): Outcome {
  const grpcStatus = headers.get("grpc-status");
  if (grpcStatus !== undefined) {
    return grpcOutcome(grpcStatus, headers.get("grpc-message"));
  }
  const type = headers.get("content-type") ?? "";
  if (status === 200 && type.startsWith("application/grpc-web")) {
    const trailers = lastFrame(body, 0x80).toString("latin1");
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "im").exec(trailers)?.[1]?.trim();
    return grpcOutcome(field("grpc-status"), field("grpc-message"));
  }
  if (status === 200 && type.startsWith("application/connect+")) {
    return connectOutcome(lastFrame(body, 2).toString(), "error") ?? { code: "ok", message: "" };
  }
  if (request.door !== "REST" && status !== 200 && type === "application/json") {
    return (
      connectOutcome(decoded(body, headers.get("content-encoding")).toString()) ?? {
        code: `HTTP ${status}`,
        message: "",
      }
    );
  }
  return { code: `HTTP ${status}`, message: status >= 500 ? body.toString() : "" };
}

function grpcOutcome(status: string | undefined, message = ""): Outcome {
  return { code: GRPC_CODES[Number(status)] ?? "unknown", message: decodePercent(message) };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function connectOutcome(json: string, member?: string): Outcome | undefined {
  try {
    const whole: unknown = JSON.parse(json);
    const error: unknown = member === undefined ? whole : property(whole, member);
    const code = property(error, "code");
    return typeof code === "string" ? { code, message: String(property(error, "message") ?? "") } : undefined;
  } catch {
    return { code: "unknown", message: "what should be JSON is none" };
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** What is in the first frame of a body that has these flags: it is the last, and may be compressed. */
function lastFrame(body: Buffer, flags: number): Buffer {
  for (let at = 0; at + PREFIX_BYTES <= body.length; ) {
    const end = at + PREFIX_BYTES + body.readUInt32BE(at + 1);
    const frameFlags = body[at] ?? 0;
    if ((frameFlags & flags) === flags) {
      return decompressed(body.subarray(at + PREFIX_BYTES, end), (frameFlags & 1) === 1);
    }
    at = end;
  }
  return Buffer.alloc(0);
}

function decompressed(octets: Buffer, isCompressed: boolean): Buffer {
  // An answer to HEAD says how it would be compressed.
  if (!isCompressed || octets.length < 2) {
    return octets;
  }
  return octets.readUInt16BE(0) === GZIP_START ? gunzipSync(octets) : brotliDecompressSync(octets);
}

function decoded(body: Buffer, coding: string | undefined): Buffer {
  return coding === "gzip" || coding === "br" ? decompressed(body, true) : body;
}

const PREFIX_BYTES = 5;
/** RFC 1952, section 2.3.1. */
const GZIP_START = 0x1f8b;

/**
 * What echoes a secret when all is well: its own answer, what a caller calls an account, an address or a symbol, and batches, which
 * say what each of their answers is to.
 */
const ECHOES = /otp|email|reflection|batch/i;

function problemOfSecret(request: DoorRequest, answer: DoorAnswer, code: string): string | undefined {
  const isGood = code === "ok" || /^HTTP 2/.test(code);
  // A stream can have good answers and then fail.
  const target = request.target.replaceAll(/%[0-9a-f]{2}/gi, (octet) =>
    String.fromCharCode(Number.parseInt(octet.slice(1), 16)),
  );
  if ((isGood && ECHOES.test(target)) || /[Rr]eflection/.test(request.target)) {
    return undefined;
  }
  const { headers, body } = answer;
  const plain = decoded(body, headers.get("content-encoding"));
  const text = isGood || plain.length < 100_000 ? plain.toString("latin1") : "";
  if (!isGood && isNameOf(text)) {
    return undefined;
  }
  const all = [...[...headers].map(([name, value]) => `${name}: ${value}`), text].join("\n");
  return (isGood ? all.includes(MARKER) : tells(all))
    ? `the answer (${code}) tells the secret: ${all.slice(0, 2000)}`
    : undefined;
}

/** Whether an error names the marker as a parameter: that is what a lost `=` makes of it, and names are no secrets. */
function isNameOf(error: string): boolean {
  return (error.match(/"field":"(?:[^"\\]|\\.)*"/g) ?? []).some((field) => field.includes(MARKER));
}

/** Whether a text holds the marker, as it is or in base64. */
export function tells(text: string): boolean {
  return (
    text.includes(MARKER) ||
    (text.match(/[A-Za-z0-9+/_-]{40,}/g) ?? []).some((each) => Buffer.from(each, "base64").includes(MARKER))
  );
}

/**
 * For octets on a connection of HTTP/2 nothing but a 500 is a fault: Node ends sessions on which its library finds a mistake
 * with GOAWAY and RST_STREAM that say INTERNAL_ERROR, whatever the mistake (lib/internal/http2/core.js, onSessionInternalError).
 */
function judgeOctets(http: 1 | 2, { body }: DoorAnswer): Verdict {
  if (http === 2) {
    const notes = notesIn(body);
    const worst = notes.find((note) => note === "HTTP 500");
    const ends = notes.filter((note) => !note.startsWith("HTTP"));
    const code = ends.at(-1) ?? notes.at(-1) ?? "closed";
    return { code, problem: worst };
  }
  const statuses = statusesIn(body);
  const text = body.toString("latin1");
  const isConnects = (status: number) =>
    status === VERSION_NOT_SUPPORTED ||
    Object.entries(CONNECT_STATUSES).some(
      ([code, each]) => each === status && text.includes(`"code":"${code}"`),
    );
  const worst = statuses.find((status) => status >= 500 && !isConnects(status));
  const last = statuses.at(-1);
  return {
    code: last === undefined ? "closed" : `HTTP ${last}`,
    problem: worst === undefined ? undefined : `HTTP ${worst}: ${text.slice(0, 2000)}`,
  };
}

/** Counts how requests ended. */
export interface Tally {
  add(request: AnyRequest, verdict: Verdict): void;
  /** A table by door and version of HTTP: requests, how many a second, and how they ended. */
  table(seconds: number): string;
  /** How often each prescribed fault came. */
  readonly prescribed: ReadonlyMap<Prescription, number>;
}

/** Makes a tally of nothing. */
export function createTally(): Tally {
  const rows = new Map<string, Map<string, number>>();
  const prescribed = new Map<Prescription, number>();

  function add(request: AnyRequest, verdict: Verdict): void {
    const name = `${request.door}, HTTP/${request.http === 1 ? "1.1" : "2"}`;
    const row = rows.get(name) ?? new Map<string, number>();
    rows.set(name, row.set(verdict.code, (row.get(verdict.code) ?? 0) + 1));
    if (verdict.prescribed !== undefined) {
      prescribed.set(verdict.prescribed, (prescribed.get(verdict.prescribed) ?? 0) + 1);
    }
  }

  function table(seconds: number): string {
    const lines = [...rows]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, codes]) => {
        const total = [...codes.values()].reduce((sum, times) => sum + times, 0);
        const ends = [...codes].sort(([, a], [, b]) => b - a).map(([code, times]) => `${code} ${times}`);
        return `${line(name, String(total), (total / seconds).toFixed(0))}  ${ends.join(", ")}`;
      });
    return [`${line("door", "requests", "a second")}  ends`, ...lines].join("\n");
  }

  return { add, table, prescribed };
}

function line(name: string, requests: string, perSecond: string): string {
  return `${name.padEnd(18)}${requests.padStart(10)}${perSecond.padStart(10)}`;
}
