import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOnLoadProcessor } from "./server-process.js";

/** The requests of a case. All of them have the same method and headers. */
export interface Workload {
  /** The version of HTTP. */
  readonly http: 1 | 2;
  /** Whether a response must have the trailer `grpc-status: 0`. */
  readonly grpc: boolean;
  readonly method: "GET" | "POST";
  readonly authority: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly requests: readonly LoadRequest[];
}

/** The part of a request that varies. */
export interface LoadRequest {
  readonly path: string;
  readonly body: Buffer;
}

/** How many requests are sent concurrently. */
export interface Concurrency {
  readonly connections: number;
  /** Concurrent requests per connection of HTTP/2. */
  readonly streams: number;
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
  /** Bytes of all requests and of all responses with their headers, without what TLS, TCP and IP add. */
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** The processor time of the load program while it sends requests. */
  readonly processorSeconds: number;
}

/** Writes the file with the requests for the load program. */
export async function writeWorkload(path: string, workload: Workload, tls: boolean): Promise<void> {
  const requests = workload.requests.map(({ path, body }) => ({ path, body: body.toString("base64") }));
  await writeFile(path, JSON.stringify({ ...workload, tls, requests }));
}

/** What the load program needs to know for every kind of use. */
export interface LoadOptions {
  /** The path of the load program. */
  readonly program: string;
  /** The file that {@link writeWorkload} wrote. */
  readonly workload: string;
  readonly concurrency: Concurrency;
}

/** How long requests are sent, and the index of the first one. */
export interface LoadDuration {
  readonly seconds: number;
  readonly first: number;
}

/** Sends the requests in turn for some seconds. Rejects if a connection breaks. */
export async function createLoad(
  url: string,
  { program, workload, concurrency }: LoadOptions,
  { seconds, first }: LoadDuration,
): Promise<LoadResult> {
  const options = [...commonOptions(url, workload, concurrency), "-seconds", String(seconds)];
  // Written by our own program.
  return JSON.parse(await runOnLoadProcessor(program, [...options, "-first", String(first)]));
}

/** A response with its body as sent. */
export interface LoadResponse {
  /** The HTTP status; 0 for a failed gRPC call. */
  readonly status: number;
  readonly body: Buffer;
}

/** Sends each request once and resolves to the responses in the same order. Rejects if a connection breaks. */
export async function fetchResponses(
  url: string,
  { program, workload, concurrency }: LoadOptions,
): Promise<LoadResponse[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const file = join(folder, "responses");
    await runOnLoadProcessor(program, [...commonOptions(url, workload, concurrency), "-responses", file]);
    return parseResponses(await readFile(file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function commonOptions(url: string, workload: string, { connections, streams }: Concurrency): string[] {
  const { protocol, host } = new URL(url);
  return [
    ...["-requests", workload, "-address", host, ...(protocol === "https:" ? ["-tls"] : [])],
    ...["-connections", String(connections), "-streams", String(streams)],
  ];
}

/** Parses a file of responses: status, length of the body, body. */
export function parseResponses(bytes: Buffer): LoadResponse[] {
  const responses: LoadResponse[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + 8;
    const end = start + bytes.readUInt32BE(at + 4);
    responses.push({ status: bytes.readUInt32BE(at), body: bytes.subarray(start, end) });
    at = end;
  }
  return responses;
}
