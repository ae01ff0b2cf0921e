import type { ReadRequest } from "./reading.js";

/** What we accept on purpose, and others do not. */
export interface Known {
  readonly name: string;
  /** Separated by spaces. */
  readonly peers: string;
  /** Why it is right to accept such a request. */
  readonly reason: string;
  /**
   * Whether a request is of this kind.
   *
   * @param request as we have read it
   * @param text all bytes of the connection
   */
  readonly matches: (request: ReadRequest, text: string) => boolean;
}

const COMMON_METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
const TRAILER_ABOUT_FRAMING = /\n0+(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*(?:content-length|transfer-encoding)/i;

/** Requests that we accept and others reject. */
export const REJECTED_BY_OTHERS: readonly Known[] = [
  {
    name: "uncommon method",
    peers: "node nginx envoy",
    reason: "a method is any token; which ones are supported is up to the handler (RFC 9110, section 9.1)",
    matches: ({ method }) => !COMMON_METHODS.test(method),
  },
  {
    name: "HTTP/1.2 to HTTP/1.9",
    peers: "node",
    reason: "a later minor version is read as the highest one that is known (RFC 9110, section 6.2)",
    matches: (_, text) => /HTTP\/1\.[2-9]\r\n/.test(text),
  },
  {
    name: "OPTIONS *",
    peers: "nginx envoy",
    reason: "the target of a request about the whole server (RFC 9112, section 3.2.4)",
    matches: ({ target }) => target === "*",
  },
  {
    name: "absolute-form",
    peers: "envoy",
    reason:
      "a server must accept it (RFC 9112, section 3.2.2); Envoy requires the scheme of its own connection, and a path",
    matches: (_, text) => / (?:https:\/\/|http:\/\/[^/ ]+[? ])/i.test(text),
  },
  {
    name: "upgrade",
    peers: "envoy",
    reason: "a server may ignore Upgrade (RFC 9110, section 7.8)",
    matches: ({ headers }) => hasHeader(headers, "upgrade"),
  },
  {
    name: "white space around a length, a coding or a host",
    peers: "node nginx",
    reason: "optional white space is spaces and tabs (RFC 9110, section 5.6.3)",
    matches: (_, text) =>
      /\n(?:content-length|transfer-encoding|host):(?:[ \t]*\t|[^\r\n]*[ \t]\r\n)/i.test(text),
  },
  {
    name: "chunk extension",
    peers: "node",
    reason: "extensions that are not recognized are ignored (RFC 9112, section 7.1.1)",
    matches: (_, text) => /\n[0-9a-f]+[ \t]*;/i.test(text),
  },
  {
    name: "trailer about framing",
    peers: "node",
    reason: "trailers are kept apart from headers and frame nothing (RFC 9110, section 6.5.1)",
    matches: (_, text) => TRAILER_ABOUT_FRAMING.test(text),
  },
  {
    name: "Proxy-Connection",
    peers: "node",
    reason: "it is no header of HTTP (RFC 9112, section C.2.2); node:http reads it as Connection",
    matches: (_, text) => /\nproxy-connection:/i.test(text),
  },
  {
    name: "empty Host",
    peers: "nginx",
    reason: "the value of a client whose target has no authority (RFC 9112, section 3.2)",
    matches: (_, text) => /\nhost:[ \t]*\r\n/i.test(text),
  },
  {
    name: "host with an empty label",
    peers: "nginx",
    reason: "a registered name is any text of these characters (RFC 3986, section 3.2.2)",
    matches: (_, text) => /\nhost:[^\r\n]*\.\./i.test(text),
  },
  {
    name: "path above the root",
    peers: "nginx",
    reason:
      "the target is an opaque path for the handler; dot segments are removed by clients (RFC 3986, section 5.2.4)",
    matches: ({ target }) => /(?:\/|%2f)(?:\.|%2e){2}(?:$|\/|%2f|[?\\])/i.test(target),
  },
  {
    name: "invalid percent sign",
    peers: "nginx",
    reason: "the handler decodes the path and rejects what it cannot decode",
    matches: ({ target }) => /%(?![0-9a-f]{2})|%00/i.test(target),
  },
  {
    name: "more than 100 fields",
    peers: "envoy",
    reason: "the limit of fields is a setting",
    matches: ({ headers }) => headers.length > 200,
  },
];

/** Requests that we accept while others wait for more bytes. */
export const NOT_SEEN_BY_OTHERS: readonly Known[] = [
  {
    name: "bytes behind an upgrade",
    peers: "node",
    reason:
      "node:http discards what it receives together with a request with Upgrade; we read the next request",
    matches: (_, text) => /\nupgrade:/i.test(text),
  },
];

/** Requests that we accept while others wait for the rest of the body. */
export const INCOMPLETE_AT_OTHERS: readonly Known[] = [
  {
    name: "trailer about framing behind an upgrade",
    peers: "node",
    reason:
      "node:http rejects such a trailer, but not in a request with Upgrade: it stops parsing without an error, and discards the rest",
    matches: ({ headers }, text) => hasHeader(headers, "upgrade") && TRAILER_ABOUT_FRAMING.test(text),
  },
];

function hasHeader(headers: readonly string[], name: string): boolean {
  return headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === name);
}

/** Returns the first kind that a request is of. */
export function knownKind(
  kinds: readonly Known[],
  peer: string,
  request: ReadRequest,
  bytes: Buffer,
): Known | undefined {
  const text = bytes.toString("latin1");
  return kinds.find(({ peers, matches }) => peers.split(" ").includes(peer) && matches(request, text));
}
