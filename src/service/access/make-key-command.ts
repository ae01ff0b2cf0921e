import { appendFile, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { fail, ok, type Result } from "../../result.js";
import { MAX_API_KEYS, makeApiKey, readApiKeys } from "./api-keys.js";

/** What the command needs of the process it runs in. */
export interface CommandWorld {
  /** Gives as many random octets, from a source fit for cryptography. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
}

const USAGE = `Usage: make-key NAME [--append FILE]

Makes an API key. The key goes to standard output, once and nowhere else; all the rest goes to standard error.

  NAME           who the key is for: 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'
  --append FILE  adds the key's line to this file, which is made (mode 0600) if need be
  --help         says this
`;

/**
 * The command `make-key`: makes a key and says the line that belongs in the file of keys, or adds it there. Gives the exit
 * status: 0, 1 when the file cannot be used, or 2 when the arguments are wrong.
 */
export async function makeKeyCommand(args: readonly string[], world: CommandWorld): Promise<number> {
  const parsed = readArguments(args);
  if (!parsed.ok) {
    world.err(`make-key: ${parsed.failure.description}\n\n${USAGE}`);
    return 2;
  }
  const { name, file, isHelp } = parsed.value;
  if (isHelp) {
    world.out(USAGE);
    return 0;
  }
  const made = makeApiKey(name, world.randomBytes);
  if (!made.ok) {
    world.err(`make-key: ${made.failure.description}\n`);
    return 2;
  }
  const { key, line } = made.value;
  if (file !== undefined) {
    const appended = await appendLine(file, name, line);
    if (!appended.ok) {
      world.err(`make-key: ${appended.failure.description}\n`);
      return 1;
    }
  }
  world.err(
    file === undefined
      ? `Add this line to the file that API_KEYS_FILE names:\n\n${line}\n\n`
      : `The key's line is in ${file} now.\n`,
  );
  world.err("This is the key. Nobody can show it again:\n");
  world.out(`${key}\n`);
  return 0;
}

interface Arguments {
  readonly name: string;
  readonly file: string | undefined;
  readonly isHelp: boolean;
}

function readArguments(args: readonly string[]): Result<Arguments, { readonly description: string }> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { append: { type: "string" }, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    const [name, ...rest] = positionals;
    if (values.help === true) {
      return ok({ name: "", file: undefined, isHelp: true });
    }
    return name === undefined || rest.length > 0 || values.append === ""
      ? fail("INVALID_ARGUMENTS", "takes one name")
      : ok({ name, file: values.append, isHelp: false });
  } catch {
    return fail("INVALID_ARGUMENTS", "does not know these options");
  }
}

/** Adds a line to a file of keys in one write; refuses if the service would then refuse the file. */
async function appendLine(
  file: string,
  name: string,
  line: string,
): Promise<Result<undefined, { readonly description: string }>> {
  const keys = await readApiKeys(file);
  if (!keys.ok && keys.failure.reason !== "FILE_NOT_FOUND") {
    return keys;
  }
  const before = keys.ok ? keys.value : [];
  if (before.some((key) => key.name === name)) {
    return fail("DUPLICATE_KEY_NAME", `${file} has a key of this name already`);
  }
  if (before.length >= MAX_API_KEYS) {
    return fail(
      "TOO_MANY_API_KEYS",
      `${file} has ${MAX_API_KEYS} keys already, which is all that is allowed`,
    );
  }
  try {
    const isWholeLine = !keys.ok || /(^|\n)$/.test(await readFile(file, "utf8"));
    await appendFile(file, `${isWholeLine ? "" : "\n"}${line}\n`, { mode: 0o600 });
    return ok(undefined);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return fail("FILE_UNWRITABLE", `${file} cannot be written (${code})`);
  }
}
