import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { TlsFiles, TlsPair } from "connect-transcoding";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { loadDataFiles, type WatchFiles, watchFiles } from "./data-files.js";
import { readRegularFile } from "./read-regular-file.js";

/** The maximum size of a file with certificates or a key, in bytes. Certificate chains have some thousands. */
const MAX_FILE_SIZE = 1_048_576;

/** A certificate and its key, whose files are watched. */
export interface OpenTlsFiles extends TlsFiles {
  stop(): void;
}

/** The options of {@link openTlsFiles}. */
export interface TlsFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** The names of the settings with these paths, for messages. */
  readonly names: { readonly certFile: string; readonly keyFile: string };
  /** Returns the time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Called with a sentence for the operator: the certificate is not valid now, or changed files cannot be used. */
  readonly warn: (problem: string) => void;
  /** Called when a new pair has replaced the previous one. */
  readonly onReload?: () => void;
  /** Default: {@link watchFiles}. */
  readonly watchFiles?: WatchFiles;
}

/**
 * Reads a certificate and its key, and reloads both when one of the files changes. If a reload fails, the previous pair stays in
 * use. If the first load fails, the failure names the invalid setting.
 */
export async function openTlsFiles(
  options: TlsFilesOptions,
): Promise<Result<OpenTlsFiles, Failure<"INVALID_TLS_FILES" | "LOAD_FAILED">>> {
  const { certFile, keyFile, warn, onReload } = options;
  const listeners: ((pair: TlsPair) => void)[] = [];
  const { first, current, close } = await loadDataFiles({
    paths: [certFile, keyFile],
    load: () => readTlsPair(options),
    watchFiles: options.watchFiles ?? watchFiles,
    onLoad: (loaded, hadData) => {
      if (!hadData) {
        return;
      }
      if (!loaded.ok) {
        warn(`${loaded.failure.description}; the earlier certificate stays in use`);
        return;
      }
      for (const listener of listeners) {
        listener(loaded.value);
      }
      onReload?.();
    },
  });
  if (!first.ok) {
    close();
    return first;
  }
  return ok({
    get current() {
      return current() ?? first.value;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
    stop: close,
  });
}

/** Reads a certificate and its key once. Fails, and warns, as {@link openTlsFiles} does. */
export async function readTlsPair(
  options: Pick<TlsFilesOptions, "certFile" | "keyFile" | "names" | "now" | "warn">,
): Promise<Result<TlsPair, Failure<"INVALID_TLS_FILES">>> {
  const { certFile, keyFile, names, now, warn } = options;
  const [certRead, keyRead] = await Promise.all([
    readPem(names.certFile, certFile),
    readPem(names.keyFile, keyFile),
  ]);
  if (!certRead.ok) {
    return certRead;
  }
  if (!keyRead.ok) {
    return keyRead;
  }
  const cert = certRead.value;
  const key = keyRead.value;
  // The messages of the parsers are not reported, because they may quote the key.
  const certificate = attempt(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return fail("INVALID_TLS_FILES", `${names.certFile}: ${certFile} has no certificate in PEM`);
  }
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return fail(
      "INVALID_TLS_FILES",
      `${names.keyFile}: ${keyFile} has no private key in PEM without a passphrase`,
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    return fail(
      "INVALID_TLS_FILES",
      `${names.keyFile}: ${keyFile} is not the key of the certificate in ${certFile}`,
    );
  }
  // OpenSSL also rejects other things, such as short keys and invalid intermediate certificates.
  if (attempt(() => createSecureContext({ cert, key })) === undefined) {
    return fail("INVALID_TLS_FILES", `${names.certFile}: ${certFile} cannot be used with ${keyFile}`);
  }
  const { validFrom, validTo } = certificate;
  if (now() < Date.parse(validFrom) || now() > Date.parse(validTo)) {
    warn(
      `${names.certFile}: the certificate in ${certFile} is valid from ${validFrom} to ${validTo}, which is not now`,
    );
  }
  return ok({ cert, key });
}

async function readPem(setting: string, path: string): Promise<Result<Buffer, Failure<"INVALID_TLS_FILES">>> {
  const content = await readRegularFile(path, MAX_FILE_SIZE);
  return content.ok
    ? content
    : fail("INVALID_TLS_FILES", `${setting}: ${path} ${content.failure.description}`);
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
