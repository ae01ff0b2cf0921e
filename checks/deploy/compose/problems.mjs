import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseDuration } from "connect-transcoding-operations/settings/values";
import { parse } from "yaml";
import { problemsIf, settingProblems, stopTimeProblems } from "../setting-problems.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const read = (...path) => readFileSync(join(ROOT, ...path), "utf8");
const readYaml = (...path) => parse(read("deploy", ...path), { merge: true });

/** The folder of the operator's files, which are not in the repository. */
const SECRETS = join("deploy", "secrets");
/** The folder of downloaded data in the image. */
const [, DATA_DIR] = / DATA_DIR=(\S+)/.exec(read("deploy", "Containerfile"));

/** Returns what is wrong with a Compose file that compose-go has read. */
export function problemsOf({ services, secrets }) {
  const all = Object.entries(services);
  const replicas = all.filter(([, { build }]) => build);
  const mounts = all.flatMap(([, { volumes = [] }]) => volumes.filter(({ type }) => type === "bind"));
  const sources = [...mounts.map(({ source }) => source), ...Object.values(secrets).map(({ file }) => file)];
  const named =
    (problems) =>
    ([name, service]) =>
      problems(service).map((problem) => `${name}: ${problem}`);
  return [
    ...all.flatMap(named(serviceProblems)),
    ...replicas.flatMap(named((replica) => replicaProblems(replica, services))),
    ...sources.flatMap(sourceProblems),
    ...addressProblems(replicas.map(([, { environment }]) => environment.PORT).join(), services),
    ...fileProblems(services),
  ];
}

/** Privileges, limits, image and ports of any container. */
function serviceProblems({ ports = [], ...service }) {
  const isHardened =
    service.read_only === true &&
    service.cap_drop?.join() === "ALL" &&
    service.security_opt?.join() === "no-new-privileges:true";
  const isBounded = service.mem_limit && service.pids_limit && service.logging?.driver === "local";
  const isPinned =
    service.build !== undefined ||
    service.pull_policy === "never" ||
    /:[\w.-]*\d\.\d+[\w.-]*$/.test(service.image);
  return [
    ...problemsIf(!isHardened, "it has more privileges than it needs"),
    ...problemsIf(!isBounded, "memory, processes or logs have no limit"),
    ...problemsIf(!isPinned, `${service.image} is not a version`),
    ...ports
      .filter(({ host_ip }) => host_ip !== "127.0.0.1")
      .map(({ target }) => `the port ${target} is open to other machines`),
  ];
}

function replicaProblems({ environment, stop_grace_period = "0s", volumes = [] }, services) {
  const { API_KEYS_FILE: keys, RATE_LIMIT_STORE: store } = environment;
  const data = volumes.find(({ target }) => target === DATA_DIR);
  const updated = services["update-data"]?.volumes?.find(({ target }) => target === DATA_DIR);
  const isUpdated = data !== undefined && data.source === updated?.source && updated.read_only !== true;
  return [
    ...settingProblems(environment),
    ...stopTimeProblems("stop_grace_period", parseDuration(stop_grace_period) / 1000, environment),
    ...problemsIf(!isInMount(keys, volumes), `${keys} is in no mounted folder`),
    ...volumes.filter(({ read_only }) => read_only !== true).map(({ target }) => `${target} is writable`),
    ...problemsIf(!isUpdated, `${DATA_DIR} is not the volume of update-data`),
    ...problemsIf(store !== "redis://127.0.0.1:6379", "the store is not valkey"),
  ];
}

/** Whether a file is in a mounted folder. A file that is mounted by itself is not updated. */
function isInMount(file, volumes) {
  return volumes.some(({ target }) => file?.startsWith(`${target}/`));
}

/** A mounted file must be in the repository, or be one that README says how to create and that is not published. */
function sourceProblems(source) {
  const path = relative(ROOT, source);
  if (!path.startsWith(`${SECRETS}/`)) {
    return problemsIf(!existsSync(source), `${path} does not exist`);
  }
  const isExplained = read("deploy", "compose.md").includes(path);
  return [
    ...problemsIf(!isExplained, `deploy/compose.md does not say what ${path} is`),
    ...[".gitignore", ".dockerignore"]
      .filter((file) => !read(file).split("\n").includes(`${SECRETS}/`))
      .map((file) => `${SECRETS}/ is not in ${file}`),
  ];
}

/** Grafana must name Prometheus. The suites of the stack and of proxies name the ports of replicas in the files of Envoy and Prometheus. */
function addressProblems(replicas, services) {
  const { listeners } = readYaml("envoy.yaml").static_resources;
  const port = listeners[0].address.socket_address.port_value;
  const { datasources } = readYaml("grafana", "provisioning", "datasources", "prometheus.yaml");
  const listens = `--web.listen-address=${new URL(datasources[0].url).host}`;
  const published = Object.values(services).flatMap(({ ports = [] }) => ports.map(({ target }) => target));
  return [
    ...problemsIf(replicas !== "8081,8082", `the ports of replicas are ${replicas}`),
    ...problemsIf(!services.prometheus.command.includes(listens), "Grafana's Prometheus is elsewhere"),
    ...problemsIf(!published.includes(port), `Envoy's port ${port} is not published`),
    ...Object.entries(services)
      // The job needs the network of the machine to download.
      .filter(([name]) => name !== "network" && name !== "update-data")
      .filter(([, { network_mode }]) => network_mode !== "service:network")
      .map(([name]) => `${name} does not share the network`),
  ];
}

/** Files that are named in configuration files and in the environment must be mounted there. */
function fileProblems({ envoy, grafana }) {
  const tls = [...read("deploy", "envoy.yaml").matchAll(/\{ filename: (\S+) \}/g)].map(([, name]) => name);
  const { providers } = readYaml("grafana", "provisioning", "dashboards", "utility-tools.yaml");
  const folder = providers[0].options.path;
  const password = grafana.environment.GF_SECURITY_ADMIN_PASSWORD__FILE;
  const hasDashboard = grafana.volumes.some(({ target }) => target.startsWith(`${folder}/`));
  const hasPassword = grafana.secrets.some(({ target }) => target === password);
  return [
    ...tls
      .filter((file) => !isInMount(file, envoy.volumes))
      .map((file) => `envoy: ${file} is in no mounted folder`),
    ...problemsIf(!hasDashboard, "there is no dashboard"),
    ...problemsIf(!hasPassword, "Grafana has no password"),
  ];
}
