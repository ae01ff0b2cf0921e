import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HttpRequest, withLength } from "./http-request.js";
import type { Concurrency, Load, LoadResult } from "./load-result.js";
import { runTool } from "./run-tool.js";

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
