import { type Failure, fail, ok, type Result } from "../../result.js";
import { type ApiKey, isKeyName, KEY_PREFIX, MAX_API_KEYS } from "./api-key.js";

/** Problems that one failure lists at the most. */
const MAX_PROBLEMS = 20;

/** How a line has to be, for messages. */
const FORM = "must be a name (1 to 64 of A-Z a-z 0-9 . _ -), a space and a SHA-256 in 64 hexadecimal digits";

/**
 * Reads the text of a file of API keys: on each line a name and the SHA-256 of a key in hexadecimal, with white space
 * between; empty lines and those that begin with `#` count for nothing. Names and keys must be unique, and at most
 * {@link MAX_API_KEYS}. A text without any key is fine: nobody may in.
 *
 * The failure's description has every problem with the number of its line, and never a word of the line, which may be a
 * key that somebody put there by mistake.
 */
export function parseApiKeys(text: string): Result<readonly ApiKey[], Failure<"INVALID_API_KEYS">> {
  const keys: ApiKey[] = [];
  const problems: string[] = [];
  const lineOfName = new Map<string, number>();
  const lineOfDigest = new Map<string, number>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) {
      continue;
    }
    const number = index + 1;
    const [name = "", hex = "", ...rest] = content.split(/[ \t]+/);
    const digest = hex.toLowerCase();
    if (!isKeyName(name) || !/^[0-9a-f]{64}$/.test(digest) || rest.length > 0) {
      problems.push(`line ${number} ${problemOf(content)}`);
      continue;
    }
    const sameName = lineOfName.get(name);
    const sameDigest = lineOfDigest.get(digest);
    if (sameName !== undefined) {
      problems.push(`line ${number} has the name of line ${sameName}`);
    } else if (sameDigest !== undefined) {
      problems.push(`line ${number} has the hash of line ${sameDigest}`);
    } else {
      lineOfName.set(name, number);
      lineOfDigest.set(digest, number);
      keys.push({ name, digest: Buffer.from(digest, "hex") });
    }
  }
  if (keys.length > MAX_API_KEYS) {
    problems.push(`there are ${keys.length} keys; allowed: ${MAX_API_KEYS}`);
  }
  return problems.length === 0 ? ok(keys) : fail("INVALID_API_KEYS", listOf(problems));
}

function problemOf(content: string): string {
  return content.includes(KEY_PREFIX)
    ? "seems to have a key itself, which should be replaced now: only its SHA-256 belongs in this file"
    : FORM;
}

function listOf(problems: readonly string[]): string {
  const rest = problems.length - MAX_PROBLEMS;
  const listed = problems.slice(0, MAX_PROBLEMS).join("; ");
  return rest > 0 ? `${listed}; and ${rest} more` : listed;
}
