import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { TlsFiles } from "connect-transcoding";
import { watchFiles } from "connect-transcoding-operations/files/data-files";
import { openTlsFiles } from "connect-transcoding-operations/files/tls-files";
import { OptionError, problemText } from "../errors.js";
import type { UpstreamTls } from "../grpc/socket.js";

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
export async function openPortTls(
  certFile: string,
  keyFile: string,
  interval: number,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<TlsFiles> {
  const opened = await openTlsFiles({
    certFile,
    keyFile,
    names: { certFile: "--tls-cert", keyFile: "--tls-key" },
    now: Date.now,
    warn: log,
    onReload: () => log("reloaded the certificate of the port"),
    watchFiles: (paths, onChange) => watchFiles(paths, onChange, interval),
  });
  if (!opened.ok) {
    throw new OptionError(opened.failure.description);
  }
  signal.addEventListener("abort", opened.value.stop, { once: true });
  return opened.value;
}
