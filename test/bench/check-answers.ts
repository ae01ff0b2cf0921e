import { Agent } from "node:http";
import type { BenchCase, GrpcTraffic, HttpTraffic } from "./cases.js";
import { askGrpc } from "./grpc-request.js";
import { askHttp, type HttpRequest } from "./http-request.js";

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
