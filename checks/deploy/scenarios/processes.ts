import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import type { LoadResult } from "connect-transcoding-testing/load/open-loop.js";
import { childrenOf, peerPortsOf } from "connect-transcoding-testing/processes/process-state.js";
import { type Service, startService } from "../../lib/processes/service.js";
import { type Ports, type ReverseProxy, startBehind, startReplica, startShippedEnvoy } from "../shipped.js";
import { type Pace, repeat, sendLoad, type Trial } from "./clients.js";

type StartProxy = (ports: Ports) => Promise<ReverseProxy>;

async function endWell(service: Service | undefined): Promise<void> {
  const how = await service?.end();
  if (how !== 0) {
    throw new Error(`SIGTERM ended the service with ${how}`);
  }
}

/** Stops the service over TLS, without a proxy. */
export function stopServiceWithTls(pace: Pace): Promise<Trial> {
  const { cert, key } = makeCertificate(temporaryFolder("stop"));
  const ca = readFileSync(cert, "utf8");
  return stopService(pace, { TLS_CERT_FILE: cert, TLS_KEY_FILE: key }, { ca });
}

/** Stops the service without a proxy, every two seconds. */
export async function stopService({ seconds, rate }: Pace, environment = {}, options = {}): Promise<Trial> {
  const results: LoadResult[] = [];
  let slowest = 0;
  for (let stops = 0; stops < Math.max(1, Math.round(seconds / 2)); stops++) {
    const service = await startService({ environment, isQuiet: true });
    const work = async (): Promise<void> => {
      await wait(1_000);
      const start = performance.now();
      await endWell(service);
      slowest = Math.max(slowest, performance.now() - start);
    };
    results.push(await sendLoad(service.url, rate, options, work));
  }
  const all = (field: "requests" | "rate" | "retried" | "p99" | "worst") =>
    results.map((result) => result[field]);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    requests: sum(all("requests")),
    rate: sum(all("rate")) / results.length,
    retried: sum(all("retried")),
    // A request without a connection has not been sent. This includes those that the service refused, and that were sent again.
    failed: results
      .flatMap(({ failed }) => failed)
      .filter(({ failure }) => !failure?.includes("ECONNREFUSED")),
    expected: [],
    p99: Math.max(...all("p99")),
    worst: Math.max(...all("worst")),
    done: `${results.length} × SIGTERM, exit after at most ${slowest.toFixed(0)} ms`,
  };
}

/** The line that a worker logs when it accepts requests. */
const READY = /worker \d+ is ready/g;

/** Kills one of two workers after the other. */
export async function killWorkers({ seconds, rate }: Pace): Promise<Trial> {
  const service = await startService({ environment: { WORKERS: "2" } });
  await service.says(READY, 2);
  const killed: { readonly at: number; readonly ports: ReadonlySet<number> }[] = [];
  // Requests in progress in a killed worker may be lost. They are not retried, so that they are counted.
  const result = await sendLoad(service.url, rate, { retries: false }, () =>
    repeat(seconds, 700, async (times) => {
      const workers = childrenOf(service.pid);
      const victim = workers[times % workers.length] ?? 0;
      const restarted = service.says(READY, service.count(READY) + 1);
      const ports = peerPortsOf(victim);
      killed.push({ at: performance.now(), ports });
      process.kill(victim, "SIGKILL");
      await restarted;
    }),
  );
  await service.end();
  // Requests on a killed worker's connection that were in progress, or sent before the client noticed.
  const expected = result.failed.filter(
    ({ localPort, failedAt }) =>
      localPort !== undefined && killed.some(({ at, ports }) => ports.has(localPort) && failedAt >= at),
  );
  const connections = killed.map(({ ports }) => ports.size).join("+");
  return { ...result, done: `${killed.length} × SIGKILL, of ${connections} connections`, expected };
}

/** Restarts one of two replicas behind a proxy after the other. */
export function restartBehind(startProxy: StartProxy): (pace: Pace) => Promise<Trial> {
  return (pace) =>
    behindProxy(pace, startProxy, "SIGTERM and start", 700, async (replicas, which, port) => {
      await endWell(replicas[which]);
      await wait(300);
      replicas[which] = await startReplica(port, {}, true);
    });
}

/** How long a replica hangs, in milliseconds. */
const HANG = 5_000;
/** The time after which no request may fail, in milliseconds. Envoy needs 2.5 seconds at most. */
const DETECTION = 3_000;
/** The time within which a resumed replica must get requests, in milliseconds. On an idle machine it takes less than two seconds. */
const RECOVERY = 10_000;

/** Suspends one of two replicas behind Envoy, and resumes it. */
export async function suspendBehindEnvoy(pace: Pace): Promise<Trial> {
  const hangs: number[] = [];
  const done = `SIGSTOP for ${HANG / 1000} s`;
  const trial = await behindProxy(pace, startShippedEnvoy, done, 1_000, async (replicas, which) => {
    const victim = replicas[which];
    hangs.push(performance.now());
    victim?.process.kill("SIGSTOP");
    await wait(HANG);
    victim?.process.kill("SIGCONT");
    await untilItHandlesRequests(victim?.url ?? "");
  });
  const expected = trial.failed.filter(({ sentAt, failedAt }) =>
    hangs.some((at) => failedAt >= at && sentAt < at + DETECTION),
  );
  return { ...trial, expected };
}

/** Sends requests through a proxy in front of two replicas while something happens to one after the other. */
async function behindProxy(
  { seconds, rate }: Pace,
  startProxy: StartProxy,
  what: string,
  pause: number,
  act: (replicas: Service[], which: 0 | 1, port: number) => Promise<void>,
): Promise<Trial> {
  const { proxy, replicas, ports } = await startBehind(startProxy, {});
  let acts = 0;
  const result = await sendLoad(proxy.url, rate, { ca: proxy.ca }, () =>
    repeat(seconds, pause, (times) => {
      acts++;
      const which = times % 2 === 0 ? 0 : 1;
      return act(replicas, which, ports[which]);
    }),
  );
  const { access } = await proxy.stop();
  await Promise.all(replicas.map((replica) => replica.end()));
  // Only the log of Envoy has attempts.
  const attempts = [...access.matchAll(/"attempts":(\d+)/g)];
  const retried = attempts.filter(([, count]) => Number(count) > 1).length;
  const retries = attempts.length === 0 ? "" : `; Envoy retried ${retried}`;
  return { ...result, done: `${acts} × ${what}${retries}`, expected: [] };
}

/** Resolves when a replica has handled a request since the call. Throws an Error after {@link RECOVERY}. */
async function untilItHandlesRequests(url: string): Promise<void> {
  const handled = async (): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const counts = metrics.matchAll(/^utility_tools_requests_total\{[^}]*LookupIp"[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await handled();
  const deadline = performance.now() + RECOVERY;
  while ((await handled()) === before) {
    if (performance.now() > deadline) {
      throw new Error("a replica that no longer hangs gets no requests");
    }
    await wait(100);
  }
}
