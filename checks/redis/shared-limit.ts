import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { makeApiKey } from "connect-transcoding-operations/access/api-keys";
import { checkEqual, conclude, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import { startRedis } from "connect-transcoding-testing/processes/programs.js";
import { startService } from "../lib/processes/service.js";

// Replicas share a limit in a real Redis, which is absent, starts, hangs, is killed and restarts: `npm run check -- redis`.

/** The requests per client in a window that is longer than the run. */
const LIMIT = 100;
const REPLICAS = 2;
const CLIENTS = 20;
/** The maximum time until replicas use a server again, in milliseconds. */
const PATIENCE = 15_000;

/** The user that the documentation tells operators to create. The test has no other permissions. */
const USER =
  /^ACL SETUSER (.*)$/m.exec(readFileSync("docs/reference/access.md", "utf8"))?.[1]?.split(" ") ?? [];
const PASSWORD = USER.find((rule) => rule.startsWith(">"))?.slice(1);

/** The remaining requests by the header `RateLimit`, or "limited". Throws an Error if a request fails. */
type Send = (client: number) => Promise<number | "limited">;

function remainingIn(headers: Headers): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1] ?? Number.NaN);
}

/** Returns a function whose requests alternate between HTTP and gRPC. */
function senderTo(url: string, keys: readonly string[]): Send {
  const grpc = createClient(GeoIpService, createGrpcTransport({ baseUrl: url }));

  async function sendHttp(key: string): ReturnType<Send> {
    const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`, { headers: { "x-api-key": key } });
    const text = await response.text();
    if (response.status === 429 && text.includes('"RATE_LIMIT_EXCEEDED"')) {
      return "limited";
    }
    if (response.status !== 200) {
      throw new Error(`HTTP ${response.status} ${text}`);
    }
    return remainingIn(response.headers);
  }

  async function sendGrpc(key: string): ReturnType<Send> {
    let remaining = Number.NaN;
    const onHeader = (headers: Headers): void => {
      remaining = remainingIn(headers);
    };
    try {
      const headers = { authorization: `Bearer ${key}` };
      await grpc.lookupIp({ ipAddress: "8.8.8.8" }, { headers, onHeader });
      return remaining;
    } catch (cause) {
      const error = ConnectError.from(cause);
      const reason = error.findDetails(ErrorInfoSchema)[0]?.reason;
      if (error.code === Code.ResourceExhausted && reason === "RATE_LIMIT_EXCEEDED") {
        return "limited";
      }
      throw error;
    }
  }

  let sent = 0;
  return (client) => (sent++ % 2 === 0 ? sendHttp : sendGrpc)(keys[client] ?? "");
}

/** Checks replicas before the server starts, while it runs, hangs, is killed, and is restarted. */
async function runScenario(replicas: readonly Send[], port: number): Promise<void> {
  let clients = 0;

  /** Sends three times the limit at once, over all replicas. No request may fail. */
  async function burst(allowed: number, how: string): Promise<void> {
    const client = clients++;
    const senders = [...replicas, ...replicas.slice(0, 1)];
    const sent = Array.from({ length: LIMIT }, () => senders.map((send) => send(client))).flat();
    const passed = (await Promise.all(sent)).filter((outcome) => outcome !== "limited").length;
    checkEqual(`${how}: ${allowed} of ${sent.length} requests at once pass`, passed, allowed);
  }

  async function untilShared(): Promise<void> {
    const started = performance.now();
    const client = clients++;
    for (let isShared = false; !isShared; ) {
      const outcomes: (number | "limited")[] = [];
      for (const send of [...replicas, ...replicas.slice(0, 1)]) {
        outcomes.push(await send(client));
      }
      const [first, second, third] = outcomes.map(Number);
      isShared = second === Number(first) - 1 && third === Number(first) - 2;
      if (!isShared && performance.now() - started > PATIENCE) {
        throw new Error("the replicas do not share a limit");
      }
      await sleep(isShared ? 0 : 200);
    }
    console.log(`the limit is shared after ${Math.round(performance.now() - started)} ms`);
  }

  const alone = replicas.length * LIMIT;
  await burst(alone, "without a server");
  const first = await startRedis(USER, port);
  await untilShared();
  await burst(LIMIT, "all replicas together");
  await burst(LIMIT, "once more, for another client");
  first.signal("SIGSTOP");
  await burst(alone, "while the server hangs");
  first.signal("SIGCONT");
  await untilShared();
  const busy = Array.from({ length: LIMIT }, () => replicas.map((send) => send(clients)));
  await Promise.all([...busy.flat(), first.stop("SIGKILL")]);
  clients++;
  await burst(alone, "after the server is killed");
  const second = await startRedis(USER, port);
  await untilShared();
  await burst(LIMIT, "all replicas together again");
  await second.stop("SIGKILL");
}

const folder = temporaryFolder("keys");
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
conclude();
