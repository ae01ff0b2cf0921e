import { join } from "node:path";
import type { BenchCase } from "./cases.js";
import type { Contestant } from "./contestants.js";
import type { GoPrograms } from "./go-programs.js";
import {
  createLoad,
  fetchResponses,
  type LoadDuration,
  type LoadOptions,
  type LoadResponse,
  type LoadResult,
  writeWorkload,
} from "./load.js";
import { type ServerProcess, startProcess } from "./server-process.js";

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

/** The programs and files that all cases share. */
export interface Bench {
  /** The folder for files of the run. */
  readonly folder: string;
  /** The Node that servers run on. */
  readonly node: string;
  readonly goPrograms: GoPrograms;
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
  readonly contestant: Contestant;
  readonly server: ServerProcess;
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
        running.push({ contestant, server: await startContestant(bench, benchCase, contestant) });
      }
      const participants = running.map(({ contestant: { name }, server: { url } }) => ({ name, url }));
      if (checked === undefined) {
        checked = await checkAll(bench, benchCase, participants);
      } else {
        await compareResponses(benchCase, checked.sample, participants);
      }
      sets.push(await measureSet(running, checked.all, benchCase.count, options));
      await compareResponses(benchCase, checked.sample, participants);
    } finally {
      await Promise.all(running.map(({ server }) => server.stop()));
    }
  }
  return benchCase.contestants.map(({ name, kind, target }, index) => {
    const processes = sets.flatMap((set) => set[index] ?? []);
    return { name, kind, ...(target && { target }), processes };
  });
}

/** Warms each server up, and then measures all of them in turn. Waiting servers take next to no processor time. */
async function measureSet(
  running: readonly Running[],
  load: LoadOptions,
  count: number,
  { rounds, seconds, warmUp }: RunOptions,
): Promise<ProcessRun[]> {
  const states = running.map((each) => ({ ...each, sent: 0, rounds: [] as Round[] }));
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    for (const state of states) {
      // Continues where the server left off, so that a slow one does not get the same requests again.
      const duration = { seconds: isWarmUp ? warmUp : seconds, first: state.sent % count };
      const { requests, ...measured } = await measure(state, load, duration);
      state.sent += requests;
      if (!isWarmUp) {
        state.rounds.push(measured);
      }
    }
  }
  return states.map(({ server, rounds }) => {
    return { rounds, residentMemory: server.residentMemory(), readyAfter: server.readyAfter };
  });
}

/** Starts a server for a case. `nodeOptions` come before the program of a server in Node. */
export function startContestant(
  { node, goPrograms, goEnvironment, tlsEnvironment }: Bench,
  { group }: BenchCase,
  { kind, args, environment, node: ownNode = node, hasAllProcessors = false }: Contestant,
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const isGo = kind === "go";
  return startProcess(isGo ? args : [...nodeOptions, ...args], {
    command: isGo ? goPrograms.peer : ownNode,
    environment: {
      ...(isGo ? goEnvironment : {}),
      ...(group === "tls" ? tlsEnvironment : {}),
      ...environment,
    },
    hasAllProcessors,
  });
}

async function measure(
  { contestant: { name }, server }: Running,
  load: LoadOptions,
  duration: LoadDuration,
): Promise<Round & { requests: number }> {
  const before = server.processorTime();
  const result = await createLoad(server.url, load, duration);
  const processorSeconds = server.processorTime() - before;
  const problem = problemOf(result);
  if (problem !== undefined) {
    throw new Error(`${name}: ${problem}`);
  }
  return {
    requests: result.requests,
    requestsPerSecond: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    requestBytes: result.bytesSent / result.requests,
    responseBytes: result.bytesReceived / result.requests,
    processorTime: processorSeconds / result.requests,
    processorShare: processorSeconds / result.seconds,
    loadShare: result.processorSeconds / result.seconds,
  };
}

/** Returns why a result is invalid. */
export function problemOf({ requests, errors }: LoadResult): string | undefined {
  if (requests === 0) {
    return "there were no responses";
  }
  return errors === 0 ? undefined : `${errors} of ${requests} responses are not successful`;
}

/** A server whose responses are compared. */
interface Participant {
  readonly name: string;
  readonly url: string;
}

/** The requests of a case that our server handles with status 200. */
export interface CheckedWorkload {
  readonly all: LoadOptions;
  readonly sample: LoadOptions;
}

/**
 * Finds the requests that our server, the first one, handles with status 200, and sends them to all servers. Throws an Error
 * if there are too few, or if a response differs.
 */
export async function checkAll(
  { folder, goPrograms }: Bench,
  benchCase: BenchCase,
  participants: readonly Participant[],
): Promise<CheckedWorkload> {
  const { name, group, candidates, count, concurrency } = benchCase;
  const write = async (part: string, requests: typeof candidates.requests): Promise<LoadOptions> => {
    const workload = join(folder, `${name}-${part}.json`);
    await writeWorkload(workload, { ...candidates, requests }, group === "tls");
    return { program: goPrograms.load, workload, concurrency };
  };
  const responses = await fetchResponses(
    participants[0]?.url ?? "",
    await write("candidates", candidates.requests),
  );
  const successful = candidates.requests.filter((_, index) => isSuccessful(responses[index]));
  if (successful.length < count) {
    throw new Error(`only ${successful.length} of ${responses.length} requests have status 200`);
  }
  const requests = successful.slice(0, count);
  const all = await write("requests", requests);
  await compareResponses(benchCase, all, participants);
  return { all, sample: await write("sample", requests.slice(0, SAMPLE)) };
}

/** Whether a response has a message: a gRPC-Web response without one begins with trailers, and has the status 200. */
function isSuccessful(response: LoadResponse | undefined): boolean {
  return response?.status === 200 && response.body[0] !== 0x80;
}

/** The codes of a secret change every 30 seconds, possibly between two responses. Then the comparison is repeated. */
const MAX_ATTEMPTS = 3;

/** Sends requests to all servers, ours first. Throws an Error if a response differs from ours. */
async function compareResponses(
  { contentOf }: BenchCase,
  load: LoadOptions,
  [ours, ...peers]: readonly Participant[],
): Promise<void> {
  if (ours === undefined || peers.length === 0) {
    return;
  }
  let expected = await fetchResponses(ours.url, load);
  for (const peer of peers) {
    for (let attempt = 1; ; attempt++) {
      const difference = findDifference(expected, await fetchResponses(peer.url, load), contentOf);
      if (difference === undefined) {
        break;
      }
      if (attempt === MAX_ATTEMPTS) {
        throw new Error(`${peer.name} responds differently: ${difference}`);
      }
      expected = await fetchResponses(ours.url, load);
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
