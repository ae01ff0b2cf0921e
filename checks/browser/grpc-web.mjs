// Calls the built service with Google's gRPC-Web client in a real browser.
// `npm test` does not run it.
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { BadRequestSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { check, checkEqual, conclude, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { build } from "vite";
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
async function openClient({ url, open }, script, common, contextOptions) {
  const opened = await open(undefined, contextOptions);
  const { page } = opened;
  const types = new Set();
  page.on("response", (response) => {
    if (response.request().method() === "POST") {
      types.add(response.headers()["content-type"]);
    }
  });
  await page.goto(`${url}/docs`);
  await page.evaluate(script);
  const callUnary = (options) =>
    page.evaluate((each) => globalThis.callUnary(each), { ...common, ...options });
  const callStream = (options) =>
    page.evaluate((each) => globalThis.callStream(each), {
      ...common,
      name: "watch",
      request: {},
      ...options,
    });
  return { callUnary, callStream, types, ...opened };
}

/** Returns the fields in the details of an error that are a BadRequest. */
function badFieldsIn({ metadata }) {
  const status = fromBinary(StatusSchema, Buffer.from(metadata["grpc-status-details-bin"], "base64"));
  return status.details
    .filter(({ typeUrl }) => typeUrl.endsWith(`/${BadRequestSchema.typeName}`))
    .flatMap(({ value }) => fromBinary(BadRequestSchema, value).fieldViolations.map(({ field }) => field));
}

/** Calls the service from its own page. */
async function callService(browser, script, format, options) {
  const common = { format, baseUrl: browser.url };
  const { page, callUnary, callStream, types, finish } = await openClient(browser, script, common, options);
  const lookUp = (ipAddress) => callUnary({ name: "lookupIp", request: { ipAddress } });

  checkEqual(`${format}: a unary call`, (await lookUp("8.8.8.8")).message?.metadata?.asn, 15169);
  const invalid = await lookUp("8.8.8");
  checkEqual(`${format}: the code of an error`, invalid.code, Code.InvalidArgument);
  checkEqual(`${format}: the details of an error`, badFieldsIn(invalid), ["ip_address"]);
  const large = await lookUp("x".repeat(100_000));
  checkEqual(`${format}: a request that is too large`, large.code, Code.ResourceExhausted);

  if (format === "text") {
    // A watch does not end by itself.
    const first = await callStream({ messages: 1 });
    checkEqual("text: the first message of a stream arrives before its end", first, [{ status: "SERVING" }]);
  }
  const [first, [code]] = await callStream({ metadata: { deadline: String(Date.now() + 500) } });
  const ends = [{ status: "SERVING" }, Code.DeadlineExceeded];
  checkEqual(`${format}: a stream ends at its deadline`, [first, code], ends);
  checkEqual(`${format}: the content type of the responses`, [...types], [CONTENT_TYPES[format]]);
  const protocols = await page.evaluate(() =>
    performance.getEntries().flatMap(({ nextHopProtocol }) => nextHopProtocol || []),
  );
  const expected = browser.url.startsWith("https:") ? "h2" : "http/1.1";
  check(
    `all ${protocols.length} requests use ${expected}`,
    protocols.every((each) => each === expected),
    protocols,
  );
  await finish();
}

const script = await bundledClient();
await inBrowser("the gRPC-Web client", async (browser) => {
  for (const format of ["text", "binary"]) {
    await callService(browser, script, format);
  }
});
const { cert, key } = makeCertificate(temporaryFolder("browser-tls"));
await inBrowser(
  "the gRPC-Web client over HTTP/2",
  (browser) => callService(browser, script, "binary", { ignoreHTTPSErrors: true }),
  { TLS_CERT_FILE: cert, TLS_KEY_FILE: key },
);
conclude();
