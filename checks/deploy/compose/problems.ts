import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { parseDuration } from "../../../src/service/config/values.js";
import { ROOT } from "../service-process.js";
import { settingProblems, stopTimeProblems } from "../setting-problems.js";
import type { Mount, Project, Service } from "./project.js";

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), "utf8");

/** The folder of the operator's files, which are not in the repository. */
const SECRETS = join("deploy", "secrets");
/** The folder of downloaded data in the image. */
const [, DATA_DIR = ""] = / DATA_DIR=(\S+)/.exec(read("deploy", "Containerfile")) ?? [];

/** Returns what is wrong with a valid Compose file. */
export function problemsOf({ services, secrets }: Project): string[] {
  const replicas = Object.entries(services).filter(([, each]) => each.build && each.profiles === undefined);
  const sources = [
    ...Object.values(services).flatMap(({ volumes = [] }) => volumes.filter(({ type }) => type === "bind")),
  ].map(({ source }) => source);
  return [
    ...Object.entries(services).flatMap(([name, service]) =>
      serviceProblems(service).map((problem) => `${name}: ${problem}`),
    ),
    ...replicas.flatMap(([name, replica]) =>
      replicaProblems(replica, services).map((problem) => `${name}: ${problem}`),
    ),
    ...[...sources, ...Object.values(secrets).map(({ file }) => file)].flatMap(sourceProblems),
    ...addressProblems(
      replicas.map(([, { environment = {} }]) => `127.0.0.1:${environment.PORT}`),
      services,
    ),
    ...fileProblems(services),
  ];
}

/** Privileges, limits, image and ports of any container. */
function serviceProblems(service: Service): string[] {
  const isHardened =
    service.read_only === true &&
    service.cap_drop?.join() === "ALL" &&
    service.security_opt?.join() === "no-new-privileges:true";
  const isBounded =
    service.mem_limit !== undefined &&
    service.pids_limit !== undefined &&
    service.logging?.driver === "local";
  const isPinned = service.build !== undefined || /:[\w.-]*\d\.\d+[\w.-]*$/.test(service.image ?? "");
  return [
    ...(isHardened ? [] : ["it has more privileges than it needs"]),
    ...(isBounded ? [] : ["memory, processes or logs have no limit"]),
    ...(isPinned ? [] : [`${service.image} is not a version`]),
    ...(service.ports ?? [])
      .filter(({ host_ip }) => host_ip !== "127.0.0.1")
      .map(({ target }) => `the port ${target} is open to other machines`),
  ];
}

function replicaProblems(
  { environment = {}, stop_grace_period = "0s", volumes = [] }: Service,
  services: Project["services"],
): string[] {
  const keys = environment.API_KEYS_FILE ?? "";
  const data = volumes.find(({ target }) => target === DATA_DIR);
  const updated = Object.values(services)
    .filter(({ profiles }) => profiles !== undefined)
    .flatMap((service) => service.volumes ?? [])
    .find(({ target }) => target === DATA_DIR);
  const seconds = (parseDuration(stop_grace_period) ?? 0) / 1000;
  return [
    ...settingProblems(environment),
    ...stopTimeProblems("stop_grace_period", seconds, environment),
    ...(isInMount(keys, volumes) ? [] : [`${keys} is in no mounted folder`]),
    ...volumes.filter(({ read_only }) => read_only !== true).map(({ target }) => `${target} is writable`),
    ...(data !== undefined && data.source === updated?.source && updated.read_only !== true
      ? []
      : [`${DATA_DIR} is not the volume of update-data`]),
    ...(environment.RATE_LIMIT_STORE === "redis://127.0.0.1:6379" ? [] : ["the store is not valkey"]),
  ];
}

/** Whether a file is in a mounted folder. A file that is mounted by itself is not updated. */
function isInMount(file: string, volumes: readonly Mount[]): boolean {
  return volumes.some(({ target }) => file.startsWith(`${target}/`));
}

/** A mounted file must be in the repository, or be one that README says how to create and that is not published. */
function sourceProblems(source: string): string[] {
  const path = relative(ROOT, source);
  if (!path.startsWith(`${SECRETS}/`)) {
    return existsSync(source) ? [] : [`${path} does not exist`];
  }
  return [
    ...(read("deploy", "README.md").includes(path) ? [] : [`deploy/README.md does not say what ${path} is`]),
    ...[".gitignore", ".dockerignore"]
      .filter((file) => !read(file).split("\n").includes(`${SECRETS}/`))
      .map((file) => `${SECRETS}/ is not in ${file}`),
  ];
}

/** Envoy and Prometheus must name the replicas, and Grafana Prometheus. */
function addressProblems(replicas: readonly string[], services: Project["services"]): string[] {
  const envoy = parse(read("deploy", "envoy.yaml"), { merge: true });
  const [listener] = envoy.static_resources.listeners;
  const [cluster] = envoy.static_resources.clusters;
  const port: number = listener.address.socket_address.port_value;
  const endpoints: string[] = cluster.load_assignment.endpoints[0].lb_endpoints.map(
    ({ endpoint }: { endpoint: { address: { socket_address: { address: string; port_value: number } } } }) =>
      `${endpoint.address.socket_address.address}:${endpoint.address.socket_address.port_value}`,
  );
  const { scrape_configs } = parse(read("deploy", "prometheus", "prometheus.yaml"));
  const targets: string[] = scrape_configs[0].static_configs[0].targets;
  const { datasources } = parse(read("deploy", "grafana", "provisioning", "datasources", "prometheus.yaml"));
  const listens = services.prometheus?.command?.find((flag) => flag.startsWith("--web.listen-address="));
  const published = Object.values(services).flatMap(({ ports = [] }) => ports.map(({ target }) => target));
  return [
    ...(endpoints.join() === replicas.join() ? [] : [`Envoy's replicas are ${endpoints.join()}`]),
    ...(targets.join() === replicas.join() ? [] : [`Prometheus's replicas are ${targets.join()}`]),
    ...(listens?.endsWith(`=${new URL(datasources[0].url).host}`)
      ? []
      : ["Grafana's Prometheus is elsewhere"]),
    ...(published.includes(port) ? [] : [`Envoy's port ${port} is not published`]),
    ...Object.entries(services)
      .filter(
        ([name, { network_mode, profiles }]) =>
          name !== "network" && !profiles && network_mode !== "service:network",
      )
      .map(([name]) => `${name} does not share the network`),
  ];
}

/** Files that are named in configuration files and in the environment must be mounted there. */
function fileProblems({ envoy, grafana }: Project["services"]): string[] {
  const tls = [...read("deploy", "envoy.yaml").matchAll(/\{ filename: (\S+) \}/g)].map(
    ([, name = ""]) => name,
  );
  const { providers } = parse(read("deploy", "grafana", "provisioning", "dashboards", "utility-tools.yaml"));
  const folder: string = providers[0].options.path;
  const password = grafana?.environment?.GF_SECURITY_ADMIN_PASSWORD__FILE;
  return [
    ...tls
      .filter((file) => !isInMount(file, envoy?.volumes ?? []))
      .map((file) => `envoy: ${file} is in no mounted folder`),
    ...(grafana?.volumes?.some(({ target }) => target.startsWith(`${folder}/`))
      ? []
      : ["there is no dashboard"]),
    ...(grafana?.secrets?.some(({ target }) => target === password) ? [] : ["Grafana has no password"]),
  ];
}
