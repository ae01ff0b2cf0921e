import { once } from "node:events";
import { request as requestCleartext } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { grpcFrame } from "../lib/load/workload.js";
import type { Checks } from "./checks.js";
import type { ProxyLogs, ReverseProxy } from "./proxy.js";
import type { ServiceProcess } from "./service-process.js";

/** The settings of replicas behind a proxy that is checked. The log shows which client they see. */
export const PROXIED = { TRUSTED_PROXIES: "127.0.0.1", LOG_REQUESTS: "all" };

const LOOKUP = "/utilitytools.v1.GeoIpService/LookupIp";
const MESSAGE = Buffer.from(
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" })),
);
const SECRET = "JBSWY3DPEHPK3PXP";
const JSON_TYPE = { "content-type": "application/json" };

/** A response of a proxy. */
export interface ProxyResponse {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The address of the client. */
  readonly localAddress?: string;
}

/** Sends a request over HTTP/1.1 on a new connection, with the path as it is. */
export async function ask(
  { url, ca }: ReverseProxy,
  path: string,
  { method = "GET", headers = {}, body = "", localAddress = "127.0.0.1" }: Question = {},
): Promise<ProxyResponse> {
  const outgoing = request(url, { path, method, headers, ca, agent: false, localAddress }).end(body);
  const [response] = await once(outgoing, "response");
  const type = response.headers["content-type"];
  return { status: response.statusCode, type, headers: response.headers, body: await text(response) };
}

/** Makes a unary call with grpc-js. Resolves to the name of the autonomous system, or to the status. */
export function callGrpc({ url, ca }: ReverseProxy, message: Buffer = MESSAGE): Promise<string> {
  // Node 26 rejects an IP address as the name that the client sends in the TLS handshake.
  const options = { "grpc.ssl_target_name_override": "tools.example" };
  const client = new Client(new URL(url).host, credentials.createSsl(Buffer.from(ca)), options);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      LOOKUP,
      (bytes: Buffer) => bytes,
      (bytes) => fromBinary(LookupIpResponseSchema, bytes).metadata?.asnName ?? "",
      message,
      new Metadata(),
      { deadline: Date.now() + 5_000 },
      (error: ServiceError | null, name) => {
        client.close();
        resolve(error === null ? (name ?? "") : `status ${error.code}: ${error.details}`);
      },
    );
  });
}

/** Checks every protocol through a proxy. */
export async function checkProtocols(proxy: ReverseProxy, { check }: Checks): Promise<void> {
  const get = await ask(proxy, "/v1/geoIp?ip_address=8.8.8.8");
  check("REST over HTTP/1.1", get.status === 200 && get.body.includes('"asn":15169'), get);

  const session = connectHttp2(proxy.url, { ca: proxy.ca });
  const stream = session.request({ ":path": "/v1/geoIp?ip_address=8.8.8.8" });
  const [headers] = await once(stream, "response");
  const overHttp2 = await text(stream);
  session.close();
  check(
    "REST over HTTP/2 on the same port",
    headers[":status"] === 200 && overHttp2.includes('"asn":15169'),
    overHttp2,
  );

  const otp = await ask(proxy, "/v1/otp", {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ type: "time_based", action: "verify", secret: SECRET }),
  });
  check("POST with JSON", otp.status === 200 && otp.body.includes("otp_codes"), otp);

  const data = `otpauth%3A%2F%2Ftotp%2Fx%3Fsecret%3D${SECRET}`;
  const barcode = await ask(proxy, `/v1/barcode?type=qr_code&data=${data}`);
  check("a query with a secret", barcode.status === 200 && barcode.type === "image/svg+xml", barcode);

  const connect = await ask(proxy, LOOKUP, {
    method: "POST",
    headers: JSON_TYPE,
    body: '{"ip_address":"8.8.8.8"}',
  });
  check("Connect", connect.status === 200 && connect.body.includes("15169"), connect);

  const web = await ask(proxy, LOOKUP, {
    method: "POST",
    headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
    body: grpcFrame(MESSAGE),
  });
  check("gRPC-Web", web.body.includes("Google LLC") && web.body.includes("grpc-status: 0"), web);

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

  const grpc = await callGrpc(proxy);
  check("gRPC", grpc === "Google LLC", grpc);

  const wrong = await callGrpc(proxy, Buffer.from("0a03782e79", "hex"));
  check("gRPC error", wrong.startsWith("status 3: "), wrong);

  const long = await ask(proxy, "/v1/sanitizeEmail", {
    method: "POST",
    headers: JSON_TYPE,
    body: Buffer.alloc(70_000, " "),
  });
  check(
    "a body that is too long is rejected by the service",
    long.status === 413 && long.body.startsWith("{"),
    long,
  );
}

/** Checks what replicas see of requests: paths, and the client, which must not be able to name another one. */
export async function checkForwarding(
  proxy: ReverseProxy,
  replicas: readonly ServiceProcess[],
  { check }: Checks,
): Promise<void> {
  const countries = await ask(proxy, "/v1/countries?country=FR", {
    headers: { host: "tools.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" },
  });
  check(
    "URLs have the host and scheme that clients use",
    countries.body.includes("https://tools.example/v1/"),
    countries,
  );

  const spoofed = {
    "x-forwarded-for": "198.51.100.7",
    "x-real-ip": "198.51.100.7",
    forwarded: "for=198.51.100.7",
  };
  await ask(proxy, "/v1/about", { headers: spoofed, localAddress: "127.0.0.2" });
  const seen = (pattern: RegExp) => replicas.reduce((sum, replica) => sum + replica.count(pattern), 0);
  await Promise.any(replicas.map((replica) => replica.says(/"client":"127\.0\.0\.2"/g, 1))).catch(() => {});
  check(
    "replicas see the address of the client, not the one that it names",
    seen(/"client":"127\.0\.0\.2"/g) === 1 && seen(/198\.51\.100\.7/g) === 0,
  );

  const { hostname, port } = new URL(replicas[0]?.url ?? "");
  const paths = [
    "/v1/geoIp%2Fself",
    "/v1/geoIp/%73elf",
    "/v1//geoIp",
    "/v1/./about",
    "/v1/x/../about",
    "/v1/%2e%2e/a",
  ];
  const altered: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await ask(proxy, path);
    // fetch would normalize the path.
    const outgoing = requestCleartext({ hostname, port, path, agent: false }).end();
    const [response] = await once(outgoing, "response");
    const expected = { status: response.statusCode, body: await text(response) };
    if (status !== expected.status || body !== expected.body) {
      altered.push({ path, status, body, expected });
    }
  }
  check("paths reach the service as they are", altered.length === 0, altered);

  const metrics = await Promise.all(
    ["/metrics", "//metrics", "/%6detrics?x", "/./metrics", "/x/../metrics", "/metrics/"].map((path) =>
      ask(proxy, path),
    ),
  );
  check(
    "metrics are not accessible",
    metrics.every(({ status, body }) => status === 404 && !body.includes("utility_tools_")),
    metrics,
  );
}

/**
 * Stops one replica and then the other.
 *
 * @param unavailable the status of the proxy without a replica
 */
export async function checkFailover(
  proxy: ReverseProxy,
  replicas: readonly ServiceProcess[],
  unavailable: number,
  { check }: Checks,
): Promise<void> {
  await replicas[0]?.end("SIGTERM");
  const afterwards = await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0
        ? (await ask(proxy, "/v1/geoIp?ip_address=8.8.8.8")).status === 200
        : await callGrpc(proxy),
    ),
  );
  check(
    "with one replica stopped, the other one responds",
    afterwards.every((result) => result === true || result === "Google LLC"),
    afterwards,
  );
  await replicas[1]?.end("SIGTERM");
  const none = await ask(proxy, `/v1/barcode?type=qr_code&data=${SECRET}`);
  check(`with both stopped, ${proxy.name} returns ${unavailable}`, none.status === unavailable, none);
  const noneGrpc = await callGrpc(proxy);
  check("and gRPC clients get UNAVAILABLE", noneGrpc.startsWith("status 14: "), noneGrpc);
}

/** Checks the logs of a proxy after the other checks. */
export function checkLogs({ access, error }: ProxyLogs, { check }: Checks): void {
  const lines = access.trimEnd().split("\n");
  check("the log has a JSON line per request", lines.length > 25 && lines.every(isJson), lines);
  check("the log has paths", access.includes('"path":"/v1/geoIp"'), lines);
  const logs = access + error;
  check("the logs contain no secrets and no queries", !logs.includes(SECRET) && !logs.includes("?"), logs);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
