import type { ConnectError } from "@connectrpc/connect";
import { CONNECTION_HEADERS } from "one-port/portable";

/** Headers about the content of a response, which the server sends itself. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "trailer",
]);

/**
 * The metadata of an error that can be sent. An error that a handler relays from a client has all headers of that response, of
 * which some describe its connection and its body.
 */
export function metadataOf(error: ConnectError): readonly (readonly [name: string, value: string])[] {
  return [...error.metadata].filter(([name]) => !CONNECTION_HEADERS.has(name) && !CONTENT_HEADERS.has(name));
}
