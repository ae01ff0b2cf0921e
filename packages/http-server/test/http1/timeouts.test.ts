import { afterEach, describe, expect, test, vi } from "vitest";
import type { Rejection } from "../../src/core/rejection.js";
import type { Http1Connection } from "../../src/http1/connection.js";
import type { BodyWriter, ServerRequest } from "../../src/index.js";
import {
  connectTo,
  startServer,
  type TestClient,
  type TestServer,
  type TestServerOptions,
  turns,
} from "../support/test-server.js";

let server: TestServer | undefined;
afterEach(() => server?.close());

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const TIMEOUT =
  /^HTTP\/1\.1 408 Request Timeout\r\ncontent-type: .*\r\ncontent-length: \d+\r\ndate: .*\r\nconnection: close\r\n\r\nthe .* did not arrive in time\n$/;
const OK = /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/;

async function open(
  options: TestServerOptions = {},
): Promise<{ client: TestClient; connection: Http1Connection; isDestroyed(): boolean }> {
  server = await startServer({ onRequest: (request) => request.respond(200, [], "ok"), ...options });
  const client = await connectTo(server.port);
  while (server.connections.length === 0) {
    await turns(1);
  }
  const [connection] = server.connections;
  const [socket] = server.sockets;
  if (connection === undefined || socket === undefined) {
    throw new Error("no connection");
  }
  return { client, connection, isDestroyed: () => socket.destroyed };
}

/** Sends bytes and waits until the server has handled them, for which they may have to wait some turns. */
async function send(client: TestClient, text: string): Promise<void> {
  const before = server?.sockets[0]?.bytesRead ?? 0;
  client.write(text);
  while ((server?.sockets[0]?.bytesRead ?? 0) < before + text.length) {
    await turns(1);
  }
  await turns(20);
}

test("closes a connection without a request after the idle timeout", async () => {
  const { connection, isDestroyed } = await open();
  expect(connection.idleSince).toBeUndefined();
  connection.check(10_000);
  expect(connection.idleSince).toBe(10_000);
  connection.check(12_999);
  expect([connection.idleSince, isDestroyed()]).toEqual([10_000, false]);
  connection.check(13_000);
  await expect.poll(isDestroyed).toBe(true);
});

test("measures the idle timeout from the latest request", async () => {
  const { client, connection, isDestroyed } = await open();
  connection.check(0);
  await send(client, GET);
  await client.until((text) => OK.test(text));
  expect(connection.idleSince).toBeUndefined();
  connection.check(2_500);
  expect(connection.idleSince).toBe(2_500);
  connection.check(5_499);
  expect(isDestroyed()).toBe(false);
  connection.check(5_500);
  await expect.poll(isDestroyed).toBe(true);
});

test.each(["G", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\n"])(
  "responds with 408 if a head remains %j",
  async (start) => {
    const rejections: [Rejection, string][] = [];
    const { client, connection } = await open({ onReject: (...rejection) => rejections.push(rejection) });
    connection.check(0);
    await send(client, start);
    connection.check(500);
    expect(connection.idleSince).toBeUndefined();
    connection.check(1_499);
    expect(client.received).toBe("");
    connection.check(1_500);
    expect(await client.ended).toMatch(TIMEOUT);
    expect(rejections).toEqual([
      [
        {
          reason: "REQUEST_TIMEOUT",
          status: 408,
          message: "the header section did not arrive in time",
        },
        "127.0.0.1",
      ],
    ]);
  },
);

test("does not extend the timeout of a head that arrives in pieces", async () => {
  const { client, connection } = await open();
  for (const [index, piece] of ["GET", " /", " HTTP/1.1\r\n", "Host"].entries()) {
    await send(client, piece);
    connection.check(index * 300);
    expect(client.received).toBe("");
  }
  connection.check(1_000);
  expect(await client.ended).toMatch(TIMEOUT);
});

test("responds with 408 if a body remains incomplete", async () => {
  const closed: string[] = [];
  const { client, connection } = await open({
    onRequest: (request) => {
      request.onClose(() => closed.push(`${request.target} ${request.rejectedWith}`));
      request.readBody(100, () => request.respond(200, [], "ok"));
    },
    onReject: () => closed.push("not called"),
  });
  await send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc");
  connection.check(0);
  await send(client, "d");
  connection.check(1_999);
  expect(client.received).toBe("");
  connection.check(2_000);
  expect(await client.ended).toMatch(TIMEOUT);
  expect(closed).toEqual(["/ 408"]);
});

test("closes the connection if requests wait behind a response of which nothing is sent", async () => {
  const writers: BodyWriter[] = [];
  const { client, connection, isDestroyed } = await open({
    onRequest: (request) => writers.push(request.openResponse(200, [])),
  });
  await send(client, GET + GET);
  connection.check(0);
  connection.check(1_999);
  writers[0]?.write(Buffer.from("part"), () => {});
  await client.until((text) => text.includes("part"));
  connection.check(2_000);
  connection.check(3_999);
  expect(isDestroyed()).toBe(false);
  connection.check(4_000);
  expect(isDestroyed()).toBe(true);
});

test.each([
  ["no request waits", GET, (request: ServerRequest) => request.openResponse(200, [])],
  ["the response has not begun", GET + GET, () => {}],
])("does not limit the time of a response if %s", async (_when, requests, onRequest) => {
  const { client, connection, isDestroyed } = await open({ onRequest });
  await send(client, requests);
  connection.check(0);
  connection.check(1_000_000);
  expect(isDestroyed()).toBe(false);
});

test("closes the connection if a body remains incomplete after the response", async () => {
  const { client, connection, isDestroyed } = await open();
  await send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc");
  await client.until((text) => OK.test(text));
  connection.check(0);
  connection.check(1_999);
  expect(isDestroyed()).toBe(false);
  connection.check(2_000);
  expect(isDestroyed()).toBe(true);
  expect(await client.ended).toMatch(OK);
});

test("does not limit the time of the handler, which may also read the body late", async () => {
  const requests: ServerRequest[] = [];
  const { client, connection } = await open({ onRequest: (request) => requests.push(request) });
  await send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc");
  for (const now of [0, 10_000, 100_000]) {
    connection.check(now);
  }
  expect(connection.idleSince).toBeUndefined();
  requests[0]?.readBody(100, () => requests[0]?.respond(200, [], "ok"));
  client.write("de");
  await client.until((text) => OK.test(text));
});

test("closes a connection whose client does not read the response", async () => {
  const closed: string[] = [];
  const { client, connection, isDestroyed } = await open({
    onRequest: (request) => {
      request.onClose(() => closed.push(request.target));
      request.respond(200, [], Buffer.alloc(20_000_000));
    },
  });
  client.socket.pause();
  client.write(GET);
  let time = 0;
  for (let before = -1; before !== server?.sockets[0]?.bytesWritten || before === 0; await turns(50)) {
    before = server?.sockets[0]?.bytesWritten ?? 0;
    time += 1;
    connection.check(time);
  }
  expect(connection.idleSince).toBeUndefined();
  connection.check(time + 1_000);
  expect(isDestroyed()).toBe(false);
  connection.check(time + 2_000);
  expect(isDestroyed()).toBe(true);
  expect(closed).toEqual(["/"]);
});

test("does not close a connection whose client reads slowly", async () => {
  const { client, connection, isDestroyed } = await open({
    onRequest: (request) => request.respond(200, [], Buffer.alloc(20_000_000)),
  });
  const written = () => server?.sockets[0]?.bytesWritten ?? 0;
  client.socket.pause();
  client.write(GET);
  await turns(50);
  let received = 0;
  client.socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  let time = 0;
  while (written() < 20_000_000) {
    const before = written();
    client.socket.resume();
    const next = Math.min(received + 1_000_000, 20_000_000);
    while (received < next || written() === before) {
      await turns(1);
    }
    client.socket.pause();
    time += 1_900;
    connection.check(time);
    expect(isDestroyed()).toBe(false);
  }
});

describe("a client that has closed its half", () => {
  /** Opens a connection whose client closes its half after a request. */
  async function openHalf(onRequest: (request: ServerRequest) => void, sent = GET) {
    const opened = await open({ onRequest });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await send(opened.client, sent);
    opened.client.socket.end();
    await new Promise((resolve) => server?.sockets[0]?.once("end", resolve));
    return opened;
  }
  afterEach(() => vi.useRealTimers());

  test("gets a response that begins within 500 ms", async () => {
    const requests: ServerRequest[] = [];
    const { client, isDestroyed } = await openHalf((request) => requests.push(request));
    vi.advanceTimersByTime(499);
    expect(isDestroyed()).toBe(false);
    requests[0]?.respond(200, [], "ok");
    const received = await client.ended;
    expect(received).toMatch(OK);
    expect(received).toContain("connection: close");
  });

  test.each([
    ["response", () => {}, GET],
    ["more of its response", (request: ServerRequest) => request.openResponse(200, []), GET],
    ["response while another request waits", () => {}, GET + GET],
  ])("has disconnected if it gets no %s within 500 ms", async (_, respond, requests) => {
    const closed: string[] = [];
    const { isDestroyed } = await openHalf((request) => {
      request.onClose(() => closed.push(request.target));
      respond(request);
    }, requests);
    vi.advanceTimersByTime(499);
    expect([isDestroyed(), closed]).toEqual([false, []]);
    vi.advanceTimersByTime(1);
    expect([isDestroyed(), closed]).toEqual([true, ["/"]]);
  });

  test("gets the whole response while a part follows every 500 ms", async () => {
    const writers: BodyWriter[] = [];
    const { client, isDestroyed } = await openHalf((request) => writers.push(request.openResponse(200, [])));
    for (const part of ["first", "second"]) {
      vi.advanceTimersByTime(499);
      writers[0]?.write(Buffer.from(part), () => {});
      await client.until((text) => text.includes(part));
      vi.advanceTimersByTime(1);
    }
    expect(isDestroyed()).toBe(false);
    writers[0]?.end(Buffer.from("end"));
    expect(await client.ended).toMatch(/first[\s\S]*second[\s\S]*end/);
  });

  // The first write to a client that has disconnected is no error, and there may be no other.
  test("has disconnected if nothing follows a part for 500 ms", async () => {
    const writers: BodyWriter[] = [];
    const { client, isDestroyed } = await openHalf((request) => writers.push(request.openResponse(200, [])));
    vi.advanceTimersByTime(499);
    writers[0]?.write(Buffer.from("part"), () => {});
    await client.until((text) => text.includes("part"));
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(499);
    expect(isDestroyed()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isDestroyed()).toBe(true);
  });
});

test("reads a connection that it closes until the client stops sending", async () => {
  const { client, connection, isDestroyed } = await open({ isStopping: () => true });
  await send(client, GET + GET);
  expect(await client.ended).toMatch(OK);
  connection.check(0);
  await send(client, "x");
  connection.check(400);
  connection.check(899);
  expect(isDestroyed()).toBe(false);
  connection.check(900);
  expect(isDestroyed()).toBe(true);
});

test("does not read a connection that it closes for longer than 5 seconds", async () => {
  const { client, connection, isDestroyed } = await open({ isStopping: () => true });
  await send(client, GET + GET);
  expect(await client.ended).toMatch(OK);
  for (let now = 0; now < 5_000; now += 400) {
    connection.check(now);
    expect(isDestroyed()).toBe(false);
    await send(client, "x");
  }
  connection.check(5_000);
  expect(isDestroyed()).toBe(true);
});

test("closes a connection that it has ended as soon as the client ends it", async () => {
  const { client } = await open({ isStopping: () => true });
  await send(client, GET + GET);
  await client.ended;
  client.socket.end();
  await new Promise((resolve) => server?.sockets[0]?.once("close", resolve));
});

test("has no timeout for the body of a stream", async () => {
  const { client, connection, isDestroyed } = await open({
    isOpenEnded: (target) => target === "/stream",
    onRequest: (request) => request.readBody(100, () => request.respond(200, [], "ok")),
  });
  await send(client, "POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc");
  for (const now of [0, 10_000, 100_000]) {
    connection.check(now);
  }
  expect(isDestroyed()).toBe(false);
  client.write("de");
  await client.until((text) => OK.test(text));
});

describe("a shutdown", () => {
  test("closes idle connections once it is late, and others after their response", async () => {
    const requests: ServerRequest[] = [];
    const state = { isStopping: false };
    const { client, connection } = await open({
      onRequest: (request) => requests.push(request),
      isStopping: () => state.isStopping,
    });
    await send(client, GET);
    connection.shutDown(0, false);
    connection.shutDown(10, true);
    requests[0]?.respond(200, [], "ok");
    await client.until((text) => OK.test(text));
    await send(client, "GET ");
    connection.shutDown(20, true);
    await send(client, "/ HTTP/1.1\r\nHost: a\r\n\r\n");
    state.isStopping = true;
    connection.shutDown(30, true);
    requests[1]?.respond(200, [], "ok");
    expect((await client.ended).match(/connection: .*(?=\r)/g)).toEqual([
      "connection: keep-alive",
      "connection: close",
    ]);
  });

  test("closes an idle connection without a response", async () => {
    const { client, connection } = await open();
    connection.shutDown(0, false);
    await turns(5);
    expect(client.socket.readableEnded).toBe(false);
    connection.shutDown(10, true);
    expect(await client.ended).toBe("");
  });

  test.each([
    ["head", "GET / HTTP/1.1\r\nHo", "st: a"],
    ["body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc", "de"],
  ])("gives up on a partial %s 500 ms after the client has stopped sending", async (_part, first, next) => {
    const { client, connection } = await open({
      isStopping: () => true,
      onRequest: (request) => request.readBody(100, () => {}),
    });
    await send(client, first);
    connection.shutDown(1_000, true);
    connection.shutDown(1_499, true);
    await send(client, next);
    connection.shutDown(1_500, true);
    connection.shutDown(1_999, true);
    expect(client.received).toBe("");
    connection.shutDown(2_000, true);
    expect(await client.ended).toMatch(TIMEOUT);
  });

  test("waits for the handler", async () => {
    const requests: ServerRequest[] = [];
    const { client, connection } = await open({
      isStopping: () => true,
      onRequest: (request) => requests.push(request),
    });
    await send(client, GET);
    for (const now of [0, 1_000, 10_000]) {
      connection.shutDown(now, true);
    }
    requests[0]?.respond(200, [], "ok");
    expect(await client.ended).toMatch(OK);
  });
});
