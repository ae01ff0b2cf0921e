import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { get } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import {
  createHttpServer,
  type HttpServer,
  type ServerLimits,
  type TlsFiles,
} from "@utility-tools/http-server";
import { TLS } from "connect-transcoding-testing/files.js";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { watchFiles } from "../../src/files/data-files.js";
import { type OpenTlsFiles, openTlsFiles, type TlsFilesOptions } from "../../src/files/tls-files.js";

/** A server that listens. */
interface Listener extends HttpServer {
  readonly port: number;
}

const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
});

const fixture = (name: string) => join(TLS, name);
const first = { cert: readFileSync(fixture("first-cert.pem")), key: readFileSync(fixture("first-key.pem")) };
const second = {
  cert: readFileSync(fixture("second-cert.pem")),
  key: readFileSync(fixture("second-key.pem")),
};
const folder = mkdtempSync(join(tmpdir(), "tls-"));
const certFile = join(folder, "cert.pem");
const keyFile = join(folder, "key.pem");
const opened: OpenTlsFiles[] = [];
afterAll(() => {
  for (const files of opened) {
    files.stop();
  }
  rmSync(folder, { recursive: true });
});

/** A time at which the certificates are valid. */
const NOW = Date.parse("2030-01-01");

function put({ cert, key }: { readonly cert: Buffer; readonly key: Buffer }): void {
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
}

async function openFiles(options: Partial<TlsFilesOptions> = {}) {
  const files = await openTlsFiles({
    certFile,
    keyFile,
    names: { certFile: "TLS_CERT_FILE", keyFile: "TLS_KEY_FILE" },
    now: () => NOW,
    warn: () => {},
    watchFiles: (paths, onChange) => watchFiles(paths, onChange, 10),
    ...options,
  });
  if (files.ok) {
    opened.push(files.value);
  }
  return files;
}

/** Listens on a free port, and responds `done` to every request. */
async function listen(
  tls: TlsFiles | undefined,
  limits: Partial<ServerLimits> = {},
  host = "127.0.0.1",
): Promise<Listener> {
  const server = createHttpServer({
    ...limits,
    tls,
    onRequest: (request) => request.respond(200, [], "done"),
  });
  const { port } = await server.listen(host, 0);
  const listener = Object.assign(server, { port });
  listeners.push(listener);
  return listener;
}

async function listenWithTls(
  options: Partial<TlsFilesOptions> = {},
  headersTimeout = 20_000,
  host?: string,
): Promise<Listener> {
  put(first);
  const files = await openFiles(options);
  if (!files.ok) {
    throw new Error(files.failure.description);
  }
  return listen(files.value, { headersTimeout }, host);
}

/** Connects in cleartext. */
function connectTo({ port }: Listener): Socket {
  return connectTcp({ port, host: "127.0.0.1" }).on("error", () => {});
}

/** Resolves with everything received until the connection closes. */
async function readUntilClose(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

function tlsTo({ port }: Listener, options: ConnectionOptions = {}): TLSSocket {
  return connectTls({ port, host: "localhost", ca: [first.cert, second.cert], ...options });
}

describe("a port with a certificate", () => {
  test("speaks HTTP/2 over TLS", async () => {
    const { port } = await listenWithTls();
    const session = connectHttp2(`https://localhost:${port}`, { ca: first.cert });
    const stream = session.request({ ":path": "/" }).setEncoding("utf8");
    expect(await once(stream, "data")).toEqual(["done"]);
    expect(session.alpnProtocol).toBe("h2");
    session.close();
  });

  test("speaks HTTP/1.1 over TLS", async () => {
    const { port } = await listenWithTls();
    const request = get({ host: "localhost", port, ca: first.cert });
    const [response] = await once(request, "response");
    expect(String(await buffer(response))).toBe("done");
  });

  test("rejects headers over HTTP/1.1 that are too long while the client sends them", async () => {
    const socket = tlsTo(await listenWithTls());
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(200_000)}\r\n\r\n`);
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });

  test.each([
    ["TLS 1.2 and 1.3 with ALPN h2", { ALPNProtocols: ["h2", "http/1.1"] }, "h2"],
    ["ALPN http/1.1", { ALPNProtocols: ["http/1.1"] }, "http/1.1"],
    ["no ALPN, which is HTTP/1.1", {}, false],
    ["TLS 1.2", { maxVersion: "TLSv1.2", ALPNProtocols: ["h2"] }, "h2"],
  ] as const)("takes %s", async (_name, options, alpn) => {
    const socket = tlsTo(await listenWithTls(), options as ConnectionOptions);
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe(alpn);
    socket.destroy();
  });

  test("rejects TLS 1.1", async () => {
    const socket = tlsTo(await listenWithTls(), {
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: expect.stringMatching(/PROTOCOL|HANDSHAKE|ALERT/) });
  });

  test.each([
    ["HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["anything else", "hello\r\n"],
  ])("rejects %s in cleartext with 400", async (_name, text) => {
    const socket = connectTo(await listenWithTls());
    socket.write(text);
    expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*https:\/\//);
  });

  test.each([
    ["that is incomplete", Buffer.from([0x16, 0x03, 0x01])],
    ["that is garbage", Buffer.concat([Buffer.from([0x16, 0x03, 0x01, 0x00, 0x20]), Buffer.alloc(32, 7)])],
  ])("closes the connection of a handshake %s", async (_name, bytes) => {
    const listener = await listenWithTls({}, 300);
    const socket = connectTo(listener);
    socket.write(bytes);
    await readUntilClose(socket);
  });

  // Other systems have only one loopback address.
  test.runIf(process.platform === "linux")(
    "distinguishes connections from one port to several of its addresses",
    async () => {
      const { port } = await listenWithTls({}, undefined, "0.0.0.0");
      const near = { localAddress: "127.0.0.1", port };
      const one = connectTcp({ ...near, host: "127.0.0.1" });
      await once(one, "connect");
      const other = connectTcp({ ...near, host: "127.0.0.2", localPort: Number(one.localPort) });
      await once(other, "connect");
      await Promise.all(
        [one, other].map(async (socket) => {
          const overTls = connectTls({ socket, rejectUnauthorized: false });
          overTls.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
          expect(await readUntilClose(overTls)).toMatch(/^HTTP\/1\.1 200 /);
        }),
      );
    },
  );

  test("ends connections when it closes", async () => {
    const listener = await listenWithTls();
    const idle = tlsTo(listener);
    await once(idle, "secureConnect");
    const gone = once(idle.resume(), "close");
    await listener.close(20_000);
    await gone;
  });

  test.each(["h2", "http/1.1"])("closes unused connections immediately: %s", async (alpn) => {
    // Longer than the timeout of the test.
    const LONG = 3_600_000;
    const listener = await listenWithTls({}, LONG);
    const unused = tlsTo(listener, { ALPNProtocols: [alpn] });
    await once(unused, "secureConnect");
    await listener.close(LONG);
  });
});

test("a port without a certificate rejects TLS with 400", async () => {
  const socket = connectTo(await listen(undefined));
  socket.write(Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05]));
  expect(await readUntilClose(socket)).toMatch(/^HTTP\/1\.1 400 /);
});

describe("files", () => {
  async function serialOf(listener: Listener): Promise<string> {
    const socket = tlsTo(listener);
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  test("that change apply to new connections; invalid ones are reported, and the previous ones stay", async () => {
    let reloads = 0;
    let warned: (problem: string) => void = () => {};
    const listener = await listenWithTls({
      warn: (problem) => warned(problem),
      onReload: () => {
        reloads += 1;
      },
    });
    const before = await serialOf(listener);
    const warning = new Promise<string>((resolve) => {
      warned = resolve;
    });
    writeFileSync(keyFile, "broken");
    expect(await warning).toBe(
      `TLS_KEY_FILE: ${keyFile} has no private key in PEM without a passphrase; the earlier certificate stays in use`,
    );
    expect(await serialOf(listener)).toBe(before);
    put(second);
    await expect.poll(() => reloads, { interval: 10 }).toBe(1);
    expect(await serialOf(listener)).not.toBe(before);
  });

  test.each([
    ["no certificate file", { certFile: join(folder, "none") }, /^TLS_CERT_FILE: .*none does not exist$/],
    ["no key file", { keyFile: join(folder, "none") }, /^TLS_KEY_FILE: .*none does not exist$/],
    [
      "a key for a certificate",
      { certFile: fixture("first-key.pem") },
      /^TLS_CERT_FILE: .* has no certificate in PEM$/,
    ],
    [
      "a certificate for a key",
      { keyFile: fixture("first-cert.pem") },
      /^TLS_KEY_FILE: .* has no private key in PEM/,
    ],
    [
      "another key",
      { keyFile: fixture("second-key.pem") },
      /^TLS_KEY_FILE: .* is not the key of the certificate in /,
    ],
  ])("with %s are rejected", async (_name, options, description) => {
    put(first);
    expect(await openFiles(options)).toEqual({
      ok: false,
      failure: { reason: "INVALID_TLS_FILES", description: expect.stringMatching(description) },
    });
  });

  const NOT_NOW = expect.stringMatching(/^TLS_CERT_FILE: .* is valid from .* which is not now$/);
  test.each<[string, "validFrom" | "validTo", number, unknown[]]>([
    ["a millisecond before", "validFrom", -1, [NOT_NOW]],
    ["at", "validFrom", 0, []],
    ["at", "validTo", 0, []],
    ["a millisecond after", "validTo", 1, [NOT_NOW]],
  ])("cause warnings of their validity %s %s", async (_name, limit, difference, expected) => {
    put(first);
    const time = Date.parse(new X509Certificate(first.cert)[limit]) + difference;
    const warnings: string[] = [];
    const files = await openFiles({ now: () => time, warn: (problem) => warnings.push(problem) });
    expect(files.ok).toBe(true);
    expect(warnings).toEqual(expected);
  });
});
