import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { grpcFrame, type HttpRequest, withLength } from "./requests.js";
import { runTool } from "./server-process.js";
import { percentile } from "./statistics.js";

/** What a load tool measured. */
export interface LoadResult {
  /** Answers that came. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** The latency that half of the requests, and 99 % of them, did not exceed, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** What makes the figures worthless: broken connections, wrong answers. */
  readonly problems: readonly string[];
}

/** Puts load on the server at a URL for some seconds. */
export type Load = (url: string, seconds: number) => Promise<LoadResult>;

/** How much is sent at once. */
export interface Concurrency {
  readonly connections: number;
  /** Requests under way on each connection. */
  readonly streams: number;
}

/** Load over HTTP/1.1 from wrk, which goes through the requests in turn. */
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

/** A wrk script that sends ready-made requests and prints what was measured as one line of JSON. */
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

/** A request as it goes over the wire. Throws an Error for what a Lua string could not hold as JSON writes it. */
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

/** Reads what wrk printed with our script. Throws an Error where the line of the script is not in it. */
export function parseWrk(output: string): LoadResult {
  const line = output.split("\n").find((each) => each.startsWith("{"));
  if (line === undefined) {
    throw new Error(`wrk printed no summary:\n${output}`);
  }
  // Our own script wrote it.
  const summary: WrkSummary = JSON.parse(line);
  return {
    requests: summary.requests,
    requestsPerSecond: (summary.requests / summary.microseconds) * 1e6,
    p50: summary.p50 / 1000,
    p99: summary.p99 / 1000,
    problems: [
      ...(summary.requests === 0 ? ["no request was answered"] : []),
      ...COUNTS.filter((name) => summary[name] > 0).map((name) => `${summary[name]} ${name} errors`),
    ],
  };
}

/** What h2load sends, again and again: it takes one body. */
export interface GrpcLoadOptions {
  readonly path: string;
  readonly message: Uint8Array;
  /** Octets of the answer's message. */
  readonly answerLength: number;
  readonly concurrency: Concurrency;
}

/** Load of unary gRPC calls from h2load. */
export async function h2loadLoad(options: GrpcLoadOptions, folder: string): Promise<Load> {
  const { path, message, answerLength, concurrency } = options;
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
    return parseH2load(output, await readFile(log, "utf8"), grpcFrame(new Uint8Array(answerLength)).length);
  };
}

/**
 * Reads what h2load printed and its log, which has a line for each request: start, status and microseconds. h2load does
 * not look at a call's status in the trailers, so the octets of the answers are held against `frameLength`, the length
 * of the one frame that each must have: an error has none. Throws an Error where the summary is not in the output.
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
  const octets = number(/\((\d+)\) data$/m);
  const rows = log.split("\n").filter((row) => row !== "");
  const micros = Float64Array.from(rows, (row) => Number(row.split("\t")[2])).sort();

  const problems: string[] = [];
  if (total === 0) {
    problems.push("no call was answered");
  }
  if (succeeded !== total) {
    problems.push(`${total - succeeded} of ${total} calls failed`);
  }
  // At the end calls are under way of whose answers h2load counts the octets, or not.
  if (octets < succeeded * frameLength || octets > started * frameLength) {
    problems.push(`${octets} octets of answers are not ${succeeded} times ${frameLength}`);
  }
  return {
    requests: succeeded,
    requestsPerSecond: number(/^finished in .*, ([\d.]+) req\/s/m),
    p50: percentile(micros, 0.5) / 1000,
    p99: percentile(micros, 0.99) / 1000,
    problems,
  };
}
