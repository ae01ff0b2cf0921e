import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { makeApiKey } from "connect-transcoding-operations/access/api-keys";
import { freePort } from "../../test/support/ports.js";
import { startRedis } from "../lib/processes/programs.js";
import { startService } from "../lib/processes/service.js";

// Replicas share a limit in a real Redis, which is absent, starts, hangs, is killed and restarts: `npm run check -- redis`.

/** The requests per client in a window that is longer than the run. */
const LIMIT = 100;
const REPLICAS = 2;
/** The number of clients in a run. */
const CLIENTS = 40;
/** The requests in flight per replica under load, and the milliseconds between a response and the next request. */
const [CONCURRENCY, PAUSE] = [8, 2];
/** The duration of the load before and after the failure, in milliseconds. Longer than the timeout of the store. */
const LOAD_TIME = 1_000;
/** The maximum time until replicas use a server again, in milliseconds. */
const PATIENCE = 15_000;

/** The user that the documentation tells operators to create. The test has no other permissions. */
const USER =
  /^ACL SETUSER (.*)$/m.exec(readFileSync("docs/reference/access.md", "utf8"))?.[1]?.split(" ") ?? [];
const PASSWORD = USER.find((rule) => rule.startsWith(">"))?.slice(1);

/** The outcome of a request, and the remaining requests by the header `RateLimit`. */
interface Outcome {
  readonly outcome: "allowed" | "limited" | `failed: ${string}`;
  readonly remaining: number;
}

/** Sends a request to a replica with the key of a client. Never rejects. */
type Send = (client: number) => Promise<Outcome>;

function remainingIn(headers: Headers): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1] ?? Number.NaN);
}

/** Returns a function whose requests alternate between HTTP and gRPC. */
function senderTo(url: string, keys: readonly string[]): Send {
  const grpc = createClient(GeoIpService, createGrpcTransport({ baseUrl: url }));

  async function sendHttp(key: string): Promise<Outcome> {
    const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`, { headers: { "x-api-key": key } });
    const text = await response.text();
    const isLimited = response.status === 429 && text.includes('"RATE_LIMIT_EXCEEDED"');
    const failed = isLimited ? "limited" : (`failed: HTTP ${response.status} ${text}` as const);
    return {
      outcome: response.status === 200 ? "allowed" : failed,
      remaining: remainingIn(response.headers),
    };
  }

  async function sendGrpc(key: string): Promise<Outcome> {
    let remaining = Number.NaN;
    const onHeader = (headers: Headers): void => {
      remaining = remainingIn(headers);
    };
    try {
      const headers = { authorization: `Bearer ${key}` };
      await grpc.lookupIp({ ipAddress: "8.8.8.8" }, { headers, onHeader });
      return { outcome: "allowed", remaining };
    } catch (cause) {
      const error = ConnectError.from(cause);
      const reason = error.findDetails(ErrorInfoSchema)[0]?.reason;
      const isLimited = error.code === Code.ResourceExhausted && reason === "RATE_LIMIT_EXCEEDED";
      const outcome = isLimited ? "limited" : (`failed: gRPC ${error.message}` as const);
      return { outcome, remaining: remainingIn(error.metadata) };
    }
  }

  let sent = 0;
  return (client) => {
    const send = sent++ % 2 === 0 ? sendHttp : sendGrpc;
    return send(keys[client] ?? "").catch((error) => ({
      outcome: `failed: ${error}`,
      remaining: Number.NaN,
    }));
  };
}

/** Throws unless the condition holds. */
function expectThat(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(`not so: ${what}`);
  }
  console.log(`  ${what}`);
}

function expectNoFailure(outcomes: readonly Outcome[]): void {
  const failures = outcomes.map(({ outcome }) => outcome).filter((outcome) => outcome.startsWith("failed"));
  if (failures.length > 0) {
    throw new Error(`${failures.length} requests failed: ${[...new Set(failures)].slice(0, 5).join("; ")}`);
  }
}

/** Checks replicas before the server starts, while it runs, hangs, is killed, and is restarted. */
async function runScenario(replicas: readonly Send[], port: number): Promise<void> {
  let clients = 0;
  const newClient = (): number => clients++;

  /** Sends three times the limit at once, over all replicas. */
  async function burst(allowed: number, how: string): Promise<void> {
    const client = newClient();
    const sent = Array.from({ length: LIMIT }, () => replicas.map((send) => send(client))).flat();
    const more = Array.from({ length: LIMIT }, () => replicas[0]?.(client) ?? []);
    const outcomes = (await Promise.all([...sent, ...more])).flat();
    expectNoFailure(outcomes);
    const passed = outcomes.filter(({ outcome }) => outcome === "allowed").length;
    expectThat(passed === allowed, `${how}: ${passed} of ${outcomes.length} requests at once pass`);
  }

  async function untilShared(): Promise<void> {
    const started = performance.now();
    const client = newClient();
    for (let isShared = false; !isShared; ) {
      const outcomes: Outcome[] = [];
      for (const send of [...replicas, ...replicas.slice(0, 1)]) {
        outcomes.push(await send(client));
      }
      expectNoFailure(outcomes);
      const [first = 0, second, third] = outcomes.map(({ remaining }) => remaining);
      isShared = second === first - 1 && third === first - 2;
      if (!isShared && performance.now() - started > PATIENCE) {
        throw new Error("the replicas do not share a limit");
      }
      await sleep(isShared ? 0 : 200);
    }
    console.log(`  the limit is shared after ${Math.round(performance.now() - started)} ms`);
  }

  /** Sends requests to every replica and calls `halfway` in between. No request may fail. */
  async function underLoad(what: string, halfway: () => Promise<unknown>): Promise<void> {
    const used = Array.from({ length: 10 }, newClient);
    const outcomes: Outcome[] = [];
    let slowest = 0;
    let isOver = false;
    const sendLoad = async (send: Send): Promise<void> => {
      while (!isOver) {
        const started = performance.now();
        outcomes.push(await send(used[outcomes.length % used.length] ?? 0));
        slowest = Math.max(slowest, performance.now() - started);
        await sleep(PAUSE);
      }
    };
    const load = replicas.flatMap((send) => Array.from({ length: CONCURRENCY }, () => sendLoad(send)));
    await sleep(LOAD_TIME);
    const before = outcomes.length;
    await halfway();
    await sleep(LOAD_TIME);
    isOver = true;
    await Promise.all(load);
    expectNoFailure(outcomes);
    const limited = outcomes.filter(({ outcome }) => outcome === "limited").length;
    expectThat(
      before > 0 && outcomes.length > before,
      `the server ${what} after ${before} of ${outcomes.length} requests: ${limited} are limited, 0 fail, ` +
        `and the slowest takes ${Math.round(slowest)} ms`,
    );
  }

  const perReplica = `each of ${replicas.length} replicas by itself, without a server`;
  await burst(replicas.length * LIMIT, perReplica);
  const first = await startRedis(USER, port);
  await untilShared();
  await burst(LIMIT, "all replicas together");
  await burst(LIMIT, "once more, for another client");
  await underLoad("hangs", async () => first.signal("SIGSTOP"));
  first.signal("SIGCONT");
  await untilShared();
  await underLoad("is killed", () => first.stop("SIGKILL"));
  await burst(replicas.length * LIMIT, perReplica);
  const second = await startRedis(USER, port);
  await untilShared();
  await burst(LIMIT, "all replicas together again");
  await second.stop("SIGKILL");
}

const folder = mkdtempSync(join(tmpdir(), "keys-"));
const made = Array.from({ length: CLIENTS }, (_, client) => makeApiKey(`client-${client}`, randomBytes));
const keys = made.flatMap((result) => (result.ok ? [result.value] : []));
const file = join(folder, "keys");
writeFileSync(file, keys.map(({ line }) => `${line}\n`).join(""));
const port = await freePort();
const environment = {
  RATE_LIMIT: `${LIMIT}/60s`,
  RATE_LIMIT_STORE: `redis://${USER[0]}:${PASSWORD}@127.0.0.1:${port}/1`,
  API_KEYS_FILE: file,
};
const services = await Promise.all(Array.from({ length: REPLICAS }, () => startService({ environment })));
const texts = keys.map(({ key }) => key);
await runScenario(
  services.map(({ url }) => senderTo(url, texts)),
  port,
);
await Promise.all(services.map((service) => service.end()));
rmSync(folder, { recursive: true });
