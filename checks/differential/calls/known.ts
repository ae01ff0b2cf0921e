import { Code } from "@connectrpc/connect";
import type { Known } from "../differences.js";
import type { AnyCall } from "./any-call.js";
import type { RawCall } from "./raw-call.js";

/** What a client has seen. */
type Seen = Readonly<Record<string, unknown>>;

/** What a difference is about: a call, and what its client has seen of each server. */
interface About<T> {
  readonly call: T;
  readonly ours: Seen;
  readonly theirs: Seen;
}

/** A row of the tables below: where it is found, and what else must hold. */
interface Row<T> {
  readonly why: string;
  readonly path?: RegExp;
  /** Whether the value is missing in our observation, or in the other one. */
  readonly missing?: "ours" | "theirs";
  readonly when?: (about: About<T>, ours: unknown, theirs: unknown) => boolean;
}

function known<T>({ why, path = /^/, missing, when = () => true }: Row<T>): Known<About<T>> {
  return {
    why,
    matches: (difference, about) =>
      path.test(difference.path) &&
      (missing === undefined || difference[missing] === undefined) &&
      when(about, difference.ours, difference.theirs),
  };
}

/** The status of an unexpected error with its ErrorInfo. */
const INTERNAL_STATUS =
  "CA0SDmludGVybmFsIGVycm9yGjYKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SCgoISU5URVJOQUw";
const PROTOCOL_HEADERS =
  /^(?:content-type|content-encoding|content-length|grpc-encoding|connect-content-encoding|grpc-status)$/;
const LOST = /^(?:Premature close|write EPIPE|Cannot call write after a stream was destroyed)$/;
const ADDED_BY_ENGINE =
  /^server\.\d+\.(?:header|trailer)\.(?:content-type|content-encoding|content-length|grpc-encoding|connect-content-encoding|grpc-status)$/;
const REPLACED =
  "replaced trailers: an interceptor that replaces the trailers replaces all of them; connect-es forgets every other one";
const ADDED =
  "headers of the protocol in interceptors: the engine adds them when it sends the response, so nobody can change them";
const EMPTY_VALUE =
  "empty last value: HTTP/2 forbids white space at the end of a value, so clients drop what connect-node sends";

/** The differences on purpose in calls of the clients of connect-es. */
export const KNOWN_IN_CALLS: readonly Known<About<AnyCall>>[] = (
  [
    {
      why: "nosniff: browsers must not guess the type of a response that they can read",
      path: /\.x-content-type-options$/,
      missing: "theirs",
      when: (_, ours) => ours === "nosniff",
    },
    {
      why: "length of the body: JSON has all implicit fields, and a stream that has ended at once has a length",
      path: /^client\.(?:header|error\.metadata)\.content-length$/,
    },
    {
      why: "grpc-message: only what must be is percent-encoded: grpc-js does not decode punctuation",
      path: /\.grpc-message$/,
      when: (_, ours, theirs) => decodeURIComponent(String(ours)) === decodeURIComponent(String(theirs)),
    },
    {
      why: "debug of details: it has all implicit fields, and clients must not depend on it",
      path: /^client\.error\.details\.\d+\.debug/,
    },
    {
      why: "ErrorInfo of unexpected errors: every error of the engine has a reason for programs (AIP-193)",
      path: /^client\.error\.details$/,
      when: (_, ours, theirs) =>
        JSON.stringify(theirs) === "[]" &&
        JSON.stringify(ours).startsWith('[{"type":"google.rpc.ErrorInfo","value":"CghJTlRFUk5BTA=="'),
    },
    { why: ADDED, path: ADDED_BY_ENGINE, missing: "ours" },
    {
      why: "ErrorInfo of unexpected errors in gRPC: the same",
      path: /^client\.error\.metadata\.grpc-status-details-bin$/,
      missing: "theirs",
      when: (_, ours) => ours === INTERNAL_STATUS,
    },
    {
      why: "encoding of no messages: the header of the encoding is not sent without a message",
      path: /^client\.header\.grpc-encoding$/,
      missing: "ours",
    },
    {
      why: "Trailers-Only: an error without headers of the handler is a single header block",
      path: /^client\.(?:messages|header|error\.metadata\.grpc-encoding)$/,
      missing: "ours",
      when: ({ call }, _, theirs) =>
        call.client.protocol === "grpc" &&
        (!(theirs instanceof Object) || Object.keys(theirs).every((name) => PROTOCOL_HEADERS.test(name))),
    },
    {
      why: "gRPC-Web text: connect-node has no text form, so its binary form is compared",
      path: /\.(?:content-type|accept)$/,
      when: ({ call }, ours, theirs) =>
        call.client.protocol === "grpc-web-text" &&
        (theirs === undefined || String(ours).replace("-text", "") === theirs),
    },
    {
      why: "Content-Encoding: as for REST, JSON has all implicit fields and is longer, and the server chooses by its preference",
      path: /^client\.header\.content-encoding$/,
      when: ({ call }) => call.client.protocol === "connect",
    },
    {
      why: EMPTY_VALUE,
      path: /^client\.(?:header|trailer|error\.metadata)\.[\w-]+$/,
      missing: "theirs",
      when: (_, ours) => /,$/.test(String(ours)),
    },
    {
      why: REPLACED,
      path: /^client\.trailer\./,
      missing: "ours",
      when: ({ call: { method, script } }) =>
        method.name.startsWith("Intercepted") &&
        script.interceptors.some(({ replacesResponse }) => replacesResponse),
    },
    {
      why: "bidirectional streams over HTTP/1.1: the client can fail to send the request before it has read the status 505",
      path: /^client\.error\.(?:code|message)$/,
      when: ({ call: { method, client } }, ours, theirs) =>
        method.methodKind === "bidi_streaming" &&
        client.http === "1.1" &&
        [ours, theirs].every((each) =>
          /^(?:2|13|10|HTTP 505|write EPIPE|read ECONNRESET)$/.test(String(each)),
        ),
    },
    {
      why: "reason of an abort: the deadline expires at the client and at the server at the same time",
      path: /^server\.\d+\.aborted$/,
      when: (_, ours) => ours === 1 || ours === 4,
    },
    {
      why: "cancelled handlers: connect-node does not always stop the handler of a call that its client has cancelled",
      path: /^running$/,
      when: ({ call }, ours) => ours === 0 && call.cancelsAfter !== undefined,
    },
    {
      why: "lost response: connect-node resets streams and closes connections whose requests it does not read, and its client loses the response",
      path: /^client\./,
      when: ({ call, theirs }) =>
        call.method.methodKind !== "unary" && LOST.test(String(Object(theirs.error).message)),
    },
    {
      why: "Vary: caches must know that responses depend on Accept-Encoding",
      path: /\.vary$/,
      missing: "theirs",
      when: ({ call }, ours) => call.client.protocol === "connect" && ours === "accept-encoding",
    },
  ] satisfies readonly Row<AnyCall>[]
).map(known);

/** The errors that the engine creates for malformed requests. */
const OWN_ERRORS: readonly (readonly [text: RegExp, code: Code])[] = [
  [/^the message is too large; allowed: \d+ bytes$/, Code.ResourceExhausted],
  [/^the message is not in the binary format of its type$/, Code.InvalidArgument],
  [/^the message is compressed, but no header names the encoding$/, Code.Internal],
  [/^the method takes exactly one message; the request has (?:none|several)$/, Code.Unimplemented],
  [/^the body (?:ends within a message|is not (?:UTF-8|JSON)|must be a JSON object)$/, Code.InvalidArgument],
  [/^a JSON object has the member /, Code.InvalidArgument],
  // Fields of JSON.
  [/^[^ ]+: [a-z]/, Code.InvalidArgument],
  [/^unknown compression "[^"]*": supported encodings are br,gzip$/, Code.Unimplemented],
  [/^protocol error: invalid (?:grpc|connect) timeout value: /, Code.InvalidArgument],
];

/** Changes after which a request is malformed. */
const MALFORMED =
  /^(?:(?:unknown|malformed|incomplete) (?:encoding|compression)|bomb|encoding without compression|compressed without encoding|timeout|trailing bytes|no message|two messages|flags|length|too large|malformed message|bytes of the message|content type|query)$/;

function isOwnError({ ours, call: { changes } }: About<RawCall>): boolean {
  const text = String(ours.text);
  return (
    changes.some((change) => MALFORMED.test(change)) &&
    OWN_ERRORS.some(([pattern, code]) => pattern.test(text) && ours.code === code)
  );
}

/** The text of the body, or of the message in the query. */
function contentOf({ body, target }: RawCall): string {
  const query = new URLSearchParams(target.slice(target.indexOf("?") + 1));
  const message = query.get("message") ?? "";
  return query.get("base64") === "1"
    ? Buffer.from(message, "base64url").toString()
    : message + Buffer.from(body).toString();
}

const isLong = ({ changes, protocol }: RawCall): boolean =>
  protocol === "get" && changes.some((change) => change === "large" || change === "too large");

/** The differences on purpose in requests with a change. */
export const KNOWN_IN_RAW: readonly Known<About<RawCall>>[] = (
  [
    {
      why: "malformed request: the engine has its own texts and codes, and it rejects malformed headers and single messages before interceptors and the handler run; connect-node calls them, and they can fail, or succeed without reading the message",
      path: /^(?:server(?:\.|$)|client\.(?:code|text|details|messages|metadata|status))/,
      when: isOwnError,
    },
    { why: ADDED, path: ADDED_BY_ENGINE, missing: "ours" },
    {
      why: REPLACED,
      path: /^client\.metadata\.x-/,
      missing: "ours",
      when: ({ call: { method }, ours }) =>
        method.name.startsWith("Intercepted") && "x-replaced-trailer" in Object(ours.metadata),
    },
    {
      why: EMPTY_VALUE,
      path: /^client\.metadata\.x-[\w-]+$/,
      missing: "theirs",
      when: (_, ours) => /,$/.test(String(ours)),
    },
    {
      why: "space after the last value: it has no meaning; connect-es removes it sometimes",
      path: /^client\.metadata\./,
      when: (_, ours, theirs) => String(ours).trimEnd() === String(theirs).trimEnd(),
    },
    {
      why: "messages that nobody reads: the engine checks the messages of a stream when the handler reads them; connect-node checks some of them before",
      when: ({ call: { changes, method }, theirs }) =>
        /^(?:client|bidi)_streaming$/.test(method.methodKind) &&
        changes.some((change) => change === "trailing bytes" || change === "length") &&
        /^message size \d+ is larger than configured readMaxBytes/.test(String(theirs.text)),
    },
    {
      why: "flags of the end: an envelope with the flag of the end is no message, whatever its other flags are",
      when: ({ call, theirs }) =>
        call.changes.includes("flags") &&
        /^(?:received compressed envelope, but do not know how to decompress|decompression failed)$/.test(
          String(theirs.text),
        ),
    },
    {
      why: "Allow and Accept-Post: they tell clients what they can send instead (RFC 9110, sections 10.2.1 and 15.5.16)",
      path: /^client\.metadata\.(?:allow|accept-post)$/,
      missing: "theirs",
    },
    {
      why: "unknown method: the response is an error in the protocol of the request; connect-node responds with an empty 404",
      path: /^client\./,
      when: ({ call, theirs }) => call.changes.includes("path") && theirs.status === 404,
    },
    {
      why: "GET with a content type: a request without content has no type: the query names the encoding",
      when: ({ call, theirs }) =>
        call.httpMethod === "GET" && call.changes.includes("content type") && theirs.status === 415,
    },
    {
      why: "no response: connect-node does not respond if half of a surrogate pair is in the text of its error",
      when: (about) =>
        about.theirs.failure === "late" && about.call.protocol.startsWith("grpc") && isOwnError(about),
    },
    {
      why: "empty compression: an empty name of a compression means none",
      when: ({ call, theirs }) =>
        /[?&]compression=(?:&|$)/.test(call.target) &&
        theirs.text === 'unknown compression "": supported encodings are gzip,br',
    },
    {
      why: "type URL: an Any keeps the server in its type URL; protobuf-es replaces it when it reads JSON",
      path: /^(?:client\.messages|server)\./,
      when: ({ call }) => !call.isBinary && /"@type" *: *"(?!type\.googleapis\.com\/)/.test(contentOf(call)),
    },
    {
      why: "quoted charset: quotes do not change the value of a parameter (RFC 9110, section 5.6.6)",
      when: ({ call: { headers }, theirs }) =>
        headers.some(([, value]) => value === 'application/json; charset="utf-8"') && theirs.status === 415,
    },
    {
      why: "HEAD with a long URL: a request line that is too long is not parsed, so the response has a body as for other methods, and the connection is closed",
      when: ({ call, theirs }) =>
        isLong(call) && call.http === 1 && call.httpMethod === "HEAD" && theirs.status === 431,
    },
    {
      why: "long URL: the limit is a setting, and the response says which limit; node:http2 has none",
      when: ({ call, ours }) => isLong(call) && (ours.status === 414 || ours.status === 431),
    },
  ] satisfies readonly Row<RawCall>[]
).map(known);
