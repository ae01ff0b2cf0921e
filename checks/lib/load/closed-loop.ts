import { percentile } from "../statistics.js";
import type { Answer, Connection } from "./connection.js";
import { connectHttp1, encodeHttp1 } from "./http1.js";
import { connectHttp2, encodeHttp2 } from "./http2.js";
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
  /** The number of responses. */
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

/** The longest time without a response, in milliseconds. */
const TIMEOUT = 10_000;
const NO_BODY = Buffer.alloc(0);

/** Sends the requests in turn for some seconds, each connection the next one after a response. Rejects if a connection breaks. */
export async function createLoad(
  url: string,
  workload: Workload,
  concurrency: Concurrency,
  { seconds, first }: LoadDuration,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let errors = 0;
  let next = first;
  const count = workload.requests.length;
  let before = process.cpuUsage();
  let started = 0;
  await exchange(url, workload, concurrency, false, {
    start: () => {
      before = process.cpuUsage();
      started = performance.now();
    },
    next: (now) => (now < started + seconds * 1000 ? next++ % count : -1),
    received: (_, answer, latency) => {
      latencies.push(latency);
      errors += isSuccessful(workload, answer) ? 0 : 1;
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

/** Sends each request once and resolves to the responses in the same order. Rejects if a connection breaks. */
export async function fetchResponses(
  url: string,
  workload: Workload,
  concurrency: Concurrency,
): Promise<LoadResponse[]> {
  const responses: LoadResponse[] = [];
  let next = 0;
  await exchange(url, workload, concurrency, true, {
    start: () => undefined,
    next: () => (next < workload.requests.length ? next++ : -1),
    received: (index, answer) => {
      const { status, body = NO_BODY } = answer ?? { status: 0 };
      responses[index] = { status: status === 200 && !isSuccessful(workload, answer) ? 0 : status, body };
    },
  });
  return responses;
}

function isSuccessful({ grpc }: Workload, answer: Answer | undefined): boolean {
  return answer?.status === 200 && answer.length > 0 && (!grpc || answer.grpcStatus === "0");
}

/** What sends requests and takes their responses. */
interface Turn {
  /** Called when all connections are open. */
  start(): void;
  /** Returns the index of the next request; -1 if there are no more. */
  next(now: number): number;
  /** Takes a response; undefined if the server has reset the stream. */
  received(index: number, answer: Answer | undefined, latency: number): void;
}

interface Ticket {
  index: number;
  sentAt: number;
}

/** Keeps all connections busy until there are no more requests. */
async function exchange(
  address: string,
  workload: Workload,
  { connections: count, streams }: Concurrency,
  keepsBodies: boolean,
  turn: Turn,
): Promise<void> {
  const url = new URL(address);
  const encoded =
    workload.http === 1 ? encodeHttp1(workload) : encodeHttp2(workload, url.protocol === "https:");
  let pending = 0;
  let isExhausted = false;
  let lastResponse = performance.now();
  let finish: (problem?: string) => void = () => undefined;
  const end = new Promise<void>((resolve, reject) => {
    finish = (problem) => (problem === undefined ? resolve() : reject(new Error(`load: ${problem}`)));
  });

  function open(): { readonly connection: Connection<Ticket>; fill(): void } {
    const free: Ticket[] = [];
    const take = (ticket: Ticket, answer: Answer | undefined, now: number): void => {
      pending--;
      lastResponse = now;
      turn.received(ticket.index, answer, now - ticket.sentAt);
      free.push(ticket);
    };
    const fill = (): void => {
      const now = performance.now();
      for (let room = isExhausted ? 0 : connection.room(); room > 0; room--) {
        const index = turn.next(now);
        if (index === -1) {
          isExhausted = true;
          break;
        }
        const ticket = free.pop() ?? { index, sentAt: now };
        ticket.index = index;
        ticket.sentAt = now;
        pending++;
        connection.send(index, ticket);
      }
      if (pending === 0 && isExhausted) {
        finish();
      }
    };
    const listener = {
      answered: take,
      lost: (ticket: Ticket) => take(ticket, undefined, performance.now()),
      idle: () => {
        if (isStarted) {
          fill();
        }
      },
      closed: finish,
    };
    const connection =
      encoded.http === 1
        ? connectHttp1(url, encoded, listener, { keepsBodies })
        : connectHttp2(url, encoded, listener, { keepsBodies }, streams);
    return { connection, fill };
  }

  let isStarted = false;
  const all = Array.from({ length: count }, open);
  const timer = setInterval(() => {
    if (performance.now() - lastResponse > TIMEOUT) {
      finish("the server sends nothing");
    }
  }, 1000);
  try {
    await Promise.race([end, Promise.all(all.map(({ connection }) => connection.connected))]);
    isStarted = true;
    turn.start();
    for (const { connection, fill } of all) {
      fill();
      connection.flush();
    }
    await end;
  } finally {
    clearInterval(timer);
    for (const { connection } of all) {
      connection.destroy();
    }
  }
}
