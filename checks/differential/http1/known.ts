import type { Known } from "../differences.js";
import type { ReadRequest } from "./readings.js";

/** What a difference is about. */
interface About {
  readonly peer: string;
  /** As we have read it. */
  readonly request: ReadRequest | undefined;
  /** All bytes of the connection. */
  readonly text: string;
}

/** What we accept on purpose, and others do not. */
interface Accepted {
  /** What it is, and why it is right to accept such a request. */
  readonly why: string;
  /** Separated by spaces. */
  readonly peers: string;
  /** What the peers do with it. Default: they reject it. */
  readonly path?: "waits" | "incomplete";
  readonly matches: (request: ReadRequest, text: string) => boolean;
}

const COMMON_METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
const TRAILER_ABOUT_FRAMING = /\n0+(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*(?:content-length|transfer-encoding)/i;

const ACCEPTED: readonly Accepted[] = [
  {
    why: "uncommon method: a method is any token; which ones are supported is up to the handler (RFC 9110, section 9.1)",
    peers: "node nginx",
    matches: ({ method }) => !COMMON_METHODS.test(method),
  },
  {
    why: "HTTP/1.2 to HTTP/1.9: a later minor version is read as the highest one that is known (RFC 9110, section 6.2)",
    peers: "node",
    matches: (_, text) => /HTTP\/1\.[2-9]\r\n/.test(text),
  },
  {
    why: "OPTIONS *: the target of a request about the whole server (RFC 9112, section 3.2.4)",
    peers: "nginx",
    matches: ({ target }) => target === "*",
  },
  {
    why: "white space around a length, a coding or a host: optional white space is spaces and tabs (RFC 9110, section 5.6.3)",
    peers: "node nginx",
    matches: (_, text) =>
      /\n(?:content-length|transfer-encoding|host):(?:[ \t]*\t|[^\r\n]*[ \t]\r\n)/i.test(text),
  },
  {
    why: "chunk extension: extensions that are not recognized are ignored (RFC 9112, section 7.1.1)",
    peers: "node",
    matches: (_, text) => /\n[0-9a-f]+[ \t]*;/i.test(text),
  },
  {
    why: "trailer about framing: trailers are kept apart from headers and frame nothing (RFC 9110, section 6.5.1)",
    peers: "node",
    matches: (_, text) => TRAILER_ABOUT_FRAMING.test(text),
  },
  {
    why: "Proxy-Connection: it is no header of HTTP (RFC 9112, section C.2.2); node:http reads it as Connection",
    peers: "node",
    matches: (_, text) => /\nproxy-connection:/i.test(text),
  },
  {
    why: "empty Host: the value of a client whose target has no authority (RFC 9112, section 3.2)",
    peers: "nginx",
    matches: (_, text) => /\nhost:[ \t]*\r\n/i.test(text),
  },
  {
    why: "host with an empty label: a registered name is any text of these characters (RFC 3986, section 3.2.2)",
    peers: "nginx",
    matches: (_, text) => /\nhost:[^\r\n]*\.\./i.test(text),
  },
  {
    why: "path above the root: the target is an opaque path for the handler; dot segments are removed by clients (RFC 3986, section 5.2.4)",
    peers: "nginx",
    matches: ({ target }) => /(?:\/|%2f)(?:\.|%2e){2}(?:$|\/|%2f|[?\\])/i.test(target),
  },
  {
    why: "invalid percent sign: the handler decodes the path and rejects what it cannot decode",
    peers: "nginx",
    matches: ({ target }) => /%(?![0-9a-f]{2})|%00/i.test(target),
  },
  {
    why: "bytes behind an upgrade: node:http discards what it receives together with a request with Upgrade; we read the next request",
    path: "waits",
    peers: "node",
    matches: (_, text) => /\nupgrade:/i.test(text),
  },
  {
    why: "trailer about framing behind an upgrade: node:http rejects such a trailer, but not in a request with Upgrade: it stops parsing without an error, and discards the rest",
    path: "incomplete",
    peers: "node",
    matches: ({ headers }, text) => hasHeader(headers, "upgrade") && TRAILER_ABOUT_FRAMING.test(text),
  },
];

function hasHeader(headers: readonly string[], name: string): boolean {
  return headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === name);
}

/** The differences on purpose: what we accept, and others reject or wait for more bytes of. */
export const KNOWN: readonly Known<About>[] = ACCEPTED.map(({ why, peers, path = "rejected", matches }) => ({
  why,
  matches: (difference, { peer, request, text }) =>
    difference.path === path &&
    peers.split(" ").includes(peer) &&
    request !== undefined &&
    matches(request, text),
}));
