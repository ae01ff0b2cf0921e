import { percentile } from "../statistics.js";
import type { Answer } from "./connection.js";
import { encodeHttp1 } from "./http1.js";
import { encodeHttp2 } from "./http2.js";
import { createClient, type Outcome } from "./open-loop.js";
import type { Workload } from "./workload.js";

/** How many requests are sent concurrently. */
export interface Concurrency {
  readonly connections: number;
  /** Concurrent requests per connection of HTTP/2. */
  readonly streams: number;
}

/** How long requests are sent, and the index of the first one. */
export interface LoadDuration {
  readonly seconds: number;
  readonly first: number;
}

/** The result of some seconds of load. */
export interface LoadResult {
  readonly requests: number;
  /** The number of responses with another status than 200, without a body, or with another gRPC status than 0. */
  readonly errors: number;
  readonly seconds: number;
  /** Median and 99th percentile of the latency, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The processor time of this process while it sends requests. */
  readonly processorSeconds: number;
}

/** A response with its body as sent. */
export interface LoadResponse {
  /** The HTTP status; 0 for a response without a body, for a failed gRPC call, and without a response. */
  readonly status: number;
  readonly body: Buffer;
}

/** The timeout of a response, in milliseconds. */
const DEADLINE = 10_000;

/** Sends the requests in turn for some seconds, each client the next one after a response. Rejects if there is no response. */
export async function createLoad(
  url: string,
  workload: Workload,
  concurrency: Concurrency,
  { seconds, first }: LoadDuration,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let errors = 0;
  const before = process.cpuUsage();
  const started = performance.now();
  const end = started + seconds * 1000;
  await inTurn(url, workload, concurrency, first, {
    hasNext: () => performance.now() < end,
    received: (_, { failure }, latency) => {
      latencies.push(latency);
      errors += failure === undefined ? 0 : 1;
    },
  });
  const elapsed = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: sorted.length,
    errors,
    seconds: elapsed,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    processorSeconds: (user + system) / 1e6,
  };
}

/** Sends each request once and resolves to the responses in the same order. Rejects if there is no response. */
export async function fetchResponses(
  url: string,
  workload: Workload,
  concurrency: Concurrency,
): Promise<LoadResponse[]> {
  const responses: LoadResponse[] = [];
  let sent = 0;
  await inTurn(url, workload, concurrency, 0, {
    hasNext: () => sent++ < workload.requests.length,
    received: (index, { failure, answer }) => {
      const { status = 0, body = Buffer.alloc(0) } = answer ?? {};
      responses[index] = { status: status === 200 && failure !== undefined ? 0 : status, body };
    },
  });
  return responses;
}

/** What decides about further requests and takes responses. */
interface Turn {
  readonly hasNext: () => boolean;
  readonly received: (index: number, outcome: Outcome, latency: number) => void;
}

/** Sends requests in turn by as many clients as there are concurrent requests. */
async function inTurn(
  address: string,
  workload: Workload,
  { connections, streams }: Concurrency,
  first: number,
  { hasNext, received }: Turn,
): Promise<void> {
  const encoded =
    workload.http === 1 ? encodeHttp1(workload) : encodeHttp2(workload, address.startsWith("https:"));
  const isRight = (_: number, { status, body, grpcStatus }: Answer) =>
    status === 200 && body.length > 0 && (!workload.grpc || grpcStatus === "0");
  const options = { retries: false, deadline: DEADLINE, first };
  const client = createClient(address, encoded, isRight, connections, options);
  let next = first;
  const work = async (): Promise<void> => {
    while (hasNext()) {
      const index = next++;
      const sentAt = performance.now();
      const outcome = await client.send();
      if (outcome.answer === undefined) {
        throw new Error(`load: ${outcome.failure}`);
      }
      received(index, outcome, performance.now() - sentAt);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections * (workload.http === 1 ? 1 : streams) }, work));
  } finally {
    client.close();
  }
}
