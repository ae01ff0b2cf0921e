import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { useServer } from "./serve.js";

// connect-node answers as soon as a message says that it is too long, and reads no further.

const server = useServer();

const PATH = "/utilitytools.v1.GeoIpService/LookupIp";
const TYPE = "application/grpc-web+proto";

/** A message that says that it is too long, and is `length` octets of it long. */
function tooLong(length: number): Buffer {
  const octets = Buffer.alloc(5 + length);
  octets.writeUInt32BE(10_000_000, 1);
  return octets;
}

function post(socket: Socket, body: Buffer): void {
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: ${TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
}

/** Reads until what has come has all of some texts in turn. */
async function readUntil(socket: Socket, ...texts: readonly string[]): Promise<void> {
  let read = "";
  for (const text of texts) {
    while (!read.includes(text)) {
      const [chunk] = await once(socket, "data");
      read += chunk.toString("latin1");
    }
    read = read.slice(read.indexOf(text) + text.length);
  }
}

test.each([300_000, 1_000_000])(
  "over HTTP/1.1, %i octets that nobody wants leave the connection to the next request",
  async (length) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    for (let times = 0; times < 2; times++) {
      post(socket, tooLong(length));
      await readUntil(socket, "HTTP/1.1 200", "grpc-status: 8", "0\r\n\r\n");
      socket.write("GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n");
      await readUntil(socket, "HTTP/1.1 200", '"asn":15169');
    }
    socket.destroy();
  },
);

test("over HTTP/1.1, a caller that does not stop is cut off", async () => {
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  post(socket, tooLong(2_000_000));
  await readUntil(socket, "HTTP/1.1 200", "grpc-status: 8", "0\r\n\r\n");
  // It would go on for ever.
  const pour = setInterval(() => socket.write(Buffer.alloc(1000)), 10);
  // Where the system still has what was written, it says so with an error, which `once` would throw.
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(pour);
});

test("over HTTP/2, a stream that is answered is closed, and the answer holds", async () => {
  const session = connectHttp2(server.url);
  const stream = session.request({ ":method": "POST", ":path": PATH, "content-type": TYPE });
  let answer = "";
  stream.setEncoding("latin1").on("data", (text) => {
    answer += text;
  });
  // More than flow control lets through unread, and no end.
  stream.write(tooLong(300_000));
  await once(stream, "close");
  expect([answer.includes("grpc-status: 8"), stream.rstCode]).toEqual([true, 0]);
  session.close();
});

/** Sends a request over HTTP/2 and, if it is to end, its end; resolves to the status when the stream is closed. */
function ask(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Buffer,
  ends: boolean,
): Promise<number> {
  const stream = session.request({ "content-type": TYPE, ":path": PATH, ...headers }, { endStream: false });
  return new Promise((resolve, reject) => {
    let status = 0;
    stream.on("response", (received) => {
      status = Number(received[":status"]);
    });
    stream.on("error", reject);
    stream.on("close", () => resolve(status));
    stream.resume();
    stream.write(body);
    if (ends) {
      stream.end();
    }
  });
}

test.each([
  ["POST", PATH, "application/proto", 429],
  ["HEAD", PATH, "application/proto", 405],
  ["PUT", PATH, "application/proto", 405],
  ["POST", "/v1/otp", "application/json", 413],
  ["HEAD", "/openapi.json", "text/plain", 200],
  ["PUT", "/nowhere", "text/plain", 404],
])("over HTTP/2, %s %s is let go whether or not its caller ends it", async (verb, path, type, status) => {
  const session = connectHttp2(server.url);
  const headers = { ":method": verb, ":path": path, "content-type": type };
  for (const ends of [true, false]) {
    expect(await ask(session, headers, Buffer.alloc(300_000), ends)).toBe(status);
  }
  session.close();
});

// Node counts what comes in for a stream that was closed already against the memory of its session, 10 MB, for good.
test.each([
  ["gRPC-Web", TYPE, 200],
  ["gRPC", "application/grpc", 200],
  ["Connect", "application/proto", 429],
])("over HTTP/2, a connection outlives many %s messages that are too long", async (_, type, status) => {
  const session = connectHttp2(server.url);
  const headers = { ":method": "POST", "content-type": type };
  for (let round = 0; round < 20; round++) {
    const asked = Array.from({ length: 16 }, () => ask(session, headers, tooLong(70_000), true));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([status]));
  }
  session.close();
});
