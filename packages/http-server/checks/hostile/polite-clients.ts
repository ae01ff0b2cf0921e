import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { encodeHttp1 } from "connect-transcoding-testing/load/http1.js";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import { createClient, type LoadClient } from "connect-transcoding-testing/load/open-loop.js";
import { GRPC_HEADERS, type LoadRequest, type Workload } from "connect-transcoding-testing/load/workload.js";
import { percentile } from "connect-transcoding-testing/statistics.js";

/** The results of polite requests. */
export interface PoliteReport {
  readonly requests: number;
  readonly failures: ReadonlyMap<string, number>;
  /** The 99th percentile of the durations, in milliseconds. */
  readonly p99: number;
}

/** What polite clients ask for, by REST and by gRPC. */
export interface PoliteRequests {
  readonly path: string;
  readonly grpc: LoadRequest;
}

/** Clients that send ordinary requests repeatedly, each one at a time. */
export interface PoliteClients {
  /** Returns the results since the last report. */
  report(): PoliteReport;
  /** Sends a request on each connection that has been idle since the start. The next report has the failures. */
  wake(): Promise<void>;
  stop(): Promise<void>;
}

/** Another address than that of the attackers: the server shares its time between clients. */
const LOCAL_ADDRESS = "127.0.0.2";
/** The timeout of a request, in milliseconds. */
const TIMEOUT = 10_000;
/** The number of idle connections in each protocol. */
const IDLE = 4;

const NO_BODY = Buffer.alloc(0);
const CLOSE: Workload["headers"] = [["connection", "close"]];

const workload = (
  http: Workload["http"],
  method: Workload["method"],
  headers: Workload["headers"],
  request: LoadRequest,
): Workload => ({ http, grpc: http === 2, method, authority: "localhost", headers, requests: [request] });

/**
 * Starts four clients: REST on one connection, REST with a new connection per request, gRPC, and health checks. Further
 * connections send one request and are idle then.
 *
 * @param pause the milliseconds between a response and the next request of a client
 */
export function startPoliteClients(
  url: string,
  { path, grpc }: PoliteRequests,
  caFile: string,
  pause: number,
): PoliteClients {
  const get = (headers: Workload["headers"] = []) => workload(1, "GET", headers, { path, body: NO_BODY });
  const call = workload(2, "POST", GRPC_HEADERS, grpc);
  const health = workload(1, "POST", [...CLOSE, ["content-type", "application/json"]], {
    path: "/grpc.health.v1.Health/Check",
    body: Buffer.from("{}"),
  });
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
    client: createPolite(index < IDLE ? get() : call),
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
    askRepeatedly("REST, kept connection", get()),
    askRepeatedly("REST, new connection", get(CLOSE)),
    askRepeatedly("gRPC", call),
    askRepeatedly("health", health),
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
