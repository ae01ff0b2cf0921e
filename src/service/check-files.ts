import { stat } from "node:fs/promises";
import { systemErrorCode, systemErrorText } from "connect-transcoding-operations/failures/system-error";
import type { Config } from "../config/config.js";
import { defaultOf, SETTINGS } from "../config/settings.js";

/** What is wrong with the files that settings name. Each text names the setting. */
export interface FileReport {
  /** The service cannot start. */
  readonly problems: readonly string[];
  /** The service can start, probably not as the operator wants. */
  readonly warnings: readonly string[];
}

/** Checks the file of API keys, the certificate with its key, and the data folder. Data files may be unusable at startup. */
export async function checkFiles(config: Config): Promise<FileReport> {
  const reports = await Promise.all([checkKeys(config), checkTls(config), checkDataFolder(config)]);
  return {
    problems: reports.flatMap(({ problems = [] }) => problems),
    warnings: reports.flatMap(({ warnings = [] }) => warnings),
  };
}

async function checkKeys({ apiKeysFile }: Config): Promise<Partial<FileReport>> {
  if (apiKeysFile === undefined) {
    return {};
  }
  // The primary process of workers needs this module only here.
  const { readApiKeys } = await import("connect-transcoding-operations/access/api-keys-file");
  const keys = await readApiKeys(apiKeysFile);
  if (!keys.ok) {
    return { problems: [`API_KEYS_FILE: ${keys.failure.description}`] };
  }
  return keys.value.size > 0
    ? {}
    : { warnings: [`API_KEYS_FILE: ${apiKeysFile} has no keys: all requests that need one are rejected`] };
}

async function checkTls({ tlsCertFile, tlsKeyFile }: Config): Promise<Partial<FileReport>> {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    return {};
  }
  const { readTlsPair } = await import("connect-transcoding-operations/files/tls-files");
  const warnings: string[] = [];
  const pair = await readTlsPair({
    certFile: tlsCertFile,
    keyFile: tlsKeyFile,
    names: { certFile: "TLS_CERT_FILE", keyFile: "TLS_KEY_FILE" },
    now: Date.now,
    warn: (problem) => warnings.push(problem),
  });
  return pair.ok ? { warnings } : { problems: [pair.failure.description] };
}

/**
 * Checks that the data folder exists. The default folder may be missing. One that is missing although it was set is mistyped, or a volume
 * that is not mounted.
 */
export async function checkDataFolder({ dataDir }: Pick<Config, "dataDir">): Promise<Partial<FileReport>> {
  if (dataDir === defaultOf(SETTINGS.dataDir)) {
    return {};
  }
  try {
    return (await stat(dataDir)).isDirectory() ? {} : { problems: [`DATA_DIR: ${dataDir} is not a folder`] };
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    const problem =
      code === "ENOENT" || code === "ENOTDIR"
        ? "does not exist"
        : `cannot be read (${systemErrorText(thrown)})`;
    return { problems: [`DATA_DIR: ${dataDir} ${problem}`] };
  }
}
