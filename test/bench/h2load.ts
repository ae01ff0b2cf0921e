import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { grpcFrame } from "./grpc-request.js";
import type { Concurrency, Load, LoadResult } from "./load-result.js";
import { runTool } from "./run-tool.js";
import { percentile } from "./statistics.js";

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
