import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Http1Connection } from "../../src/http1/connection.js";
import { Http2Connection } from "../../src/http2/connection.js";
import { OutputBuffer } from "../../src/http2/output-buffer.js";
import { createSharedPort } from "../../src/port/shared-port.js";
import { connectionOptions } from "../support/connection-options.js";

let server: Server;
let port: number;

beforeAll(async () => {
  const options = connectionOptions({
    onRequest: (request) =>
      request.readBody(10, () =>
        request.respond(200, [], `HTTP/${request.httpVersion} ${request.method} ${request.target}`),
      ),
  });
  server = createSharedPort({
    add: () => true,
    hasProxyHeader: () => false,
    onClientAddress: () => {},
    http1: (socket) => new Http1Connection(socket, options),
    http2: (socket) => new Http2Connection(socket, options, new OutputBuffer()),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Writes pieces one by one, so that each arrives alone. */
async function sendInPieces(...pieces: string[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const response = readAll(socket);
  for (const piece of pieces) {
    socket.write(piece);
    await pause(20);
  }
  return response;
}

const TAIL = " /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

describe("HTTP/1.1", () => {
  test.each([
    ["in one piece", [`GET${TAIL}`], "HTTP/1.1 GET /x"],
    ["split after its first byte", ["P", `OST${TAIL}`], "HTTP/1.1 POST /x"],
    ["split after its second byte", ["PU", `T${TAIL}`], "HTTP/1.1 PUT /x"],
    ["that starts like the preface of HTTP/2", ["P", "R", `OPFIND${TAIL}`], "HTTP/1.1 PROPFIND /x"],
    ["byte by byte", [..."PATCH", TAIL], "HTTP/1.1 PATCH /x"],
  ])("%s", async (_name, pieces, body) => {
    const response = await sendInPieces(...pieces);
    expect(response.startsWith("HTTP/1.1 200")).toBe(true);
    expect(response.split("\r\n\r\n")[1]).toContain(body);
  });
});

describe("HTTP/2", () => {
  test("with prior knowledge", async () => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":path": "/" });
    stream.setEncoding("utf8");
    let body = "";
    stream.on("data", (chunk: string) => {
      body += chunk;
    });
    await once(stream, "end");
    session.close();
    expect(body).toBe("HTTP/2.0 GET /");
  });

  test("with the preface in pieces", async () => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const settings = once(socket, "data");
    for (const piece of ["P", "R", "I * HTTP/2.0\r\n\r\nSM", "\r\n\r\n", "\0\0\0\u0004\0\0\0\0\0"]) {
      socket.write(piece, "latin1");
      await pause(20);
    }
    const [frame] = (await settings) as [Buffer];
    // A SETTINGS frame (RFC 9113, section 6.5) is the first that a server sends.
    expect(frame[3]).toBe(4);
    socket.destroy();
  });
});

describe("a connection that sends too little", () => {
  test("is closed when the client closes it", async () => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.end("PR");
    expect(await readAll(socket)).toBe("");
  });

  test("may be reset", async () => {
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    socket.write("P");
    await pause(20);
    socket.resetAndDestroy();
    await once(socket, "close");
    expect(await sendInPieces(`GET${TAIL}`)).toMatch(/^HTTP\/1\.1 200/);
  });
});

test("the server survives connections that cannot be accepted", async () => {
  // libuv handles only some errors of accept(2) itself.
  server.emit("error", Object.assign(new Error("accept ENOBUFS"), { code: "ENOBUFS" }));
  expect(await sendInPieces(`GET${TAIL}`)).toMatch(/^HTTP\/1\.1 200/);
});

// The table of connections (proc(5)) shows the timer of each connection: 2 is that of keep-alive.
test.runIf(existsSync("/proc/net/tcp"))("TCP keep-alive is on", async () => {
  const socket = connect({ port, host: "127.0.0.1" });
  const [accepted] = (await once(server, "connection")) as [Socket];
  const ends = [accepted.localPort, accepted.remotePort].map((end) =>
    Number(end).toString(16).toUpperCase().padStart(4, "0"),
  );
  const row = new RegExp(`:${ends[0]} [0-9A-F]{8}:${ends[1]} 01 \\S+ (\\d\\d):`);
  expect(row.exec(readFileSync("/proc/net/tcp", "latin1"))?.[1]).toBe("02");
  socket.destroy();
});
