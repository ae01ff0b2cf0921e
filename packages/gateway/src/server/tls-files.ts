import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { TlsFiles, TlsPair } from "connect-transcoding";
import { OptionError, problemText } from "../errors.js";
import type { UpstreamTls } from "../grpc/connection.js";
import { watchPaths } from "./watch-paths.js";

/** Reads a file that an option names. Rejects with an OptionError. */
export async function readOption(flag: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    throw new OptionError(`--${flag} ${path}: ${problemText(thrown)}`);
  }
}

/** Reads the certificates for TLS to upstreams. Rejects with an OptionError if they are invalid. */
export async function readUpstreamTls(paths: {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}): Promise<UpstreamTls> {
  const tls: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {};
  for (const flag of ["ca", "cert", "key"] as const) {
    const path = paths[flag];
    if (path !== undefined) {
      tls[flag] = await readOption(flag, path);
    }
  }
  try {
    createSecureContext(tls);
  } catch (thrown) {
    throw new OptionError(`--ca, --cert and --key: ${problemText(thrown)}`);
  }
  return tls;
}

/** Reads the certificate and the key of the port, and again when they change. Rejects with an OptionError if they are invalid. */
export async function readPortTls(
  certPath: string,
  keyPath: string,
  interval: number,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<TlsFiles> {
  const read = async (): Promise<TlsPair> => {
    const pair = { cert: await readOption("tls-cert", certPath), key: await readOption("tls-key", keyPath) };
    try {
      createSecureContext(pair);
    } catch (thrown) {
      throw new OptionError(`--tls-cert and --tls-key: ${problemText(thrown)}`);
    }
    return pair;
  };
  let current = await read();
  const listeners: ((pair: TlsPair) => void)[] = [];
  watchPaths([certPath, keyPath], interval, signal, async () => {
    try {
      const pair = await read();
      if (pair.cert.equals(current.cert) && pair.key.equals(current.key)) {
        return;
      }
      current = pair;
      for (const listener of listeners) {
        listener(pair);
      }
      log("reloaded the certificate of the port");
    } catch (thrown) {
      log(`kept the previous certificate of the port: ${problemText(thrown)}`);
    }
  });
  return {
    get current() {
      return current;
    },
    onChange: (listener) => listeners.push(listener),
  };
}
