import { setTimeout as wait } from "node:timers/promises";
import { grpcClient } from "../load/grpc-client.js";
import type { ClientOptions, Failed, LoadClient, LoadResult } from "../load/load.js";
import { restClient } from "../load/rest-client.js";

/** The load of a scenario. */
export interface Pace {
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
}

/** The result of a scenario. */
export interface Trial extends LoadResult {
  /** The actions under load. */
  readonly done: string;
  /** Expected failures: requests in progress in a killed process, or sent before a proxy detects that a replica hangs. */
  readonly expected: readonly Failed[];
}

/** Resolves to undefined, with a message, if a program is missing. */
export type Scenario = (pace: Pace) => Promise<Trial | undefined>;

/** Connections per protocol. An HTTP/1.1 connection has one request at a time. */
const REST_CONNECTIONS = 128;
const GRPC_CONNECTIONS = 16;

/** Creates a client per protocol. */
export function createClients(
  url: string,
  options: ClientOptions = {},
): Readonly<Record<string, LoadClient>> {
  return {
    REST: restClient(url, REST_CONNECTIONS, options),
    gRPC: grpcClient(url, GRPC_CONNECTIONS, options),
  };
}

/**
 * Calls `act` repeatedly until the scenario's time is over. Resolves to the number of calls.
 *
 * @param pause milliseconds before each call and after the last one
 */
export async function repeat(seconds: number, act: () => Promise<void>, pause: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let times = 0;
  await wait(pause);
  while (performance.now() < end - pause) {
    await act();
    times += 1;
    await wait(pause);
  }
  await wait(Math.max(0, end - performance.now()));
  return times;
}
