import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import { CONNECTION_HEADERS, fieldParts } from "@utility-tools/http-server/portable";
import { abbreviate, hasOwnHeaders, malformed } from "./http-error.js";

/**
 * Headers of the protocols, which the server sends itself. A handler that relays a response has those of another connection and content.
 * connect-go and grpc-go ignore the same ones. `grpc-retry-pushback-ms` and others that applications set are not among them.
 */
const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  // RFC 9110, and section 8.2.2 of RFC 9113.
  "accept-encoding",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "http2-settings",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "te",
  "trailer",
  "user-agent",
  // https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-message",
  "grpc-message-type",
  "grpc-status",
  "grpc-status-details-bin",
  "grpc-timeout",
  // https://connectrpc.com/docs/protocol
  "connect-accept-encoding",
  "connect-content-encoding",
  "connect-protocol-version",
  "connect-timeout-ms",
]);

// RFC 9110, sections 5.1 and 5.5.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws a TypeError for a header that HTTP does not allow. */
export function validateHeader(name: string, value: string): void {
  if (!NAME.test(name)) {
    throw new TypeError(`the header name ${JSON.stringify(name)} has a character that HTTP does not allow`);
  }
  if (!VALUE.test(value)) {
    throw new TypeError(`the value of the header ${name} has a character that HTTP does not allow`);
  }
}

// RFC 4648, section 4; PROTOCOL-HTTP2.md of gRPC allows to leave out the padding.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Throws a ConnectError (400) for a request header whose name ends in `-bin`, and whose value is not base64, as metadata of gRPC must be. */
export function checkBinaryHeader(name: string, value: string): void {
  // A comma separates several values.
  if (name.endsWith("-bin") && !fieldParts(value, ",").every((each) => BASE64.test(each))) {
    throw malformed("INVALID_METADATA", `the header ${abbreviate(name)} is not base64, which -bin requires`);
  }
}

/**
 * The headers of a handler as a list, without those of the protocols. Throws a TypeError for a value that HTTP does not allow; `Headers` allows
 * control characters.
 */
export function handlerHeaders(headers: Headers): HeaderList {
  const list: string[] = [];
  for (const [name, value] of headers) {
    if (!PROTOCOL_HEADERS.has(name)) {
      validateHeader(name, value);
      list.push(name, value);
    }
  }
  return list;
}

/** Removes headers that HTTP does not allow, so that an error can be sent. */
export function removeInvalidHeaders(headers: Headers): void {
  for (const [name, value] of [...headers]) {
    if (!VALUE.test(value)) {
      headers.delete(name);
    }
  }
}

/** The limit of the metadata of an error in bytes. Clients refuse responses with longer headers: those of gRPC from 8 KiB on, Node from 16 KiB. */
const MAX_METADATA = 8 * 1024;

/**
 * The metadata of an error that can be sent: without headers of the protocols, unless the error is one of the server, without invalid ones,
 * and without those that exceed the limit.
 */
export function metadataOf(error: ConnectError): readonly (readonly [name: string, value: string])[] {
  const isOwn = hasOwnHeaders(error);
  let room = MAX_METADATA;
  return [...error.metadata].filter(([name, value]) => {
    const size = name.length + value.length;
    const isSent = VALUE.test(value) && (isOwn || !PROTOCOL_HEADERS.has(name)) && size <= room;
    room -= isSent ? size : 0;
    return isSent;
  });
}

/** Headers of which a handler's replaces that of the server. */
const REPLACED: ReadonlySet<string> = new Set([
  "cache-control",
  "content-security-policy",
  "etag",
  "retry-after",
  "x-content-type-options",
]);

/** Adds headers of a handler to those of a response. An equal header is there once. */
export function withAdded(headers: HeaderList, added: HeaderList): HeaderList {
  if (added.length === 0) {
    return headers;
  }
  const values = new Map<string, string>();
  for (let index = 0; index < added.length; index += 2) {
    values.set(added[index] ?? "", added[index + 1] ?? "");
  }
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2);
    const other = values.get(name);
    if (other === undefined || (other !== value && !REPLACED.has(name))) {
      kept.push(name, value);
    }
  }
  return [...kept, ...added];
}
