import { hash } from "node:crypto";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
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
export const GENERATED_KEY = new RegExp(`${KEY_PREFIX}[\\w-]{43}`);

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
export function* parseInParts(text: string): Generator<undefined, Result<ApiKeys, InvalidApiKeys>> {
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
