import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import type { Credentials, Publishers } from "../../src/data-update/sources.js";
import { mmdbBytes } from "../tools/geoip/test-databases.js";

/** The credentials that the publishers accept. */
export const CREDENTIALS: Credentials = {
  maxmindAccountId: "424242",
  maxmindLicenseKey: "license:key",
  ipinfoToken: "token-of-ipinfo",
};

/** The networks that every database should have right, and that of the load clients. */
const NETWORKS: readonly (readonly [block: string, country: string, asn: number])[] = [
  ["8.8.8.0/24", "US", 15169],
  ["18.9.0.0/16", "US", 3],
  ["128.130.0.0/16", "AT", 679],
  ["129.132.0.0/16", "CH", 559],
  ["130.216.0.0/16", "NZ", 9431],
  ["133.11.0.0/16", "JP", 2501],
  ["193.0.6.0/24", "NL", 3333],
  ["2001:67c:2e8::/48", "NL", 3333],
  ["2001:610::/32", "NL", 1103],
  ["2001:620::/32", "CH", 559],
  ["2001:628::/32", "AT", 1853],
];

/** The content of {@link databaseFile}. */
export interface FileContent {
  readonly type: string;
  /** The build date, such as `2026-11-01`. */
  readonly built: string;
  /** Further records by block. */
  readonly records?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The number of the known networks that are left out. */
  readonly without?: number;
}

/** Returns an MMDB file with locations and autonomous systems, in IPinfo's flat shape, which both databases read. */
export function databaseFile({ type, built, records = {}, without = 0 }: FileContent): Buffer {
  const known = NETWORKS.slice(without).map(([block, country, asn]) => [
    block,
    { country_code: country, asn: `AS${asn}`, as_name: `System ${asn}` },
  ]);
  return mmdbBytes(
    { ...Object.fromEntries(known), ...records },
    { databaseType: type, buildEpoch: Date.parse(built) / 1000 },
  );
}

/** How a publisher misbehaves. */
export type Misbehavior =
  | "none"
  | "missing"
  | "unavailable"
  | "page"
  | "page as the file"
  | "truncated"
  | "disconnects"
  | "slow"
  | "silent"
  | "wrong checksum"
  | "endless redirects";

/** A request that a publisher has received. */
export interface SeenRequest {
  readonly path: string;
  readonly status: number;
}

/** Local servers that behave as the publishers of data do. */
export interface FakePublishers {
  readonly publishers: Publishers;
  /** The URL of a file of one's own. */
  readonly ownUrl: (name: string) => string;
  /** The MMDB files by name, such as `GeoLite2-City` or `dbip-city-lite-2026-11`, with the time of their last change. */
  readonly files: Map<string, { readonly content: Buffer; readonly changed: Date }>;
  misbehavior: Misbehavior;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/**
 * Starts the servers: one for the addresses of the publishers, and one for the storage that MaxMind, GitHub and IPinfo redirect
 * to. The storage rejects requests with credentials, which must not reach it.
 */
export async function startPublishers(): Promise<FakePublishers> {
  const files: FakePublishers["files"] = new Map();
  const requests: SeenRequest[] = [];
  const entry = createServer((request, response) => answer(request, response, respondAsPublisher));
  const storage = createServer((request, response) => answer(request, response, respondAsStorage));
  const [entryUrl, storageUrl] = await Promise.all([entry, storage].map(listen));
  const fake: FakePublishers = {
    publishers: {
      dbip: `${entryUrl}/free/`,
      ipLocationDb: `${entryUrl}/sapics/ip-location-db/releases/download/`,
      maxmind: `${entryUrl}/geoip/databases/`,
      ipinfo: `${entryUrl}/data/`,
      disposableDomains: `${entryUrl}/own/`,
    },
    ownUrl: (name) => `${entryUrl}/own/${name}`,
    files,
    misbehavior: "none",
    requests,
    close: async () => {
      for (const server of [entry, storage]) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    respond: Responder,
  ): Promise<void> {
    const url = new URL(request.url ?? "", "http://publisher");
    response.once("close", () => requests.push({ path: url.pathname, status: response.statusCode }));
    await respond(url, request, response);
  }

  async function respondAsPublisher(
    { pathname, searchParams }: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const redirect = (name: string) => response.writeHead(302, { location: `${storageUrl}/${name}` }).end();
    const [, first, second = "", third, , ...rest] = pathname.split("/");
    if (fake.misbehavior === "endless redirects") {
      response.writeHead(302, { location: request.url }).end();
    } else if (first === "free" || first === "own") {
      await sendFile(second, request, response);
    } else if (first === "sapics") {
      const [kind, name = ""] = rest;
      return kind === "checksum"
        ? sendChecksum(name.replace(/\.sha256$/, ""), response)
        : void redirect(name);
    } else if (first === "geoip") {
      const suffix = searchParams.get("suffix");
      const edition = third ?? "";
      const { maxmindAccountId, maxmindLicenseKey } = CREDENTIALS;
      const accepted = `Basic ${Buffer.from(`${maxmindAccountId}:${maxmindLicenseKey}`).toString("base64")}`;
      if (request.headers.authorization !== accepted) {
        response.writeHead(401).end("Invalid license key");
      } else if (suffix === "tar.gz.sha256") {
        await sendChecksum(`${edition}.tar.gz`, response);
      } else {
        redirect(`${edition}.tar.gz`);
      }
    } else if (searchParams.get("token") !== CREDENTIALS.ipinfoToken) {
      response.writeHead(403).end("{}");
    } else if (third === "checksums") {
      const bytes = await packed(second);
      const sums = Object.fromEntries(["md5", "sha1", "sha256"].map((name) => [name, digest(name, bytes)]));
      response.end(JSON.stringify({ checksums: sums }));
    } else {
      redirect(second);
    }
  }

  async function respondAsStorage(
    { pathname, searchParams }: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (request.headers.authorization !== undefined || searchParams.has("token")) {
      response.writeHead(400).end("credentials of another server");
      return;
    }
    await sendFile(pathname.slice(1), request, response);
  }

  /** Returns a file as it is offered: by the suffix of its name as gzip, as a tar archive in gzip, or as it is. */
  async function packed(name: string): Promise<Buffer | undefined> {
    const base = name.replace(/(?:\.mmdb)?(?:\.tar)?(?:\.gz)?$/, "");
    const content = files.get(base)?.content;
    if (content === undefined) {
      return undefined;
    }
    if (name.endsWith(".tar.gz")) {
      const folder = `${base}_20261101`;
      const archive = await packTar([
        { header: { name: `${folder}/`, type: "directory", size: 0 } },
        { header: { name: `${folder}/LICENSE.txt`, size: 7 }, body: "License" },
        { header: { name: `${folder}/${base}.mmdb`, size: content.length }, body: content },
      ]);
      return gzipSync(archive);
    }
    return name.endsWith(".gz") ? gzipSync(content) : content;
  }

  async function sendChecksum(name: string, response: ServerResponse): Promise<void> {
    const bytes = await packed(name);
    if (bytes === undefined) {
      response.writeHead(404).end();
    } else {
      response.end(`${digest("sha256", bytes)}  ${name}\n`);
    }
  }

  function digest(algorithm: string, bytes: Buffer | undefined): string {
    const hash = createHash(algorithm).update(bytes ?? "");
    return (fake.misbehavior === "wrong checksum" ? hash.update("!") : hash).digest("hex");
  }

  async function sendFile(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await packed(name);
    const changed = files.get(name.replace(/(?:\.mmdb)?(?:\.tar)?(?:\.gz)?$/, ""))?.changed;
    if (bytes === undefined || changed === undefined || fake.misbehavior === "missing") {
      response.writeHead(404).end("Not Found");
      return;
    }
    const since = Date.parse(request.headers["if-modified-since"] ?? "");
    if (since >= changed.getTime()) {
      response.writeHead(304).end();
      return;
    }
    const headers = { "last-modified": changed.toUTCString(), "content-length": bytes.length };
    switch (fake.misbehavior) {
      case "unavailable":
        response.writeHead(503).end();
        return;
      case "page":
        response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><title>Sign in</title>");
        return;
      case "page as the file":
        response.writeHead(200).end(gzipSync("<html><body>Maintenance</body></html>"));
        return;
      case "truncated": {
        const half = bytes.subarray(0, bytes.length / 2);
        response.writeHead(200, { ...headers, "content-length": half.length }).end(half);
        return;
      }
      case "disconnects":
        response.writeHead(200, headers).write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
        return;
      case "slow":
        response.writeHead(200, headers);
        for (const byte of bytes) {
          if (response.destroyed) {
            return;
          }
          response.write(Buffer.of(byte));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return;
      case "silent":
        return;
      default:
        response.writeHead(200, headers).end(bytes);
    }
  }

  return fake;
}

type Responder = (url: URL, request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
