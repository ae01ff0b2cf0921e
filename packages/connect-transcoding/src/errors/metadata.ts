import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "one-port";
import { CONNECTION_HEADERS } from "one-port/portable";

/** Headers about the content of a response, which the server sends itself. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "trailer",
]);

/** Removes the headers about the content of a response: a handler that relays a response has those of another content. */
export function withoutContentHeaders(headers: HeaderList): HeaderList {
  return headers.some((name, index) => index % 2 === 0 && CONTENT_HEADERS.has(name))
    ? headers.filter((_, index) => !CONTENT_HEADERS.has(headers[index - (index % 2)] ?? ""))
    : headers;
}

/**
 * The metadata of an error that can be sent. An error that a handler relays from a client has all headers of that response, of
 * which some describe its connection and its body.
 */
export function metadataOf(error: ConnectError): readonly (readonly [name: string, value: string])[] {
  return [...error.metadata].filter(([name]) => !CONNECTION_HEADERS.has(name) && !CONTENT_HEADERS.has(name));
}
