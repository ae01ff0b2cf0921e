import { readFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { createRawClient, type RawClient, type RawRequest } from "../lib/raw-client.js";
import { percentile } from "../lib/statistics.js";

/** The results of polite requests. */
export interface PoliteReport {
  readonly requests: number;
  /** Failures by description. */
  readonly failures: ReadonlyMap<string, number>;
  /** The median duration, its 99th percentile and the longest one, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
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

/** Milliseconds between a response and the next request of a client. */
const PAUSE = 5;
/** Another address than that of the attackers: the service shares its time between clients. */
const LOCAL_ADDRESS = "127.0.0.2";
/** The timeout of a request, in milliseconds. */
const TIMEOUT = 10_000;
/** The number of idle connections in each protocol. */
const IDLE = 4;

const get = (target: string): RawRequest => ({
  http: 1,
  httpMethod: "GET",
  target,
  headers: [["host", "localhost"]],
  body: new Uint8Array(),
});
const REST = get("/v1/geoIp?ip_address=8.8.8.8");
const GRPC: RawRequest = {
  http: 2,
  httpMethod: "POST",
  target: "/utilitytools.v1.GeoIpService/LookupIp",
  headers: [
    ["content-type", "application/grpc"],
    ["te", "trailers"],
  ],
  // `ip_address` is field 1 of the message.
  body: Buffer.from("\0\0\0\0\x09\x0a\x078.8.8.8"),
};

/**
 * Starts four clients: REST on one connection, REST with a new connection per request, gRPC, and health checks. Further
 * connections send one request and are idle then.
 */
export function startPoliteClients(url: string, caFile: string): PoliteClients {
  const { hostname: host, protocol, port } = new URL(url);
  const ca = readFileSync(caFile);
  const address = { host, port: Number(port), localAddress: LOCAL_ADDRESS, noDelay: true };
  const createClient = (options: { keepsAlive?: boolean; sessions?: number } = {}): RawClient =>
    createRawClient({
      port: Number(port),
      timeout: TIMEOUT,
      open: (alpn) =>
        protocol === "https:" ? connectTls({ ...address, ca, ALPNProtocols: [alpn] }) : connectTcp(address),
      ...options,
    });
  let times: number[] = [];
  let failures = new Map<string, number>();
  let isStopped = false;

  async function ask(name: string, client: RawClient, request: RawRequest): Promise<void> {
    const { end, status, headers, trailers } = await client.send(request);
    const grpcStatus = { ...headers, ...trailers }["grpc-status"];
    if (status !== 200 || (request === GRPC && grpcStatus !== "0")) {
      const failure = `${name}: ${end}, status ${status}, grpc-status ${grpcStatus}`;
      failures.set(failure, (failures.get(failure) ?? 0) + 1);
    }
  }

  async function askRepeatedly(name: string, client: RawClient, request: RawRequest): Promise<void> {
    while (!isStopped) {
      const started = performance.now();
      await ask(name, client, request);
      times.push(performance.now() - started);
      await wait(PAUSE);
    }
    client.close();
  }

  const idle = Array.from({ length: 2 * IDLE }, (_, index) => ({
    client: createClient({ sessions: 1 }),
    name: index < IDLE ? "REST, idle connection" : "gRPC, idle connection",
    request: index < IDLE ? REST : GRPC,
  }));
  async function askIdle(): Promise<void> {
    await Promise.all(idle.map(({ name, client, request }) => ask(name, client, request)));
    for (const { name, client } of idle.filter(({ client }) => client.opened > 1)) {
      failures.set(`${name}: ${client.opened - 1} connections were closed`, 1);
    }
  }

  const asleep = askIdle();
  const clients = [
    askRepeatedly("REST, kept connection", createClient(), REST),
    askRepeatedly("REST, new connection", createClient({ keepsAlive: false }), REST),
    askRepeatedly("gRPC", createClient({ sessions: 1 }), GRPC),
    askRepeatedly("health", createClient({ keepsAlive: false }), get("/healthz")),
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
    wake: () => asleep.then(askIdle),
    stop: async () => {
      isStopped = true;
      await Promise.all([...clients, asleep]);
      for (const { client } of idle) {
        client.close();
      }
    },
  };
}
