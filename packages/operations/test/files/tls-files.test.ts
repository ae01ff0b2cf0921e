import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { createHttpServer, type HttpServer } from "@utility-tools/http-server";
import { TLS } from "connect-transcoding-testing/files.js";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { watchFiles } from "../../src/files/data-files.js";
import { type OpenTlsFiles, openTlsFiles, type TlsFilesOptions } from "../../src/files/tls-files.js";

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
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

async function listenWithTls(options: Partial<TlsFilesOptions>): Promise<number> {
  put(first);
  const files = await openFiles(options);
  if (!files.ok) {
    throw new Error(files.failure.description);
  }
  const server = createHttpServer({ tls: files.value, onRequest: (request) => request.abort() });
  servers.push(server);
  return (await server.listen("127.0.0.1", 0)).port;
}

describe("files", () => {
  async function serialOf(port: number): Promise<string> {
    const socket = connectTls({ port, host: "localhost", ca: [first.cert, second.cert] });
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  test("that change apply to new connections; invalid ones are reported, and the previous ones stay", async () => {
    let reloads = 0;
    let warned: (problem: string) => void = () => {};
    const port = await listenWithTls({
      warn: (problem) => warned(problem),
      onReload: () => {
        reloads += 1;
      },
    });
    const before = await serialOf(port);
    const warning = new Promise<string>((resolve) => {
      warned = resolve;
    });
    writeFileSync(keyFile, "broken");
    expect(await warning).toBe(
      `TLS_KEY_FILE: ${keyFile} has no private key in PEM without a passphrase; the earlier certificate stays in use`,
    );
    expect(await serialOf(port)).toBe(before);
    put(second);
    await expect.poll(() => reloads, { interval: 10 }).toBe(1);
    expect(await serialOf(port)).not.toBe(before);
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
