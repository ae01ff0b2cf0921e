import { dirname } from "node:path";
import { readConfig } from "../../../src/service/config/read-config.js";
import { SETTINGS } from "../../../src/service/config/settings.js";
import { healthPages } from "../../../src/service/pages/health-pages.js";
import { problemsIf, settingProblems, stopTimeProblems } from "../setting-problems.js";
import { ofKind, podTemplates } from "./resources.mjs";

/** The settings with paths of mounted files, and that of a mounted folder. */
const FILE_SETTINGS = ["apiKeysFile", "tlsCertFile", "tlsKeyFile"].map((key) => SETTINGS[key].name);
const FOLDER_SETTING = SETTINGS.dataDir.name;

const health = { services: [], isServing: () => true, isStopping: () => false, onChange: () => () => {} };
const HEALTH_PATHS = [...healthPages(health).keys()];

/** Returns what is wrong with the pods: settings, files, probes, image, resources and privileges. */
export function podProblems(resources) {
  const templates = [...podTemplates(resources)];
  const containers = templates.flatMap(([name, { spec }]) =>
    [...spec.containers, ...(spec.initContainers ?? [])].map((container) => ({ name, spec, container })),
  );
  const images = [...new Set(containers.map(({ container }) => container.image))];
  return [
    ...templates.flatMap(([name, { spec }]) => privilegeProblems(spec).map((each) => `${name}: ${each}`)),
    ...containers.flatMap(({ name, spec, container }) =>
      containerProblems(
        container,
        spec,
        name.startsWith("Deployment ") && container.ports !== undefined,
        resources,
      ).map((each) => `${name}: ${each}`),
    ),
    ...problemsIf(images.length > 1, `the images differ: ${images.join(", ")}`),
  ];
}

function containerProblems(container, spec, isServer, resources) {
  const env = environmentOf(container, resources);
  if (env === undefined) {
    return ["a ConfigMap of the environment does not exist"];
  }
  return [
    ...settingProblems(env),
    ...mountProblems(container, spec.volumes ?? [], env, resources),
    ...(isServer ? serverProblems(container, spec, env) : []),
  ];
}

/** The environment of a container, without Secrets; undefined if a ConfigMap does not exist. */
function environmentOf({ env = [], envFrom = [] }, resources) {
  const data = envFrom
    .flatMap(({ configMapRef }) => configMapRef ?? [])
    .map((map) => ofKind(resources, "ConfigMap").find(({ metadata }) => metadata.name === map.name)?.data);
  return data.includes(undefined)
    ? undefined
    : Object.assign({}, ...data, Object.fromEntries(env.map(({ name, value }) => [name, value])));
}

function mountProblems({ volumeMounts = [] }, volumes, env, resources) {
  const claims = ofKind(resources, "PersistentVolumeClaim").map(({ metadata }) => metadata.name);
  const files = FILE_SETTINGS.filter((name) => env[name] !== undefined).map((name) => dirname(env[name]));
  const folders = env[FOLDER_SETTING] === undefined ? [] : [env[FOLDER_SETTING]];
  return [
    ...volumeMounts.flatMap(({ name, mountPath, subPath, readOnly }) => {
      const volume = volumes.find((each) => each.name === name);
      const claim = volume?.persistentVolumeClaim?.claimName;
      const isSecret = volume?.secret !== undefined;
      const isUsed = (isSecret ? files : folders).includes(mountPath);
      return [
        ...problemsIf(volume === undefined, `there is no volume ${name}`),
        ...problemsIf(claim !== undefined && !claims.includes(claim), `there is no claim ${claim}`),
        ...problemsIf(subPath !== undefined, `${mountPath} has a subPath and is never updated`),
        ...problemsIf(!isUsed, `no setting names ${mountPath} or a file in it`),
        ...problemsIf(isSecret && readOnly !== true, `${mountPath} is writable`),
      ];
    }),
    ...[...files, ...folders]
      .filter((folder) => !volumeMounts.some(({ mountPath }) => mountPath === folder))
      .map((folder) => `${folder} is not mounted`),
    ...volumes
      .filter(({ name }) => !volumeMounts.some((mount) => mount.name === name))
      .map(({ name }) => `the volume ${name} is not mounted`),
  ];
}

function serverProblems({ ports = [], resources, ...probes }, { terminationGracePeriodSeconds = 0 }, env) {
  const config = readConfig(env);
  if (!config.ok) {
    return [];
  }
  const { port, tlsCertFile } = config.value;
  const expectedScheme = tlsCertFile === undefined ? "HTTP" : "HTTPS";
  const { requests = {}, limits = {} } = resources ?? {};
  const fits = requests.cpu !== undefined && mebibytes(requests.memory) <= mebibytes(limits.memory);
  const isPort = ports.length === 1 && ports[0].containerPort === port;
  return [
    ...["startupProbe", "livenessProbe", "readinessProbe"].flatMap((name) => {
      const { path, port: probed, scheme = "HTTP" } = probes[name]?.httpGet ?? {};
      return [
        ...problemsIf(!HEALTH_PATHS.includes(path), `${name}: there is no health check at "${path}"`),
        ...problemsIf(!ports.some((each) => each.name === probed), `${name}: there is no port "${probed}"`),
        ...problemsIf(scheme !== expectedScheme, `${name}: the scheme is not ${expectedScheme}`),
      ];
    }),
    ...problemsIf(!isPort, `the port is not PORT, ${port}`),
    ...stopTimeProblems("terminationGracePeriodSeconds", terminationGracePeriodSeconds, env),
    ...problemsIf(!fits, "requests and limits do not fit"),
  ];
}

function mebibytes(quantity = "") {
  const [, digits, unit] = /^(\d+)([MG]i)$/.exec(quantity) ?? [];
  return Number(digits) * (unit === "Gi" ? 1024 : 1);
}

function privilegeProblems({
  automountServiceAccountToken,
  securityContext: pod,
  containers,
  initContainers = [],
}) {
  const isPodSafe =
    automountServiceAccountToken === false &&
    pod?.runAsNonRoot === true &&
    pod.runAsUser === 1000 &&
    pod.seccompProfile?.type === "RuntimeDefault";
  const areContainersSafe = [...containers, ...initContainers].every(
    ({ securityContext: own }) =>
      own?.allowPrivilegeEscalation === false &&
      own.readOnlyRootFilesystem === true &&
      own.capabilities?.drop?.join() === "ALL",
  );
  return problemsIf(!isPodSafe || !areContainersSafe, "it has more privileges than it needs");
}
