import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/ports.js";
import { load } from "../../lib/load/open-loop.js";
import { findEnvoy, startEnvoy } from "../envoy/envoy.js";
import { missingPackages, startNginx } from "../nginx/nginx.js";
import type { ReverseProxy } from "../proxy.js";
import { type ServiceProcess, startService } from "../service-process.js";
import { createClients, type Pace, repeat, type Trial } from "./scenario.js";

type Ports = readonly [number, number];

/** Restarts one of two replicas behind nginx after the other. */
export async function restartBehindNginx(pace: Pace): Promise<Trial> {
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new Error(`Debian's ${missing.join(" and ")} must be installed`);
  }
  return restartReplicas(pace, startNginx);
}

/** Restarts one of two replicas behind Envoy after the other. */
export async function restartBehindEnvoy(pace: Pace): Promise<Trial | undefined> {
  const program = await findEnvoy();
  return program === undefined ? undefined : restartReplicas(pace, (ports) => startEnvoy(program, ports));
}

async function restartReplicas(
  { seconds, rate }: Pace,
  startProxy: (ports: Ports) => Promise<ReverseProxy>,
): Promise<Trial> {
  const ports: Ports = [await freePort(), await freePort()];
  const replicas = await Promise.all(ports.map(startReplica));
  const proxy = await startProxy(ports);
  let restarts = 0;
  const result = await load(createClients(proxy.url, { ca: proxy.ca }), rate, async () => {
    await repeat(
      seconds,
      async () => {
        const which = restarts++ % 2;
        const how = await replicas[which]?.end("SIGTERM");
        if (how !== 0) {
          throw new Error(`SIGTERM ended a replica with ${how}`);
        }
        await wait(300);
        replicas[which] = await startReplica(ports[which] ?? 0);
      },
      700,
    );
  });
  const { access } = await proxy.stop();
  await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
  return { ...result, done: `${restarts} × SIGTERM and start${retriesIn(access)}`, expected: [] };
}

/** How long a replica hangs, in milliseconds. */
const HANG = 5_000;
/** The time after which no request may fail, in milliseconds. Envoy needs 2.5 seconds at most. */
const DETECTION = 3_000;
/** The time within which a resumed replica must get requests, in milliseconds. On an idle machine it takes less than two seconds. */
const RECOVERY = 10_000;

/** Suspends one of two replicas behind Envoy, and resumes it. */
export async function suspendBehindEnvoy({ seconds, rate }: Pace): Promise<Trial | undefined> {
  const program = await findEnvoy();
  if (program === undefined) {
    return undefined;
  }
  const ports: Ports = [await freePort(), await freePort()];
  const replicas = await Promise.all(ports.map(startReplica));
  const envoy = await startEnvoy(program, ports);
  const hangs: number[] = [];
  const result = await load(createClients(envoy.url, { ca: envoy.ca }), rate, async () => {
    await repeat(
      seconds,
      async () => {
        const victim = replicas[hangs.length % 2];
        hangs.push(performance.now());
        victim?.process.kill("SIGSTOP");
        await wait(HANG);
        victim?.process.kill("SIGCONT");
        await untilItHandlesRequests(victim?.url ?? "");
      },
      1_000,
    );
  });
  const { access } = await envoy.stop();
  await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
  const expected = result.failed.filter(({ sentAt, failedAt }) =>
    hangs.some((at) => failedAt >= at && sentAt < at + DETECTION),
  );
  const done = `${hangs.length} × SIGSTOP for ${HANG / 1000} s${retriesIn(access)}`;
  return { ...result, done, expected };
}

function startReplica(port: number): Promise<ServiceProcess> {
  // Envoy forwards https over cleartext HTTP/2.
  return startService({ PORT: String(port), TRUSTED_PROXIES: "127.0.0.1" }, undefined, true);
}

/** Resolves when a replica has handled a request since the call. Throws an Error after {@link RECOVERY}. */
async function untilItHandlesRequests(url: string): Promise<void> {
  const before = await handledBy(url);
  const deadline = performance.now() + RECOVERY;
  while ((await handledBy(url)) === before) {
    if (performance.now() > deadline) {
      throw new Error("a replica that no longer hangs gets no requests");
    }
    await wait(100);
  }
}

/** Resolves to the number of IP lookups that a replica has handled, by its metrics. */
async function handledBy(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const samples = metrics.matchAll(/^utility_tools_requests_total\{[^}]*LookupIp"[^}]*\} (\d+)$/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The requests that Envoy retried, by its log, as text; nothing for the log of nginx. */
function retriesIn(accessLog: string): string {
  const attempts = [...accessLog.matchAll(/"attempts":(\d+)/g)];
  const retried = attempts.filter(([, count]) => Number(count) > 1).length;
  return attempts.length === 0 ? "" : `; Envoy retried ${retried}`;
}
