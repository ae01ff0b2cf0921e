import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { TLS } from "connect-transcoding-testing/files.js";
import {
  closeServersAfterAll,
  connectTo,
  type OpenServer,
  openServer,
  readUntilClose,
} from "connect-transcoding-testing/open-server.js";
import { rawHttp2 } from "connect-transcoding-testing/raw-http2.js";
import { expect, onTestFinished, test } from "vitest";
import { CONNECTION_BYTES, TLS_BYTES } from "../src/core/weights.js";
import { createHttpServer, type TlsFiles, type TlsPair } from "../src/index.js";

closeServersAfterAll();

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const CLOSE = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

function pairOf(name: string): TlsPair {
  const read = (kind: string) => readFileSync(`${TLS}/${name}-${kind}.pem`);
  return { cert: read("cert"), key: read("key") };
}

const [first, second] = [pairOf("first"), pairOf("second")];

function createFiles(): TlsFiles & { change(pair: TlsPair): void } {
  const listeners: ((pair: TlsPair) => void)[] = [];
  return {
    current: first,
    onChange: (listener) => listeners.push(listener),
    change: (pair) => {
      for (const listener of listeners) {
        listener(pair);
      }
    },
  };
}

async function openTls({ port }: OpenServer, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  return socket;
}

const fingerprintOf = (socket: TLSSocket) => socket.getPeerX509Certificate()?.fingerprint256;

test("serves HTTP/1.1 over TLS, with and without ALPN", async () => {
  const server = await openServer({ tls: createFiles() });
  for (const ALPNProtocols of [undefined, ["http/1.1"]]) {
    const socket = await openTls(server, ALPNProtocols === undefined ? {} : { ALPNProtocols });
    expect([server.connections, server.heldBytes]).toEqual([1, CONNECTION_BYTES + TLS_BYTES]);
    socket.write(GET + CLOSE);
    expect((await readUntilClose(socket)).match(/HTTP\/1\.1 200 OK|done/g)).toEqual([
      ...["HTTP/1.1 200 OK", "done", "HTTP/1.1 200 OK", "done"],
    ]);
    await expect.poll(() => server.connections).toBe(0);
  }
});

test("serves HTTP/2 if ALPN selects it (RFC 9113, section 3.2)", async () => {
  const server = await openServer({ tls: createFiles() });
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  const stream = session.request({ ":path": "/" }).setEncoding("utf8");
  expect(await once(stream, "data")).toEqual(["done"]);
  expect(session.alpnProtocol).toBe("h2");
  session.close();
});

test.each([
  [["h2", "http/1.1"], "h2"],
  [["http/1.1", "h2"], "h2"],
  [["h2"], "h2"],
  [["http/1.1"], "http/1.1"],
  [[], false],
])("of the protocols %j, ALPN selects %j over TLS 1.3", async (ALPNProtocols, selected) => {
  const server = await openServer({ tls: createFiles() });
  const socket = await openTls(server, { ALPNProtocols });
  expect([socket.alpnProtocol, socket.getProtocol()]).toEqual([selected, "TLSv1.3"]);
  socket.destroy();
});

test("TLS 1.2 is accepted, and TLS 1.1 is not", async () => {
  const server = await openServer({ tls: createFiles() });
  const socket = await openTls(server, { maxVersion: "TLSv1.2", ALPNProtocols: ["h2"] });
  expect([socket.alpnProtocol, socket.getProtocol()]).toEqual(["h2", "TLSv1.2"]);
  socket.destroy();
  const versions = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  const [error] = await once(connectTls({ port: server.port, host: "127.0.0.1", ...versions }), "error");
  expect(error).toMatchObject({ code: expect.stringMatching(/PROTOCOL|HANDSHAKE|ALERT/) });
});

test("a handshake without a known protocol fails (RFC 7301, section 3.2)", async () => {
  const server = await openServer({ tls: createFiles() });
  const options = { port: server.port, host: "127.0.0.1", ALPNProtocols: ["h3"], rejectUnauthorized: false };
  const [error] = await once(connectTls(options), "error");
  expect(error).toMatchObject({ code: expect.stringContaining("NO_APPLICATION_PROTOCOL") });
});

test("requests over TLS are secure, and for http or https", async () => {
  const secure: boolean[] = [];
  const server = await openServer({
    tls: createFiles(),
    onRequest: (request) => {
      secure.push(request.connection.isSecure);
      request.respond(200, [], undefined);
    },
  });
  const socket = await openTls(server);
  socket.write(`${GET}${CLOSE.replace(" / ", " http://a/ ")}`);
  expect((await readUntilClose(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  expect(secure).toEqual([true, true]);
});

test("new connections get a new certificate, and open ones go on", async () => {
  const files = createFiles();
  const server = await openServer({ tls: files });
  const before = await openTls(server);
  expect(fingerprintOf(before)).toBe(new X509Certificate(first.cert).fingerprint256);
  files.change(second);
  const after = await openTls(server);
  expect(fingerprintOf(after)).toBe(new X509Certificate(second.cert).fingerprint256);
  for (const socket of [before, after]) {
    socket.write(CLOSE);
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test("an HTTP/2 connection and its open stream go on when the certificate changes", async () => {
  const files = createFiles();
  const server = await openServer({ tls: files });
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  const open = session.request({ ":path": "/never" });
  const respond = async () => {
    const [body] = await once(session.request({ ":path": "/" }).setEncoding("utf8"), "data");
    return body;
  };
  expect(await respond()).toBe("done");
  files.change(second);
  expect(await respond()).toBe("done");
  expect(open.closed).toBe(false);
  session.destroy();
});

test("cleartext on a port with TLS gets 400", async () => {
  const server = await openServer({ tls: createFiles() });
  const socket = connectTo(server);
  socket.write(GET);
  expect(await readUntilClose(socket)).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*This port speaks TLS: ask for https:\/\/$/,
  );
  // HTTP/2 in cleartext as well.
  const raw = rawHttp2(connectTo(server));
  raw.socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  await raw.closed;
});

// Other systems have only one loopback address.
test.runIf(process.platform === "linux")(
  "one port of a client can connect to several addresses",
  async () => {
    const server = createHttpServer({
      tls: createFiles(),
      onRequest: (request) => request.respond(200, [], ""),
    });
    onTestFinished(() => server.close(0));
    const { port } = await server.listen("0.0.0.0", 0);
    const near = { localAddress: "127.0.0.1", port };
    const one = connect({ ...near, host: "127.0.0.1" });
    await once(one, "connect");
    const other = connect({ ...near, host: "127.0.0.2", localPort: Number(one.localPort) });
    await once(other, "connect");
    for (const socket of [one, other].map((each) =>
      connectTls({ socket: each, rejectUnauthorized: false }),
    )) {
      socket.write(CLOSE);
      expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 200 /);
    }
  },
);

test("TLS on a cleartext port gets 400", async () => {
  const server = await openServer();
  const socket = connectTls({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false });
  const [error] = await once(socket, "error");
  expect(error).toMatchObject({ code: "ERR_SSL_WRONG_VERSION_NUMBER" });
});

test.each([
  ["does not continue its handshake", Buffer.from([0x16, 3, 1, 0, 5])],
  ["sends garbage instead of it", Buffer.from("\x16garbage that is long enough for a record", "latin1")],
])("closes a connection that %s", async (_title, bytes) => {
  const server = await openServer({ tls: createFiles(), headersTimeout: 100 });
  const socket = connectTo(server);
  socket.write(bytes);
  await readUntilClose(socket);
  await expect.poll(() => [server.connections, server.heldBytes]).toEqual([0, 0]);
});

test("a shutdown closes idle connections with TLS", async () => {
  const server = await openServer({ tls: createFiles() });
  const idle = await openTls(server);
  idle.write(GET);
  await once(idle, "data");
  const unused = await openTls(server);
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  await once(session, "remoteSettings");
  const closed = Promise.all([...[idle, unused].map(readUntilClose), once(session, "close")]);
  await server.close(20_000);
  await closed;
  await expect.poll(() => server.connections).toBe(0);
});
