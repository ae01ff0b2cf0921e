import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

// What clients do besides ordinary requests. Each action gets the URL of the service and its own number, and rejects if the response is
// wrong.

const WATCH = "/grpc.health.v1.Health/Watch";
/** A page with a long body. */
const LONG = "/v1/countries";
const LOOKUP = "/v1/geoIp?ip_address=8.8.8.8";
/** Milliseconds until an action has failed. */
const TIMEOUT = 30_000;

const sessions = new Map<string, ClientHttp2Session>();

/** Returns an HTTP/2 session for a purpose, and replaces it when it is closed. */
function sessionOf(url: string, name: string): ClientHttp2Session {
  const known = sessions.get(name);
  if (known !== undefined && !known.closed && !known.destroyed) {
    return known;
  }
  const session = connectHttp2(url).on("error", () => undefined);
  sessions.set(name, session);
  return session;
}

/** Waits for the status of a response on a session and discards the body. */
async function statusOf(session: ClientHttp2Session, headers: object, body?: string): Promise<void> {
  const stream = session.request({ ...headers }, { signal: AbortSignal.timeout(TIMEOUT) });
  stream.end(body);
  const [response] = await once(stream, "response");
  stream.resume();
  await once(stream, "close");
  if (response[":status"] !== 200) {
    throw new Error(`status ${response[":status"]}`);
  }
}

/** A request with a large body. */
export async function upload(url: string, number: number): Promise<void> {
  const body = JSON.stringify({ email: `Jane.Doe+${number}@GoogleMail.com` }).padEnd(60_000);
  const headers = { ":path": "/v1/sanitizeEmail", ":method": "POST", "content-type": "application/json" };
  await statusOf(sessionOf(url, "upload"), headers, body);
}

/** A stream that is cancelled after a while. */
export async function watch(url: string, number: number): Promise<void> {
  const headers = { ":path": WATCH, ":method": "POST", "content-type": "application/grpc", te: "trailers" };
  const stream = sessionOf(url, "watch").request(headers);
  stream.end(Buffer.alloc(5));
  const closed = once(stream, "close");
  await once(stream, "data", { signal: AbortSignal.timeout(TIMEOUT) });
  await wait((number % 30) * 100);
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
}

/** A call that is cancelled before, while or after it is served. */
export async function cancelled(url: string, number: number): Promise<void> {
  const stream = sessionOf(url, "cancelled").request({ ":path": number % 2 === 0 ? LONG : LOOKUP });
  stream.on("error", () => undefined).resume();
  const closed = once(stream, "close");
  await wait(number % 3);
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
}

/** A connection with a request, which the client closes, or resets, or leaves without a request. */
export async function connection(url: string, number: number): Promise<void> {
  if (number % 2 === 0) {
    const session = connectHttp2(url).on("error", () => undefined);
    await statusOf(session, { ":path": LOOKUP });
    await wait((number % 100) * 100);
    number % 4 === 0 ? session.close() : session.destroy();
    return;
  }
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

/** A client that asks for 100 long responses, and reads none of them for a while. */
export async function slowReader(url: string, number: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const pause = () => wait(10_000 + (number % 30) * 1_000);
  if (number % 2 === 0) {
    const session = connectHttp2(url, { settings: { initialWindowSize: 1024 } }).on("error", () => undefined);
    for (let stream = 0; stream < 100; stream++) {
      session.request({ ":path": LONG }).on("error", () => undefined);
    }
    await pause();
    session.destroy();
  } else {
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    socket.pause();
    socket.write(`GET ${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100));
    await pause();
    socket.destroy();
  }
}
