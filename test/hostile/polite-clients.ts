import { readFileSync } from "node:fs";
import { Agent, request as requestHttp } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { request as requestHttps, Agent as TlsAgent } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { percentile } from "../bench/statistics.js";

/** What became of polite requests. */
export interface PoliteReport {
  readonly requests: number;
  /** What went wrong, one sentence for each kind. */
  readonly failures: ReadonlyMap<string, number>;
  /** Milliseconds that half of the requests took at most. */
  readonly p50: number;
  /** Milliseconds that all but one in a hundred took at most. */
  readonly p99: number;
}

/** Callers that ask for something ordinary again and again, one request at a time each. */
export interface PoliteCallers {
  /** What became of the requests since the last report. */
  report(): PoliteReport;
  stop(): Promise<void>;
}

const PATH = "/v1/geoIp?ip_address=8.8.8.8";
/** `ip_address` is field 1 of the message. */
const MESSAGE = Buffer.concat([Buffer.from([0, 0, 0, 0, 9, 10, 7]), Buffer.from("8.8.8.8")]);
const GRPC_PATH = "/utilitytools.v1.GeoIpService/LookupIp";
/** Milliseconds from an answer to the next request of the same caller. */
const PAUSE = 5;
/** Milliseconds after which a request counts as failed. */
const PATIENCE = 10_000;

/** Starts three: REST on one connection, REST on a new one each time, and gRPC. */
export function startPoliteCallers(url: string, caFile: string): PoliteCallers {
  const isTls = url.startsWith("https:");
  const ca = readFileSync(caFile);
  const keepAlive = isTls ? new TlsAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
  let times: number[] = [];
  let failures = new Map<string, number>();
  let isStopped = false;

  async function askAgain(name: string, ask: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      const started = performance.now();
      await Promise.race([ask(), wait(PATIENCE).then(() => Promise.reject(new Error("no answer")))]).catch(
        (error: unknown) => {
          const failure = `${name}: ${error instanceof Error ? error.message : error}`;
          failures.set(failure, (failures.get(failure) ?? 0) + 1);
        },
      );
      times.push(performance.now() - started);
      await wait(PAUSE);
    }
  }

  function askRest(agent: Agent | false): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { agent, ca };
      const request = isTls
        ? requestHttps(url + PATH, options as object)
        : requestHttp(url + PATH, { agent });
      request.once("error", reject);
      request.once("response", (response) => {
        response.resume().once("end", () => {
          response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`));
        });
        response.once("error", reject);
      });
      request.end();
    });
  }

  let session: ClientHttp2Session | undefined;
  function askGrpc(): Promise<void> {
    if (session === undefined || session.closed || session.destroyed) {
      session = connectHttp2(url, { ca });
      session.on("error", () => {});
    }
    const current = session;
    return new Promise((resolve, reject) => {
      const stream = current.request({
        ":method": "POST",
        ":path": GRPC_PATH,
        "content-type": "application/grpc",
        te: "trailers",
      });
      let status: unknown;
      stream.on("response", (headers) => {
        status = headers["grpc-status"];
      });
      stream.on("trailers", (trailers) => {
        status = trailers["grpc-status"];
      });
      stream.once("error", reject);
      stream
        .resume()
        .once("close", () => (status === "0" ? resolve() : reject(new Error(`grpc-status ${status}`))));
      stream.end(MESSAGE);
    });
  }

  const callers = [
    askAgain("REST, kept connection", () => askRest(keepAlive)),
    askAgain("REST, new connection", () => askRest(false)),
    askAgain("gRPC", askGrpc),
  ];
  return {
    report: () => {
      const sorted = times.toSorted((a, b) => a - b);
      const report = {
        requests: sorted.length,
        failures,
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
      };
      times = [];
      failures = new Map();
      return report;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
      keepAlive.destroy();
      session?.destroy();
    },
  };
}
