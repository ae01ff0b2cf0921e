import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer as createNetServer, type Server } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { Code, type ConnectError } from "@connectrpc/connect";
import { TLS } from "connect-transcoding-testing/files.js";
import { ACK, FRAME, frame, rawHttp2 } from "connect-transcoding-testing/raw-http2.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { startUpstreamCall } from "../../src/grpc/call.js";
import { createUpstreamConnections, type UpstreamConnections } from "../../src/grpc/connection.js";

test("closing fails the calls that wait, and those that follow", () => {
  const codes: Code[] = [];
  const call = { onSession: () => {}, onNoSession: ({ code }: { code: Code }) => codes.push(code) };
  const connections = createUpstreamConnections("http://127.0.0.1:1", {});
  connections.wait(call, 60_000);
  expect(codes).toEqual([]);
  connections.close();
  expect(codes).toEqual([Code.Unavailable]);
  connections.wait(call, 60_000);
  expect(codes).toEqual([Code.Unavailable, Code.Unavailable]);
});

test("calls beyond the limits of an upstream wait until others have ended", async () => {
  const { sessions, streams, connections } = await openUpstream(2);
  const ended: number[] = [];
  for (let index = 0; index < 34; index++) {
    const listener = {
      onHead: () => {},
      onData: () => {},
      onEnd: () => ended.push(index),
      onError: (error: ConnectError) => expect.unreachable(error.message),
    };
    startUpstreamCall(connections, { path: "/a/b", headers: [], wait: 60_000 }, listener).end();
  }
  await expect.poll(() => streams.length).toBe(32);
  expect([sessions.length, connections.session(), ended]).toEqual([16, undefined, []]);
  const head = { ":status": 200, "content-type": "application/grpc", "grpc-status": "0" };
  for (let index = 0; index < 34; index++) {
    await expect.poll(() => streams.length).toBeGreaterThan(index);
    streams[index]?.respond(head, { endStream: true });
  }
  await expect.poll(() => ended.length).toBe(34);
  expect(sessions.length).toBe(16);
});

/** Starts a server, and returns connections to it. Both end with the test. */
async function connectionsTo(server: Server): Promise<UpstreamConnections> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connections = createUpstreamConnections(`http://127.0.0.1:${port}`, {});
  onTestFinished(() => {
    connections.close();
    server.close();
  });
  return connections;
}

/** Starts an HTTP/2 server and connections to it, which end with the test. */
async function openUpstream(maxConcurrentStreams: number) {
  const sessions: ServerHttp2Session[] = [];
  const streams: ServerHttp2Stream[] = [];
  const server = createServer({ settings: { maxConcurrentStreams } });
  server.on("session", (session) => sessions.push(session.on("error", () => {})));
  server.on("stream", (stream) => streams.push(stream.on("error", () => {})));
  const connections = await connectionsTo(server);
  return { sessions, streams, connections };
}

function startCall(connections: UpstreamConnections, onError: (error: ConnectError) => void): void {
  const listener = { onHead: () => {}, onData: () => {}, onEnd: () => {}, onError };
  startUpstreamCall(connections, { path: "/a/b", headers: [], wait: 60_000 }, listener).end();
}

test("connections that finish their calls after a GOAWAY do not count as those that take calls", async () => {
  const { sessions, streams, connections } = await openUpstream(100);
  const failed: ConnectError[] = [];
  for (let index = 0; index < 20; index++) {
    startCall(connections, (error) => failed.push(error));
    await expect.poll(() => streams.length).toBe(index + 1);
    // `lastStreamID` keeps the call.
    sessions.at(-1)?.goaway(0, streams.at(-1)?.id);
    await expect.poll(() => connections.session()).toBeUndefined();
  }
  expect([sessions.length, failed]).toEqual([20, []]);
});

test("calls that wait get a new connection when all have closed", async () => {
  const { sessions, streams, connections } = await openUpstream(1);
  const failed: ConnectError[] = [];
  for (let index = 0; index < 17; index++) {
    startCall(connections, (error) => failed.push(error));
  }
  await expect.poll(() => streams.length).toBe(16);
  for (const session of sessions) {
    session.destroy();
  }
  await expect.poll(() => streams.length).toBe(17);
  expect(failed.map(({ code }) => code)).toEqual(Array(16).fill(Code.Unavailable));
});

test("a server that offers no HTTP/2 is unavailable", async () => {
  const lines: string[] = [];
  const cert = readFileSync(join(TLS, "first-cert.pem"));
  const server = createTlsServer({ cert, key: readFileSync(join(TLS, "first-key.pem")) });
  server.on("secureConnection", (socket) => socket.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connections = createUpstreamConnections(`https://localhost:${port}`, { ca: cert }, (line) =>
    lines.push(line),
  );
  onTestFinished(() => {
    connections.close();
    server.close();
  });
  const error = await new Promise<ConnectError>((resolve) => {
    const listener = { onHead: () => {}, onData: () => {}, onEnd: () => {}, onError: resolve };
    startUpstreamCall(connections, { path: "/a/b", headers: [], wait: 0 }, listener);
  });
  expect([error.code, error.rawMessage]).toEqual([Code.Unavailable, "the upstream server cannot be reached"]);
  expect(lines).toEqual([`cannot connect to https://localhost:${port}: the server does not offer HTTP/2`]);
});

test.each([true, false])("a silent upstream gets a PING; it answers: %j", async (answers) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  // The clock of a process is never 0.
  vi.advanceTimersByTime(1);
  const received: number[] = [];
  const server = createNetServer((socket) => {
    socket.once("readable", async () => {
      socket.read(24);
      socket.write(frame(FRAME.SETTINGS, 0, 0));
      const { next, closed } = rawHttp2(socket);
      const read = async (): Promise<void> => {
        const { type, payload } = await next(() => true);
        received.push(type);
        if (type === FRAME.PING && answers) {
          socket.write(frame(FRAME.PING, ACK, 0, payload));
        }
        await read();
      };
      await Promise.allSettled([read(), closed]);
    });
  });
  const connections = await connectionsTo(server);
  const errors: string[] = [];
  const listener = {
    onHead: () => {},
    onData: () => {},
    onEnd: () => {},
    onError: ({ rawMessage }: ConnectError) => errors.push(rawMessage),
  };
  startUpstreamCall(connections, { path: "/a/b", headers: [], wait: 0 }, listener).end();
  await expect.poll(() => received).toContain(FRAME.DATA);
  const pings = () => received.filter((type) => type === FRAME.PING).length;
  vi.advanceTimersByTime(15_000);
  expect(pings()).toBe(0);
  vi.advanceTimersByTime(10_000);
  await expect.poll(pings).toBe(1);
  if (answers) {
    await expect.poll(() => connections.session()?.connection.receivedAt).toBeGreaterThan(20_000);
  }
  vi.advanceTimersByTime(100_000);
  await expect.poll(() => errors).toEqual(answers ? [] : ["the upstream server is unavailable"]);
  expect(pings()).toBe(1);
});
