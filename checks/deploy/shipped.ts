import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import {
  installProxy,
  type PathOf,
  type Program,
  startEnvoy,
  startNginx,
  startProgram,
} from "connect-transcoding-testing/processes/programs.js";
import { ROOT, type Service, startService } from "../lib/processes/service.js";

// Programs with the configuration files of deploy/. Only paths, ports, addresses and intervals differ.

/** A replacement of a string, wherever it occurs. */
export type Change = readonly [old: string, by: string];

/** The ports of two replicas. The same port twice is a single replica. */
export type Ports = readonly [number, number];

export type ReverseProxy = ReturnType<typeof reverseProxy>;

export type Prometheus = Awaited<ReturnType<typeof startShippedPrometheus>>;

const CERTIFICATE = "tools.example";

/** Returns a file of deploy/ with changes. Throws an Error if the file does not contain a changed string. */
function adaptedFile(name: string, changes: readonly Change[]): string {
  const shipped = readFileSync(join(ROOT, "deploy", name), "utf8");
  return changes.reduce((text, [old, by]) => {
    if (!text.includes(old)) {
      throw new Error(`deploy/${name} has no ${JSON.stringify(old)}`);
    }
    return text.replaceAll(old, by);
  }, shipped);
}

/** Makes the certificate of a proxy. Returns the changes of the configuration that name it. */
function certificateChanges(at: PathOf, program: string): Change[] {
  const { cert, key } = makeCertificate(at(""), CERTIFICATE);
  return [
    [`/etc/${program}/tls/tools.example.pem`, cert],
    [`/etc/${program}/tls/tools.example.key`, key],
  ];
}

/** A proxy that runs, with the names of its logs: one with a line per request, and one with errors. */
function reverseProxy(name: string, program: Program, adminPort: number, logs: string[]) {
  return {
    name,
    url: `https://127.0.0.1:${program.port}`,
    /** The trusted certificate, of 127.0.0.1 and tools.example. */
    ca: program.read(`${CERTIFICATE}.pem`),
    /** The URL of the admin interface of Envoy. */
    adminUrl: `http://127.0.0.1:${adminPort}`,
    /** Stops it and resolves to its logs. */
    stop: async () => {
      const [access = "", error = ""] = await program.stop("SIGTERM", logs);
      return { access, error };
    },
  };
}

/** Starts nginx in front of two replicas. */
export async function startShippedNginx(
  ports: Ports,
  changes: readonly Change[] = [],
): Promise<ReverseProxy> {
  const program = await startNginx((at, port) =>
    adaptedFile("nginx.conf", [
      ["127.0.0.1:8081 ", `127.0.0.1:${ports[0]} `],
      ["127.0.0.1:8082 ", `127.0.0.1:${ports[1]} `],
      ["    listen 443 ssl", `    listen 127.0.0.1:${port} ssl`],
      ["    listen [::]:443 ssl http2;\n", ""],
      ...certificateChanges(at, "nginx"),
      ["/var/log/nginx", at("")],
      ["/var/cache/utility-tools", at("cache")],
      ...changes,
    ]),
  );
  return reverseProxy("nginx", program, 0, ["utility-tools.log", "utility-tools-error.log"]);
}

/** Starts Caddy in front of two replicas. */
export async function startShippedCaddy(ports: Ports): Promise<ReverseProxy> {
  const program = await startProgram((at, port) => {
    const text = adaptedFile("proxies/Caddyfile", [
      ["127.0.0.1:8081", `127.0.0.1:${ports[0]}`],
      ["127.0.0.1:8082", `127.0.0.1:${ports[1]}`],
      ["\ntools.example {", `\nhttps://:${port} {`],
      ["\tadmin off\n", "\tadmin off\n\tauto_https off\n"],
      ...certificateChanges(at, "caddy"),
    ]);
    writeFileSync(at("Caddyfile"), text);
    return ["caddy", "run", "--adapter", "caddyfile", "--config", at("Caddyfile")];
  });
  return reverseProxy("Caddy", program, 0, ["stdout", "stderr"]);
}

/** Starts Traefik in front of two replicas. It reads the routes after it listens. */
export async function startShippedTraefik(ports: Ports): Promise<ReverseProxy> {
  const traefik = installProxy("traefik");
  const program = await startProgram((at, port) => {
    const routes = adaptedFile("proxies/traefik-dynamic.yaml", [
      ["127.0.0.1:8081", `127.0.0.1:${ports[0]}`],
      ["127.0.0.1:8082", `127.0.0.1:${ports[1]}`],
      // Requests of the checks have other hosts, too.
      ["Host(`tools.example`)", "PathPrefix(`/`)"],
      ...certificateChanges(at, "traefik"),
    ]);
    writeFileSync(at("traefik-dynamic.yaml"), routes);
    const text = adaptedFile("proxies/traefik.yaml", [
      ["address: :443", `address: 127.0.0.1:${port}`],
      ["/etc/traefik/traefik-dynamic.yaml", at("traefik-dynamic.yaml")],
    ]);
    writeFileSync(at("traefik.yaml"), text);
    return [traefik, `--configFile=${at("traefik.yaml")}`];
  });
  return reverseProxy("Traefik", program, 0, ["stdout", "stderr"]);
}

/** Starts Envoy in front of two replicas. */
export async function startShippedEnvoy(ports: Ports): Promise<ReverseProxy> {
  const adminPort = await freePort();
  const configure = (at: PathOf, port: number): string =>
    adaptedFile("envoy.yaml", [
      ["port_value: 8081 ", `port_value: ${ports[0]} `],
      ["port_value: 8082 ", `port_value: ${ports[1]} `],
      ['address: "::", ipv4_compat: true, port_value: 443 ', `address: 127.0.0.1, port_value: ${port} `],
      ["port_value: 9901 ", `port_value: ${adminPort} `],
      ...certificateChanges(at, "envoy"),
    ]);
  const program = await startEnvoy(configure);
  return reverseProxy("Envoy", program, adminPort, ["stdout", "stderr"]);
}

/** Starts HAProxy in front of two replicas, which have TLS themselves. */
export async function startShippedHaproxy(ports: Ports, certificate: string): Promise<ReverseProxy> {
  const program = await startProgram((at, port) => {
    const text = adaptedFile("proxies/haproxy.cfg", [
      ["127.0.0.1:8081", `127.0.0.1:${ports[0]}`],
      ["127.0.0.1:8082", `127.0.0.1:${ports[1]}`],
      ["bind :443", `bind 127.0.0.1:${port}`],
    ]);
    writeFileSync(at("haproxy.cfg"), text);
    copyFileSync(certificate, at(`${CERTIFICATE}.pem`));
    return ["haproxy", "-f", at("haproxy.cfg")];
  });
  return reverseProxy("HAProxy", program, 0, ["stdout", "stderr"]);
}

/**
 * Starts Prometheus, which scrapes every second.
 *
 * @param targets host and port of each replica
 */
export async function startShippedPrometheus(targets: readonly string[], apiKey: string) {
  const program = await startProgram((at, port) => {
    writeFileSync(at("key"), apiKey);
    copyFileSync(join(ROOT, "deploy", "prometheus", "rules.yaml"), at("rules.yaml"));
    const text = adaptedFile("prometheus/prometheus.yaml", [
      ['["127.0.0.1:8081", "127.0.0.1:8082"]', JSON.stringify(targets)],
      ["_interval: 15s", "_interval: 1s"],
      ["scrape_timeout: 10s", "scrape_timeout: 1s"],
      ["# authorization:", "authorization:"],
      ["#   credentials_file: /etc/prometheus/utility-tools.key", `  credentials_file: ${at("key")}`],
    ]);
    writeFileSync(at("prometheus.yaml"), text);
    const files = [`--config.file=${at("prometheus.yaml")}`, `--storage.tsdb.path=${at("data")}`];
    return ["prometheus", ...files, `--web.listen-address=127.0.0.1:${port}`, "--log.level=error"];
  });
  const url = `http://127.0.0.1:${program.port}`;
  while (!(await fetch(`${url}/-/ready`)).ok) {
    await wait(50);
  }
  return {
    url,
    /**
     * Sends a request to the HTTP API, with the path below `/api/v1/`, and returns the `data` of the response. Throws an Error if
     * Prometheus rejects the request. https://prometheus.io/docs/prometheus/latest/querying/api/
     */
    get: async (path: string, parameters: Readonly<Record<string, string>> = {}): Promise<unknown> => {
      const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
      const { status, data, error } = (await response.json()) as Record<string, unknown>;
      if (status !== "success") {
        throw new Error(`${path}: ${error}`);
      }
      return data;
    },
    stop: () => program.stop(),
  };
}

/** Starts two replicas and a proxy in front of them. */
export async function startBehind(
  startProxy: (ports: Ports) => Promise<ReverseProxy>,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly proxy: ReverseProxy; readonly replicas: Service[]; readonly ports: Ports }> {
  const ports: Ports = [await freePort(), await freePort()];
  const replicas = await Promise.all(ports.map((port) => startReplica(port, environment)));
  return { proxy: await startProxy(ports), replicas, ports };
}

/**
 * Starts a replica behind a proxy. Envoy forwards https over cleartext HTTP/2.
 *
 * @param isQuiet whether it has a low priority until it is ready, as if it had a machine of its own
 */
export function startReplica(
  port: number,
  environment: Readonly<Record<string, string>> = {},
  isQuiet = false,
): Promise<Service> {
  const settings = { PORT: String(port), TRUSTED_PROXIES: "127.0.0.1", ...environment };
  return startService({ environment: settings, isQuiet });
}
