import { setTimeout as wait } from "node:timers/promises";
import { load } from "../../lib/load/open-loop.js";
import type { Service } from "../../lib/service.js";
import { sumOfMetrics } from "../proxies/requests.js";
import {
  type Ports,
  type ReverseProxy,
  startBehind,
  startReplica,
  startShippedEnvoy,
  startShippedNginx,
} from "../shipped.js";
import { createClients, type Pace, repeat, type Trial } from "./scenario.js";

type StartProxy = (ports: Ports) => Promise<ReverseProxy>;
/** Something that happens to replicas, again and again. `times` says how often it has happened. */
type Act = (replicas: Service[], times: number, ports: Ports) => Promise<void>;

/** Restarts one of two replicas behind nginx after the other. */
export const restartBehindNginx = (pace: Pace): Promise<Trial> => restartReplicas(pace, startShippedNginx);

/** Restarts one of two replicas behind Envoy after the other. */
export const restartBehindEnvoy = (pace: Pace): Promise<Trial> => restartReplicas(pace, startShippedEnvoy);

function restartReplicas(pace: Pace, startProxy: StartProxy): Promise<Trial> {
  return underLoad(pace, startProxy, "SIGTERM and start", 700, async (replicas, times, ports) => {
    const which = times % 2;
    const how = await replicas[which]?.end();
    if (how !== 0) {
      throw new Error(`SIGTERM ended a replica with ${how}`);
    }
    await wait(300);
    replicas[which] = await startReplica(ports[which] ?? 0, {}, true);
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
  const trial = await underLoad(pace, startShippedEnvoy, done, 1_000, async (replicas, times) => {
    const victim = replicas[times % 2];
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

/** Sends requests through a proxy in front of two replicas while something happens to them. */
async function underLoad(
  { seconds, rate }: Pace,
  startProxy: StartProxy,
  what: string,
  pause: number,
  act: Act,
): Promise<Trial> {
  const { proxy, replicas, ports } = await startBehind(startProxy, {});
  let times = 0;
  const result = await load(createClients(proxy.url, { ca: proxy.ca }), rate, async () => {
    await repeat(seconds, () => act(replicas, times++, ports), pause);
  });
  const { access } = await proxy.stop();
  await Promise.all(replicas.map((replica) => replica.end()));
  // Only the log of Envoy has attempts.
  const attempts = [...access.matchAll(/"attempts":(\d+)/g)];
  const retried = attempts.filter(([, count]) => Number(count) > 1).length;
  const retries = attempts.length === 0 ? "" : `; Envoy retried ${retried}`;
  return { ...result, done: `${times} × ${what}${retries}`, expected: [] };
}

/** Resolves when a replica has handled a request since the call. Throws an Error after {@link RECOVERY}. */
async function untilItHandlesRequests(url: string): Promise<void> {
  const handled = () => sumOfMetrics(url, /^utility_tools_requests_total\{[^}]*LookupIp"[^}]*\} (\d+)$/gm);
  const before = await handled();
  const deadline = performance.now() + RECOVERY;
  while ((await handled()) === before) {
    if (performance.now() > deadline) {
      throw new Error("a replica that no longer hangs gets no requests");
    }
    await wait(100);
  }
}
