import { hash, timingSafeEqual } from "node:crypto";
import { Code, type ConnectError } from "@connectrpc/connect";
import { knownOptions, trimField } from "@utility-tools/http-server/portable";
import { createError, type IncomingRequest } from "connect-transcoding";
import type { DocumentedError } from "connect-transcoding/openapi";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { loadDataFiles, type WatchFiles, watchFiles } from "../files/data-files.js";
import { type ReadFailure, readRegularFile } from "../files/read-regular-file.js";
import { type RequestKind, requestKind } from "../request-kind.js";
import { joinWords } from "../settings/values.js";

/** An accepted API key. The service has only its hash. */
export interface ApiKey {
  /** Identifies the key in rate limits and logs: 1 to 64 characters of A–Z, a–z, 0–9, `.`, `_` and `-`. */
  readonly name: string;
  /** The SHA-256 of the key. */
  readonly digest: Buffer;
}

/** The prefix of generated keys. People and secret scanners recognize a key by it. */
const KEY_PREFIX = "ut_";

/** A generated key: the prefix and 256 bits in base64url. */
const GENERATED_KEY = new RegExp(`${KEY_PREFIX}[\\w-]{43}`);

/** The maximum number of keys in a file. Every check of a key compares it with all of them, at about 0.1 µs each. */
export const MAX_API_KEYS = 1_000;

/** Returns the SHA-256 of a key. A slow hash protects weak passwords; a key has 256 random bits and needs none. */
export function digestOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/** Whether a text is a valid key name. A key itself is not, because names appear in logs and in the shared store. */
function isKeyName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text) && !GENERATED_KEY.test(text);
}

// Create a key

/** A new API key. */
export interface NewApiKey {
  /** The key: `ut_` and 256 random bits in base64url. */
  readonly key: string;
  /** The line for the file of keys, without a line break. */
  readonly line: string;
}

/** The number of random bytes in a key. */
const KEY_SIZE = 32;

/**
 * Generates an API key.
 *
 * @param randomBytes returns this many cryptographically secure random bytes
 */
export function makeApiKey(
  name: string,
  randomBytes: (size: number) => Uint8Array,
): Result<NewApiKey, Failure<"INVALID_KEY_NAME">> {
  if (!isKeyName(name)) {
    const form = "a name has 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'";
    return fail(
      "INVALID_KEY_NAME",
      GENERATED_KEY.test(name) ? `${form}, and must not be a key itself` : form,
    );
  }
  const key = `${KEY_PREFIX}${Buffer.from(randomBytes(KEY_SIZE)).toString("base64url")}`;
  return ok({ key, line: `${name} ${digestOf(key).toString("hex")}` });
}

// Read the file of keys

/** The maximum number of lines that an error message names. */
const MAX_LINES = 20;

const LINE_FORM =
  "must be a name (1 to 64 of A-Z a-z 0-9 . _ -), a space and a SHA-256 in 64 hexadecimal digits";
const LINE_WITH_KEY =
  "must not have a key itself, which should be replaced now: only its SHA-256 belongs in this file";

/**
 * Parses the text of a file of API keys. Each line has a name and the SHA-256 of a key in hexadecimal, separated by spaces
 * or tabs. Empty lines and lines that start with `#` are ignored. Names and keys must be unique, and there can be at most
 * {@link MAX_API_KEYS}. A file without any key is valid: it rejects all requests.
 *
 * The failure lists each problem with the numbers of its lines. It never quotes a line, because the line may contain a key.
 */
export function parseApiKeys(text: string): Result<readonly ApiKey[], Failure<"INVALID_API_KEYS">> {
  const keys: ApiKey[] = [];
  /** The numbers of lines, by what is wrong with them. */
  const problems = new Map<string, number[]>();
  const addProblem = (line: number, problem: string): void => {
    const lines = problems.get(problem) ?? [];
    problems.set(problem, lines);
    lines.push(line);
  };
  const lineOfName = new Map<string, number>();
  const lineOfDigest = new Map<string, number>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) {
      continue;
    }
    const number = index + 1;
    const [name = "", hex = "", ...rest] = content.split(/[ \t]+/);
    const digest = hex.toLowerCase();
    if (!isKeyName(name) || !/^[0-9a-f]{64}$/.test(digest) || rest.length > 0) {
      addProblem(number, content.includes(KEY_PREFIX) ? LINE_WITH_KEY : LINE_FORM);
      continue;
    }
    const sameName = lineOfName.get(name);
    const sameDigest = lineOfDigest.get(digest);
    if (sameName !== undefined) {
      addProblem(number, `must not have the name of line ${sameName}`);
    } else if (sameDigest !== undefined) {
      addProblem(number, `must not have the hash of line ${sameDigest}`);
    } else {
      lineOfName.set(name, number);
      lineOfDigest.set(digest, number);
      keys.push({ name, digest: Buffer.from(digest, "hex") });
    }
  }
  const tooMany =
    keys.length > MAX_API_KEYS ? [`there are ${keys.length} keys; allowed: ${MAX_API_KEYS}`] : [];
  const sentences = [...describeLines(problems), ...tooMany];
  return sentences.length === 0 ? ok(keys) : fail("INVALID_API_KEYS", sentences.join("; "));
}

/** Returns a sentence for each problem, with the numbers of its lines: `lines 2, 3 and 5 must …`. */
function describeLines(problems: ReadonlyMap<string, readonly number[]>): string[] {
  const sentences: string[] = [];
  let left = MAX_LINES;
  let hidden = 0;
  for (const [problem, lines] of problems) {
    const shown = lines.slice(0, left);
    left -= shown.length;
    hidden += lines.length - shown.length;
    if (shown.length > 0) {
      sentences.push(
        `${shown.length === 1 ? "line" : "lines"} ${joinWords(shown.map(String), "and")} ${problem}`,
      );
    }
  }
  return hidden === 0 ? sentences : [...sentences, `and ${hidden} more`];
}

/**
 * The reason a file of API keys cannot be used. The description starts with the path of the file, unless the path is itself
 * a key, and never quotes the file.
 */
export type ApiKeysFailure = ReadFailure | Failure<"INVALID_API_KEYS" | "LOAD_FAILED">;

/** The maximum size of the file in bytes: about seven times that of {@link MAX_API_KEYS} keys with the longest names. */
const MAX_FILE_SIZE = 1_048_576;

/** Reads and parses a file of API keys. */
export async function readApiKeys(path: string): Promise<Result<readonly ApiKey[], ApiKeysFailure>> {
  const bytes = await readRegularFile(path, MAX_FILE_SIZE);
  const keys = bytes.ok ? parseApiKeys(bytes.value.toString()) : bytes;
  const shownPath = GENERATED_KEY.test(path) ? "the file, whose name seems to be a key itself," : path;
  return keys.ok ? keys : fail(keys.failure.reason, `${shownPath} ${keys.failure.description}`);
}

/** The outcome of a reload: the new number of keys, or the reason the previous keys stay in use. */
export type ApiKeysReload = Result<number, ApiKeysFailure>;

/** A file of API keys that is reloaded when it changes. */
export interface ApiKeysFile {
  /** Returns the keys of the last valid version of the file. */
  current(): readonly ApiKey[];
  /** Stops watching the file. */
  stop(): void;
}

/**
 * Loads a file of API keys and reloads it when it changes. A new version replaces all keys at once; if it is invalid or
 * missing, the previous keys stay in use. `onReload` is called with either outcome. Fails if the first load fails.
 */
export async function loadApiKeys(
  path: string,
  onReload: (reload: ApiKeysReload) => void,
  watch: WatchFiles = watchFiles,
): Promise<Result<ApiKeysFile, ApiKeysFailure>> {
  const { first, current, close } = await loadDataFiles<readonly ApiKey[], ApiKeysFailure>({
    paths: [path],
    load: () => readApiKeys(path),
    watchFiles: watch,
    onLoad: (loaded, hadData) => {
      if (hadData) {
        onReload(loaded.ok ? ok(loaded.value.length) : loaded);
      }
    },
  });
  if (!first.ok) {
    close();
    return first;
  }
  return ok({ current: () => current() ?? first.value, stop: close });
}

// Check the key of a request

/** The API key in the headers of a request: none, malformed, or a key that may be valid. */
type SentKey =
  | { readonly form: "none" }
  | { readonly form: "malformed" }
  | { readonly form: "key"; readonly key: string };

/** The maximum length of a header with a key, in characters. Operators can supply their own keys of any form. */
const MAX_HEADER_LENGTH = 512;

/**
 * The `token68` of RFC 9110, section 11.2, which equals the `b64token` of RFC 6750. It excludes the comma that joins
 * repeated headers.
 */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const NONE: SentKey = { form: "none" };
const MALFORMED: SentKey = { form: "malformed" };

/**
 * Returns the key in `Authorization: Bearer <key>` (the scheme is case-insensitive) or `X-API-Key: <key>`. If both headers
 * have a key, it must be the same. Another scheme is ignored, because it may be meant for a proxy. A header without a key
 * counts as absent.
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1, https://www.rfc-editor.org/rfc/rfc9110#section-11.4
 */
export function keyFromHeaders(authorization: string | undefined, xApiKey: string | undefined): SentKey {
  const bearer = authorization === undefined ? NONE : bearerKey(authorization);
  const plain = xApiKey === undefined ? NONE : keyFromText(trimField(xApiKey));
  if (bearer.form === "none" || plain.form === "none") {
    return bearer.form === "none" ? plain : bearer;
  }
  const isSame = bearer.form === "key" && plain.form === "key" && bearer.key === plain.key;
  return isSame ? bearer : MALFORMED;
}

function bearerKey(authorization: string): SentKey {
  const credentials = trimField(authorization);
  if (credentials.length > MAX_HEADER_LENGTH) {
    return /^bearer /i.test(credentials) ? MALFORMED : NONE;
  }
  const bearer = /^bearer(?: +(.*))?$/i.exec(credentials);
  return bearer === null ? NONE : keyFromText(bearer[1] ?? "");
}

function keyFromText(text: string): SentKey {
  if (text === "") {
    return NONE;
  }
  return text.length <= MAX_HEADER_LENGTH && TOKEN.test(text) ? { form: "key", key: text } : MALFORMED;
}

const HOW = "send it in the header Authorization: Bearer <key>, or X-API-Key: <key>";

const missingKey = () => unauthenticated("API_KEY_MISSING", `an API key is needed: ${HOW}`);
const invalidKey = () =>
  unauthenticated("API_KEY_INVALID", `the API key is not valid: ${HOW}, one key and once`);

function unauthenticated(reason: Uppercase<string>, message: string): ConnectError {
  return createError({ code: Code.Unauthenticated, reason, message });
}

/** Returns the errors of {@link requireApiKey}, for the API document. The first ConnectError of a process loads the fetch of Node. */
export function apiKeyRejections(): DocumentedError[] {
  return [
    { error: missingKey(), description: "The request has no API key." },
    { error: invalidKey(), description: "The API key of the request is not valid." },
  ];
}

/** The two headers for a key, as OpenAPI describes them: https://spec.openapis.org/oas/v3.1.1.html#security-scheme-object */
export const API_KEY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer <key>`." },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same API key in another header.",
  },
} as const;

/** The outcome of checking the key of a request. */
export type ApiKeyCheck = "accepted" | "missing" | "refused";

/** Pages that are the same for every client, and need no key in some requests. */
export interface OpenPages {
  /** Whether a request needs no key. */
  has(request: Pick<IncomingRequest, "path" | "protocol" | "header">): boolean;
  /** Whether that depends on the `Accept` of the request. */
  dependsOnAccept(request: Pick<IncomingRequest, "path" | "protocol">): boolean;
}

/** Options of {@link requireApiKey}. */
export interface ApiKeyOptions {
  /** Returns the keys that are valid now. If there are none, all requests that need a key are rejected. */
  readonly keys: () => readonly ApiKey[];
  /** The kinds of requests that need no key. Health checks never need one. */
  readonly openAreas: readonly RequestKind[];
  /** The realm in `WWW-Authenticate`: a name without quotes. */
  readonly realm: string;
  /** Default: none. */
  readonly openPages?: OpenPages | undefined;
  /** Called once per request that needs a key. */
  readonly onCheck?: (check: ApiKeyCheck) => void;
}

/**
 * Returns a hook that requires a valid API key. It sets `principal` to the name of the key, also for requests that need no
 * key; for those an invalid key is ignored, so that pages and probes work whatever a client always sends. Browsers need no key for
 * static pages, which prompt for it. Other requests
 * without a valid key are rejected with `UNAUTHENTICATED`, with the reason `API_KEY_MISSING` or `API_KEY_INVALID`, and with
 * `WWW-Authenticate` (RFC 9110, section 11.6.1). Responses vary by the headers for the key.
 */
export function requireApiKey(options: ApiKeyOptions): (request: IncomingRequest) => void {
  const { keys, openAreas, realm, openPages, onCheck } = knownOptions("requireApiKey", options, {
    keys: true,
    openAreas: true,
    realm: true,
    openPages: true,
    onCheck: true,
  });
  // RFC 6750, section 3, requires an attribute after the scheme, and no error code if the request has no key.
  const challenge = `Bearer realm="${realm}"`;
  const open: ReadonlySet<RequestKind> = new Set<RequestKind>(["health", ...openAreas]);
  return (request) => {
    const sent = keyFromHeaders(request.header("authorization"), request.header("x-api-key"));
    const name = sent.form === "key" ? findName(digestOf(sent.key), keys()) : undefined;
    request.principal = name;
    if (open.has(requestKind(request))) {
      return;
    }
    if (openPages?.dependsOnAccept(request) === true) {
      request.addHeader("vary", "accept");
    }
    if (openPages?.has(request) === true) {
      return;
    }
    // Caches handle Authorization by themselves (RFC 9111, section 3.5), but X-API-Key only if Vary names it.
    request.addHeader("vary", "authorization, x-api-key");
    if (name !== undefined) {
      onCheck?.("accepted");
      return;
    }
    const isMissing = sent.form === "none";
    onCheck?.(isMissing ? "missing" : "refused");
    request.addHeader("www-authenticate", isMissing ? challenge : `${challenge}, error="invalid_token"`);
    throw isMissing ? missingKey() : invalidKey();
  };
}

/** Returns the name of the key with this digest. Always compares all keys, so that timing reveals nothing about them. */
function findName(digest: Buffer, keys: readonly ApiKey[]): string | undefined {
  let name: string | undefined;
  for (const key of keys) {
    if (timingSafeEqual(key.digest, digest)) {
      name = key.name;
    }
  }
  return name;
}
