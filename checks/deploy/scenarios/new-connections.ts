import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Failed } from "connect-transcoding-testing/load/open-loop.js";
import { percentile } from "connect-transcoding-testing/statistics.js";
import { startService } from "../../lib/processes/service.js";
import type { Pace, Trial } from "./clients.js";

/** The shortest queue of the system: while a stop closes the port, so many connections can be in it. Others that are lost are unexpected. */
const QUEUE = 2;
/** Clients that each send a request on a new connection when the previous one has ended. */
const CLIENTS = 64;
/** Milliseconds of load before a stop, and before the load, until a service has loaded everything. */
const BEFORE = 1_000;
const WARM_UP = 2_500;
const REQUEST =
  "GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nHost: tools.example\r\nConnection: close\r\n\r\n";

/** Stops the service again and again while each request has a connection of its own. */
function stopUnderConnections(
  environment: Readonly<Record<string, string>> = {},
): (pace: Pace) => Promise<Trial> {
  return async ({ seconds }) => {
    const count = Math.max(1, Math.round(seconds / 2));
    const failed: Failed[] = [];
    const times: number[] = [];
    let busy = 0;
    for (let stops = 0; stops < count; stops++) {
      const service = await startService({ environment });
      await wait(WARM_UP);
      const began = performance.now();
      const clients = Array.from({ length: CLIENTS }, (_, index) =>
        sendOn(service.port, index, times, failed),
      );
      await wait(BEFORE);
      await Promise.all([service.end(), ...clients]);
      busy += performance.now() - began;
    }
    const sorted = times.toSorted((a, b) => a - b);
    return {
      requests: times.length + failed.length,
      rate: (1_000 * times.length) / busy,
      retried: 0,
      failed,
      expected: failed.slice(0, QUEUE * count),
      p99: percentile(sorted, 0.99),
      worst: sorted.at(-1) ?? 0,
      done: `${count} × SIGTERM`,
    };
  };
}

/** Sends requests until the port is closed. A request is lost if its connection was established. */
async function sendOn(port: number, index: number, times: number[], failed: Failed[]): Promise<void> {
  // The ports of one address do not suffice.
  const localAddress = `127.0.0.${2 + index}`;
  for (;;) {
    const sentAt = performance.now();
    let isConnected = false;
    let text = "";
    let failure = "closed without a response";
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => {
      isConnected = true;
      socket.write(REQUEST);
    });
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
    });
    socket.on("error", (error) => {
      failure = String(error);
    });
    await once(socket, "close").catch(() => undefined);
    if (!isConnected) {
      return;
    }
    const failedAt = performance.now();
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1]);
    if (/^HTTP\/1\.1 200 /.test(text) && text.length - text.indexOf("\r\n\r\n") - 4 === length) {
      times.push(failedAt - sentAt);
    } else {
      failed.push({ protocol: "REST", failure, sentAt, failedAt, localPort: socket.localPort } as Failed);
    }
  }
}

/** The service with one process, and with workers. */
export const NEW_CONNECTIONS: Readonly<Record<string, (pace: Pace) => Promise<Trial>>> = {
  "a connection per request": stopUnderConnections(),
  "a connection per request, two workers": stopUnderConnections({ WORKERS: "2" }),
};
