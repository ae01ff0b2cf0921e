import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { encodeHttp1 } from "connect-transcoding-testing/load/http1.js";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import { createClient, type LoadClient } from "connect-transcoding-testing/load/open-loop.js";
import { GRPC_HEADERS, grpcFrame, type Workload } from "connect-transcoding-testing/load/workload.js";
import { percentile } from "connect-transcoding-testing/statistics.js";

/** The results of polite requests. */
export interface PoliteReport {
  readonly requests: number;
  /** Failures by description. */
  readonly failures: ReadonlyMap<string, number>;
  /** The 99th percentile of the durations, in milliseconds. */
  readonly p99: number;
}

/** Clients that send ordinary requests repeatedly, each one at a time. */
export interface PoliteClients {
  /** Returns the results since the last report. */
  report(): PoliteReport;
  /** Sends a request on each connection that has been idle since the start. The next report has the failures. */
  wake(): Promise<void>;
  stop(): Promise<void>;
}

/** Another address than that of the attackers: the service shares its time between clients. */
const LOCAL_ADDRESS = "127.0.0.2";
/** The timeout of a request, in milliseconds. */
const TIMEOUT = 10_000;
/** The number of idle connections in each protocol. */
const IDLE = 4;

const NOTHING: Workload["headers"] = [];
const get = (path: string, headers = NOTHING): Workload => ({
  http: 1,
  grpc: false,
  method: "GET",
  authority: "localhost",
  headers,
  requests: [{ path, body: Buffer.alloc(0) }],
});
const CLOSE: Workload["headers"] = [["connection", "close"]];
const LOOKUP = "/v1/geoIp?ip_address=8.8.8.8";
const GRPC: Workload = {
  ...get(LOOKUP, GRPC_HEADERS),
  http: 2,
  grpc: true,
  method: "POST",
  // `ip_address` is field 1 of the message.
  requests: [
    { path: "/utilitytools.v1.GeoIpService/LookupIp", body: grpcFrame(Buffer.from("\x0a\x078.8.8.8")) },
  ],
};

/**
 * Starts four clients: REST on one connection, REST with a new connection per request, gRPC, and health checks. Further
 * connections send one request and are idle then.
 *
 * @param pause the milliseconds between a response and the next request of a client
 */
export function startPoliteClients(url: string, caFile: string, pause: number): PoliteClients {
  const options = {
    ca: readFileSync(caFile, "utf8"),
    localAddress: LOCAL_ADDRESS,
    retries: false,
    deadline: TIMEOUT,
  };
  const createPolite = (workload: Workload): LoadClient =>
    createClient(
      url,
      workload.http === 1 ? encodeHttp1(workload) : encodeHttp2(workload, url.startsWith("https:")),
      (_, { status, grpcStatus }) => status === 200 && (!workload.grpc || grpcStatus === "0"),
      1,
      options,
    );
  let times: number[] = [];
  let failures = new Map<string, number>();
  let isStopped = false;

  /** Sends a request. Resolves to the port of its connection. */
  async function ask(name: string, client: LoadClient): Promise<number | undefined> {
    const { failure, localPort } = await client.send();
    if (failure !== undefined) {
      const what = `${name}: ${failure}`;
      failures.set(what, (failures.get(what) ?? 0) + 1);
    }
    return localPort;
  }

  async function askRepeatedly(name: string, workload: Workload): Promise<void> {
    const client = createPolite(workload);
    while (!isStopped) {
      const started = performance.now();
      await ask(name, client);
      times.push(performance.now() - started);
      await wait(pause);
    }
    client.close();
  }

  const idle = Array.from({ length: 2 * IDLE }, (_, index) => ({
    client: createPolite(index < IDLE ? get(LOOKUP) : GRPC),
    name: index < IDLE ? "REST, idle connection" : "gRPC, idle connection",
  }));
  const askIdle = () => Promise.all(idle.map(({ name, client }) => ask(name, client)));
  const asleep = askIdle();

  async function wake(): Promise<void> {
    const before = await asleep;
    const after = await askIdle();
    for (const [index, { name }] of idle.entries()) {
      if (before[index] !== after[index]) {
        failures.set(`${name}: it was closed`, 1);
      }
    }
  }

  const clients = [
    askRepeatedly("REST, kept connection", get(LOOKUP)),
    askRepeatedly("REST, new connection", get(LOOKUP, CLOSE)),
    askRepeatedly("gRPC", GRPC),
    askRepeatedly("health", get("/healthz", CLOSE)),
  ];
  return {
    report: () => {
      const sorted = times.toSorted((a, b) => a - b);
      const report = { requests: sorted.length, failures, p99: percentile(sorted, 0.99) };
      times = [];
      failures = new Map();
      return report;
    },
    wake,
    stop: async () => {
      isStopped = true;
      await Promise.all([...clients, asleep]);
      for (const { client } of idle) {
        client.close();
      }
    },
  };
}
