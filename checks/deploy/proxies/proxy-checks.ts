import { once } from "node:events";
import { request as requestCleartext } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import type { Service } from "../../lib/processes/service.js";
import type { ReverseProxy } from "../shipped.js";
import {
  ask,
  askHttp2,
  callGrpc,
  connectHttp2,
  FRAME,
  GRPC_PATH,
  type ProxyResponse,
  REST_PATH,
} from "./requests.js";

const SECRET = "JBSWY3DPEHPK3PXP";
const JSON_TYPE = "application/json";
const OTP = JSON.stringify({ type: "time_based", action: "verify", secret: SECRET });
const OTP_URL = `otpauth%3A%2F%2Ftotp%2Fx%3Fsecret%3D${SECRET}`;

/** A request over HTTP/1.1, with the type and the content of its body if it is a POST, and what a right response has. */
type Case = readonly [
  what: string,
  path: string,
  body: readonly [type: string, content: string | Buffer] | undefined,
  isRight: (response: ProxyResponse) => boolean,
];
const CASES: readonly Case[] = [
  ["REST over HTTP/1.1", REST_PATH, undefined, ({ status, body }) => status === 200 && isGoogle(body)],
  ["POST with JSON", "/v1/otp", [JSON_TYPE, OTP], (got) => got.status === 200 && /otp_codes/.test(got.body)],
  [
    "a query with a secret",
    `/v1/barcode?type=qr_code&data=${OTP_URL}`,
    undefined,
    ({ status, type }) => status === 200 && type === "image/svg+xml",
  ],
  [
    "Connect",
    GRPC_PATH,
    [JSON_TYPE, '{"ip_address":"8.8.8.8"}'],
    ({ status, body }) => status === 200 && isGoogle(body),
  ],
  [
    "gRPC-Web",
    GRPC_PATH,
    ["application/grpc-web+proto", FRAME],
    ({ body }) => body.includes("Google LLC") && body.includes("grpc-status: 0"),
  ],
  [
    "a body that is too long is rejected by the service",
    "/v1/sanitizeEmail",
    [JSON_TYPE, Buffer.alloc(70_000, " ")],
    ({ status, body }) => status === 413 && body.startsWith("{"),
  ],
];

const isGoogle = (body: string): boolean => /"asn": ?15169/.test(body);

/** Checks every protocol through a proxy. */
export async function checkProtocols(proxy: ReverseProxy): Promise<void> {
  for (const [what, path, body, isRight] of CASES) {
    const [type, content] = body ?? [];
    const post = { method: "POST", headers: { "content-type": String(type) }, body: content ?? "" };
    const response = await ask(proxy, path, body && post);
    check(`${proxy.name}: ${what}`, isRight(response), response);
  }
  const session = connectHttp2(proxy);
  const { status: http2, body } = await askHttp2(session, { ":path": REST_PATH });
  session.close();
  check("REST over HTTP/2 on the same port", http2 === 200 && isGoogle(body), body);

  const watching = request(`${proxy.url}/grpc.health.v1.Health/Watch`, {
    method: "POST",
    headers: { "content-type": "application/connect+json" },
    ca: proxy.ca,
    agent: false,
  }).end(Buffer.from("\0\0\0\0\x02{}"));
  const status = await once(watching, "response", { signal: AbortSignal.timeout(5_000) })
    .then(([response]) => once(response, "data"))
    .then(String, String);
  watching.on("error", () => undefined).destroy();
  check("the first message of an open stream arrives", status.includes('"SERVING"'), status);

  checkEqual("gRPC", await callGrpc(proxy), "Google LLC");
  const wrong = await callGrpc(proxy, Buffer.from("0a03782e79", "hex"));
  check("gRPC error", wrong.startsWith("status 3: "), wrong);
}

const ALTERED_PATHS =
  "/v1/geoIp%2Fself /v1/geoIp/%73elf /v1//geoIp /v1/./about /v1/x/../about /v1/%2e%2e/a".split(" ");
const METRICS_PATHS = "/metrics //metrics /%6detrics?x /./metrics /x/../metrics /metrics/".split(" ");

/** Checks that replicas see the client, which must not be able to name another one. */
export async function checkClient(proxy: ReverseProxy, replicas: readonly Service[]): Promise<void> {
  const other = "198.51.100.7";
  const spoofed = { "x-forwarded-for": other, "x-real-ip": other, forwarded: `for=${other}` };
  await ask(proxy, "/v1/about", { headers: spoofed, localAddress: "127.0.0.2" });
  // Traefik can send a request twice.
  await Promise.any(replicas.map((replica) => replica.says(/"client":"127\.0\.0\.2"/g, 1))).catch(() => {});
  const has = (text: string): boolean => replicas.some((replica) => replica.output().includes(text));
  checkEqual(
    "replicas see the address of the client, not the one that it names",
    [has('"client":"127.0.0.2"'), has(other)],
    [true, false],
  );
}

/**
 * Checks what replicas see of requests: the host, the scheme and paths.
 *
 * @param forwarded returns the path that the proxy forwards; without it, the path as it is
 */
export async function checkForwarding(
  proxy: ReverseProxy,
  replicas: readonly Service[],
  forwarded: (path: string) => string = (path) => path,
): Promise<void> {
  const countries = await ask(proxy, "/v1/countries?country=FR", {
    headers: { host: "tools.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" },
  });
  const hasHost = countries.body.includes("https://tools.example/v1/");
  check("URLs have the host and scheme that clients use", hasHost, countries);

  const { hostname, port } = new URL(replicas[0]?.url ?? "");
  for (const path of ALTERED_PATHS) {
    const { status, body } = await ask(proxy, path);
    // fetch would normalize the path.
    const outgoing = requestCleartext({ hostname, port, path: forwarded(path), agent: false }).end();
    const [response] = await once(outgoing, "response");
    const expected = [response.statusCode, await text(response)];
    checkEqual(`${path} reaches the service as ${forwarded(path)}`, [status, body], expected);
  }
  for (const path of METRICS_PATHS) {
    const { status, body } = await ask(proxy, path);
    check(`${path} has no metrics`, status === 404 && !body.includes("utility_tools_"), status);
  }
}

/**
 * Stops one replica and then the other.
 *
 * @param unavailable the statuses of the proxy without a replica, or the codes of errors if it closes the connection
 */
export async function checkFailover(
  proxy: ReverseProxy,
  replicas: readonly Service[],
  unavailable: readonly (number | string)[],
): Promise<void> {
  await replicas[0]?.end();
  const afterwards = await Promise.all(
    Array.from({ length: 10 }, async () => [(await ask(proxy, REST_PATH)).status, await callGrpc(proxy)]),
  );
  const expected = Array.from({ length: 10 }, () => [200, "Google LLC"]);
  checkEqual("with one replica stopped, the other one responds", afterwards, expected);
  await replicas[1]?.end();
  const none = await ask(proxy, `/v1/barcode?type=qr_code&data=${SECRET}`).then(
    ({ status }) => status ?? 0,
    ({ code }) => String(code),
  );
  const statuses = unavailable.join(" or ");
  check(`with both stopped, ${proxy.name} returns ${statuses}`, unavailable.includes(none), none);
  const noneGrpc = await callGrpc(proxy);
  check("and gRPC clients get UNAVAILABLE", noneGrpc.startsWith("status 14: "), noneGrpc);
}

/** Checks the logs of a proxy after the other checks. */
export function checkLogs(access: string, error: string): void {
  const lines = access.trimEnd().split("\n");
  const isJson = lines.every((line) => typeof JSON.parse(line) === "object");
  check("the log has a JSON line per request", lines.length > 25 && isJson, lines);
  check("the log has paths", /"(?:path|uri|RequestPath)":"\/v1\/geoIp"/.test(access), lines);
  const logs = access + error;
  check("the logs contain no secrets and no queries", !logs.includes(SECRET) && !logs.includes("?"), logs);
}
