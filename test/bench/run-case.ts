import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase, GrpcTraffic, HttpTraffic } from "./cases.js";
import { type Concurrency, h2loadLoad, type Load, type LoadResult, wrkLoad } from "./load.js";
import { askGrpc, askHttp, type HttpRequest } from "./requests.js";
import { type ServerProcess, startProcess } from "./server-process.js";

/** How long and how hard to measure. */
export interface RunOptions {
  readonly rounds: number;
  /** Seconds of a round of one contestant. */
  readonly seconds: number;
  readonly connections: number;
}

/** One round of one contestant. */
export interface Round extends LoadResult {
  /** Seconds of processor time for a request; NaN where the system does not tell. */
  readonly processorTime: number;
  /** The part of the round in which the server had the processor: below 1 it waited for load. */
  readonly processorShare: number;
}

/** All rounds of one contestant. */
export interface ContestantRun {
  readonly name: string;
  readonly target: number | undefined;
  readonly rounds: readonly Round[];
  /** Memory in RAM at the end, in MiB. */
  readonly residentMemory: number;
}

/** Seconds that each server gets to warm up, under the same load as later on. */
const WARM_UP = 5;

/** Streams on each connection over HTTP/2; there are as many connections fewer. */
const STREAMS = 10;

/**
 * Measures a case: starts all its servers, holds their answers against ours, warms each up, and lets them take rounds in
 * turn; at the end it holds their answers against ours again. Servers that wait for their turn take no processor time.
 * Throws an Error when an answer is wrong or missing.
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
      await checkAnswers(benchCase, participants),
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
    await checkAnswers(benchCase, participants);
    return running.map(({ name, target, server, rounds }) => {
      return { name, target, rounds, residentMemory: server.residentMemory() };
    });
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
    await rm(folder, { recursive: true });
  }
}

/** The load of a case, whose answers are known. Its files go to a folder. */
export function makeLoad(
  { traffic }: BenchCase,
  { requests, answerLength }: CheckedAnswers,
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
  return h2loadLoad({ path: traffic.path, message: traffic.message, answerLength, concurrency }, folder);
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

/** A server that takes part. */
interface Participant {
  readonly name: string;
  readonly url: string;
}

/** The codes of a secret change every 30 seconds, maybe between two answers: then one asks again. */
const TRIES = 3;

/** What all participants answer alike. */
export interface CheckedAnswers {
  /** The requests over HTTP/1.1 that ours answers with 200; none for gRPC. */
  readonly requests: readonly HttpRequest[];
  /** Octets of the first answer: of its body without a content coding, or of its message. */
  readonly answerLength: number;
}

/**
 * Asks all participants, ours first, what will be measured. Throws an Error when an answer is not ours to the octet, or
 * when ours has too few.
 */
export function checkAnswers(
  { traffic }: BenchCase,
  participants: readonly Participant[],
): Promise<CheckedAnswers> {
  return traffic.protocol === "http" ? checkHttp(traffic, participants) : checkGrpc(traffic, participants);
}

async function checkHttp(
  { candidates, count }: HttpTraffic,
  participants: readonly Participant[],
): Promise<CheckedAnswers> {
  const agent = new Agent({ keepAlive: true });
  const requests: HttpRequest[] = [];
  let answerLength = 0;
  try {
    for (const request of candidates) {
      if (requests.length === count) {
        break;
      }
      const ask = async ({ url }: Participant) => {
        const { status, body } = await askHttp(url, request, agent);
        return status === 200 ? body : undefined;
      };
      const answer = await sameAnswer(participants, `${request.method} ${request.path}`, ask);
      if (answer !== undefined) {
        requests.push(request);
        answerLength ||= answer.length;
      }
    }
  } finally {
    agent.destroy();
  }
  if (requests.length < count) {
    throw new Error(`only ${requests.length} of ${candidates.length} requests have an answer`);
  }
  return { requests, answerLength };
}

async function checkGrpc(
  { path, message }: GrpcTraffic,
  participants: readonly Participant[],
): Promise<CheckedAnswers> {
  const answer = await sameAnswer(participants, path, ({ url }) => askGrpc(url, path, message));
  return { requests: [], answerLength: answer?.length ?? 0 };
}

/** The octets that all answer with; undefined where ours has no good answer, for which nobody else is asked. */
async function sameAnswer(
  [ours, ...peers]: readonly Participant[],
  request: string,
  ask: (participant: Participant) => Promise<Buffer | undefined>,
): Promise<Buffer | undefined> {
  for (let tries = 1; ours !== undefined; tries++) {
    const expected = await ask(ours);
    if (expected === undefined) {
      return undefined;
    }
    const answers = await Promise.all(peers.map(ask));
    const odd = answers.findIndex((answer) => answer === undefined || !answer.equals(expected));
    if (odd === -1) {
      return expected;
    }
    if (tries === TRIES) {
      const texts = `${expected}\nis not\n${answers[odd]}`;
      throw new Error(`${peers[odd]?.name} answers ${request} differently: ${texts}`);
    }
  }
  return undefined;
}
