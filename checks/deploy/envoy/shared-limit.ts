import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { create, toBinary } from "@bufbuild/protobuf";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { freePort } from "../../../test/ports.js";
import { grpcFrame } from "../../lib/load/workload.js";
import { startRedis } from "../../redis/redis-server.js";
import type { Checks } from "../checks.js";
import { startService } from "../service-process.js";
import { type Envoy, startEnvoy } from "./envoy.js";

/** The requests that a client may send, in a window that is longer than the test. */
const LIMIT = 1_000;
/** The requests that each client sends, and how many at once. */
const REQUESTS = 3_000;
const CONCURRENCY = 32;
/** How far the number of accepted requests may be from the limit. */
const TOLERANCE = 0.02;

const REST = { ":path": "/v1/geoIp?ip_address=8.8.8.8" };
const GRPC = {
  ":method": "POST",
  ":path": "/utilitytools.v1.GeoIpService/LookupIp",
  "content-type": "application/grpc",
  te: "trailers",
};
const MESSAGE = grpcFrame(
  toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" })),
);

/** The number of requests by outcome. */
interface Outcomes {
  accepted: number;
  limited: number;
}

/**
 * Checks that two replicas behind Envoy, which share a limit in Redis, allow each client its limit. The clients differ in their
 * address alone, and one claims to be others.
 *
 * @param program the path of Envoy
 */
export async function checkSharedLimit(program: string, { check }: Checks): Promise<void> {
  if (spawnSync("redis-server", ["--version"]).error !== undefined) {
    console.log("skipped: limits in Redis (requires Debian's redis-server)");
    return;
  }
  const redisPort = await freePort();
  const redis = await startRedis("redis-server", redisPort, ["test", "on", "nopass", "~*", "+@all"]);
  const ports: [number, number] = [await freePort(), await freePort()];
  const settings = {
    TRUSTED_PROXIES: "127.0.0.1",
    RATE_LIMIT: `${LIMIT}/1h`,
    RATE_LIMIT_STORE: `redis://127.0.0.1:${redisPort}/0`,
  };
  const replicas = await Promise.all(ports.map((port) => startService({ ...settings, PORT: String(port) })));
  const envoy = await startEnvoy(program, ports);

  const clients = ["127.0.0.2", "127.0.0.3"];
  const results = clients.map((client, index) =>
    sendRequests(connectFrom(client, envoy), (sent) =>
      index === 0 ? {} : { "x-forwarded-for": `192.0.2.${sent % 100}, 127.0.0.2`, "x-real-ip": "127.0.0.2" },
    ),
  );
  for (const [index, { accepted, limited }] of (await Promise.all(results)).entries()) {
    check(
      `a limit of ${LIMIT} allows ${accepted} of ${REQUESTS} requests of ${clients[index]}`,
      Math.abs(accepted / LIMIT - 1) <= TOLERANCE && accepted + limited === REQUESTS,
      { accepted, limited },
    );
  }
  const decisions = await Promise.all(replicas.map(({ url }) => decisionsOf(url)));
  const shares = decisions.map(({ shared }) => shared);
  const total = shares.reduce((sum, share) => sum + share, 0);
  check(
    `both replicas have asked Redis: ${shares.join(" + ")} times`,
    shares.every((share) => share > total / 4) && decisions.every(({ unavailable }) => unavailable === 0),
    decisions,
  );
  await envoy.stop();
  await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
  await redis.kill();
}

/** Opens a connection of HTTP/2 from a local address. */
function connectFrom(localAddress: string, { url, ca }: Envoy): ClientHttp2Session {
  const { hostname: host, port } = new URL(url);
  const socket = connectTcp({ host, port: Number(port), localAddress });
  return connect(url, {
    createConnection: () => connectTls({ socket, ca, servername: "tools.example", ALPNProtocols: ["h2"] }),
  });
}

/** Sends REST and gRPC requests in turn on one connection. */
async function sendRequests(
  session: ClientHttp2Session,
  headersOf: (sent: number) => OutgoingHttpHeaders,
): Promise<Outcomes> {
  const outcomes: Outcomes = { accepted: 0, limited: 0 };
  let sent = 0;
  const sendNext = async (): Promise<void> => {
    while (sent < REQUESTS) {
      const isGrpc = sent++ % 2 === 0;
      const headers = { ...(isGrpc ? GRPC : REST), ...headersOf(sent) };
      const status = await statusOf(session, headers, isGrpc ? MESSAGE : undefined);
      outcomes.accepted += status === (isGrpc ? "0" : "200") ? 1 : 0;
      outcomes.limited += status === (isGrpc ? "8" : "429") ? 1 : 0;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  session.close();
  return outcomes;
}

/** Sends a request and resolves to its gRPC status, or to its HTTP status without one. */
async function statusOf(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: Uint8Array | undefined,
): Promise<string> {
  const stream = session.request(headers, { endStream: body === undefined });
  let status = "";
  stream.on("response", (received) => {
    status = String(received["grpc-status"] ?? received[":status"]);
  });
  stream.on("trailers", (trailers) => {
    status = String(trailers["grpc-status"]);
  });
  stream.resume();
  if (body !== undefined) {
    stream.end(body);
  }
  await once(stream, "close");
  return status;
}

/** Resolves to the number of decisions of a replica about the limit, by its metrics. */
async function decisionsOf(url: string): Promise<{ readonly shared: number; readonly unavailable: number }> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const numberOf = (decision: string): number =>
    Number(
      new RegExp(`^utility_tools_rate_limit_decisions_total\\{decision="${decision}"\\} (\\d+)$`, "m").exec(
        metrics,
      )?.[1] ?? 0,
    );
  const unavailable = numberOf("store_unavailable");
  return { shared: numberOf("allowed") + numberOf("refused") - unavailable, unavailable };
}
