import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./service-process.js";

/** The logs of a proxy. */
export interface ProxyLogs {
  /** A line per request. */
  readonly access: string;
  readonly error: string;
}

/** A running reverse proxy with a shipped configuration. */
export interface ReverseProxy {
  readonly name: string;
  /** With https and without a final slash. */
  readonly url: string;
  /** The trusted certificate. */
  readonly ca: string;
  readonly pid: number;
  /** Stops it and resolves to its logs. */
  stop(): Promise<ProxyLogs>;
}

/** Whether openssl, which creates the certificate of a proxy, is installed. */
export function hasOpenssl(): boolean {
  return spawnSync("openssl", ["version"], { stdio: "ignore" }).error === undefined;
}

/** Creates a certificate for 127.0.0.1 and tools.example. */
export function createCertificate(certificate: string, key: string): void {
  const options =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=tools.example";
  const names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:tools.example"];
  execFileSync("openssl", [...options.split(" "), ...names, "-keyout", key, "-out", certificate], {
    stdio: "ignore",
  });
}

/**
 * Returns a file of deploy/ with some strings replaced wherever they occur. Throws an Error if the file does not contain one.
 */
export function adaptedFile(name: string, changes: readonly (readonly [old: string, by: string])[]): string {
  const shipped = readFileSync(join(ROOT, "deploy", name), "utf8");
  return changes.reduce((text, [old, by]) => {
    if (!text.includes(old)) {
      throw new Error(`deploy/${name} has no ${JSON.stringify(old)}`);
    }
    return text.replaceAll(old, by);
  }, shipped);
}

/** Stops a child process when this process exits, so that a test that fails leaves none behind. */
export function stopOnExit(child: ChildProcess): void {
  const stop = (): void => void child.kill("SIGTERM");
  process.once("exit", stop);
  child.once("exit", () => process.off("exit", stop));
}
