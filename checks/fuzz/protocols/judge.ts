import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { notesIn, statusesIn } from "./bytes-client.js";
import { type AnyRequest, MARKER, type ProtocolRequest, type ProtocolResponse } from "./request.js";

/** The judgment of a response. */
export interface Verdict {
  /** How the request ended, in terms of its protocol. */
  readonly code: string;
  /** What is wrong. Undefined if nothing is. */
  readonly problem: string | undefined;
  /** The entry of {@link EXPECTED_FAULTS} that makes a server fault acceptable. */
  readonly expectedFault?: ExpectedFault;
}

/** A server fault code that a protocol requires for a client's mistake. */
export interface ExpectedFault {
  readonly code: string;
  /** The error message. */
  readonly message: RegExp;
  readonly source: string;
}

const EXPECTED_FAULTS: readonly ExpectedFault[] = [
  {
    code: "internal",
    message: /^the message is compressed, but no header names the encoding$/,
    source:
      "https://github.com/grpc/grpc/blob/v1.70.0/doc/compression.md#test-cases, the Compressed-Flag without an encoding",
  },
  {
    code: "internal",
    message: /^received compressed envelope, but do not know how to decompress$/,
    source: "the same from connect-node, over gRPC-Web, Connect and in streams",
  },
  {
    code: "internal",
    message: /^parse binary: /,
    source: "connect-node, for a malformed message over gRPC-Web, in streams and in compressed requests",
  },
  {
    code: "HTTP 505",
    message: /^$/,
    source: "connect-node, for a bidirectional stream over HTTP/1.1 (RFC 9110, section 15.6.6)",
  },
  {
    code: "HTTP 501",
    message: /"reason":"UNSUPPORTED_(?:HTTP_METHOD|TRANSFER_CODING)"/,
    source: "the HTTP server, for methods that no route has (RFC 9110, section 15.6.2)",
  },
  {
    code: "HTTP 505",
    message: /"reason":"UNSUPPORTED_HTTP_VERSION"/,
    source: "the HTTP server, for another version in a request line (RFC 9110, section 15.6.6)",
  },
];

/** Codes that indicate a server fault. */
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

/**
 * Statuses above 499 that Connect uses for codes other than server faults:
 * https://connectrpc.com/docs/protocol/#error-codes
 */
const CONNECT_STATUSES: Readonly<Record<string, number>> = { unimplemented: 501, deadline_exceeded: 504 };

/** Resets that are valid for a malformed HTTP/2 request. The others indicate a server fault, or nothing. */
const ORDERLY_RESETS = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "CANCEL",
  "STREAM_CLOSED",
  "ENHANCE_YOUR_CALM",
  "REFUSED_STREAM",
];

/** The status of connect-node for bidirectional streams; see {@link EXPECTED_FAULTS}. */
const VERSION_NOT_SUPPORTED = 505;
/** The status of methods and transfer codings that the server does not support. */
const NOT_IMPLEMENTED = 501;

/** Judges the response to a request. */
export function judge(request: AnyRequest, response: ProtocolResponse): Verdict {
  if (response.end === "late") {
    return { code: "none in time", problem: "there is no response" };
  }
  if (response.end === "abandoned" && request.protocol === "bytes") {
    return { code: "left open", problem: undefined };
  }
  if (request.protocol === "bytes") {
    return judgeBytes(request.http, response);
  }
  if (response.end !== "complete") {
    return { code: response.end, problem: problemOfEnd(request, response) };
  }
  const binary = inBinary(response);
  const outcome = outcomeOf(request, binary);
  const isFault =
    SERVER_FAULTS.includes(outcome.code) || isFaultyStatus(request, response.status, outcome.code);
  const expectedFault = isFault
    ? EXPECTED_FAULTS.find(({ code, message }) => code === outcome.code && message.test(outcome.message))
    : undefined;
  const problem =
    isFault && expectedFault === undefined
      ? `HTTP ${response.status}, ${outcome.code}: ${outcome.message}`
      : problemOfSecret(request, binary, outcome.code);
  return { code: outcome.code, problem, ...(expectedFault === undefined ? {} : { expectedFault }) };
}

/** Decodes the body of a gRPC-Web response in text form, each group of base64 by itself. Returns other responses unchanged. */
function inBinary(response: ProtocolResponse): ProtocolResponse {
  if (response.headers.get("content-type")?.startsWith("application/grpc-web-text") !== true) {
    return response;
  }
  const groups = response.body.toString("latin1").match(/.{1,4}/gs) ?? [];
  return { ...response, body: Buffer.concat(groups.map((group) => Buffer.from(group, "base64"))) };
}

function problemOfEnd(request: ProtocolRequest, { end }: ProtocolResponse): string | undefined {
  if (end === "closed") {
    // A CONNECT request could only be accepted with a tunnel, and Node closes its connection (RFC 9110, section 9.3.6).
    return request.httpMethod === "CONNECT" || request.breakOff
      ? undefined
      : "the connection ended without a response";
  }
  return end === "abandoned" || ORDERLY_RESETS.some((code) => end === `reset ${code}`)
    ? undefined
    : `the stream ended with ${end}`;
}

function isFaultyStatus(request: ProtocolRequest, status: number, code: string): boolean {
  return (
    !(status >= 200 && status < 500) && !(request.protocol !== "REST" && CONNECT_STATUSES[code] === status)
  );
}

interface Outcome {
  readonly code: string;
  readonly message: string;
}

function outcomeOf(request: ProtocolRequest, { status, headers, body }: ProtocolResponse): Outcome {
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
  if (request.protocol !== "REST" && status !== 200 && type === "application/json" && !isRejection(body)) {
    return (
      connectOutcome(decoded(body, headers.get("content-encoding")).toString()) ?? {
        code: `HTTP ${status}`,
        message: "",
      }
    );
  }
  return { code: `HTTP ${status}`, message: status >= 500 ? body.toString() : "" };
}

/** Whether the server has rejected a request before it reached its protocol. */
function isRejection(body: Buffer): boolean {
  return body.includes('"reason":"UNSUPPORTED_HTTP_');
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
    return { code: "unknown", message: "invalid JSON" };
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns the first frame of a body with these flags, decompressed. It is the last frame of the body. */
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

function decompressed(bytes: Buffer, isCompressed: boolean): Buffer {
  // A response to HEAD has the headers of a compressed body.
  if (!isCompressed || bytes.length < 2) {
    return bytes;
  }
  return bytes.readUInt16BE(0) === GZIP_START ? gunzipSync(bytes) : brotliDecompressSync(bytes);
}

function decoded(body: Buffer, coding: string | undefined): Buffer {
  return coding === "gzip" || coding === "br" ? decompressed(body, true) : body;
}

const PREFIX_BYTES = 5;
/** The magic number of gzip (RFC 1952, section 2.3.1). */
const GZIP_START = 0x1f8b;

/** Methods whose responses repeat a secret that is not an error: OTP, labels, addresses, symbols, and batch items. */
const ECHOES = /otp|email|reflection|batch/i;

function problemOfSecret(
  request: ProtocolRequest,
  response: ProtocolResponse,
  code: string,
): string | undefined {
  const isGood = code === "ok" || /^HTTP 2/.test(code);
  // A stream can fail after successful responses.
  const target = request.target.replaceAll(/%[0-9a-f]{2}/gi, (byte) =>
    String.fromCharCode(Number.parseInt(byte.slice(1), 16)),
  );
  if ((isGood && ECHOES.test(target)) || /[Rr]eflection/.test(request.target)) {
    return undefined;
  }
  const { headers, body } = response;
  const plain = decoded(body, headers.get("content-encoding"));
  const text = isGood || plain.length < 100_000 ? plain.toString("latin1") : "";
  if (!isGood && isNameOf(text)) {
    return undefined;
  }
  const all = [...[...headers].map(([name, value]) => `${name}: ${value}`), text].join("\n");
  return (isGood ? all.includes(MARKER) : containsMarker(all))
    ? `the response (${code}) contains the secret: ${all.slice(0, 2000)}`
    : undefined;
}

/** Returns whether an error names the marker as a parameter. A lost `=` causes that, and names are not secret. */
function isNameOf(error: string): boolean {
  return (error.match(/"field":"(?:[^"\\]|\\.)*"/g) ?? []).some((field) => field.includes(MARKER));
}

/** Returns whether a text contains the marker, plain or in base64. */
export function containsMarker(text: string): boolean {
  return (
    text.includes(MARKER) ||
    (text.match(/[A-Za-z0-9+/_-]{40,}/g) ?? []).some((each) => Buffer.from(each, "base64").includes(MARKER))
  );
}

/**
 * For raw bytes over HTTP/2, only a 500 is a fault: Node ends sessions with GOAWAY and RST_STREAM with INTERNAL_ERROR
 * for any client mistake that nghttp2 finds (lib/internal/http2/core.js, onSessionInternalError).
 */
function judgeBytes(http: 1 | 2, { body }: ProtocolResponse): Verdict {
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
    (status === NOT_IMPLEMENTED && text.includes('"reason":"UNSUPPORTED_')) ||
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
  /** Formats a table by protocol and HTTP version: requests, requests per second, and how they ended. */
  table(seconds: number): string;
  /** How often each expected fault occurred. */
  readonly expectedFault: ReadonlyMap<ExpectedFault, number>;
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const rows = new Map<string, Map<string, number>>();
  const expectedFault = new Map<ExpectedFault, number>();

  function add(request: AnyRequest, verdict: Verdict): void {
    const name = `${request.protocol}, HTTP/${request.http === 1 ? "1.1" : "2"}`;
    const row = rows.get(name) ?? new Map<string, number>();
    rows.set(name, row.set(verdict.code, (row.get(verdict.code) ?? 0) + 1));
    if (verdict.expectedFault !== undefined) {
      expectedFault.set(verdict.expectedFault, (expectedFault.get(verdict.expectedFault) ?? 0) + 1);
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
    return [`${line("protocol", "requests", "per second")}  ends`, ...lines].join("\n");
  }

  return { add, table, expectedFault };
}

function line(name: string, requests: string, perSecond: string): string {
  return `${name.padEnd(18)}${requests.padStart(10)}${perSecond.padStart(10)}`;
}
