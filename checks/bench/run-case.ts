import type { LoadDuration, LoadResponse, LoadResult } from "../lib/load/closed-loop.js";
import type { LoadProcess } from "../lib/load/load-process.js";
import type { Workload } from "../lib/load/workload.js";
import { processorTime, residentMemory } from "../lib/process-state.js";
import { PROCESSORS } from "../lib/processors.js";
import { type Service, startService } from "../lib/service.js";
import type { BenchCase, Contestant } from "./cases.js";

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
}

/** What all cases share. */
export interface Bench {
  readonly load: LoadProcess;
  /** The Node that servers run on. */
  readonly node: string;
  /** The program of the servers in Go. */
  readonly goPeer: string;
  /** The environment of the Go servers. */
  readonly goEnvironment: Readonly<Record<string, string>>;
  /** The environment of a server with TLS. */
  readonly tlsEnvironment: Readonly<Record<string, string>>;
}

/** One round of one server. */
export interface Round {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Bytes per request and per response, with headers. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Seconds of processor time per request. NaN where the system does not provide it. */
  readonly processorTime: number;
  /** The share of the round that the server had a processor. Above 1 with several. */
  readonly processorShare: number;
  /** The same of the load program. Close to 1, it is the load that limits the rate. */
  readonly loadShare: number;
}

/** The rounds of one process. */
export interface ProcessRun {
  readonly rounds: readonly Round[];
  /** Resident memory after the last round, in MiB. */
  readonly residentMemory: number;
  /** Time from process start to readiness, in milliseconds. */
  readonly readyAfter: number;
}

/** All processes of one server. */
export interface ContestantRun extends Pick<Contestant, "name" | "kind" | "target"> {
  readonly processes: readonly ProcessRun[];
}

/** The requests that are compared again in later checks, which need not find the requests with status 200. */
const SAMPLE = 1000;

/** A server that runs. */
interface Running {
  readonly name: string;
  readonly server: Service;
}

/** The requests of a case that our server handles with status 200. */
export interface CheckedWorkload {
  readonly all: Workload;
  readonly sample: Workload;
}

/**
 * Measures a case. For each set of processes: starts all servers, compares their responses, measures, and compares the
 * responses again. Throws an Error if a response is wrong or missing.
 */
export async function runCase(
  bench: Bench,
  benchCase: BenchCase,
  options: RunOptions,
): Promise<ContestantRun[]> {
  const sets: ProcessRun[][] = [];
  let checked: CheckedWorkload | undefined;
  while (sets.length < options.processes) {
    const running: Running[] = [];
    try {
      for (const contestant of benchCase.contestants) {
        const server = await startContestant(bench, benchCase, contestant);
        running.push({ name: contestant.name, server });
      }
      if (checked === undefined) {
        checked = await checkAll(bench, benchCase, running);
      } else {
        await compareResponses(bench, benchCase, checked.sample, running);
      }
      sets.push(await measureSet(bench, benchCase, running, checked.all, options));
      await compareResponses(bench, benchCase, checked.sample, running);
    } finally {
      await Promise.all(running.map(({ server }) => server.end()));
    }
  }
  return benchCase.contestants.map(({ name, kind, target }, index) => {
    const processes = sets.flatMap((set) => set[index] ?? []);
    return { name, kind, ...(target && { target }), processes };
  });
}

/** Warms each server up, and then measures all of them in turn. Waiting servers take next to no processor time. */
async function measureSet(
  bench: Bench,
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
      const { requests, ...measured } = await measure(bench, benchCase, state, workload, duration);
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

/** Starts a server for a case. `nodeOptions` come before the program of a server in Node. */
export function startContestant(
  { node, goPeer, goEnvironment, tlsEnvironment }: Bench,
  { group }: BenchCase,
  { kind, args, environment, node: ownNode = node, hasAllProcessors = false }: Contestant,
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const isGo = kind === "go";
  return startService({
    command: isGo ? [goPeer, ...args] : [ownNode, ...nodeOptions, ...args],
    environment: {
      ...(isGo ? goEnvironment : {}),
      ...(group === "tls" ? tlsEnvironment : {}),
      ...environment,
    },
    processors: hasAllProcessors ? PROCESSORS?.both : PROCESSORS?.server,
    onError: (text) => process.stderr.write(text),
  });
}

async function measure(
  { load }: Bench,
  { concurrency }: BenchCase,
  { name, server: { url, pid } }: Running,
  workload: Workload,
  duration: LoadDuration,
): Promise<Round & { requests: number }> {
  const before = processorTime(pid);
  const result = await load.load(url, workload, concurrency, duration);
  const processorSeconds = processorTime(pid) - before;
  const problem = problemOf(result);
  if (problem !== undefined) {
    throw new Error(`${name}: ${problem}`);
  }
  const { requests, seconds, p50, p99 } = result;
  return {
    requests,
    requestsPerSecond: requests / seconds,
    p50,
    p99,
    requestBytes: result.bytesSent / requests,
    responseBytes: result.bytesReceived / requests,
    processorTime: processorSeconds / requests,
    processorShare: processorSeconds / seconds,
    loadShare: result.processorSeconds / seconds,
  };
}

/** Returns why a result is invalid. */
export function problemOf({ requests, errors }: LoadResult): string | undefined {
  if (requests === 0) {
    return "there were no responses";
  }
  return errors === 0 ? undefined : `${errors} of ${requests} responses are not successful`;
}

/**
 * Finds the requests that our server, the first one, handles with status 200, and sends them to all servers. Throws an Error
 * if there are too few, or if a response differs.
 */
export async function checkAll(
  bench: Bench,
  benchCase: BenchCase,
  running: readonly Running[],
): Promise<CheckedWorkload> {
  const { candidates, count, concurrency } = benchCase;
  const responses = await bench.load.fetch(running[0]?.server.url ?? "", candidates, concurrency);
  const successful = candidates.requests.filter((_, index) => isSuccessful(responses[index]));
  if (successful.length < count) {
    throw new Error(`only ${successful.length} of ${responses.length} requests have status 200`);
  }
  const all = { ...candidates, requests: successful.slice(0, count) };
  await compareResponses(bench, benchCase, all, running);
  return { all, sample: { ...all, requests: all.requests.slice(0, SAMPLE) } };
}

/** Whether a response has a message: a gRPC-Web response without one begins with trailers, and has the status 200. */
function isSuccessful(response: LoadResponse | undefined): boolean {
  return response?.status === 200 && response.body[0] !== 0x80;
}

/** The codes of a secret change every 30 seconds, possibly between two responses. Then the comparison is repeated. */
const MAX_ATTEMPTS = 3;

/** Sends requests to all servers, ours first. Throws an Error if a response differs from ours. */
async function compareResponses(
  { load }: Bench,
  { contentOf, concurrency }: BenchCase,
  workload: Workload,
  [ours, ...peers]: readonly Running[],
): Promise<void> {
  const ask = ({ server: { url } }: Running) => load.fetch(url, workload, concurrency);
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
