import { once } from "node:events";
import { Agent, request as requestHttp1 } from "node:http";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

// Each load is an action with its share of the rate. An action gets the service and its own number, and rejects if the response
// is wrong.

const LOOKUP_IP = "/utilitytools.v1.GeoIpService/LookupIp";
const WATCH = "/grpc.health.v1.Health/Watch";
/** A page with a long body. */
const LONG = "/v1/countries";
/** Milliseconds until an action has failed. */
const TIMEOUT = 30_000;
/** Milliseconds after which the service closes an idle connection, less the interval of its checks. */
const IDLE = 60_000;
/** Sessions of HTTP/2 that are used in turn. */
const SESSIONS = 4;

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const sessions = new Map();

/** Returns an HTTP/2 session for a purpose, and replaces it when it is closed. */
function sessionOf(url, name) {
  const known = sessions.get(name);
  if (known !== undefined && !known.closed && !known.destroyed) {
    return known;
  }
  const session = connectHttp2(url);
  session.on("error", () => {});
  sessions.set(name, session);
  return session;
}

/** The next of many addresses, most of which have different responses. */
function address(number) {
  return `${8 + (number % 90)}.${(number >> 8) % 256}.${number % 256}.8`;
}

function assert(holds, found) {
  if (!holds) {
    throw new Error(`unexpected: ${String(found).slice(0, 100)}`);
  }
}

/** When each connection of the agent had its latest response. */
const usedAt = new WeakMap();

async function overHttp1(url, path, { method = "GET", headers = {}, body } = {}) {
  const outgoing = requestHttp1(url + path, { agent, method, headers, timeout: TIMEOUT }).end(body);
  const sentAt = performance.now();
  try {
    const [response] = await once(outgoing, "response");
    const received = await buffer(response);
    usedAt.set(outgoing.socket, performance.now());
    return { status: response.statusCode, body: received };
  } catch (error) {
    // The server may close an idle connection while a request is on its way (RFC 9112, section 9.3.1).
    const idle = sentAt - (usedAt.get(outgoing.socket) ?? sentAt);
    if (outgoing.reusedSocket && error.code === "ECONNRESET" && idle >= IDLE) {
      return overHttp1(url, path, { method, headers, body });
    }
    throw new Error(`${error.code} after ${Math.round(idle)} ms without a request`);
  }
}

async function overHttp2(session, path, headers = {}, body) {
  const stream = session.request(
    { ":path": path, ":method": body === undefined ? "GET" : "POST", ...headers },
    { signal: AbortSignal.timeout(TIMEOUT) },
  );
  stream.end(body);
  let trailers = {};
  stream.on("trailers", (received) => {
    trailers = received;
  });
  const [response] = await once(stream, "response");
  return { status: response[":status"], body: await buffer(stream), trailers: { ...response, ...trailers } };
}

/** A gRPC message: `LookupIpRequest` with an address. */
function grpcBody(ip) {
  const prefix = Buffer.from([0, 0, 0, 0, ip.length + 2, 0x0a, ip.length]);
  return Buffer.concat([prefix, Buffer.from(ip)]);
}

const GRPC = { "content-type": "application/grpc", te: "trailers" };
const JSON_TYPE = { "content-type": "application/json" };
/** Addresses without data are not found. */
const isLookup = (status) => status === 200 || status === 404;

async function grpcUnary({ url }, number) {
  const session = sessionOf(url, `grpc ${number % SESSIONS}`);
  const { status, trailers } = await overHttp2(session, LOOKUP_IP, GRPC, grpcBody(address(number)));
  assert(
    status === 200 && ["0", "5"].includes(trailers["grpc-status"]),
    `${status} ${trailers["grpc-status"]}`,
  );
}

async function restHttp1({ url }, number) {
  const { status } = await overHttp1(url, `/v1/geoIp?ip_address=${address(number)}`);
  assert(isLookup(status), status);
}

async function restHttp2({ url }, number) {
  const session = sessionOf(url, `rest ${number % SESSIONS}`);
  const { status } = await overHttp2(session, `/v1/geoIp?ip_address=${address(number)}`);
  assert(isLookup(status), status);
}

async function upload({ url }, number) {
  const body = JSON.stringify({ email: `Jane.Doe+${number}@GoogleMail.com` }).padEnd(60_000);
  const { status } = await overHttp2(sessionOf(url, "upload"), "/v1/sanitizeEmail", JSON_TYPE, body);
  assert(status === 200, status);
}

async function connectHttp1({ url }, number) {
  const body = JSON.stringify({ ip_address: address(number) });
  const { status } = await overHttp1(url, LOOKUP_IP, { method: "POST", headers: JSON_TYPE, body });
  assert(isLookup(status), status);
}

async function connectOverHttp2({ url }, number) {
  const body = JSON.stringify({ ip_address: address(number) });
  const { status } = await overHttp2(sessionOf(url, "connect"), LOOKUP_IP, JSON_TYPE, body);
  assert(isLookup(status), status);
}

/** A stream that is cancelled after a while. */
async function watch({ url }, number) {
  const stream = sessionOf(url, "watch").request({ ":path": WATCH, ":method": "POST", ...GRPC });
  stream.end(Buffer.alloc(5));
  const closed = once(stream, "close");
  await once(stream, "data", { signal: AbortSignal.timeout(TIMEOUT) });
  await wait((number % 30) * 100);
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
}

/** A call that is cancelled before, while or after it is served. */
async function cancelled({ url }, number) {
  const path = number % 2 === 0 ? LONG : `/v1/geoIp?ip_address=${address(number)}`;
  const stream = sessionOf(url, "cancelled").request({ ":path": path });
  stream.on("error", () => {});
  stream.resume();
  const closed = once(stream, "close");
  await wait(number % 3);
  stream.close(constants.NGHTTP2_CANCEL);
  await closed;
}

/** A connection with a request, which the client closes, or resets, or leaves without a request. */
async function connection({ url }, number) {
  if (number % 2 === 0) {
    const session = connectHttp2(url);
    session.on("error", () => {});
    const { status } = await overHttp2(session, `/v1/geoIp?ip_address=${address(number)}`);
    await wait((number % 100) * 100);
    number % 4 === 0 ? session.close() : session.destroy();
    assert(isLookup(status), status);
    return;
  }
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  if (number % 3 !== 0) {
    socket.write(`GET /v1/geoIp?ip_address=${address(number)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const [head] = await once(socket, "data");
    assert(/^HTTP\/1\.1 (200|404) /.test(head), head);
  }
  await wait((number % 100) * 100);
  number % 5 === 0 ? socket.resetAndDestroy() : socket.end();
  socket.resume();
}

/** A client that asks for 100 long responses, and reads none of them for a while. */
async function slowReader({ url }, number) {
  const { hostname, port } = new URL(url);
  if (number % 2 === 0) {
    const session = connectHttp2(url, { settings: { initialWindowSize: 1024 } });
    session.on("error", () => {});
    for (let stream = 0; stream < 100; stream++) {
      session.request({ ":path": LONG }).on("error", () => {});
    }
    await wait(10_000 + (number % 30) * 1_000);
    session.destroy();
  } else {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.pause();
    socket.write(`GET ${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100));
    await wait(10_000 + (number % 30) * 1_000);
    socket.destroy();
  }
}

/** All loads. At a rate of 200, 17 connections are opened each second: 10,000 in ten minutes. */
export const LOADS = [
  { name: "gRPC", share: 0.3, act: grpcUnary },
  { name: "REST over HTTP/1.1", share: 0.15, act: restHttp1 },
  { name: "REST over HTTP/2", share: 0.15, act: restHttp2 },
  { name: "uploads", share: 0.02, act: upload },
  { name: "Connect over HTTP/1.1", share: 0.1, act: connectHttp1 },
  { name: "Connect over HTTP/2", share: 0.1, act: connectOverHttp2 },
  { name: "streams", share: 0.03, act: watch },
  { name: "cancelled calls", share: 0.05, act: cancelled },
  { name: "connections", share: 0.085, act: connection },
  { name: "slow readers", share: 0.005, act: slowReader },
];
