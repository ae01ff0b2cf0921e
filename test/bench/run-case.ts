import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase, GrpcTraffic, HttpTraffic } from "./cases.js";
import { type Concurrency, h2loadLoad, type Load, type LoadResult, wrkLoad } from "./load.js";
import { askGrpc, askHttp, type HttpRequest } from "./requests.js";
import { type ServerProcess, startProcess } from "./server-process.js";

/** Duration and concurrency of a measurement. */
export interface RunOptions {
  readonly rounds: number;
  /** Seconds per round. */
  readonly seconds: number;
  readonly connections: number;
}

/** One round of one server. */
export interface Round extends LoadResult {
  /** Seconds of processor time per request. NaN where the system does not provide it. */
  readonly processorTime: number;
  /** The share of the round that the server had the processor. Below 1, it was waiting for load. */
  readonly processorShare: number;
}

/** All rounds of one server. */
export interface ContestantRun {
  readonly name: string;
  readonly target: number | undefined;
  readonly rounds: readonly Round[];
  /** Resident memory at the end in MiB. */
  readonly residentMemory: number;
}

/** Seconds of warm-up per server, under the same load. */
const WARM_UP = 5;

/** Streams per HTTP/2 connection. */
const STREAMS = 10;

/**
 * Measures a case: starts all servers, compares their responses, warms each one up, measures in turn, and compares the
 * responses again. Waiting servers take no processor time. Throws an Error if a response is wrong or missing.
 */
export async function runCase(benchCase: BenchCase, options: RunOptions): Promise<ContestantRun[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const running: { name: string; target: number | undefined; server: ServerProcess; rounds: Round[] }[] = [];
  try {
    for (const { name, program, target } of benchCase.contestants) {
      running.push({ name, target, server: await startProcess(program), rounds: [] });
    }
    const participants = running.map(({ name, server }) => ({ name, url: server.url }));
    const load = await makeLoad(
      benchCase,
      await checkResponses(benchCase, participants),
      benchCase.connections ?? options.connections,
      folder,
    );
    for (const { name, server } of running) {
      await measure(name, server, load, WARM_UP);
    }
    for (let round = 0; round < options.rounds; round++) {
      for (const { name, server, rounds } of running) {
        rounds.push(await measure(name, server, load, options.seconds));
      }
    }
    await checkResponses(benchCase, participants);
    return running.map(({ name, target, server, rounds }) => {
      return { name, target, rounds, residentMemory: server.residentMemory() };
    });
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
    await rm(folder, { recursive: true });
  }
}

/** Creates the load of a case after its responses were compared. Writes its files to `folder`. */
export function makeLoad(
  { traffic }: BenchCase,
  { requests, responseLength }: CheckedResponses,
  connections: number,
  folder: string,
): Promise<Load> {
  if (traffic.protocol === "http") {
    return wrkLoad(requests, { connections, streams: 1 }, folder);
  }
  const concurrency: Concurrency = {
    connections: Math.max(Math.round(connections / STREAMS), 1),
    streams: STREAMS,
  };
  return h2loadLoad({ path: traffic.path, message: traffic.message, responseLength, concurrency }, folder);
}

async function measure(name: string, server: ServerProcess, load: Load, seconds: number): Promise<Round> {
  const before = server.processorTime();
  const result = await load(server.url, seconds);
  const processorSeconds = server.processorTime() - before;
  if (result.problems.length > 0) {
    throw new Error(`${name}: ${result.problems.join(", ")}`);
  }
  return {
    ...result,
    processorTime: processorSeconds / result.requests,
    processorShare: processorSeconds / seconds,
  };
}

/** A server whose responses are compared. */
interface Participant {
  readonly name: string;
  readonly url: string;
}

/** The codes of a secret change every 30 seconds, possibly between two responses. Then the comparison is repeated. */
const MAX_ATTEMPTS = 3;

/** The responses that all servers have in common. */
export interface CheckedResponses {
  /** The HTTP/1.1 requests to which our server responds with 200. Empty for gRPC. */
  readonly requests: readonly HttpRequest[];
  /** The length of the first response in bytes: its decompressed body, or its message. */
  readonly responseLength: number;
}

/**
 * Sends the requests of a case to all servers, ours first. Throws an Error if a response differs from ours in any byte,
 * or if ours accepts too few.
 */
export function checkResponses(
  { traffic }: BenchCase,
  participants: readonly Participant[],
): Promise<CheckedResponses> {
  return traffic.protocol === "http" ? checkHttp(traffic, participants) : checkGrpc(traffic, participants);
}

async function checkHttp(
  { candidates, count }: HttpTraffic,
  participants: readonly Participant[],
): Promise<CheckedResponses> {
  const agent = new Agent({ keepAlive: true });
  const requests: HttpRequest[] = [];
  let responseLength = 0;
  try {
    for (const request of candidates) {
      if (requests.length === count) {
        break;
      }
      const ask = async ({ url }: Participant) => {
        const { status, body } = await askHttp(url, request, agent);
        return status === 200 ? body : undefined;
      };
      const response = await sameResponse(participants, `${request.method} ${request.path}`, ask);
      if (response !== undefined) {
        requests.push(request);
        responseLength ||= response.length;
      }
    }
  } finally {
    agent.destroy();
  }
  if (requests.length < count) {
    throw new Error(`only ${requests.length} of ${candidates.length} requests have a response with 200`);
  }
  return { requests, responseLength };
}

async function checkGrpc(
  { path, message }: GrpcTraffic,
  participants: readonly Participant[],
): Promise<CheckedResponses> {
  const response = await sameResponse(participants, path, ({ url }) => askGrpc(url, path, message));
  return { requests: [], responseLength: response?.length ?? 0 };
}

/**
 * Returns the common response of all servers. Returns undefined, without calling the others, if ours is not successful.
 */
async function sameResponse(
  [ours, ...peers]: readonly Participant[],
  request: string,
  ask: (participant: Participant) => Promise<Buffer | undefined>,
): Promise<Buffer | undefined> {
  for (let attempt = 1; ours !== undefined; attempt++) {
    const expected = await ask(ours);
    if (expected === undefined) {
      return undefined;
    }
    const responses = await Promise.all(peers.map(ask));
    const odd = responses.findIndex((response) => response === undefined || !response.equals(expected));
    if (odd === -1) {
      return expected;
    }
    if (attempt === MAX_ATTEMPTS) {
      const texts = `${expected}\nis not\n${responses[odd]}`;
      throw new Error(`${peers[odd]?.name} responses ${request} differently: ${texts}`);
    }
  }
  return undefined;
}
