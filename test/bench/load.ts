import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { grpcFrame, type HttpRequest, withLength } from "./requests.js";
import { runTool } from "./server-process.js";
import { percentile } from "./statistics.js";

/** The result of a load tool. */
export interface LoadResult {
  /** The number of responses. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Median and 99th percentile of the latency, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Problems that invalidate the result: broken connections, wrong responses. */
  readonly problems: readonly string[];
}

/** Sends requests to a server for some seconds. */
export type Load = (url: string, seconds: number) => Promise<LoadResult>;

/** How many requests are sent concurrently. */
export interface Concurrency {
  readonly connections: number;
  /** Concurrent requests per connection. */
  readonly streams: number;
}

/** Creates load over HTTP/1.1 with wrk, which sends the requests in turn. */
export async function wrkLoad(
  requests: readonly HttpRequest[],
  { connections }: Concurrency,
  folder: string,
): Promise<Load> {
  const script = join(folder, "requests.lua");
  await writeFile(script, wrkScript(requests));
  return async (url, seconds) => {
    const options = ["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`];
    return parseWrk(await runTool("wrk", [...options, "--timeout", "10s", "--script", script, url]));
  };
}

/** Returns a wrk script that sends prepared requests and prints the result as one line of JSON. */
export function wrkScript(requests: readonly HttpRequest[]): string {
  const texts = requests.map((request) => `  ${JSON.stringify(requestText(request))},\n`);
  return `local requests = {
${texts.join("")}}
local index = 0

function request()
  index = index + 1
  if index > #requests then index = 1 end
  return requests[index]
end

function done(summary, latency)
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.connect, summary.errors.read, summary.errors.write, summary.errors.timeout, summary.errors.status
  ))
end
`;
}

/** Returns a request as sent. Throws an Error if a Lua string literal differs from a JSON string. */
function requestText(request: HttpRequest): string {
  const headers = Object.entries(withLength(request)).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `${request.method} ${request.path} HTTP/1.1\r\n${headers.join("")}\r\n${request.body}`;
  if (!/^[\r\n\x20-\x7e]*$/.test(text)) {
    throw new Error(`only printable ASCII can be sent: ${text}`);
  }
  return text;
}

const COUNTS = ["connect", "read", "write", "timeout", "status"] as const;

type WrkSummary = Record<(typeof COUNTS)[number] | "requests" | "microseconds" | "p50" | "p99", number>;

/** Parses the output of wrk with our script. Throws an Error if it has no summary. */
export function parseWrk(output: string): LoadResult {
  const line = output.split("\n").find((each) => each.startsWith("{"));
  if (line === undefined) {
    throw new Error(`wrk printed no summary:\n${output}`);
  }
  // Written by our own script.
  const summary: WrkSummary = JSON.parse(line);
  return {
    requests: summary.requests,
    requestsPerSecond: (summary.requests / summary.microseconds) * 1e6,
    p50: summary.p50 / 1000,
    p99: summary.p99 / 1000,
    problems: [
      ...(summary.requests === 0 ? ["there were no responses"] : []),
      ...COUNTS.filter((name) => summary[name] > 0).map((name) => `${summary[name]} ${name} errors`),
    ],
  };
}

/** The call that h2load repeats. It supports only one body. */
export interface GrpcLoadOptions {
  readonly path: string;
  readonly message: Uint8Array;
  /** The length of the response message in bytes. */
  readonly responseLength: number;
  readonly concurrency: Concurrency;
}

/** Creates load of unary gRPC calls with h2load. */
export async function h2loadLoad(options: GrpcLoadOptions, folder: string): Promise<Load> {
  const { path, message, responseLength, concurrency } = options;
  const body = join(folder, "message.bin");
  const log = join(folder, "h2load.log");
  await writeFile(body, grpcFrame(message));
  return async (url, seconds) => {
    const headers = ["--header", "content-type: application/grpc", "--header", "te: trailers"];
    const output = await runTool("h2load", [
      `--duration=${seconds}`,
      `--clients=${concurrency.connections}`,
      `--max-concurrent-streams=${concurrency.streams}`,
      `--data=${body}`,
      `--log-file=${log}`,
      ...headers,
      `${url}${path}`,
    ]);
    return parseH2load(output, await readFile(log, "utf8"), grpcFrame(new Uint8Array(responseLength)).length);
  };
}

/**
 * Parses the output of h2load and its log, which has start, status and microseconds per request. h2load does not check
 * gRPC status. The response bytes are therefore compared with `frameLength`, the length of the one frame in each
 * successful response. Throws an Error if the output has no summary.
 */
export function parseH2load(output: string, log: string, frameLength: number): LoadResult {
  const number = (pattern: RegExp): number => {
    const text = pattern.exec(output)?.[1];
    if (text === undefined) {
      throw new Error(`h2load did not print ${pattern}:\n${output}`);
    }
    return Number(text);
  };
  const total = number(/^requests: (\d+) total/m);
  const started = number(/ (\d+) started/);
  const succeeded = number(/ (\d+) succeeded/);
  const bytes = number(/\((\d+)\) data$/m);
  const rows = log.split("\n").filter((row) => row !== "");
  const micros = Float64Array.from(rows, (row) => Number(row.split("\t")[2])).sort();

  const problems: string[] = [];
  if (total === 0) {
    problems.push("there were no responses");
  }
  if (succeeded !== total) {
    problems.push(`${total - succeeded} of ${total} calls failed`);
  }
  // h2load may count the bytes of calls in progress at the end.
  if (bytes < succeeded * frameLength || bytes > started * frameLength) {
    problems.push(`${bytes} bytes of responses are not ${succeeded} times ${frameLength}`);
  }
  return {
    requests: succeeded,
    requestsPerSecond: number(/^finished in .*, ([\d.]+) req\/s/m),
    p50: percentile(micros, 0.5) / 1000,
    p99: percentile(micros, 0.99) / 1000,
    problems,
  };
}
