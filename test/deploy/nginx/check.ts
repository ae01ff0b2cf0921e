import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { grpcFrame } from "../../bench/requests.js";
import { freePort } from "../../free-port.js";
import { createChecks } from "../checks.js";
import { endServices, startService } from "../service-process.js";
import { missingPackages, type Nginx, startNginx } from "./nginx.js";

// Runs nginx with deploy/nginx.conf in front of two replicas, and tests every protocol.
const missing = missingPackages();
if (missing.length > 0) {
  console.error(`Debian's ${missing.join(" and ")} must be installed`);
  process.exit(1);
}
process.on("exit", endServices);

const LOOKUP = "/utilitytools.v1.GeoIpService/LookupIp";
const MESSAGE = Buffer.from(
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" })),
);
const SECRET = "JBSWY3DPEHPK3PXP";

const { check, ...checks } = createChecks();
const ports: [number, number] = [await freePort(), await freePort()];
const proxied = { TRUSTED_PROXIES: "127.0.0.1" };
const replicas = [
  await startService({ ...proxied, PORT: String(ports[0]) }),
  await startService({ ...proxied, PORT: String(ports[1]) }),
];
const nginx = await startNginx(ports);

interface Response {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

async function ask(
  { url, ca }: Nginx,
  path: string,
  { method = "GET", headers = {}, body = "" as string | Buffer } = {},
): Promise<Response> {
  const outgoing = request(`${url}${path}`, { method, headers, ca, agent: false }).end(body);
  const [response] = await once(outgoing, "response");
  return { status: response.statusCode, type: response.headers["content-type"], body: await text(response) };
}

/** Makes a unary call with grpc-js. Resolves to the name of the autonomous system, or to the status. */
function callGrpc({ url, ca }: Nginx, message: Buffer = MESSAGE): Promise<string> {
  const client = new Client(new URL(url).host, credentials.createSsl(Buffer.from(ca)));
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

const get = await ask(nginx, "/v1/geoIp?ip_address=8.8.8.8");
check("REST over HTTP/1.1", get.status === 200 && get.body.includes('"asn":15169'), get);

const session = connectHttp2(nginx.url, { ca: nginx.ca });
const stream = session.request({ ":path": "/v1/geoIp?ip_address=8.8.8.8" });
const [headers] = await once(stream, "response");
const overHttp2 = await text(stream);
session.close();
check("REST over HTTP/2 on the same port", headers[":status"] === 200 && overHttp2.includes('"asn":15169'));

const otp = await ask(nginx, "/v1/otp", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ type: "time_based", action: "verify", secret: SECRET }),
});
check("POST with JSON", otp.status === 200 && otp.body.includes("otp_codes"), otp);

const barcode = await ask(
  nginx,
  `/v1/barcode?type=qr_code&data=otpauth%3A%2F%2Ftotp%2Fx%3Fsecret%3D${SECRET}`,
);
check("a query with a secret", barcode.status === 200 && barcode.type === "image/svg+xml", barcode);

const countries = await ask(nginx, "/v1/countries?country=FR", { headers: { host: "tools.example" } });
check(
  "URLs have the host and scheme that clients use",
  countries.body.includes("https://tools.example/v1/"),
  countries,
);

const connect = await ask(nginx, LOOKUP, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"ip_address":"8.8.8.8"}',
});
check("Connect", connect.status === 200 && connect.body.includes("15169"), connect);

const web = await ask(nginx, LOOKUP, {
  method: "POST",
  headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
  body: grpcFrame(MESSAGE),
});
check("gRPC-Web", web.body.includes("Google LLC") && web.body.includes("grpc-status: 0"), web);

const watching = request(`${nginx.url}/grpc.health.v1.Health/Watch`, {
  method: "POST",
  headers: { "content-type": "application/connect+json" },
  ca: nginx.ca,
  agent: false,
}).end(Buffer.from("\0\0\0\0\x02{}"));
const status = await once(watching, "response", { signal: AbortSignal.timeout(5_000) })
  .then(([response]) => once(response, "data"))
  .then(String, String);
watching.on("error", () => undefined).destroy();
check("the first message of an open stream arrives", status.includes('"SERVING"'), status);

const grpc = await callGrpc(nginx);
check("gRPC", grpc === "Google LLC", grpc);

const wrong = await callGrpc(nginx, Buffer.from("0a03782e79", "hex"));
check("gRPC error", wrong.startsWith("status 3: "), wrong);

const long = await ask(nginx, "/v1/sanitizeEmail", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: Buffer.alloc(70_000, " "),
});
check(
  "a body that is too long is rejected by the service",
  long.status === 413 && long.body.startsWith("{"),
  long,
);

const metrics = await Promise.all(["/metrics", "//metrics", "/%6detrics?x"].map((path) => ask(nginx, path)));
check(
  "metrics are not accessible",
  metrics.every(({ status }) => status === 404),
  metrics,
);

await replicas[0]?.end("SIGTERM");
const afterwards = await Promise.all(
  Array.from({ length: 20 }, async (_, index) =>
    index % 2 === 0
      ? (await ask(nginx, "/v1/geoIp?ip_address=8.8.8.8")).status === 200
      : await callGrpc(nginx),
  ),
);
check(
  "with one replica stopped, the other one responds",
  afterwards.every((result) => result === true || result === "Google LLC"),
  afterwards,
);
await replicas[1]?.end("SIGTERM");
const none = await ask(nginx, `/v1/barcode?type=qr_code&data=${SECRET}`);
check("with both stopped, nginx returns 502", none.status === 502, none);

const logs = nginx.accessLog() + nginx.errorLog();
const lines = nginx.accessLog().trimEnd().split("\n");
check("the log has a JSON line per request", lines.length > 25 && lines.every(isJson), lines);
check("the logs contain no secrets and no queries", !logs.includes(SECRET) && !logs.includes("?"), logs);
await nginx.stop();
process.exit(checks.failures === 0 ? 0 : 1);

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
