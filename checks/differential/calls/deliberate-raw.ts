import { Code } from "@connectrpc/connect";
import type { Deliberate, Seen } from "./deliberate.js";
import type { RawRequest } from "./raw-requests.js";

/** The errors that the engine creates for malformed requests. */
const OWN_ERRORS: readonly (readonly [text: RegExp, code: Code])[] = [
  [/^the message is too large; allowed: \d+ bytes$/, Code.ResourceExhausted],
  [/^the message is not in the binary format of its type$/, Code.InvalidArgument],
  [/^the message is compressed, but no header names the encoding$/, Code.Internal],
  [/^the method takes exactly one message; the request has (?:none|several)$/, Code.Unimplemented],
  [
    /^the body (?:ends within a message|is not UTF-8|is not JSON|must be a JSON object)$/,
    Code.InvalidArgument,
  ],
  [/^a JSON object has the member /, Code.InvalidArgument],
  // Fields of JSON.
  [/^[^ ]+: [a-z]/, Code.InvalidArgument],
  [/^unknown compression "[^"]*": supported encodings are br,gzip$/, Code.Unimplemented],
  [/^protocol error: invalid (?:grpc|connect) timeout value: /, Code.InvalidArgument],
];

/** Changes after which a request is malformed. */
const MALFORMED = new Set([
  "unknown encoding",
  "malformed compression",
  "incomplete compression",
  "bomb",
  "encoding without compression",
  "compressed without encoding",
  "timeout",
  "trailing bytes",
  "no message",
  "two messages",
  "flags",
  "length",
  "too large",
  "malformed message",
  "bytes of the message",
  "content type",
  "query",
]);

function isOwnError({ ours }: Seen, { changes }: RawRequest): boolean {
  const text = String(ours["text"]);
  return (
    changes.some((change) => MALFORMED.has(change)) &&
    OWN_ERRORS.some(([pattern, code]) => pattern.test(text) && ours["code"] === code)
  );
}

/** The text of the body, or of the message in the query. */
function contentOf({ body, path }: RawRequest): string {
  const query = new URLSearchParams(path.slice(path.indexOf("?") + 1));
  const message = query.get("message") ?? "";
  return query.get("base64") === "1"
    ? Buffer.from(message, "base64url").toString()
    : message + body.toString();
}

/** All differences of raw requests that are on purpose. */
export const DELIBERATE_IN_RAW: readonly Deliberate<RawRequest>[] = [
  {
    name: "malformed request",
    reason:
      "the engine has its own texts and codes, and it rejects malformed headers and single messages before interceptors and the handler run; connect-node calls them, and they can fail, or succeed without reading the message",
    matches: ({ path }, raw, seen) =>
      isOwnError(seen, raw) &&
      /^(?:server(?:\.|$)|client\.(?:code|text|details|messages|metadata|status))/.test(path),
  },
  {
    name: "headers of the protocol in interceptors",
    reason: "the engine adds them when it sends the response, so nobody can change them",
    matches: ({ path, ours }) =>
      /^server\.\d+\.(?:header|trailer)\.(?:content-type|grpc-encoding|connect-content-encoding|grpc-status)$/.test(
        path,
      ) && ours === undefined,
  },
  {
    name: "replaced trailers",
    reason:
      "an interceptor that replaces the trailers replaces all of them; connect-es forgets every other one",
    matches: ({ path, ours }, { method }, seen) =>
      path.startsWith("client.metadata.x-") &&
      ours === undefined &&
      method.name.startsWith("Intercepted") &&
      "x-replaced-trailer" in Object(seen.ours["metadata"]),
  },
  {
    name: "empty last value",
    reason: "HTTP/2 forbids white space at the end of a value, so clients drop what connect-node sends",
    matches: ({ path, ours, theirs }) =>
      /^client\.metadata\.x-[\w-]+$/.test(path) && theirs === undefined && /,$/.test(String(ours)),
  },
  {
    name: "space after the last value",
    reason: "it has no meaning; connect-es removes it sometimes",
    matches: ({ path, ours, theirs }) =>
      path.startsWith("client.metadata.") && String(ours).trimEnd() === String(theirs).trimEnd(),
  },
  {
    name: "messages that nobody reads",
    reason:
      "the engine checks the messages of a stream when the handler reads them; connect-node checks some of them before",
    matches: (_, { changes, method }, seen) =>
      /^(?:client|bidi)_streaming$/.test(method.methodKind) &&
      changes.some((change) => change === "trailing bytes" || change === "length") &&
      /^message size \d+ is larger than configured readMaxBytes/.test(String(seen.theirs["text"])),
  },
  {
    name: "flags of the end",
    reason: "an envelope with the flag of the end is no message, whatever its other flags are",
    matches: (_, { changes }, seen) =>
      changes.includes("flags") &&
      /^(?:received compressed envelope, but do not know how to decompress|decompression failed)$/.test(
        String(seen.theirs["text"]),
      ),
  },
  {
    name: "Allow and Accept-Post",
    reason: "they tell clients what they can send instead (RFC 9110, sections 10.2.1 and 15.5.16)",
    matches: ({ path, theirs }) =>
      /^client\.metadata\.(?:allow|accept-post)$/.test(path) && theirs === undefined,
  },
  {
    name: "unknown method",
    reason:
      "the response is an error in the protocol of the request; connect-node responds with an empty 404",
    matches: ({ path }, { changes }, seen) =>
      path.startsWith("client.") && changes.includes("path") && seen.theirs["status"] === 404,
  },
  {
    name: "GET with a content type",
    reason: "a request without content has no type: the query names the encoding",
    matches: (_, { httpMethod, changes }, seen) =>
      httpMethod === "GET" && changes.includes("content type") && seen.theirs["status"] === 415,
  },
  {
    name: "no response",
    reason: "connect-node does not respond if half of a surrogate pair is in the text of its error",
    matches: (_, raw, seen) =>
      seen.theirs["failure"] === "Error: timeout" && raw.protocol.startsWith("grpc") && isOwnError(seen, raw),
  },
  {
    name: "empty compression",
    reason: "an empty name of a compression means none",
    matches: (_, { path }, seen) =>
      /[?&]compression=(?:&|$)/.test(path) &&
      seen.theirs["text"] === 'unknown compression "": supported encodings are gzip,br',
  },
  {
    name: "type URL",
    reason: "an Any keeps the server in its type URL; protobuf-es replaces it when it reads JSON",
    matches: ({ path }, raw) =>
      /^(?:client\.messages|server)\./.test(path) &&
      !raw.isBinary &&
      /"@type" *: *"(?!type\.googleapis\.com\/)/.test(contentOf(raw)),
  },
  {
    name: "quoted charset",
    reason: "quotes do not change the value of a parameter (RFC 9110, section 5.6.6)",
    matches: (_, { headers }, seen) =>
      headers["content-type"] === 'application/json; charset="utf-8"' && seen.theirs["status"] === 415,
  },
  {
    name: "HEAD with a long URL",
    reason:
      "a request line that is too long is not parsed, so the response has a body as for other methods, and the connection is closed",
    matches: (_, { protocol, http, httpMethod, changes }, seen) =>
      protocol === "get" &&
      http === "1.1" &&
      httpMethod === "HEAD" &&
      changes.some((change) => change === "large" || change === "too large") &&
      seen.theirs["status"] === 431,
  },
  {
    name: "long URL",
    reason: "the limit is a setting, and the response says which limit; node:http2 has none",
    matches: (_, { protocol, changes }, seen) =>
      protocol === "get" &&
      changes.some((change) => change === "large" || change === "too large") &&
      (seen.ours["status"] === 414 || seen.ours["status"] === 431),
  },
];
