import { once } from "node:events";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { useServer } from "../support/serve.js";

describe("Expect: 100-continue", () => {
  // Expect: 100-continue (RFC 9110, section 10.1.1): the server can reject a request before its body is sent.

  const server = useServer();

  const JSON_TYPE = { "content-type": "application/json" };
  const EMAIL = '{"email":"A+B@example.com"}';
  const COUNTRY = "/utilitytools.v1.CountriesService/GetCountry";
  const WEB_TYPE = { "content-type": "application/grpc-web+proto" };
  const TEXT_TYPE = { "content-type": "application/grpc-web-text" };
  /** `GetCountryRequest` with the country FR and the gRPC prefix. */
  const FRANCE = Buffer.from("00000000040a024652", "hex");

  const CASES: readonly (readonly [string, string, OutgoingHttpHeaders, Buffer, boolean, number])[] = [
    ["over REST", "/v1/sanitizeEmail", JSON_TYPE, Buffer.from(EMAIL), true, 200],
    ["over Connect", "/utilitytools.v1.EmailService/SanitizeEmail", JSON_TYPE, Buffer.from(EMAIL), true, 200],
    ["over gRPC-Web", COUNTRY, WEB_TYPE, FRANCE, true, 200],
    ["over gRPC-Web in base64", COUNTRY, TEXT_TYPE, Buffer.from(FRANCE.toString("base64")), true, 200],
    ["for an unknown path", "/v1/none", JSON_TYPE, Buffer.from(EMAIL), false, 404],
    ["with a body that is too large", "/v1/sanitizeEmail", JSON_TYPE, Buffer.alloc(70_000, " "), false, 413],
  ];

  test.each(CASES)("over HTTP/1.1, a request %s", async (_name, path, headers, body, isContinued, status) => {
    const agent = new Agent({ keepAlive: true });
    const outgoing = request(`${server.url}${path}`, {
      method: "POST",
      headers: { ...headers, "content-length": body.length, expect: "100-continue" },
      agent,
    });
    let wasContinued = false;
    outgoing.on("continue", () => {
      wasContinued = true;
      outgoing.end(body);
    });
    outgoing.flushHeaders();
    const [response] = await once(outgoing, "response");
    await text(response);
    expect([wasContinued, response.statusCode]).toEqual([isContinued, status]);
    // The connection cannot be reused, because a body may or may not follow.
    expect(response.headers.connection).toBe(isContinued ? "keep-alive" : "close");
    agent.destroy();
  });

  test.each(CASES)("over HTTP/2, a request %s", async (_name, path, headers, body, isContinued, status) => {
    const session = connectHttp2(server.url);
    const stream = session.request({
      ...headers,
      ":method": "POST",
      ":path": path,
      "content-length": body.length,
      expect: "100-continue",
    });
    let wasContinued = false;
    stream.on("continue", () => {
      wasContinued = true;
      stream.end(body);
    });
    const [response] = await once(stream, "response");
    expect([wasContinued, response[":status"]]).toEqual([isContinued, status]);
    session.destroy();
  });

  test("is ignored over HTTP/1.0", async () => {
    const head = ["POST /v1/sanitizeEmail HTTP/1.0", "Host: a", "Content-Type: application/json"]
      .concat("Expect: 100-continue", `Content-Length: ${EMAIL.length}`, "", "")
      .join("\r\n");
    const socket = connect(server.port, "127.0.0.1");
    socket.write(head + EMAIL);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("broken uploads", () => {
  const server = useServer();

  afterEach(async () => {
    // Long enough for the server to notice the disconnect.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { status } = await send(`${server.url}/v1/geoIp?ip_address=8.8.8.8`);
    expect([status, server.bugs]).toEqual([200, []]);
  });

  const HEAD =
    "POST /v1/otp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

  test.each([
    ["closes", (socket: import("node:net").Socket) => socket.end()],
    ["breaks off", (socket: import("node:net").Socket) => socket.destroy()],
    ["is reset", (socket: import("node:net").Socket) => socket.resetAndDestroy()],
  ])("an HTTP/1.1 connection that %s within a body does not cause a bug report", async (_name, leave) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.on("error", () => {});
    socket.write(`${HEAD}{"type":`);
    await once(socket, "connect");
    await new Promise((resolve) => setTimeout(resolve, 50));
    leave(socket);
  });

  test("an HTTP/2 stream that is reset within a body does not cause a bug report", async () => {
    const session = connectHttp2(server.url);
    const stream = session.request({
      ":method": "POST",
      ":path": "/v1/otp",
      "content-type": "application/json",
    });
    stream.on("error", () => {});
    stream.write('{"type":');
    await new Promise((resolve) => setTimeout(resolve, 50));
    stream.close(8);
    await once(stream, "close");
    session.close();
  });
});

describe("unread requests", () => {
  // The server responds as soon as the body is known to be too long, and discards the rest.

  const server = useServer();

  const PATH = "/utilitytools.v1.GeoIpService/LookupIp";
  const TYPE = "application/grpc-web+proto";

  /** The first `length` bytes of a message that is too long. */
  function tooLong(length: number): Buffer {
    const bytes = Buffer.alloc(5 + length);
    bytes.writeUInt32BE(10_000_000, 1);
    return bytes;
  }

  function post(socket: Socket, body: Buffer): void {
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: ${TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
  }

  /** Reads until the received data contains all texts in order. */
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
    "over HTTP/1.1, the connection can be reused after %i unread bytes",
    async (length) => {
      const socket = connect({ port: server.port, host: "127.0.0.1" });
      for (let times = 0; times < 2; times++) {
        post(socket, tooLong(length));
        await readUntil(socket, "HTTP/1.1 200", "grpc-status: 8\r\n");
        socket.write("GET /v1/geoIp?ip_address=8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n");
        await readUntil(socket, "HTTP/1.1 200", '"asn":15169');
      }
      socket.destroy();
    },
  );

  test("over HTTP/1.1, a client that does not stop is disconnected", async () => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.on("error", () => {});
    post(socket, tooLong(2_000_000));
    await readUntil(socket, "HTTP/1.1 200", "grpc-status: 8\r\n");
    // It would never end.
    const pour = setInterval(() => socket.write(Buffer.alloc(1000)), 10);
    // Unsent data causes an error event, which would make `once` reject.
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(pour);
  });

  test("over HTTP/2, a stream is closed after an early response, which arrives", async () => {
    const session = connectHttp2(server.url);
    const stream = session.request({ ":method": "POST", ":path": PATH, "content-type": TYPE });
    let response = "";
    stream.setEncoding("latin1").on("data", (text) => {
      response += text;
    });
    // More than the flow control window, without an end.
    stream.write(tooLong(300_000));
    await once(stream, "close");
    expect([response.includes("grpc-status: 8"), stream.rstCode]).toEqual([true, 0]);
    session.close();
  });

  /** Sends a request over HTTP/2, optionally without ending it. Resolves to the status when the stream is closed. */
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
  ])(
    "over HTTP/2, the stream of %s %s is closed whether or not the client ends it",
    async (httpMethod, path, type, status) => {
      const session = connectHttp2(server.url);
      const headers = { ":method": httpMethod, ":path": path, "content-type": type };
      for (const ends of [true, false]) {
        expect(await ask(session, headers, Buffer.alloc(300_000), ends)).toBe(status);
      }
      session.close();
    },
  );

  // Node permanently counts data for closed streams against the session's memory limit, 10 MB.
  test.each([
    ["gRPC-Web", TYPE, tooLong(70_000), 200],
    ["gRPC-Web in base64", "application/grpc-web-text", Buffer.from(tooLong(70_000).toString("base64")), 200],
    ["malformed gRPC-Web", "application/grpc-web-text", tooLong(70_000), 200],
    ["gRPC", "application/grpc", tooLong(70_000), 200],
    ["Connect", "application/proto", tooLong(70_000), 429],
  ])(
    "over HTTP/2, a connection outlives many %s messages that are too long",
    async (_, type, body, status) => {
      const session = connectHttp2(server.url);
      const headers = { ":method": "POST", "content-type": type };
      for (let round = 0; round < 20; round++) {
        const asked = Array.from({ length: 16 }, () => ask(session, headers, body, true));
        expect(new Set(await Promise.all(asked))).toEqual(new Set([status]));
      }
      session.close();
    },
  );
});
