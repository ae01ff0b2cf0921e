import { readFile } from "node:fs/promises";
import { DEFAULT_TIMEOUT, INVALID_API_KEY, isApiKey } from "@utility-tools/client";
import { type Failure, fail, ok, type Result } from "../result.js";
import { parseDuration } from "../service/config/duration.js";
import { parseBaseUrl } from "../service/config/urls.js";
import { COMMON_FLAGS } from "./common-flags.js";
import type { Arguments } from "./parse-arguments.js";

/** The service that a command asks. */
export interface RemoteOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** Milliseconds for each call. */
  readonly timeoutMs: number;
}

/** The environment variables that stand for flags. */
const URL_VARIABLE = "UTILITY_TOOLS_URL";
const KEY_VARIABLE = "UTILITY_TOOLS_API_KEY";

/**
 * Reads which service is to be asked from flags and environment, flags first; undefined: none. The failure's description
 * repeats no value, for a URL can hold a password.
 */
export async function remoteOptions(
  { values }: Arguments,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<RemoteOptions | undefined, Failure<"USAGE" | "UNREADABLE">>> {
  const value = (flag: keyof typeof COMMON_FLAGS) => values.get(COMMON_FLAGS[flag])?.[0];
  const urlFlag = value("url");
  const text = urlFlag ?? env[URL_VARIABLE] ?? "";
  const [keyFlag, keyFile, timeout] = [value("apiKey"), value("apiKeyFile"), value("timeout")];
  const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT : parseDuration(timeout);
  if (timeoutMs === undefined || timeoutMs === 0 || timeoutMs > MAX_TIMEOUT) {
    return fail("USAGE", "--timeout must be a duration from 1ms to 1h, such as 500ms or 10s");
  }
  if (text === "") {
    const alone = [keyFlag && "--api-key", keyFile && "--api-key-file", timeout && "--timeout"].find(Boolean);
    return alone ? fail("USAGE", `${alone} needs --url as well`) : ok(undefined);
  }
  const url = parseBaseUrl(text);
  if (url === undefined) {
    const name = urlFlag === undefined ? URL_VARIABLE : "--url";
    return fail("USAGE", `${name} must be an http or https URL without user, query and fragment`);
  }
  if (keyFlag !== undefined && keyFile !== undefined) {
    return fail("USAGE", "--api-key and --api-key-file must not be given together");
  }
  const fromFile = keyFile === undefined ? undefined : await readKey(keyFile);
  if (fromFile?.ok === false) {
    return fromFile;
  }
  const apiKey = keyFlag ?? fromFile?.value ?? (env[KEY_VARIABLE] || undefined);
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    return fail("USAGE", INVALID_API_KEY);
  }
  return ok({ url, apiKey, timeoutMs });
}

const MAX_TIMEOUT = 3_600_000;

async function readKey(path: string): Promise<Result<string, Failure<"UNREADABLE">>> {
  try {
    return ok((await readFile(path, "utf8")).trim());
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return fail("UNREADABLE", `--api-key-file: ${path} cannot be read (${code})`);
  }
}
