import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { digestOf } from "../../../src/service/access/api-keys.js";
import { freePort } from "../../../test/ports.js";
import { isInstalled } from "../../lib/processors.js";
import { startRedis } from "../../redis/redis-server.js";
import { findEnvoy, startEnvoy } from "../envoy/envoy.js";
import { hasPrometheus, type Prometheus, startPrometheus } from "../prometheus/prometheus.js";
import { hasOpenssl } from "../proxy.js";
import { ROOT, startService } from "../service-process.js";

/** The programs of `deploy/compose.yaml` as processes of this machine, without Grafana. */
export interface Topology {
  /** The URL of Envoy, without a final slash. */
  readonly url: string;
  /** The path of the certificate of Envoy. */
  readonly certificate: string;
  /** An API key of the replicas. */
  readonly apiKey: string;
  readonly prometheus: Prometheus;
  stop(): Promise<void>;
}

/** Settings of a replica in `deploy/compose.yaml`. */
type Settings = Readonly<Record<string, string>>;

/** Returns the Debian packages that the topology needs and that are not installed. */
export function missingStackPackages(): string[] {
  return [
    ...(redisProgram() === undefined ? ["redis-server"] : []),
    ...(hasPrometheus() ? [] : ["prometheus"]),
    ...(hasOpenssl() ? [] : ["openssl"]),
  ];
}

function redisProgram(): string | undefined {
  return ["redis-server", "valkey-server"].find(isInstalled);
}

/**
 * Starts two replicas with the settings in `deploy/compose.yaml`, behind Envoy, with a shared rate limit in Redis, and a Prometheus
 * that scrapes them. Only ports, paths and the scrape interval differ from the shipped files.
 *
 * Resolves to undefined, with a message, if Envoy cannot be installed.
 */
export async function startTopology(): Promise<Topology | undefined> {
  const envoyProgram = await findEnvoy();
  if (envoyProgram === undefined) {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-stack-"));
  const apiKey = randomBytes(24).toString("base64url");
  const keys = join(folder, "keys");
  writeFileSync(keys, `operator ${digestOf(apiKey).toString("hex")}\n`);
  const redisPort = await freePort();
  const redis = await startRedis(redisProgram() ?? "", redisPort, "default on nopass ~* &* +@all".split(" "));
  const ports: [number, number] = [await freePort(), await freePort()];
  const replicas = await Promise.all(
    ports.map((port) =>
      startService({
        ...composeSettings(),
        PORT: String(port),
        API_KEYS_FILE: keys,
        RATE_LIMIT_STORE: `redis://127.0.0.1:${redisPort}`,
      }),
    ),
  );
  const envoy = await startEnvoy(envoyProgram, ports);
  const prometheus = await startPrometheus({ targets: ports.map((port) => `127.0.0.1:${port}`) });
  const certificate = join(folder, "tls.pem");
  writeFileSync(certificate, envoy.ca);
  return {
    url: envoy.url,
    certificate,
    apiKey,
    prometheus,
    stop: async () => {
      await prometheus.stop();
      await envoy.stop();
      await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
      await redis.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

function composeSettings(): Settings {
  const text = readFileSync(join(ROOT, "deploy", "compose.yaml"), "utf8");
  const { services } = parse(text, { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, unknown>> }>>;
  };
  const settings = services["replica-1"]?.environment;
  if (settings === undefined) {
    throw new Error("deploy/compose.yaml has no settings for replica-1");
  }
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
