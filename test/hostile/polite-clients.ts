import { readFileSync } from "node:fs";
import { Agent, request as requestHttp } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { request as requestHttps, Agent as TlsAgent } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { percentile } from "../bench/statistics.js";

/** The results of polite requests. */
export interface PoliteReport {
  readonly requests: number;
  /** Failures by description. */
  readonly failures: ReadonlyMap<string, number>;
  /** The median duration in milliseconds. */
  readonly p50: number;
  /** The 99th percentile of the duration in milliseconds. */
  readonly p99: number;
}

/** Clients that send ordinary requests repeatedly, each one at a time. */
export interface PoliteClients {
  /** Returns the results since the last report. */
  report(): PoliteReport;
  stop(): Promise<void>;
}

const PATH = "/v1/geoIp?ip_address=8.8.8.8";
/** `ip_address` is field 1 of the message. */
const MESSAGE = Buffer.concat([Buffer.from([0, 0, 0, 0, 9, 10, 7]), Buffer.from("8.8.8.8")]);
const GRPC_PATH = "/utilitytools.v1.GeoIpService/LookupIp";
/** Milliseconds between a response and the next request of a client. */
const PAUSE = 5;
/** Another address than that of the attackers: the service shares its time between clients. */
const LOCAL_ADDRESS = "127.0.0.2";
/** The timeout of a request, in milliseconds. */
const TIMEOUT = 10_000;

/** Starts four clients: REST on one connection, REST with a new connection per request, gRPC, and health checks. */
export function startPoliteClients(url: string, caFile: string): PoliteClients {
  const isTls = url.startsWith("https:");
  const ca = readFileSync(caFile);
  const keepAlive = isTls ? new TlsAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
  let times: number[] = [];
  let failures = new Map<string, number>();
  let isStopped = false;

  async function askRepeatedly(name: string, ask: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      const started = performance.now();
      await Promise.race([ask(), wait(TIMEOUT).then(() => Promise.reject(new Error("no response")))]).catch(
        (error: unknown) => {
          const failure = `${name}: ${error instanceof Error ? error.message : error}`;
          failures.set(failure, (failures.get(failure) ?? 0) + 1);
        },
      );
      times.push(performance.now() - started);
      await wait(PAUSE);
    }
  }

  function askRest(agent: Agent | false, path = PATH): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { agent, ca, localAddress: LOCAL_ADDRESS };
      const request = isTls ? requestHttps(url + path, options as object) : requestHttp(url + path, options);
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

  function createConnection({ hostname, port }: URL): Socket {
    const address = { host: hostname, port: Number(port), localAddress: LOCAL_ADDRESS };
    return isTls ? connectTls({ ...address, ca, ALPNProtocols: ["h2"] }) : connectTcp(address);
  }

  let session: ClientHttp2Session | undefined;
  function askGrpc(): Promise<void> {
    if (session === undefined || session.closed || session.destroyed) {
      session = connectHttp2(url, { createConnection });
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

  const clients = [
    askRepeatedly("REST, kept connection", () => askRest(keepAlive)),
    askRepeatedly("REST, new connection", () => askRest(false)),
    askRepeatedly("gRPC", askGrpc),
    askRepeatedly("health", () => askRest(false, "/healthz")),
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
      await Promise.all(clients);
      keepAlive.destroy();
      session?.destroy();
    },
  };
}
