import { fieldParts } from "@utility-tools/http-server/portable";
import type { RawRequest } from "connect-transcoding";
import { isOfProtocol } from "../grpc/metadata.js";

/** The scheme of a header with an API key. */
const BEARER = /^[\t ]*bearer\b/i;

/** Headers that say how the client has asked for its response. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "x-grpc-web",
]);

/**
 * The metadata for an upstream, as a list of names and values: that of the client, without the headers that its `Connection` header names,
 * and its address. An API key of the gateway is a secret that upstreams need not know. Throws a ConnectError for binary metadata that is not
 * base64.
 */
export function requestMetadata(request: RawRequest): string[] {
  const metadata: string[] = [];
  const connection = request.header("connection");
  const named = new Set(connection === undefined ? [] : fieldParts(connection.toLowerCase(), ","));
  const addresses = request.clientAddress === "" ? [] : [request.clientAddress];
  const hasKey = request.principal !== undefined;
  for (const [name, value] of request.headers()) {
    if (hasKey && (name === "x-api-key" || (name === "authorization" && BEARER.test(value)))) {
      continue;
    }
    const isOfMcp = request.protocol === "mcp" && name.startsWith("mcp-");
    if (isOfMcp || isOfProtocol(name) || NOT_PASSED.has(name) || named.has(name)) {
      continue;
    }
    if (name === "x-forwarded-for") {
      addresses.unshift(value);
    } else {
      metadata.push(name, value);
    }
  }
  if (addresses.length > 0) {
    metadata.push("x-forwarded-for", addresses.join(", "));
  }
  return metadata;
}
