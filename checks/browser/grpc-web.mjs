// Calls the built service, and a server of the engine at another origin, with Google's gRPC-Web client in a real browser.
// `npm test` does not run it.
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { createServer } from "connect-transcoding";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { build } from "vite";
import { check, checkEqual, conclude } from "../lib/checks.mjs";
import { inBrowser } from "./harness.mjs";

const CONTENT_TYPES = { text: "application/grpc-web-text+proto", binary: "application/grpc-web+proto" };

/** Returns the client as a script. */
async function bundledClient() {
  const entry = join(import.meta.dirname, "grpc-web-client.mjs");
  const lib = { entry, formats: ["iife"], name: "grpcWebClient" };
  const [{ output }] = await build({ configFile: false, logLevel: "warn", build: { write: false, lib } });
  return output[0].code;
}

/** Opens a page with the client. Its functions take the options of those in grpc-web-client.mjs. */
async function openClient({ url, open }, script, contextOptions) {
  const { context, page, finish } = await open(undefined, contextOptions);
  const types = new Set();
  page.on("response", (response) => {
    if (response.request().method() === "POST") {
      types.add(response.headers()["content-type"]);
    }
  });
  await page.goto(`${url}/docs`);
  await page.evaluate(script);
  return {
    callUnary: (options) => page.evaluate((each) => globalThis.callUnary(each), options),
    callStream: (options) => page.evaluate((each) => globalThis.callStream(each), options),
    types,
    context,
    finish,
  };
}

/** Returns the details of an error that are a BadRequest. */
function badRequestIn({ metadata }) {
  const status = fromBinary(StatusSchema, Buffer.from(metadata["grpc-status-details-bin"], "base64"));
  const details = status.details.filter(({ typeUrl }) => typeUrl.endsWith(`/${BadRequestSchema.typeName}`));
  return details.map(({ value }) => fromBinary(BadRequestSchema, value));
}

/** Calls the service from its own page. */
async function callService(browser, script, format) {
  const { callUnary, callStream, types, finish } = await openClient(browser, script);
  const call = { format, baseUrl: browser.url };

  const found = await callUnary({ ...call, name: "lookupIp", request: { ipAddress: "8.8.8.8" } });
  check(`${format}: a unary call`, found.message?.metadata?.asn === 15169, JSON.stringify(found));

  const invalid = await callUnary({ ...call, name: "lookupIp", request: { ipAddress: "8.8.8" } });
  checkEqual(`${format}: the code of an error`, invalid.code, Code.InvalidArgument);
  const fields = badRequestIn(invalid).flatMap(({ fieldViolations }) =>
    fieldViolations.map(({ field }) => field),
  );
  checkEqual(`${format}: the details of an error`, fields, ["ip_address"]);
  const large = await callUnary({ ...call, name: "lookupIp", request: { ipAddress: "x".repeat(100_000) } });
  checkEqual(`${format}: a request that is too large`, large.code, Code.ResourceExhausted);

  const watch = { ...call, name: "watch", request: { service: "" } };
  if (format === "text") {
    // A watch does not end by itself.
    const first = await callStream({ ...watch, messages: 1 });
    checkEqual(`${format}: the first message of a stream arrives before its end`, first, [
      { status: "SERVING" },
    ]);
  }
  const events = await callStream({ ...watch, metadata: { deadline: String(Date.now() + 500) } });
  checkEqual(
    `${format}: a stream ends at its deadline`,
    [events[0], events[1]?.[0]],
    [{ status: "SERVING" }, Code.DeadlineExceeded],
  );
  checkEqual(`${format}: the content type of the responses`, [...types], [CONTENT_TYPES[format]]);
  await finish();
}

/** Creates a server for pages of all origins. */
function createOpenServer() {
  return createServer({
    routes: (router) =>
      router.service(Health, {
        async *watch() {
          yield* [{ status: 1 }, { status: 2 }, { status: 3 }];
          throw new ConnectError("no more, “really”", Code.Unavailable);
        },
      }),
    transcoding: {
      corsOrigins: ["*"],
      onRequest: (request) => {
        if (request.header("x-reject") !== undefined) {
          throw new ConnectError("100 % wrong", Code.Unauthenticated);
        }
      },
    },
  });
}

/** Calls a server from a page of another origin. */
async function callOtherOrigin(browser, script, format, baseUrl) {
  // The policy of the page forbids other origins.
  const { callUnary, callStream, context } = await openClient(browser, script, { bypassCSP: true });
  const call = { format, baseUrl };
  const watch = { ...call, name: "watch", request: {} };
  checkEqual(`${format}: messages and an error at once`, await callStream(watch), [
    ...["SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"].map((status) => ({ status })),
    [Code.Unavailable, "no more, “really”"],
    "end",
  ]);
  const unknown = await callUnary({ ...call, name: "lookupIp", request: {} });
  checkEqual(`${format}: an unknown method`, unknown.code, Code.Unimplemented);
  const rejected = await callUnary({ ...call, name: "check", request: {}, metadata: { "x-reject": "1" } });
  checkEqual(
    `${format}: a rejected request`,
    [rejected.code, rejected.text],
    [Code.Unauthenticated, "100 % wrong"],
  );
  await context.close();
}

const script = await bundledClient();
await inBrowser("the gRPC-Web client", async (browser) => {
  const server = createOpenServer();
  const { port } = await server.listen("127.0.0.1", 0);
  try {
    for (const format of ["text", "binary"]) {
      await callService(browser, script, format);
      await callOtherOrigin(browser, script, format, `http://127.0.0.1:${port}`);
    }
  } finally {
    await server.close(0);
  }
});
conclude();
