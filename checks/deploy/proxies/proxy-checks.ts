import { once } from "node:events";
import { request as requestCleartext } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { check } from "../../lib/checks.mjs";
import type { Service } from "../../lib/service.js";
import type { ProxyLogs, ReverseProxy } from "../shipped.js";
import { ask, askHttp2, callGrpc, connectHttp2, FRAME, GRPC_PATH, REST_PATH } from "./requests.js";

const SECRET = "JBSWY3DPEHPK3PXP";
const JSON_TYPE = { "content-type": "application/json" };

/** Checks every protocol through a proxy. */
export async function checkProtocols(proxy: ReverseProxy): Promise<void> {
  const get = await ask(proxy, REST_PATH);
  check(`${proxy.name}: REST over HTTP/1.1`, get.status === 200 && get.body.includes('"asn":15169'), get);

  const session = connectHttp2(proxy);
  const http2 = await askHttp2(session, { ":path": REST_PATH });
  session.close();
  check(
    "REST over HTTP/2 on the same port",
    http2.status === "200" && http2.body.includes('"asn":15169'),
    http2,
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

  const connect = await ask(proxy, GRPC_PATH, {
    method: "POST",
    headers: JSON_TYPE,
    body: '{"ip_address":"8.8.8.8"}',
  });
  check("Connect", connect.status === 200 && connect.body.includes("15169"), connect);

  const web = await ask(proxy, GRPC_PATH, {
    method: "POST",
    headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
    body: FRAME,
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
export async function checkForwarding(proxy: ReverseProxy, replicas: readonly Service[]): Promise<void> {
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
  const altered: unknown[] = [];
  for (const path of [
    "/v1/geoIp%2Fself",
    "/v1/geoIp/%73elf",
    "/v1//geoIp",
    "/v1/./about",
    "/v1/x/../about",
    "/v1/%2e%2e/a",
  ]) {
    const { status, body } = await ask(proxy, path);
    // fetch would normalize the path.
    const outgoing = requestCleartext({ hostname, port, path, agent: false }).end();
    const [response] = await once(outgoing, "response");
    const expected = await text(response);
    if (status !== response.statusCode || body !== expected) {
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
  replicas: readonly Service[],
  unavailable: number,
): Promise<void> {
  await replicas[0]?.end();
  const afterwards = await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0 ? (await ask(proxy, REST_PATH)).status : await callGrpc(proxy),
    ),
  );
  check(
    "with one replica stopped, the other one responds",
    afterwards.every((result) => result === 200 || result === "Google LLC"),
    afterwards,
  );
  await replicas[1]?.end();
  const none = await ask(proxy, `/v1/barcode?type=qr_code&data=${SECRET}`);
  check(`with both stopped, ${proxy.name} returns ${unavailable}`, none.status === unavailable, none);
  const noneGrpc = await callGrpc(proxy);
  check("and gRPC clients get UNAVAILABLE", noneGrpc.startsWith("status 14: "), noneGrpc);
}

/** Checks the logs of a proxy after the other checks. */
export function checkLogs({ access, error }: ProxyLogs): void {
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
