import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

// What clients do besides ordinary requests. Each action gets the URL of the service and its own number, and rejects if the response is
// wrong.

const LOOKUP = "/v1/geoIp?ip_address=8.8.8.8";
const WATCH = "/grpc.health.v1.Health/Watch";
/** Milliseconds until a stream has failed. */
const TIMEOUT = 30_000;

/** A connection of HTTP/2 with a request or a stream, which the client cancels, closes or destroys after a while. */
export async function http2Connection(url: string, number: number): Promise<void> {
  const session = connectHttp2(url).on("error", () => undefined);
  const isStream = number % 3 === 0;
  const grpc = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
  const stream = session.request(isStream ? { ...grpc, ":path": WATCH } : { ":path": LOOKUP });
  stream.end(isStream ? Buffer.alloc(5) : undefined);
  const closed = once(stream, "close");
  const [response] = await once(stream, "response", { signal: AbortSignal.timeout(TIMEOUT) });
  if (response[":status"] !== 200) {
    throw new Error(`status ${response[":status"]}`);
  }
  stream.resume();
  await wait((number % 100) * 100);
  if (isStream) {
    stream.close(constants.NGHTTP2_CANCEL);
  }
  await closed;
  number % 2 === 0 ? session.close() : session.destroy();
}

/** A connection with a request, which the client closes, or resets, or leaves without a request. */
export async function http1Connection(url: string, number: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  await once(socket, "connect");
  if (number % 3 !== 0) {
    socket.write(`GET ${LOOKUP} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [head] = await once(socket, "data");
    if (!String(head).startsWith("HTTP/1.1 200 ")) {
      throw new Error(`unexpected: ${String(head).slice(0, 100)}`);
    }
  }
  await wait((number % 100) * 100);
  number % 5 === 0 ? socket.resetAndDestroy() : socket.end();
  socket.resume();
}
