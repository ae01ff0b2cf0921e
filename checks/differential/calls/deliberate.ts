import type { AnyCall } from "./calls.js";
import type { Difference } from "./compare.js";

/** What a client has seen of each server. */
export interface Seen {
  readonly ours: Readonly<Record<string, unknown>>;
  readonly theirs: Readonly<Record<string, unknown>>;
}

/** A difference that is on purpose. */
export interface Deliberate<T> {
  readonly name: string;
  readonly reason: string;
  /** @param seen what the client has seen of each server */
  readonly matches: (difference: Difference, call: T, seen: Seen) => boolean;
}

const PROTOCOL_HEADERS = new Set([
  "content-type",
  "content-encoding",
  "content-length",
  "grpc-encoding",
  "connect-content-encoding",
  "grpc-status",
]);

/** The status of an unexpected error with its ErrorInfo. */
const INTERNAL_STATUS =
  "CA0SDmludGVybmFsIGVycm9yGjYKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5FcnJvckluZm8SCgoISU5URVJOQUw";

const LOST = new Set(["Premature close", "write EPIPE", "Cannot call write after a stream was destroyed"]);

function messageOf(error: unknown): unknown {
  return Object(error).message;
}

/** All differences that are on purpose. */
export const DELIBERATE_IN_CALLS: readonly Deliberate<AnyCall>[] = [
  {
    name: "nosniff",
    reason: "browsers must not guess the type of a response that they can read",
    matches: ({ path, ours, theirs }) =>
      path.endsWith(".x-content-type-options") && ours === "nosniff" && theirs === undefined,
  },
  {
    name: "length of the body",
    reason: "JSON has all implicit fields, and a stream that has ended at once has a length",
    matches: ({ path }) => /^client\.(?:header|error\.metadata)\.content-length$/.test(path),
  },
  {
    name: "grpc-message",
    reason: "only what must be is percent-encoded: grpc-js does not decode punctuation",
    matches: ({ path, ours, theirs }) =>
      path.endsWith(".grpc-message") &&
      decodeURIComponent(String(ours)) === decodeURIComponent(String(theirs)),
  },
  {
    name: "debug of details",
    reason: "it has all implicit fields, and clients must not depend on it",
    matches: ({ path }) => /^client\.error\.details\.\d+\.debug/.test(path),
  },
  {
    name: "ErrorInfo of unexpected errors",
    reason: "every error of the engine has a reason for programs (AIP-193)",
    matches: ({ path, ours, theirs }) =>
      /^client\.error\.details$/.test(path) &&
      JSON.stringify(theirs) === "[]" &&
      /^\[\{"type":"google.rpc.ErrorInfo","value":"CghJTlRFUk5BTA=="/.test(JSON.stringify(ours)),
  },
  {
    name: "headers of the protocol in interceptors",
    reason: "the engine adds them when it sends the response, so nobody can change them",
    matches: ({ path, ours }) => {
      const [, name = ""] = /^server\.\d+\.(?:header|trailer)\.([\w-]+)$/.exec(path) ?? [];
      return PROTOCOL_HEADERS.has(name) && ours === undefined;
    },
  },
  {
    name: "ErrorInfo of unexpected errors in gRPC",
    reason: "the same",
    matches: ({ path, ours, theirs }) =>
      path === "client.error.metadata.grpc-status-details-bin" &&
      theirs === undefined &&
      ours === INTERNAL_STATUS,
  },
  {
    name: "encoding of no messages",
    reason: "the header of the encoding is not sent without a message",
    matches: ({ path, ours }) => path === "client.header.grpc-encoding" && ours === undefined,
  },
  {
    name: "Trailers-Only",
    reason: "an error without headers of the handler is a single header block",
    matches: ({ path, ours, theirs }, { client }) =>
      client.protocol === "grpc" &&
      ours === undefined &&
      ((path === "client.messages" && JSON.stringify(theirs) === "[]") ||
        (path === "client.header" &&
          Object.keys(Object(theirs)).every((name) => PROTOCOL_HEADERS.has(name))) ||
        path === "client.error.metadata.grpc-encoding"),
  },
  {
    name: "gRPC-Web text",
    reason: "connect-node has no text form, so its binary form is compared",
    matches: ({ path, ours, theirs }, { client }) =>
      client.protocol === "grpc-web-text" &&
      ((path.endsWith(".content-type") && String(ours).replace("-text", "") === theirs) ||
        (path.endsWith(".accept") && theirs === undefined)),
  },
  {
    name: "Content-Encoding",
    reason:
      "negotiated as for REST: JSON has all implicit fields and is longer, and the server chooses by its preference",
    matches: ({ path }, { client }) =>
      client.protocol === "connect" && path === "client.header.content-encoding",
  },
  {
    name: "empty last value",
    reason:
      "HTTP/2 forbids white space at the end of a value, so the client of connect-node drops what connect-node sends",
    matches: ({ path, ours, theirs }) =>
      /^client\.(?:header|trailer|error\.metadata)\.[\w-]+$/.test(path) &&
      theirs === undefined &&
      /,$/.test(String(ours)),
  },
  {
    name: "replaced trailers",
    reason:
      "an interceptor that replaces the trailers replaces all of them; connect-es forgets every other one",
    matches: ({ path, ours }, { method, script }) =>
      path.startsWith("client.trailer.") &&
      ours === undefined &&
      method.name.startsWith("Intercepted") &&
      script.interceptors.some(({ replacesResponse }) => replacesResponse),
  },
  {
    name: "bidirectional streams over HTTP/1.1",
    reason: "the client can fail to send the request before it has read the status 505",
    matches: ({ path, ours, theirs }, { method, client }) =>
      method.methodKind === "bidi_streaming" &&
      client.http === "1.1" &&
      /^client\.error\.(?:code|message)$/.test(path) &&
      [ours, theirs].every((each) =>
        [2, 13, 10, "HTTP 505", "write EPIPE", "read ECONNRESET"].includes(each as string),
      ),
  },
  {
    name: "reason of an abort",
    reason: "the deadline expires at the client and at the server at the same time",
    matches: ({ path, ours }) => /^server\.\d+\.aborted$/.test(path) && (ours === 1 || ours === 4),
  },
  {
    name: "cancelled handlers",
    reason: "connect-node does not always stop the handler of a call that its client has cancelled",
    matches: ({ path, ours }, { cancelsAfter }) =>
      path === "running" && ours === 0 && cancelsAfter !== undefined,
  },
  {
    name: "lost response",
    reason:
      "connect-node resets streams and closes connections whose requests it does not read, and its client loses the response",
    matches: ({ path }, { method }, { theirs }) =>
      method.methodKind !== "unary" &&
      path.startsWith("client.") &&
      LOST.has(String(messageOf(theirs["error"]))),
  },
  {
    name: "Vary",
    reason: "caches must know that responses depend on Accept-Encoding",
    matches: ({ path, ours, theirs }, { client }) =>
      client.protocol === "connect" &&
      path.endsWith(".vary") &&
      ours === "accept-encoding" &&
      theirs === undefined,
  },
];
