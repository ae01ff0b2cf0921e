import type { ReadRequest } from "./readings.js";

/** What we accept on purpose, and nginx rejects. */
interface Accepted {
  /** What it is, and why it is right to accept such a request. */
  readonly why: string;
  /** `text` has all bytes of the connection. */
  readonly matches: (request: ReadRequest, text: string) => boolean;
}

const COMMON_METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

export const KNOWN: readonly Accepted[] = [
  {
    why: "uncommon method: a method is any token; which ones are supported is up to the handler (RFC 9110, section 9.1)",
    matches: ({ method }) => !COMMON_METHODS.test(method),
  },
  {
    why: "OPTIONS *: the target of a request about the whole server (RFC 9112, section 3.2.4)",
    matches: ({ target }) => target === "*",
  },
  {
    why: "white space around a length, a coding or a host: optional white space is spaces and tabs (RFC 9110, section 5.6.3)",
    matches: (_, text) =>
      /\n(?:content-length|transfer-encoding|host):(?:[ \t]*\t|[^\r\n]*[ \t]\r\n)/i.test(text),
  },
  {
    why: "empty Host: the value of a client whose target has no authority (RFC 9112, section 3.2)",
    matches: (_, text) => /\nhost:[ \t]*\r\n/i.test(text),
  },
  {
    why: "host with an empty label: a registered name is any text of these characters (RFC 3986, section 3.2.2)",
    matches: (_, text) => /\nhost:[^\r\n]*\.\./i.test(text),
  },
  {
    why: "path above the root: the target is an opaque path for the handler; dot segments are removed by clients (RFC 3986, section 5.2.4)",
    matches: ({ target }) => /(?:\/|%2f)(?:\.|%2e){2}(?:$|\/|%2f|[?\\])/i.test(target),
  },
  {
    why: "invalid percent sign: the handler decodes the path and rejects what it cannot decode",
    matches: ({ target }) => /%(?![0-9a-f]{2})|%00/i.test(target),
  },
];
