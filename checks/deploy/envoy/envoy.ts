import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, untilListening } from "../../../test/ports.js";
import { adaptedFile, createCertificate, hasOpenssl, type ReverseProxy, stopOnExit } from "../proxy.js";
import { ROOT, resetPriority } from "../service-process.js";

/** The functions of checks/clients/programs.mjs that are used here. */
interface Programs {
  pythonPrograms(name: string, requirements: string): string | undefined;
}

/** Envoy with the shipped configuration. */
export interface Envoy extends ReverseProxy {
  /** The URL of the admin interface, without a final slash. */
  readonly adminUrl: string;
}

/**
 * Resolves to the path of Envoy, which is installed once, from PyPI. Undefined, with a message, if something is missing for it.
 */
export async function findEnvoy(): Promise<string | undefined> {
  if (!hasOpenssl()) {
    console.log("skipped: needs openssl");
    return undefined;
  }
  const clients = join(ROOT, "checks", "clients");
  const { pythonPrograms }: Programs = await import(join(clients, "programs.mjs"));
  const folder = pythonPrograms("envoy", join(clients, "http2", "python", "envoy.txt"));
  return folder === undefined ? undefined : join(folder, "bin", "envoy");
}

/** How Envoy is started. */
interface EnvoyOptions {
  /** The number of threads. Default: 1. */
  readonly threads?: number;
}

/**
 * Starts Envoy in front of two replicas on 127.0.0.1. Only paths, ports and the listen address differ from the shipped
 * configuration. The same port twice is a single replica.
 *
 * @param program what {@link findEnvoy} resolved to
 * @param replicas their ports
 * @throws Error with Envoy's log if the configuration is invalid or Envoy does not start
 */
export async function startEnvoy(
  program: string,
  replicas: readonly [number, number],
  { threads = 1 }: EnvoyOptions = {},
): Promise<Envoy> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-envoy-"));
  const at = (name: string): string => join(folder, name);
  const [port, adminPort] = [await freePort(), await freePort()];
  createCertificate(at("tls.pem"), at("tls.key"));
  const configuration = adaptedFile("envoy.yaml", [
    ["port_value: 8081 ", `port_value: ${replicas[0]} `],
    ["port_value: 8082 ", `port_value: ${replicas[1]} `],
    ['address: "::", ipv4_compat: true, port_value: 443 ', `address: 127.0.0.1, port_value: ${port} `],
    ["port_value: 9901 ", `port_value: ${adminPort} `],
    ["/etc/envoy/tls/tools.example.pem", at("tls.pem")],
    ["/etc/envoy/tls/tools.example.key", at("tls.key")],
  ]);
  writeFileSync(at("envoy.yaml"), configuration);
  const args = ["-c", at("envoy.yaml"), "--log-level", "warn"];
  const validated = spawnSync(program, [...args, "--mode", "validate"], { encoding: "utf8" });
  if (validated.status !== 0) {
    throw new Error(`deploy/envoy.yaml is invalid: ${validated.stderr}`);
  }
  const [access, error] = [openSync(at("access.log"), "w"), openSync(at("error.log"), "w")];
  const options = ["--concurrency", String(threads), "--disable-hot-restart"];
  const child = spawn(program, [...args, ...options], { stdio: ["ignore", access, error] });
  closeSync(access);
  closeSync(error);
  stopOnExit(child);
  resetPriority(child.pid);
  const exit = once(child, "exit");
  const logs = () => ({
    access: readFileSync(at("access.log"), "utf8"),
    error: readFileSync(at("error.log"), "utf8"),
  });
  await untilListening(port, exit, () => logs().error);
  return {
    name: "Envoy",
    url: `https://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    ca: readFileSync(at("tls.pem"), "utf8"),
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await exit;
      const contents = logs();
      rmSync(folder, { recursive: true });
      return contents;
    },
  };
}
