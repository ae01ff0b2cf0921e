import { appendFile, readFile } from "node:fs/promises";
import { MAX_API_KEYS, MAX_KEYS_PER_NAME, makeApiKey } from "connect-transcoding-operations/access/api-keys";
import { readApiKeys } from "connect-transcoding-operations/access/api-keys-file";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import type { Failure } from "../../failures/result.js";

export interface MakeKeyOptions {
  /** The file to which the line of the key is appended; undefined: the line is printed. */
  readonly append?: string;
  /** The date or time from when on the key is rejected; undefined: it does not expire. */
  readonly expires?: string;
  /** Returns random bytes of a cryptographically secure source. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
}

/**
 * Creates an API key. The key alone goes to standard output; its line for the file of keys goes to standard error or into the
 * file. Resolves to the exit status: 1 if the file cannot be used, 2 if the name is not valid, 74 if the file cannot be written.
 */
export async function makeKey(name: string, options: MakeKeyOptions): Promise<ExitStatus> {
  const { append: file, expires, out, err } = options;
  const made = makeApiKey(name, options.randomBytes, expires);
  if (!made.ok) {
    const { reason, description } = made.failure;
    err(`utility-tools make-key: ${reason === "INVALID_EXPIRY" ? "--expires: " : ""}${description}\n`);
    return EXIT.usage;
  }
  const { key, line } = made.value;
  const problem = file === undefined ? undefined : await appendLine(file, name, line);
  if (problem !== undefined) {
    err(`utility-tools make-key: ${problem.description}\n`);
    return problem.reason === "UNWRITABLE" ? EXIT.io : EXIT.invalidInput;
  }
  err(
    file === undefined
      ? `Add this line to the file in API_KEYS_FILE:\n\n${line}\n\n`
      : `Added the line of the key to ${file}.\n`,
  );
  err("API key (shown only once):\n");
  out(`${key}\n`);
  return EXIT.ok;
}

/** Appends a line to a file of keys in one write, unless the service would then reject the file. Returns what is wrong. */
async function appendLine(
  file: string,
  name: string,
  line: string,
): Promise<Failure<"UNUSABLE" | "UNWRITABLE"> | undefined> {
  const unusable = (description: string) => ({ reason: "UNUSABLE", description }) as const;
  const keys = await readApiKeys(file);
  if (!keys.ok && keys.failure.reason !== "FILE_NOT_FOUND") {
    return unusable(keys.failure.description);
  }
  const before = keys.ok ? [...keys.value.values()] : [];
  if (before.filter((key) => key.name === name).length >= MAX_KEYS_PER_NAME) {
    return unusable(
      `${file} has ${MAX_KEYS_PER_NAME} keys of this name already: remove the line of the older one`,
    );
  }
  if (before.length >= MAX_API_KEYS) {
    return unusable(`${file} has ${MAX_API_KEYS} keys already, which is all that is allowed`);
  }
  try {
    const isWholeLine = !keys.ok || /(^|\n)$/.test(await readFile(file, "utf8"));
    await appendFile(file, `${isWholeLine ? "" : "\n"}${line}\n`, { mode: 0o600 });
    return undefined;
  } catch (error) {
    return { reason: "UNWRITABLE", description: `${file} cannot be written (${systemErrorText(error)})` };
  }
}
