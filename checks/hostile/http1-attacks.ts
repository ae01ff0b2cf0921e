import { randomBytes } from "node:crypto";
import { type Attack, crowd, drip, pour, untilGone } from "./attack.js";

const GET = "GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n";
const MUCH = "GET /v1/countries HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity\r\n\r\n";
const UPLOAD = Buffer.alloc(65_536);
const POST =
  "POST /v1/sanitizeEmail HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n";

/** Attacks over HTTP/1.1 and with bytes that are not HTTP. */
export const HTTP1_ATTACKS: readonly Attack[] = [
  {
    name: "silent connections",
    connections: 2000,
    run: (tools, count) => crowd(count, tools, (socket) => untilGone(socket, tools)),
  },
  {
    name: "more connections than the limit",
    connections: 12_000,
    run: (tools, count) => crowd(count, tools, (socket) => untilGone(socket, tools)),
  },
  {
    name: "slow headers",
    connections: 1000,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n");
        return drip(socket, tools, () => `X-${randomBytes(4).toString("hex")}: y\r\n`);
      }),
  },
  {
    name: "slow bodies over HTTP/1.1",
    connections: 1000,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.write(POST);
        return drip(socket, tools, () => " ");
      }),
  },
  {
    name: "idle HTTP/1.1 connections",
    connections: 10_000,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.resume().write(GET);
        return untilGone(socket, tools);
      }),
  },
  {
    name: "huge headers over HTTP/1.1",
    connections: 50,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.resume().write("GET / HTTP/1.1\r\nHost: a\r\nX: ");
        return pour(socket, tools, "x".repeat(8192));
      }),
  },
  {
    name: "rejected uploads that continue",
    connections: 100,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.resume().write("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
        return pour(socket, tools, UPLOAD);
      }),
  },
  {
    name: "half-closed connections",
    connections: 500,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        // The service must close the other half.
        socket.resume().end(Math.random() < 0.5 ? "" : GET.slice(0, Math.ceil(Math.random() * GET.length)));
        return untilGone(socket, tools);
      }),
  },
  {
    name: "random bytes",
    connections: 100,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket.resume().write(randomBytes(Math.ceil(Math.random() * 2000)));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }),
  },
  {
    name: "pipelining without reading",
    connections: 50,
    run: (tools, count) => crowd(count, tools, (socket) => pour(socket.pause(), tools, GET.repeat(200))),
  },
  {
    name: "long responses that are not read",
    connections: 1000,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.pause().write(MUCH.repeat(20));
        return untilGone(socket, tools);
      }),
  },
  {
    name: "TLS garbage",
    tls: true,
    connections: 100,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket
          .resume()
          .write(Buffer.concat([Buffer.from("1603010200010001fc0303", "hex"), randomBytes(512)]));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }),
  },
  {
    name: "incomplete TLS handshakes",
    tls: true,
    connections: 1000,
    run: (tools, count) =>
      crowd(count, tools, (socket) => {
        socket.resume().write(Buffer.from("1603010200010001fc0303", "hex"));
        return drip(socket, tools, () => randomBytes(1));
      }),
  },
  {
    name: "cleartext on a TLS port",
    tls: true,
    connections: 100,
    run: (tools, count) =>
      crowd(count, tools, async (socket) => {
        socket.resume().write(GET);
        await untilGone(socket, tools);
      }),
  },
];
