import { hash } from "node:crypto";
import { BlockList, isIP, isIPv4 } from "node:net";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  gzip,
  inflateRawSync,
} from "node:zlib";
import { plainAddress, trimField } from "@utility-tools/http-server/portable";
import {
  type Compression,
  type ImportByName,
  InflateError,
  type InflateProblem,
  startsAsGzip,
  type TrustedProxies,
} from "./platform.js";

// What the engine needs of Node, Bun and Deno, for the import `#platform`. `web.ts` is the same for other runtimes.

/** Up to this length in bytes, inflating synchronously takes less time than a round trip to another thread. */
const MAX_SYNC = 64 * 1024;

// The default quality of Brotli is meant for files that are compressed once: it takes 20 times as long as this one.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Limit {
  readonly maxOutputLength: number;
  readonly chunkSize?: number;
  readonly info: true;
}

/** What zlib returns with the option `info`. https://nodejs.org/api/zlib.html#class-options */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

/** The minimum and the default of zlib for the length of its output buffers, in bytes. */
const MIN_CHUNK = 64;
const MAX_CHUNK = 16 * 1024;

function compression(
  name: Compression["name"],
  compress: Compression["compress"],
  inflateSync: (bytes: Uint8Array, limit: Limit) => unknown,
  inflate: (bytes: Uint8Array, limit: Limit) => Promise<unknown>,
): Compression {
  return {
    name,
    compress,
    decompress: (bytes, limit) => {
      // zlib does not accept a limit of 0.
      const options = { maxOutputLength: Math.max(limit, 1), info: true } as const;
      const fail = (cause: unknown): never => {
        throw cause instanceof RangeError
          ? cause
          : new InflateError(problemOf(name, bytes, cause), { cause });
      };
      if (bytes.length > MAX_SYNC) {
        // The bytes may be a view that is valid during this call only.
        const copy = new Uint8Array(bytes);
        return inflate(copy, options).then((inflated) => contentOf(inflated as Inflated, copy), fail);
      }
      // A buffer of the default length for each short message takes longer to collect than the message to inflate.
      const chunkSize = Math.min(Math.max(4 * bytes.length, MIN_CHUNK), MAX_CHUNK);
      let inflated: unknown;
      try {
        inflated = inflateSync(bytes, { ...options, chunkSize });
      } catch (thrown) {
        return fail(thrown);
      }
      return contentOf(inflated as Inflated, bytes);
    },
  };
}

/** The inflated bytes, if there is nothing after their end. */
function contentOf({ buffer, engine }: Inflated, bytes: Uint8Array): Uint8Array {
  if (engine.bytesWritten < bytes.length) {
    throw new InflateError("trailing data");
  }
  return buffer;
}

/** The header of gzip without optional parts, and what follows the content: a checksum and a length (RFC 1952, section 2.3). */
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

/** The limit of content that is inflated to find its end, in bytes. */
const MAX_CONTENT = 1024 * 1024;

/** Why bytes could not be inflated. Brotli has no signature, and zlib reports most of its problems as an unexpected end. */
function problemOf(name: Compression["name"], bytes: Uint8Array, thrown: unknown): InflateProblem {
  if (name === "br") {
    return "damaged";
  }
  if (!startsAsGzip(bytes)) {
    return "other format";
  }
  // What follows the content is read as another member of gzip, which is incomplete or damaged as well.
  const end = bytes[3] === 0 && bytes.length <= MAX_SYNC ? endOfMember(bytes) : bytes.length;
  if (end < bytes.length && !startsAsGzip(bytes.subarray(end))) {
    return "trailing data";
  }
  return (thrown as Partial<NodeJS.ErrnoException>).errno === constants.Z_BUF_ERROR
    ? "incomplete"
    : "damaged";
}

/** The index after the first member of gzip data without optional parts in its header; the length of the data if it is not known. */
function endOfMember(bytes: Uint8Array): number {
  try {
    const content = bytes.subarray(HEADER_BYTES);
    const inflated: unknown = inflateRawSync(content, { maxOutputLength: MAX_CONTENT, info: true });
    return HEADER_BYTES + (inflated as Inflated).engine.bytesWritten + TRAILER_BYTES;
  } catch {
    return bytes.length;
  }
}

/** The compressions, the preferred one first. */
export const compressions: readonly Compression[] = [
  compression(
    "br",
    (bytes) => promisify(brotliCompress)(bytes, BROTLI_OPTIONS),
    brotliDecompressSync,
    promisify(brotliDecompress),
  ),
  compression("gzip", promisify(gzip), gunzipSync, promisify(gunzip)),
];

/** A hash of a long body for its entity tag. */
export function hashOf(body: string | Uint8Array): string | undefined {
  return hash("sha256", body, "base64url").slice(0, 27);
}

/** The number of addresses to read from a header: chains of proxies are short. */
const MAX_HOPS = 32;

/** An address without a zone, and the length of a prefix. */
const BLOCK = /^([^/%]+)(?:\/(\d{1,3}))?$/;

/** Trusts addresses and CIDR blocks (RFC 4632; RFC 4291, section 2.3). Throws a TypeError for any other text. */
export function trustedProxies(blocks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const block of blocks) {
    const [, address = "", prefix] = BLOCK.exec(block) ?? [];
    const [family, bits] = isIPv4(address) ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
    const length = Number(prefix ?? bits);
    if (isIP(address) === 0 || length > bits) {
      throw new TypeError(
        `trustedProxies: ${JSON.stringify(block)} is not an IP address or a CIDR block such as 10.0.0.0/8`,
      );
    }
    list.addSubnet(address, length, family);
  }
  const trusts = (address: string): boolean =>
    isIP(address) !== 0 && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");

  return {
    trusts: (peerAddress) => trusts(plainAddress(peerAddress)),
    clientOf: (peerAddress, forwardedFor) => {
      let client = plainAddress(peerAddress);
      const hops = forwardedFor === undefined ? [] : forwardedFor.split(",");
      for (const hop of hops.slice(-MAX_HOPS).reverse()) {
        const address = addressOf(trimField(hop));
        if (!trusts(client) || address === undefined) {
          break;
        }
        client = address;
      }
      return client;
    },
  };
}

/** The address of one hop. Some proxies add a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOf(hop: string): string | undefined {
  const text = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop;
  return isIP(text) === 0 || text.includes("%") ? undefined : plainAddress(text);
}

/** Imports a module by a name that bundlers do not follow, because the package that it needs is optional. */
export const importByName: ImportByName | undefined = (name) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ name);
