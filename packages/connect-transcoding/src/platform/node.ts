import { hash } from "node:crypto";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  gzip,
} from "node:zlib";
import type { Compression } from "./platform.js";

// What the engine needs of Node, Bun and Deno, for the import `#platform`. `web.ts` is the same for other runtimes.

export { trustedProxies } from "./trusted-proxies.js";

/** Up to this length in bytes, inflating synchronously takes less time than a round trip to another thread. */
const MAX_SYNC = 64 * 1024;

// The default quality of Brotli is meant for files that are compressed once: it takes 20 times as long as this one.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Limit {
  readonly maxOutputLength: number;
  readonly chunkSize?: number;
}

/** The minimum and the default of zlib for the length of its output buffers, in bytes. */
const MIN_CHUNK = 64;
const MAX_CHUNK = 16 * 1024;

function compression(
  name: Compression["name"],
  compress: Compression["compress"],
  inflateSync: (bytes: Uint8Array, limit: Limit) => Uint8Array,
  inflate: (bytes: Uint8Array, limit: Limit) => Promise<Uint8Array>,
): Compression {
  return {
    name,
    compress,
    decompress: (bytes, limit) => {
      // zlib does not accept a limit of 0.
      const options = { maxOutputLength: Math.max(limit, 1) };
      if (bytes.length > MAX_SYNC) {
        // The bytes may be a view that is valid during this call only.
        return inflate(new Uint8Array(bytes), options);
      }
      // A buffer of the default length for each short message takes longer to collect than the message to inflate.
      const chunkSize = Math.min(Math.max(4 * bytes.length, MIN_CHUNK), MAX_CHUNK);
      return inflateSync(bytes, { ...options, chunkSize });
    },
  };
}

/** The compressions, the preferred one first. zlib throws a RangeError for data that exceeds the limit. */
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
