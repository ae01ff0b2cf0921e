import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { Http1Connection } from "../../src/http1/connection.js";
import type { ServerRequest } from "../../src/index.js";
import { connectionOptions } from "../support/connection-options.js";
import { withoutDate } from "../support/test-server.js";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) {
    close();
  }
});

/** A pre-shared key takes the place of a certificate. */
const PSK = Buffer.alloc(32, "k");
const SUITE = { ciphers: "PSK-AES128-GCM-SHA256", maxVersion: "TLSv1.2" } as const;

/** Starts a server with TLS and connects to it. */
async function open(onRequest: (request: ServerRequest) => void): Promise<TLSSocket> {
  const server = createServer({ ...SUITE, allowHalfOpen: true, pskCallback: () => PSK }, (socket) => {
    closers.push(() => socket.destroy());
    new Http1Connection(socket, connectionOptions({ onRequest }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const target = {
    ...SUITE,
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    allowHalfOpen: true,
    pskCallback: () => ({ psk: PSK, identity: "a" }),
    checkServerIdentity: () => undefined,
  };
  const client = connect(target);
  await new Promise((resolve) => client.once("secureConnect", resolve));
  return client;
}

async function read(client: TLSSocket): Promise<string> {
  let received = "";
  for await (const chunk of client.setEncoding("latin1")) {
    received += chunk;
  }
  return received;
}

test("serves requests over TLS", async () => {
  const client = await open((request) => {
    expect(request.connection.isSecure).toBe(true);
    request.readBody(2_000_000, (body) => request.respond(200, [], `${request.target} ${body.length}`));
  });
  client.write("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  client.write(Buffer.alloc(1_000_000));
  client.end("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  // The end of the client's half may arrive before or after the second response.
  const received = withoutDate(await read(client)).replace("close\r\n\r\n/2", "keep-alive\r\n\r\n/2");
  expect(received).toBe(
    "HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: keep-alive\r\n\r\n/1 1000000" +
      "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\n/2 0",
  );
});

test("serves http and https in absolute-form over TLS", async () => {
  const client = await open((request) => request.respond(200, [], `${request.target} ${request.authority}`));
  client.end(
    "GET https://b/1 HTTP/1.1\r\nHost: a\r\n\r\nGET http://b/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  const received = await read(client);
  expect(received.match(/HTTP\/1\.1 \d+|\/1 b/g)).toEqual(["HTTP/1.1 200", "/1 b", "HTTP/1.1 200", "/1 b"]);
});
