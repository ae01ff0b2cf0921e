import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { TlsFiles, TlsPair } from "connect-transcoding";
import { type Failure, fail, ok, type Result } from "../result.js";
import { loadDataFiles, watchFiles } from "./data-files/data-files.js";
import { readRegularFile } from "./data-files/read-regular-file.js";

/** Octets that a file of certificates or a key may have: chains of certificates have some thousands. */
const MAX_FILE_SIZE = 1_048_576;

/** Where the files are, and who is told of what becomes of them. */
export interface TlsFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** The time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Is told, in a sentence, of what asks for attention: a certificate that is not valid now, new files that are no good. */
  readonly warn: (problem: string) => void;
  /** Is told of a pair that has taken the place of an earlier one. */
  readonly onReload?: () => void;
  /** How often the files are looked at, in milliseconds. */
  readonly interval?: number;
}

/**
 * Reads a certificate and its key, and does so again whenever one of the files changes. What is no good then leaves the
 * earlier pair in place; at the start it is a failure, which names the setting at fault.
 */
export async function openTlsFiles(
  options: TlsFilesOptions,
): Promise<Result<TlsFiles, Failure<"INVALID_TLS_FILES" | "LOAD_FAILED">>> {
  const { certFile, keyFile, warn, interval, onReload } = options;
  const listeners: ((pair: TlsPair) => void)[] = [];
  const { first, current, close } = await loadDataFiles({
    paths: [certFile, keyFile],
    load: () => readPair(options),
    watchFiles: (paths, onChange) => watchFiles(paths, onChange, interval),
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

async function readPair(options: TlsFilesOptions): Promise<Result<TlsPair, Failure<"INVALID_TLS_FILES">>> {
  const { certFile, keyFile, now, warn } = options;
  const [certRead, keyRead] = await Promise.all([
    readPem("TLS_CERT_FILE", certFile),
    readPem("TLS_KEY_FILE", keyFile),
  ]);
  if (!certRead.ok) {
    return certRead;
  }
  if (!keyRead.ok) {
    return keyRead;
  }
  const cert = certRead.value;
  const key = keyRead.value;
  // What the parsers say of a key is kept from messages: it may quote the key.
  const certificate = attempt(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return fail("INVALID_TLS_FILES", `TLS_CERT_FILE: ${certFile} has no certificate in PEM`);
  }
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return fail(
      "INVALID_TLS_FILES",
      `TLS_KEY_FILE: ${keyFile} has no private key in PEM without a passphrase`,
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    return fail(
      "INVALID_TLS_FILES",
      `TLS_KEY_FILE: ${keyFile} is not the key of the certificate in ${certFile}`,
    );
  }
  // OpenSSL has opinions of its own, such as on keys that are too short, and on the other certificates in the file.
  if (attempt(() => createSecureContext({ cert, key })) === undefined) {
    return fail("INVALID_TLS_FILES", `TLS_CERT_FILE: ${certFile} cannot be used with ${keyFile}`);
  }
  const { validFrom, validTo } = certificate;
  if (now() < Date.parse(validFrom) || now() > Date.parse(validTo)) {
    warn(
      `TLS_CERT_FILE: the certificate in ${certFile} is valid from ${validFrom} to ${validTo}, which is not now`,
    );
  }
  return ok({ cert, key });
}

async function readPem(setting: string, path: string): Promise<Result<Buffer, Failure<"INVALID_TLS_FILES">>> {
  const octets = await readRegularFile(path, MAX_FILE_SIZE);
  return octets.ok ? octets : fail("INVALID_TLS_FILES", `${setting}: ${path} ${octets.failure.description}`);
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
