import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import { check } from "../../lib/checks.mjs";
import { ANY_REDIS_USER, startRedis } from "../../lib/programs.js";
import { startBehind, startShippedEnvoy } from "../shipped.js";
import {
  askHttp2,
  connectHttp2,
  FRAME,
  GRPC_HEADERS,
  GRPC_PATH,
  REST_PATH,
  sumOfMetrics,
} from "./requests.js";

/** The requests that a client may send, in a window that is longer than the test. */
const LIMIT = 1_000;
/** The requests that each client sends, and how many at once. */
const REQUESTS = 3_000;
const CONCURRENCY = 32;
/** How far the number of accepted requests may be from the limit. */
const TOLERANCE = 0.02;

/** The number of requests by outcome. */
interface Outcomes {
  accepted: number;
  limited: number;
}

/**
 * Checks that two replicas behind Envoy, which share a limit in Redis, allow each client its limit. The clients differ in their
 * address alone, and one claims to be others.
 */
export async function checkSharedLimit(): Promise<void> {
  const redis = await startRedis(ANY_REDIS_USER);
  const { proxy, replicas } = await startBehind(startShippedEnvoy, {
    RATE_LIMIT: `${LIMIT}/1h`,
    RATE_LIMIT_STORE: `redis://127.0.0.1:${redis.port}/0`,
  });
  const clients = ["127.0.0.2", "127.0.0.3"];
  const results = clients.map((client, index) =>
    sendRequests(connectHttp2(proxy, client), (sent) =>
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
  const decisions = (decision: string) => {
    const pattern = `^utility_tools_rate_limit_decisions_total\\{decision="(?:${decision})"\\} (\\d+)$`;
    return Promise.all(replicas.map(({ url }) => sumOfMetrics(url, new RegExp(pattern, "gm"))));
  };
  const [all, unavailable] = [await decisions("allowed|refused"), await decisions("store_unavailable")];
  const total = all.reduce((sum, share) => sum + share, 0);
  check(
    `both replicas have asked Redis: ${all.join(" + ")} times`,
    all.every((share) => share > total / 4) && unavailable.every((count) => count === 0),
    unavailable,
  );
  await proxy.stop();
  await Promise.all(replicas.map((replica) => replica.end()));
  await redis.stop();
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
      const ours = isGrpc ? { ...GRPC_HEADERS, ":path": GRPC_PATH } : { ":path": REST_PATH };
      const { status } = await askHttp2(session, { ...ours, ...headersOf(sent) }, isGrpc ? FRAME : undefined);
      outcomes.accepted += status === (isGrpc ? "0" : "200") ? 1 : 0;
      outcomes.limited += status === (isGrpc ? "8" : "429") ? 1 : 0;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendNext));
  session.close();
  return outcomes;
}
