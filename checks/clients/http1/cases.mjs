import { EMAIL, EXPORT, EXPORTED, JSON_TYPE, LIMIT, LOOKUP, NORMALIZED } from "./service.mjs";

/** A gRPC request with the address 8.8.8.8. */
const MESSAGE = "\0\0\0\0\x09\x0a\x078.8.8.8";

const LARGE = EMAIL.padEnd(LIMIT);
const TOO_LARGE = EMAIL.padEnd(LIMIT + 1);

export const BODY_TOO_LARGE = errorBody(
  413,
  "RESOURCE_EXHAUSTED",
  `the request body is too large; allowed: ${LIMIT} bytes`,
  "BODY_TOO_LARGE",
);
const ROUTE_NOT_FOUND = errorBody(404, "NOT_FOUND", "no route matches this path", "ROUTE_NOT_FOUND");

function errorBody(code, status, message, reason) {
  const type = "type.googleapis.com/google.rpc.ErrorInfo";
  const details = [{ "@type": type, reason, domain: "utilitytools" }];
  return JSON.stringify({ error: { code, status, message, details } });
}

/**
 * The requests that all clients send. `chunk` is the size of the chunks of the body; without it, the request has a Content-Length.
 * Requests are sent `times` times. Characters of bodies are bytes.
 *
 * @param lookup the body of the response to {@link LOOKUP}
 */
export function clientCases(service, library, lookup) {
  const email = { url: `${service}/v1/sanitizeEmail`, method: "POST", headers: JSON_TYPE, times: 3 };
  const normalized = { status: 200, body: NORMALIZED, length: String(NORMALIZED.length), connections: 1 };
  const tooLarge = { status: 413, body: BODY_TOO_LARGE };
  const get = { url: service + LOOKUP, method: "GET", times: 3 };
  const found = { status: 200, body: lookup, length: String(lookup.length) };
  const stream = { status: 200, body: EXPORTED, length: null, coding: "chunked", connections: 1 };
  const grpc = {
    url: `${service}/utilitytools.v1.GeoIpService/LookupIp`,
    headers: { "content-type": "application/grpc" },
  };
  return [
    { name: "GET on one connection", ...get, times: 50, expected: { ...found, connections: 1 } },
    { name: "HEAD", ...get, method: "HEAD", expected: { ...found, body: "", connections: 1 } },
    { name: "Connection: close", ...get, close: true, expected: { ...found, connections: 3 } },
    { name: "404", ...get, url: `${service}/nothing`, expected: { status: 404, body: ROUTE_NOT_FOUND } },
    { name: "POST", ...email, body: EMAIL, expected: normalized },
    { name: "POST of 300 KiB", ...email, body: LARGE, expected: normalized },
    { name: "POST, one chunk", ...email, body: EMAIL, chunk: 1_000, expected: normalized },
    { name: "POST, chunks of one byte", ...email, body: EMAIL, chunk: 1, expected: normalized },
    {
      name: "POST of 300 KiB, chunks of 7,000 bytes",
      ...email,
      body: LARGE,
      chunk: 7_000,
      expected: normalized,
    },
    { name: "POST of 300 KiB, chunks of 64 KiB", ...email, body: LARGE, chunk: 65_536, expected: normalized },
    { name: "POST with Expect", ...email, body: LARGE, expect: true, expected: normalized },
    {
      name: "POST with Expect, chunked",
      ...email,
      body: LARGE,
      chunk: 7_000,
      expect: true,
      expected: normalized,
    },
    { name: "POST, too large", ...email, body: TOO_LARGE, expected: tooLarge },
    { name: "POST, too large, chunked", ...email, body: TOO_LARGE, chunk: 7_000, expected: tooLarge },
    { name: "POST with Expect, too large", ...email, body: TOO_LARGE, expect: true, expected: tooLarge },
    {
      name: "POST with Expect, too large, chunked",
      ...{ ...email, body: TOO_LARGE, chunk: 7_000, expect: true, expected: tooLarge },
    },
    { name: "a streamed response", url: library + EXPORT, method: "GET", times: 3, expected: stream },
    {
      name: "a response before trailers",
      ...{ ...email, ...grpc, body: MESSAGE },
      expected: {
        status: 200,
        body: /^\0\0\0\0.*Google LLC.*8\.8\.8\.0\/24$/s,
        coding: "chunked",
        connections: 1,
      },
    },
    { name: "GET after all that", ...get, expected: found },
  ];
}
