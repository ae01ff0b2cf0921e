import {
  createLoad,
  fetchResponses,
  type LoadDuration,
  type LoadResponse,
} from "connect-transcoding-testing/load/closed-loop.js";
import type { Workload } from "connect-transcoding-testing/load/workload.js";
import { processorTime, residentMemory } from "connect-transcoding-testing/processes/process-state.js";
import { PROCESSORS } from "connect-transcoding-testing/processes/processors.js";
import { type Service, startService } from "../lib/processes/service.js";
import type { BenchCase } from "./cases.js";

/** The duration of a measurement. */
export interface RunOptions {
  /** Rounds per process. */
  readonly rounds: number;
  /** How often each server is started anew. */
  readonly processes: number;
  /** Seconds per round. */
  readonly seconds: number;
  /** Seconds of warm-up per process, under the same load. */
  readonly warmUp: number;
  readonly tlsEnvironment: Readonly<Record<string, string>>;
}

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Seconds of processor time per request. NaN where the system does not provide it. */
  readonly processorTime: number;
  /** The share of the round that the server had a processor. Above 1 with several. */
  readonly processorShare: number;
  /** The same of this process, which sends the load. Close to 1, it is the load that limits the rate. */
  readonly loadShare: number;
}

export interface ProcessRun {
  readonly rounds: readonly Round[];
  /** Resident memory after the last round, in MiB. */
  readonly residentMemory: number;
  /** Time from process start to readiness, in milliseconds. */
  readonly readyAfter: number;
}

/** All processes of one server. */
export interface ContestantRun {
  readonly name: string;
  readonly processes: readonly ProcessRun[];
}

/** The requests that are compared again in later checks, which need not find the requests with status 200. */
const SAMPLE = 1000;

interface Running {
  readonly name: string;
  readonly server: Service;
}

/**
 * Measures a case. For each set of processes: starts all servers, compares their responses, measures, and compares the
 * responses again. Throws an Error if a response is wrong or missing.
 */
export async function runCase(benchCase: BenchCase, options: RunOptions): Promise<ContestantRun[]> {
  const sets: ProcessRun[][] = [];
  let all: Workload | undefined;
  while (sets.length < options.processes) {
    const running: Running[] = [];
    try {
      for (const { name, args } of benchCase.contestants) {
        const server = await startService({
          command: [process.execPath, ...args],
          environment: { ...(benchCase.hasTls && options.tlsEnvironment) },
          processors: PROCESSORS?.server,
          onError: (text) => process.stderr.write(text),
        });
        running.push({ name, server });
      }
      all ??= await successful(benchCase, running[0]?.server.url ?? "");
      const sample = { ...all, requests: all.requests.slice(0, SAMPLE) };
      await compareResponses(benchCase, sets.length === 0 ? all : sample, running);
      sets.push(await measureSet(benchCase, running, all, options));
      await compareResponses(benchCase, sample, running);
    } finally {
      await Promise.all(running.map(({ server }) => server.end()));
    }
  }
  return benchCase.contestants.map(({ name }, index) => ({
    name,
    processes: sets.flatMap((set) => set[index] ?? []),
  }));
}

/** Warms each server up, and then measures all of them in turn. Waiting servers take next to no processor time. */
async function measureSet(
  benchCase: BenchCase,
  running: readonly Running[],
  workload: Workload,
  { rounds, seconds, warmUp }: RunOptions,
): Promise<ProcessRun[]> {
  const states = running.map((each) => ({ ...each, sent: 0, rounds: [] as Round[] }));
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    for (const state of states) {
      // Continues where the server left off, so that a slow one does not get the same requests again.
      const duration = { seconds: isWarmUp ? warmUp : seconds, first: state.sent % benchCase.count };
      const { requests, ...measured } = await measure(benchCase, state, workload, duration);
      state.sent += requests;
      if (!isWarmUp) {
        state.rounds.push(measured);
      }
    }
  }
  return states.map(({ server: { pid, readyAfter }, rounds }) => {
    return { rounds, residentMemory: residentMemory(pid), readyAfter };
  });
}

async function measure(
  { concurrency }: BenchCase,
  { name, server: { url, pid } }: Running,
  workload: Workload,
  duration: LoadDuration,
): Promise<Round & { requests: number }> {
  const before = processorTime(pid);
  const { requests, errors, seconds, p50, p99, processorSeconds } = await createLoad(
    url,
    workload,
    concurrency,
    duration,
  );
  const spent = processorTime(pid) - before;
  if (requests === 0 || errors > 0) {
    throw new Error(`${name}: ${errors} of ${requests} responses are not successful`);
  }
  return {
    requests,
    requestsPerSecond: requests / seconds,
    p50,
    p99,
    processorTime: spent / requests,
    processorShare: spent / seconds,
    loadShare: processorSeconds / seconds,
  };
}

/** Finds the requests that our server handles with status 200. Throws an Error if there are too few. */
async function successful({ candidates, count, concurrency }: BenchCase, url: string): Promise<Workload> {
  const responses = await fetchResponses(url, candidates, concurrency);
  // A gRPC-Web response without a message begins with trailers, and has the status 200.
  const found = candidates.requests.filter(
    (_, index) => responses[index]?.status === 200 && responses[index].body[0] !== 0x80,
  );
  if (found.length < count) {
    throw new Error(`only ${found.length} of ${responses.length} requests have status 200`);
  }
  return { ...candidates, requests: found.slice(0, count) };
}

/** The codes of a secret change every 30 seconds, possibly between two responses. Then the comparison is repeated. */
const MAX_ATTEMPTS = 3;

/** Sends requests to all servers, ours first. Throws an Error if a response differs from ours. */
async function compareResponses(
  { contentOf, concurrency }: BenchCase,
  workload: Workload,
  [ours, ...peers]: readonly Running[],
): Promise<void> {
  const ask = ({ server: { url } }: Running) => fetchResponses(url, workload, concurrency);
  if (ours === undefined || peers.length === 0) {
    return;
  }
  let expected = await ask(ours);
  for (const peer of peers) {
    for (let attempt = 1; ; attempt++) {
      const difference = findDifference(expected, await ask(peer), contentOf);
      if (difference === undefined) {
        break;
      }
      if (attempt === MAX_ATTEMPTS) {
        throw new Error(`${peer.name} responds differently: ${difference}`);
      }
      expected = await ask(ours);
    }
  }
}

/** Describes the first pair of responses that are not both successful and of the same content. */
export function findDifference(
  expected: readonly LoadResponse[],
  actual: readonly LoadResponse[],
  contentOf: (body: Buffer) => string,
): string | undefined {
  const describe = (response: LoadResponse | undefined) =>
    response?.status === 200 ? contentOf(response.body) : `status ${response?.status}`;
  for (const [index, { status, body }] of expected.entries()) {
    const other = actual[index];
    const isSame =
      status === 200 &&
      other?.status === 200 &&
      (body.equals(other.body) || contentOf(body) === contentOf(other.body));
    if (!isSame) {
      return `request ${index}: ${describe(expected[index])}\nis not\n${describe(other)}`;
    }
  }
  return undefined;
}
