import { readFileSync } from "node:fs";
import { Agent, request as requestHttp } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { request as requestHttps, Agent as TlsAgent } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { percentile } from "../lib/statistics.js";

/** The results of polite requests. */
export interface PoliteReport {
  readonly requests: number;
  /** Failures by description. */
  readonly failures: ReadonlyMap<string, number>;
  /** The median duration in milliseconds. */
  readonly p50: number;
  /** The 99th percentile of the duration in milliseconds. */
  readonly p99: number;
  /** The longest duration in milliseconds. */
  readonly max: number;
}

/** Clients that send ordinary requests repeatedly, each one at a time. */
export interface PoliteClients {
  /** Returns the results since the last report. */
  report(): PoliteReport;
  /** Sends a request on each connection that has been idle since the start. The next report has the failures. */
  wake(): Promise<void>;
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
/** The number of idle connections in each protocol. */
const IDLE = 4;

/**
 * Starts four clients: REST on one connection, REST with a new connection per request, gRPC, and health checks. Further
 * connections send one request and are idle then.
 */
export function startPoliteClients(url: string, caFile: string): PoliteClients {
  const isTls = url.startsWith("https:");
  const ca = readFileSync(caFile);
  const createAgent = () => (isTls ? new TlsAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true }));
  const keepAlive = createAgent();
  let times: number[] = [];
  let failures = new Map<string, number>();
  let isStopped = false;

  async function ask(name: string, response: Promise<void>): Promise<void> {
    const late = wait(TIMEOUT, undefined, { ref: false }).then(() =>
      Promise.reject(new Error("no response")),
    );
    await Promise.race([response, late]).catch((error: unknown) => {
      const failure = `${name}: ${error instanceof Error ? error.message : error}`;
      failures.set(failure, (failures.get(failure) ?? 0) + 1);
    });
  }

  async function askRepeatedly(name: string, send: () => Promise<void>): Promise<void> {
    while (!isStopped) {
      const started = performance.now();
      await ask(name, send());
      times.push(performance.now() - started);
      await wait(PAUSE);
    }
  }

  function askRest(agent: Agent | false, path = PATH, isReused = false): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { agent, ca, localAddress: LOCAL_ADDRESS };
      const request = isTls ? requestHttps(url + path, options as object) : requestHttp(url + path, options);
      request.once("error", reject);
      request.once("response", (response) => {
        response.resume().once("end", () => {
          if (isReused && !request.reusedSocket) {
            reject(new Error("the connection was closed"));
          } else {
            response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`));
          }
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

  function createSession(): ClientHttp2Session {
    return connectHttp2(url, { createConnection }).on("error", () => {});
  }

  let session: ClientHttp2Session | undefined;
  function askGrpcRepeatedly(): Promise<void> {
    if (session === undefined || session.closed || session.destroyed) {
      session = createSession();
    }
    return askGrpc(session);
  }

  function askGrpc(current: ClientHttp2Session): Promise<void> {
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

  const idleAgents = Array.from({ length: IDLE }, createAgent);
  const idleSessions = Array.from({ length: IDLE }, createSession);
  async function askIdle(isReused: boolean): Promise<void> {
    await Promise.all([
      ...idleAgents.map((agent) => ask("REST, idle connection", askRest(agent, PATH, isReused))),
      ...idleSessions.map((idle) => ask("gRPC, idle connection", askGrpc(idle))),
    ]);
  }

  const asleep = askIdle(false);
  const clients = [
    askRepeatedly("REST, kept connection", () => askRest(keepAlive)),
    askRepeatedly("REST, new connection", () => askRest(false)),
    askRepeatedly("gRPC", askGrpcRepeatedly),
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
        max: sorted.at(-1) ?? Number.NaN,
      };
      times = [];
      failures = new Map();
      return report;
    },
    wake: () => asleep.then(() => askIdle(true)),
    stop: async () => {
      isStopped = true;
      await Promise.all([...clients, asleep]);
      for (const used of [keepAlive, session, ...idleAgents, ...idleSessions]) {
        used?.destroy();
      }
    },
  };
}
