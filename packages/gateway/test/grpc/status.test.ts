import { constants } from "node:http2";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { call, frameOf, gatewayToRaw, type RawHandler, respond } from "../support/raw.js";

const BODY = frameOf("\x0a\x01a");
const GRPC = "application/grpc";
const TYPE = { "content-type": GRPC };

/** How an upstream responds, the code that a client receives, and the number of calls that the upstream receives; by default one. */
type Case = readonly [handler: RawHandler, code: Code, calls?: number];

/** Calls a method with side effects over gRPC and over REST for every case. */
async function check(cases: Readonly<Record<string, Case>>): Promise<void> {
  const calls: Record<string, number> = {};
  const url = await gatewayToRaw((stream, headers) => {
    const name = String(headers["x-case"]);
    calls[name] = (calls[name] ?? 0) + 1;
    stream.resume();
    cases[name]?.[0](stream, headers);
  });
  const found = Object.keys(cases).map(async (name) => {
    const headers = { "x-case": name };
    const { head, trailers } = await call(url, "CreateBook", BODY, headers);
    const response = await fetch(`${url}/v1/shelves/1/books`, { method: "POST", headers });
    const { error } = (await response.json()) as { readonly error?: { readonly status: string } };
    return [name, Number(trailers["grpc-status"] ?? head["grpc-status"]), error?.status, calls[name]];
  });
  expect(await Promise.all(found)).toEqual(
    Object.entries(cases).map(([name, [, code, count = 1]]) => [name, code, nameOf(code), 2 * count]),
  );
}

function nameOf(code: Code): string {
  return code === Code.Canceled ? "CANCELLED" : Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}

test("streams that are reset have the codes of gRPC", async () => {
  const resets = (name: string, code: Code, calls = 1): [string, Case] => [
    name,
    [(stream) => stream.close(constants[`NGHTTP2_${name}` as "NGHTTP2_CANCEL"]), code, calls],
  ];
  // https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md#errors
  await check(
    Object.fromEntries([
      resets("NO_ERROR", Code.Internal),
      resets("PROTOCOL_ERROR", Code.Internal),
      resets("INTERNAL_ERROR", Code.Internal),
      resets("FLOW_CONTROL_ERROR", Code.Internal),
      resets("SETTINGS_TIMEOUT", Code.Internal),
      resets("STREAM_CLOSED", Code.Internal),
      resets("FRAME_SIZE_ERROR", Code.Internal),
      // The upstream has not begun these.
      resets("REFUSED_STREAM", Code.Unavailable, 3),
      resets("CANCEL", Code.Canceled),
      resets("COMPRESSION_ERROR", Code.Internal),
      resets("CONNECT_ERROR", Code.Internal),
      resets("ENHANCE_YOUR_CALM", Code.ResourceExhausted),
      resets("INADEQUATE_SECURITY", Code.PermissionDenied),
      resets("HTTP_1_1_REQUIRED", Code.Internal),
    ]),
  );
});

test("responses without a status have the codes of their HTTP status", async () => {
  // https://github.com/grpc/grpc/blob/v1.70.0/doc/http-grpc-status-mapping.md
  const codes: Readonly<Record<number, Code>> = {
    200: Code.Unknown,
    204: Code.Unknown,
    302: Code.Unknown,
    400: Code.Internal,
    401: Code.Unauthenticated,
    403: Code.PermissionDenied,
    404: Code.Unimplemented,
    405: Code.Unknown,
    418: Code.Unknown,
    429: Code.Unavailable,
    500: Code.Unknown,
    501: Code.Unknown,
    502: Code.Unavailable,
    503: Code.Unavailable,
    504: Code.Unavailable,
  };
  await check(
    Object.fromEntries(
      Object.entries(codes).flatMap(([status, code]) =>
        [GRPC, "text/html"].map((type): [string, Case] => [
          `${status} ${type}`,
          [
            (stream) =>
              stream.respond({ ":status": Number(status), "content-type": type }, { endStream: true }),
            code,
          ],
        ]),
      ),
    ),
  );
});

test("responses of gRPC without a valid status are UNKNOWN", async () => {
  const part: RawHandler = (stream) => {
    stream.respond(TYPE);
    stream.end(BODY);
  };
  await check({
    "no trailers": [part, Code.Unknown],
    "trailers without a status": [(stream) => respond(stream, BODY, { "x-trailer": "a" }), Code.Unknown],
    "a status beside an HTTP status": [
      (stream) => stream.respond({ ":status": 503, ...TYPE, "grpc-status": "5" }, { endStream: true }),
      Code.NotFound,
    ],
  });
});
