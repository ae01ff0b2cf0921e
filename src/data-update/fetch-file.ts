import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { EnvHttpProxyAgent, fetch, type Response } from "undici";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import type { Download } from "./sources.js";

/** Limits of a download. */
export interface FetchLimits {
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  /** Milliseconds before each further attempt; as many attempts as pauses, and one. */
  readonly pauses: readonly number[];
  /** The maximum length of a file in bytes. */
  readonly maxBytes: number;
}

/** Ten minutes are enough for 100 MB at 1.4 Mbit/s. */
export const FETCH_LIMITS: FetchLimits = {
  timeout: 10 * 60 * 1000,
  pauses: [1_000, 5_000],
  maxBytes: 320 * 1024 * 1024,
};

/** What is known of an earlier download of the same file. */
export interface KnownFile {
  readonly sha256: string;
  readonly etag: string;
  readonly lastModified: string;
}

/** A file that was downloaded. */
export interface FetchedFile extends KnownFile {
  readonly content: Uint8Array;
}

/** Called with the bytes that have arrived, and the length of the file in bytes; undefined if the server does not say. */
export type OnProgress = (received: number, length: number | undefined) => void;

/** Why a file was not downloaded. The description continues a sentence that begins with the source. */
export type FetchFailure = Failure<
  "NOT_PUBLISHED" | "CREDENTIALS_REJECTED" | "PUBLISHER_UNAVAILABLE" | "INVALID_DOWNLOAD"
>;

/**
 * Downloads a file, and compares it with the checksum of the publisher if there is one. Resolves to undefined if the file is
 * the known one: the checksum is the same, or the server returns 304 for `If-None-Match` or `If-Modified-Since`.
 *
 * Uses the proxies in `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Network errors, timeouts, the statuses 429 and 5xx, and files
 * that are incomplete or differ from their checksum are retried. Failures have no URLs, which may contain secrets.
 */
export async function fetchFile(
  download: Download,
  known: KnownFile | undefined,
  limits: FetchLimits,
  onProgress: OnProgress = () => {},
): Promise<Result<FetchedFile | undefined, FetchFailure>> {
  // The timeouts of a connection without data; `limits.timeout` is about the whole attempt.
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: 60_000, bodyTimeout: 60_000 });
  const get: Get = (url, headers) =>
    fetch(url, {
      dispatcher,
      headers: { ...headers, ...(download.authorization && { authorization: download.authorization }) },
      signal: AbortSignal.timeout(limits.timeout),
    });
  try {
    let result = await tryToFetch(get, download, known, limits, onProgress);
    for (const pause of limits.pauses) {
      if (result.ok || !RETRIED.has(result.failure.reason)) {
        break;
      }
      await wait(pause);
      result = await tryToFetch(get, download, known, limits, onProgress);
    }
    return result;
  } finally {
    await dispatcher.destroy();
  }
}

const RETRIED: ReadonlySet<string> = new Set<FetchFailure["reason"]>([
  "PUBLISHER_UNAVAILABLE",
  "INVALID_DOWNLOAD",
]);

type Get = (url: URL, headers: Readonly<Record<string, string>>) => Promise<Response>;

async function tryToFetch(
  get: Get,
  download: Download,
  known: KnownFile | undefined,
  { maxBytes }: FetchLimits,
  onProgress: OnProgress,
): Promise<Result<FetchedFile | undefined, FetchFailure>> {
  try {
    const checksum =
      download.checksum === undefined ? undefined : await fetchChecksum(get, download.checksum);
    if (checksum?.ok === false) {
      return checksum;
    }
    if (known !== undefined && checksum?.value === known.sha256) {
      return ok(undefined);
    }
    const response = await get(download.url, {
      ...(known?.etag && { "if-none-match": known.etag }),
      ...(known?.lastModified && { "if-modified-since": known.lastModified }),
    });
    if (response.status === 304) {
      return ok(undefined);
    }
    const content = await readBody(response, maxBytes, onProgress);
    if (!content.ok) {
      return content;
    }
    const sha256 = createHash("sha256").update(content.value).digest("hex");
    if (checksum !== undefined && checksum.value !== sha256) {
      return fail("INVALID_DOWNLOAD", "has a file that differs from its published checksum");
    }
    return ok({
      content: content.value,
      sha256,
      etag: response.headers.get("etag") ?? "",
      lastModified: response.headers.get("last-modified") ?? "",
    });
  } catch (thrown) {
    return fail("PUBLISHER_UNAVAILABLE", `is unreachable or does not respond in time (${errorCode(thrown)})`);
  }
}

/** The maximum length of a text with a checksum, in bytes. */
const MAX_CHECKSUM_BYTES = 64 * 1024;

/** Downloads a SHA-256. It is the only word of 64 hexadecimal digits in the output of `sha256sum` and in IPinfo's JSON. */
async function fetchChecksum(get: Get, url: URL): Promise<Result<string, FetchFailure>> {
  const text = await readBody(await get(url, {}), MAX_CHECKSUM_BYTES, () => {});
  if (!text.ok) {
    return text;
  }
  const [sha256] = /\b[\da-f]{64}\b/i.exec(Buffer.from(text.value).toString("latin1")) ?? [];
  return sha256 === undefined
    ? fail("INVALID_DOWNLOAD", "has no SHA-256 in its checksum file")
    : ok(sha256.toLowerCase());
}

async function readBody(
  response: Response,
  maxBytes: number,
  onProgress: OnProgress,
): Promise<Result<Uint8Array, FetchFailure>> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    return statusFailure(response.status);
  }
  // With a content coding, the header has the length before decompression.
  const declared = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
  const length = declared === null ? undefined : Number(declared);
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of response.body) {
    received += chunk.byteLength;
    if (received > maxBytes) {
      return fail("INVALID_DOWNLOAD", `has a file that is too large; allowed: ${maxBytes} bytes`);
    }
    chunks.push(chunk);
    onProgress(received, length);
  }
  return ok(Buffer.concat(chunks, received));
}

function statusFailure(status: number): Result<never, FetchFailure> {
  if (status === 401 || status === 403) {
    return fail("CREDENTIALS_REJECTED", `rejects the request (HTTP status ${status}); check the credentials`);
  }
  return status === 404 || status === 410
    ? fail("NOT_PUBLISHED", `does not have the file (HTTP status ${status})`)
    : fail("PUBLISHER_UNAVAILABLE", `does not return the file (HTTP status ${status})`);
}

/** The code of a network error. The message may contain a URL. */
function errorCode(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
    return cause.code;
  }
  return cause instanceof Error ? cause.name : "unknown error";
}
