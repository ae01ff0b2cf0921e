import { hash } from "node:crypto";
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
  /** Identifies the client in rate limits and logs: 1 to 64 characters of A–Z, a–z, 0–9, `.`, `_` and `-`. */
  readonly name: string;
  /** From when on the key is rejected, in milliseconds since the Unix epoch; undefined if it does not expire. */
  readonly expiresAt?: number | undefined;
}

/**
 * Keys by their SHA-256 in lower-case hexadecimal. The time of a look-up tells nothing about a key, because it depends on the hash of what a
 * client sends, which the client cannot choose.
 */
export type ApiKeys = ReadonlyMap<string, ApiKey>;

/** The prefix of generated keys. People and secret scanners recognize a key by it. */
const KEY_PREFIX = "ut_";

/** A generated key: the prefix and 256 bits in base64url. */
const GENERATED_KEY = new RegExp(`${KEY_PREFIX}[\\w-]{43}`);

/** The maximum number of keys in a file. They take about 25 MB. */
export const MAX_API_KEYS = 100_000;

/** The maximum number of keys with one name: an old and a new one, so that a client can change its key. */
export const MAX_KEYS_PER_NAME = 2;

/**
 * Returns the SHA-256 of a key in hexadecimal. A slow hash protects weak passwords; a key has 256 random bits and needs none.
 */
export function digestOf(key: string): string {
  return hash("sha256", key, "hex");
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
 * @param expires the date or time, in the form of {@link parseApiKeys}, from when on the key is rejected
 */
export function makeApiKey(
  name: string,
  randomBytes: (size: number) => Uint8Array,
  expires?: string,
): Result<NewApiKey, Failure<"INVALID_KEY_NAME" | "INVALID_EXPIRY">> {
  if (!isKeyName(name)) {
    const form = "a name has 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'";
    return fail(
      "INVALID_KEY_NAME",
      GENERATED_KEY.test(name) ? `${form}, and must not be a key itself` : form,
    );
  }
  const expiresAt = expires === undefined ? Number.POSITIVE_INFINITY : readTime(expires);
  if (expiresAt === undefined || expiresAt <= Date.now()) {
    return fail("INVALID_EXPIRY", `the expiry must be ${TIME_FORM}, and in the future`);
  }
  const key = `${KEY_PREFIX}${Buffer.from(randomBytes(KEY_SIZE)).toString("base64url")}`;
  return ok({ key, line: [name, digestOf(key), ...(expires === undefined ? [] : [expires])].join(" ") });
}

// Read the file of keys

/** The maximum number of lines that an error message names. */
const MAX_LINES = 20;

const LINE_FORM =
  "must be a name (1 to 64 of A-Z a-z 0-9 . _ -), a space and a SHA-256 in 64 hexadecimal digits";
const LINE_WITH_KEY =
  "must not have a key itself, which should be replaced now: only its SHA-256 belongs in this file";

const TIME_FORM = "a date or a time in UTC, such as 2027-01-31 or 2027-01-31T12:00:00Z";
const LINE_EXPIRY = `must have nothing after the SHA-256, or ${TIME_FORM}`;

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/;

/** Reads a date, which means its first moment in UTC, or a time. Returns undefined for other texts and for dates that do not exist. */
function readTime(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  // Of a date that does not exist, such as February 30, the parser makes another one.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10)) ? time : undefined;
}

/** An invalid file, and what of it applies when an earlier version is in use. */
export interface InvalidApiKeys extends Failure<"INVALID_API_KEYS"> {
  /** The keys of its valid lines. */
  readonly keys: ApiKeys;
  /** The first words of its invalid lines, which are names if they are in use. */
  readonly names: ReadonlySet<string>;
}

/**
 * Parses the text of a file of API keys. Each line has a name and the SHA-256 of a key in hexadecimal, separated by spaces
 * or tabs, and possibly a date or a time from when on the key is rejected. Empty lines and lines that start with `#` are ignored. Keys must
 * be unique, a name can have {@link MAX_KEYS_PER_NAME}, and there can be at most {@link MAX_API_KEYS}. A file without any key is valid: it
 * rejects all requests.
 *
 * The description of a failure lists each problem with the numbers of its lines. It never quotes a line, because the line may contain a key.
 */
export function parseApiKeys(text: string): Result<ApiKeys, InvalidApiKeys> {
  const parts = parseInParts(text);
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) {
      return part.value;
    }
  }
}

/** The number of lines, some milliseconds, before pending requests are processed. */
const LINES_PER_TURN = 1_000;

/** Parses a text as {@link parseApiKeys} does, and yields between parts of it. */
function* parseInParts(text: string): Generator<undefined, Result<ApiKeys, InvalidApiKeys>> {
  const keys = new Map<string, ApiKey>();
  const names = new Set<string>();
  /** The numbers of lines, by what is wrong with them. */
  const problems = new Map<string, number[]>();
  const keysOfName = new Map<string, number>();
  const lineOfDigest = new Map<string, number>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (index % LINES_PER_TURN === 0) {
      yield;
    }
    const content = line.trim();
    if (content === "" || content.startsWith("#")) {
      continue;
    }
    const [name = "", hex = "", expiry, ...rest] = content.split(/[ \t]+/);
    // A copy: a part of the text would keep all of it in memory.
    const digest = Buffer.from(hex, "hex").toString("hex");
    const expiresAt = expiry === undefined ? undefined : readTime(expiry);
    const sameName = keysOfName.get(name) ?? 0;
    const sameDigest = lineOfDigest.get(digest);
    let problem: string | undefined;
    if (!isKeyName(name) || !/^[0-9a-f]{64}$/i.test(hex)) {
      problem = content.includes(KEY_PREFIX) ? LINE_WITH_KEY : LINE_FORM;
    } else if ((expiry !== undefined && expiresAt === undefined) || rest.length > 0) {
      problem = LINE_EXPIRY;
    } else if (sameName === MAX_KEYS_PER_NAME) {
      problem = `must not have the name of ${MAX_KEYS_PER_NAME} other lines`;
    } else if (sameDigest !== undefined) {
      problem = `must not have the hash of line ${sameDigest}`;
    } else if (keys.size === MAX_API_KEYS) {
      problem = `must not exist: a file has at most ${MAX_API_KEYS} keys`;
    }
    if (problem === undefined) {
      keysOfName.set(name, sameName + 1);
      lineOfDigest.set(digest, index + 1);
      keys.set(digest, { name: Buffer.from(name).toString(), expiresAt });
    } else {
      names.add(name);
      const lines = problems.get(problem) ?? [];
      problems.set(problem, lines);
      lines.push(index + 1);
    }
  }
  return problems.size === 0
    ? ok(keys)
    : {
        ok: false,
        failure: { reason: "INVALID_API_KEYS", description: describeLines(problems).join("; "), keys, names },
      };
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
export type ApiKeysFailure = ReadFailure | InvalidApiKeys | Failure<"LOAD_FAILED">;

/** The maximum size of the file in bytes: that of {@link MAX_API_KEYS} keys with the longest names. */
const MAX_FILE_SIZE = 16_777_216;

/** Reads and parses a file of API keys. */
export async function readApiKeys(path: string): Promise<Result<ApiKeys, ApiKeysFailure>> {
  const bytes = await readRegularFile(path, MAX_FILE_SIZE);
  const keys = bytes.ok ? await parseInTurns(bytes.value.toString()) : bytes;
  const shownPath = GENERATED_KEY.test(path) ? "the file, whose name seems to be a key itself," : path;
  return keys.ok
    ? keys
    : { ok: false, failure: { ...keys.failure, description: `${shownPath} ${keys.failure.description}` } };
}

async function parseInTurns(text: string): Promise<Result<ApiKeys, InvalidApiKeys>> {
  const parts = parseInParts(text);
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) {
      return part.value;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The outcome of a reload: the new number of keys, or what is wrong with the file, and what of it applies. */
export type ApiKeysReload = Result<number, ApiKeysFailure>;

/** A file of API keys that is reloaded when it changes. */
export interface ApiKeysFile {
  /** Returns the keys that are valid now. */
  current(): ApiKeys;
  /** Stops watching the file. */
  stop(): void;
}

/**
 * Loads a file of API keys and reloads it when it changes. A new version replaces all keys at once. Of an invalid version, the valid lines
 * apply, so that a removed key ends while another line is broken; names in broken lines keep their keys, because nobody knows what was
 * meant. If the file is missing or cannot be read, the previous keys stay in use. `onReload` is called with each outcome. Fails if the first
 * load fails.
 */
export async function loadApiKeys(
  path: string,
  onReload: (reload: ApiKeysReload) => void,
  watch: WatchFiles = watchFiles,
): Promise<Result<ApiKeysFile, ApiKeysFailure>> {
  type Loaded = { readonly keys: ApiKeys; readonly failure?: ApiKeysFailure };
  const { first, current, close } = await loadDataFiles<Loaded, ApiKeysFailure>({
    paths: [path],
    load: async (inUse) => {
      const read = await readApiKeys(path);
      if (read.ok || inUse === undefined) {
        return read.ok ? ok({ keys: read.value }) : read;
      }
      return ok({ keys: usableKeys(read.failure, inUse.keys), failure: withEffect(read.failure) });
    },
    watchFiles: watch,
    onLoad: (loaded, hadData) => {
      if (hadData) {
        const failure = loaded.ok ? loaded.value.failure : withEffect(loaded.failure);
        onReload(failure === undefined ? ok(current()?.keys.size ?? 0) : { ok: false, failure });
      }
    },
  });
  if (!first.ok) {
    close();
    return first;
  }
  return ok({ current: () => (current() ?? first.value).keys, stop: close });
}

/** Returns the keys that are valid after a version of the file that cannot be used as a whole. */
function usableKeys(failure: ApiKeysFailure, inUse: ApiKeys): ApiKeys {
  if (failure.reason !== "INVALID_API_KEYS") {
    return inUse;
  }
  const kept = [...inUse].filter(([, { name }]) => failure.names.has(name));
  return new Map([...kept, ...failure.keys]);
}

/** Adds to the description of a failure which keys are in use. */
function withEffect(failure: ApiKeysFailure): ApiKeysFailure {
  const effect =
    failure.reason === "INVALID_API_KEYS"
      ? "the other lines are in use, and names in these lines keep their keys"
      : "the previous keys stay in use";
  return { ...failure, description: `${failure.description}; ${effect}` };
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
  readonly keys: () => ApiKeys;
  /** The kinds of requests that need no key. Health checks never need one. */
  readonly openAreas: readonly RequestKind[];
  /** The realm in `WWW-Authenticate`: a name without quotes. */
  readonly realm: string;
  /** Default: none. */
  readonly openPages?: OpenPages | undefined;
  /** Called once per request that needs a key, with the name of an accepted one. */
  readonly onCheck?: (check: ApiKeyCheck, name?: string) => void;
  /** Returns milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Returns a hook that requires a valid API key. It sets `principal` to the name of the key, also for requests that need no
 * key; for those an invalid key is ignored, so that pages and probes work whatever a client always sends. Browsers need no key for
 * static pages, which prompt for it. Other requests
 * without a valid key are rejected with `UNAUTHENTICATED`, with the reason `API_KEY_MISSING` or `API_KEY_INVALID`, and with
 * `WWW-Authenticate` (RFC 9110, section 11.6.1). Responses vary by the headers for the key.
 */
export function requireApiKey(options: ApiKeyOptions): (request: IncomingRequest) => void {
  const {
    keys,
    openAreas,
    realm,
    openPages,
    onCheck,
    now = Date.now,
  } = knownOptions("requireApiKey", options, {
    keys: true,
    openAreas: true,
    realm: true,
    openPages: true,
    onCheck: true,
    now: true,
  });
  // RFC 6750, section 3, requires an attribute after the scheme, and no error code if the request has no key.
  const challenge = `Bearer realm="${realm}"`;
  const open: ReadonlySet<RequestKind> = new Set<RequestKind>(["health", ...openAreas]);
  return (request) => {
    const sent = keyFromHeaders(request.header("authorization"), request.header("x-api-key"));
    const key = sent.form === "key" ? keys().get(digestOf(sent.key)) : undefined;
    const isExpired = key?.expiresAt !== undefined && now() >= key.expiresAt;
    const name = isExpired ? undefined : key?.name;
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
      onCheck?.("accepted", name);
      return;
    }
    const isMissing = sent.form === "none";
    onCheck?.(isMissing ? "missing" : "refused");
    request.addHeader("www-authenticate", isMissing ? challenge : `${challenge}, error="invalid_token"`);
    throw isMissing ? missingKey() : invalidKey();
  };
}
