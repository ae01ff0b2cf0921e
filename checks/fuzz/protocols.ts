import { setTimeout as wait } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { SERVICES as TOOLS } from "@utility-tools/protos/services.js";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { short } from "../differential/differences.js";
import { type Case, readCaseOptions, runCases } from "../lib/cases.js";
import { createRawClient, type RawRequest, type RawResponse } from "../lib/raw-client.js";
import type { RpcProtocol } from "../lib/rpc-request.js";
import { inflated, readRpcResponse } from "../lib/rpc-response.js";
import { startWatchedService } from "../lib/watched-service.js";
import { anyRestRequest, operationsOf } from "./protocols/rest-requests.js";
import { anyRpcRequest } from "./protocols/rpc-requests.js";
import { changedHeaders, containsMarker, MARKER } from "./protocols/values.js";

// Sends random and mutated requests over all protocols to the built service in a separate process. Each must get a response or an
// orderly end that is no server fault, and no error or log may repeat a secret.

/** The timeout of a response, in milliseconds. The machine may be shared. */
const TIMEOUT = 20_000;
/** The time after which a client that breaks off disconnects, in milliseconds. */
const ABANDON_AFTER = 15;
/** The time in which the service must close connections, in milliseconds. It checks them every one or two seconds. */
const CLOSE_TIMEOUT = 5000;
/** The maximum resident memory in MiB. */
const MAX_RESIDENT = 512;

const METHODS = [...Object.values(TOOLS), Health, ServerReflection, ServerReflectionV1Alpha].flatMap(
  ({ methods }) => methods,
);

interface AnyRequest extends RawRequest {
  readonly protocol: RpcProtocol | "rest";
}

function anyRequest(random: Case["random"]): AnyRequest {
  const request = random.oneIn(3)
    ? { protocol: "rest" as const, ...anyRestRequest(random, operations) }
    : anyRpcRequest(random, METHODS);
  return {
    ...request,
    headers: changedHeaders(random, request.headers),
    // Clients cannot read trailers over HTTP/1.1, which gRPC needs, so such requests are rare.
    http: random.oneIn(request.protocol === "grpc" ? 20 : 2) ? 1 : 2,
  };
}

/** Codes of server faults that a protocol requires for a client's mistake. */
const EXPECTED_FAULTS: readonly (readonly [code: string, text: RegExp])[] = [
  // https://github.com/grpc/grpc/blob/v1.70.0/doc/compression.md#test-cases, the Compressed-Flag without an encoding
  ["Internal", /^the message is compressed, but no header names the encoding$/],
  // As from connect-node, for a bidirectional stream over HTTP/1.1 (RFC 9110, section 15.6.6)
  ["HTTP 505", /^$/],
  // The HTTP server, for methods that no route has, and for another version (RFC 9110, sections 15.6.2 and 15.6.6)
  ["HTTP 501", /"reason":"UNSUPPORTED_(?:HTTP_METHOD|TRANSFER_CODING)"/],
  ["HTTP 505", /"reason":"UNSUPPORTED_HTTP_VERSION"/],
];
const SERVER_FAULTS = ["Internal", "Unknown", "DataLoss"];
/** Statuses above 499 of Connect that are no server faults: https://connectrpc.com/docs/protocol/#error-codes */
const CONNECT_STATUSES: Readonly<Record<string, number>> = { Unimplemented: 501, DeadlineExceeded: 504 };
/** Resets that are valid for a malformed HTTP/2 request. */
const ORDERLY_RESETS =
  /^reset (?:NO_ERROR|PROTOCOL_ERROR|CANCEL|STREAM_CLOSED|ENHANCE_YOUR_CALM|REFUSED_STREAM)$/;
/** Methods whose responses repeat a secret that is not an error: OTP, labels, addresses, symbols, and batch items. */
const ECHOES = /otp|email|reflection|batch/i;

/** Judges a response: how it ended in terms of its protocol, and what is wrong. */
function judge(request: AnyRequest, response: RawResponse): { code: string; problem?: string | undefined } {
  const { end, status } = response;
  if (end !== "complete") {
    // A CONNECT request could only be accepted with a tunnel (RFC 9110, section 9.3.6).
    const isExpected =
      end === "closed" ? request.httpMethod === "CONNECT" || request.breaksOff : end === "abandoned";
    return { code: end, problem: isExpected || ORDERLY_RESETS.test(end) ? undefined : `it ended: ${end}` };
  }
  const { code, text } = outcomeOf(request, response);
  const isFault =
    SERVER_FAULTS.includes(code) || (!(status >= 200 && status < 500) && CONNECT_STATUSES[code] !== status);
  if (isFault && !EXPECTED_FAULTS.some(([name, pattern]) => name === code && pattern.test(text))) {
    return { code, problem: `HTTP ${status}, ${code}: ${text}` };
  }
  return { code, problem: problemOfSecret(request, response, code) };
}

function outcomeOf(
  { protocol, httpMethod }: AnyRequest,
  response: RawResponse,
): { code: string; text: string } {
  const { status, headers, body } = response;
  const type = headers["content-type"] ?? "";
  const isRejected = type.startsWith("application/json") && body.includes('"reason":"UNSUPPORTED_');
  const isRpc =
    protocol !== "rest" && !isRejected && (type.startsWith("application/") || "grpc-status" in headers);
  if (isRpc && httpMethod !== "HEAD") {
    const { code, text } = readRpcResponse(response, httpMethod);
    // Not a number for what is no error of these protocols, such as an error of REST.
    if (typeof code === "number" && (code !== 0 || status === 200)) {
      return { code: code === 0 ? "ok" : (Code[code] ?? "Unknown"), text };
    }
  }
  return { code: `HTTP ${status}`, text: status >= 500 ? body.toString() : "" };
}

function problemOfSecret({ target }: AnyRequest, { headers, trailers, body }: RawResponse, code: string) {
  const isGood = code === "ok" || /^HTTP 2/.test(code);
  const path = target.replaceAll(/%[0-9a-f]{2}/gi, (byte) =>
    String.fromCharCode(Number.parseInt(byte.slice(1), 16)),
  );
  if ((isGood && ECHOES.test(path)) || /reflection/i.test(target)) {
    return undefined;
  }
  const text = inflated(body, headers["content-encoding"]).toString("latin1");
  // A lost `=` makes the marker the name of a parameter, which is not secret.
  if (!isGood && (text.match(/"field":"(?:[^"\\]|\\.)*"/g) ?? []).some((field) => field.includes(MARKER))) {
    return undefined;
  }
  const all = JSON.stringify([headers, trailers]) + text;
  // A stream can fail after successful responses.
  const isRepeated = isGood ? all.includes(MARKER) : text.length < 100_000 && containsMarker(all);
  return isRepeated ? `the response (${code}) contains the secret: ${all.slice(0, 2000)}` : undefined;
}

async function run({ random, isAlone, count }: Case): Promise<string[]> {
  const request = anyRequest(random);
  // Servers may refuse a stream, or end a session, for reasons of other requests (RFC 9113, section 8.7).
  let response = await client.send(request);
  for (let again = 0; again < 2 && /^closed$|REFUSED_STREAM/.test(response.end); again++) {
    response = await client.send(request);
  }
  const { code, problem } = judge(request, response);
  count(`${request.protocol} over HTTP/${request.http}`, code);
  const shown = { ...request, body: Buffer.from(request.body).toString("latin1") };
  if (isAlone) {
    console.log(shown, { ...response, body: response.body.toString("latin1", 0, 2000) });
  }
  return problem === undefined ? [] : [problem, short(shown, 1500)];
}

async function finish(): Promise<string[]> {
  const resident = service.peakMemory();
  client.close();
  const deadline = performance.now() + CLOSE_TIMEOUT;
  while (service.openFiles() > files && performance.now() < deadline) {
    await wait(100);
  }
  const left = service.openFiles() - files;
  await service.stop();
  const problem = service.problem();
  return [
    ...(left > 0 ? [`${left} connections of disconnected clients are still open`] : []),
    ...(resident > MAX_RESIDENT ? [`the process took more than ${MAX_RESIDENT} MiB: ${resident}`] : []),
    ...(problem === undefined ? [] : [problem]),
    ...(hasLeaked ? ["the output of the service contains the secret"] : []),
  ];
}

let hasLeaked = false;
const service = await startWatchedService({
  onOutput: (text) => {
    hasLeaked ||= containsMarker(text);
  },
});
const operations = operationsOf(await (await fetch(`${service.url}/openapi.json`)).json());
const files = service.openFiles();
const client = createRawClient({ port: service.port, timeout: TIMEOUT, abandonAfter: ABANDON_AFTER });
await runCases(readCaseOptions("fuzz/protocols"), {
  run,
  workers: 64,
  maxFailures: 20,
  memory: {
    maxGrowth: 16,
    // Caches fill before.
    minCases: 200_000,
    measure: async () => (await service.status()).usedMemory,
  },
  finish,
});
