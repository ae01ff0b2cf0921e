import { dirname } from "node:path";
import { readConfig } from "../../../src/service/config/read-config.js";
import { SETTINGS } from "../../../src/service/config/settings.js";
import { healthPages } from "../../../src/service/pages/health-pages.js";
import { type EnvironmentVariables, settingProblems, stopTimeProblems } from "../setting-problems.js";
import {
  type Container,
  ofKind,
  type PodSpec,
  podTemplates,
  type Resource,
  type Volume,
} from "./resources.js";

/** The settings with paths of mounted files, and that of a mounted folder. */
const FILE_SETTINGS = [SETTINGS.apiKeysFile, SETTINGS.tlsCertFile, SETTINGS.tlsKeyFile].map(
  ({ name }) => name,
);
const FOLDER_SETTING = SETTINGS.dataDir.name;

const HEALTH_PATHS = [
  ...healthPages({
    services: [],
    isServing: () => true,
    isStopping: () => false,
    onChange: () => () => undefined,
  }).keys(),
];

/** Returns what is wrong with the pods: settings, files, probes, image, resources and privileges. */
export function podProblems(resources: readonly Resource[]): string[] {
  const problems: string[] = [];
  const images = new Set<string>();
  for (const [name, { spec }] of podTemplates(resources)) {
    const found = [...privilegeProblems(spec)];
    for (const container of spec.containers) {
      images.add(container.image);
      const env = environmentOf(container, resources);
      if (env === undefined) {
        found.push("a ConfigMap of the environment does not exist");
        continue;
      }
      found.push(...settingProblems(env), ...mountProblems(container, spec.volumes ?? [], env, resources));
      if (name.startsWith("Deployment ")) {
        found.push(...serverProblems(container, spec, env));
      }
    }
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  return images.size <= 1 ? problems : [...problems, `the images differ: ${[...images].join(", ")}`];
}

/** The environment of a container, without Secrets; undefined if a ConfigMap does not exist. */
function environmentOf(
  { env = [], envFrom = [] }: Container,
  resources: readonly Resource[],
): EnvironmentVariables | undefined {
  const maps = envFrom.flatMap(({ configMapRef }) => configMapRef ?? []);
  const data = maps.map((map) =>
    ofKind(resources, "ConfigMap").find(({ metadata }) => metadata.name === map.name),
  );
  return data.includes(undefined)
    ? undefined
    : Object.assign(
        {},
        ...data.map((map) => map?.data),
        Object.fromEntries(env.map((e) => [e.name, e.value])),
      );
}

function mountProblems(
  { volumeMounts = [] }: Container,
  volumes: readonly Volume[],
  env: EnvironmentVariables,
  resources: readonly Resource[],
): string[] {
  const claims = ofKind(resources, "PersistentVolumeClaim").map(({ metadata }) => metadata.name);
  const problems: string[] = [];
  for (const { name, mountPath, subPath, readOnly } of volumeMounts) {
    const volume = volumes.find((each) => each.name === name);
    const claim = volume?.persistentVolumeClaim?.claimName;
    const isUsed =
      volume?.secret === undefined
        ? env[FOLDER_SETTING] === mountPath
        : FILE_SETTINGS.some((setting) => env[setting] !== undefined && dirname(env[setting]) === mountPath);
    problems.push(
      ...(volume === undefined ? [`there is no volume ${name}`] : []),
      ...(claim !== undefined && !claims.includes(claim) ? [`there is no claim ${claim}`] : []),
      ...(subPath === undefined ? [] : [`${mountPath} has a subPath and is never updated`]),
      ...(isUsed ? [] : [`no setting names ${mountPath} or a file in it`]),
      ...(volume?.secret !== undefined && readOnly !== true ? [`${mountPath} is writable`] : []),
    );
  }
  const mounted = volumeMounts.map(({ mountPath }) => mountPath);
  const folders = FILE_SETTINGS.flatMap((name) => (env[name] === undefined ? [] : [dirname(env[name])]));
  problems.push(
    ...[...folders, ...(env[FOLDER_SETTING] === undefined ? [] : [env[FOLDER_SETTING]])]
      .filter((folder) => !mounted.includes(folder))
      .map((folder) => `${folder} is not mounted`),
    ...volumes
      .filter(({ name }) => !volumeMounts.some((mount) => mount.name === name))
      .map(({ name }) => `the volume ${name} is not mounted`),
  );
  return problems;
}

function serverProblems(container: Container, spec: PodSpec, env: EnvironmentVariables): string[] {
  const config = readConfig(env);
  if (!config.ok) {
    return [];
  }
  const { port, tlsCertFile } = config.value;
  const scheme = tlsCertFile === undefined ? "HTTP" : "HTTPS";
  const ports = container.ports ?? [];
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const problems = Object.entries({ startupProbe, livenessProbe, readinessProbe }).flatMap(
    ([name, probe]) => {
      const { path, port: probed, scheme: used = "HTTP" } = probe?.httpGet ?? { path: "", port: "" };
      return [
        ...(HEALTH_PATHS.includes(path) ? [] : [`${name}: there is no health check at "${path}"`]),
        ...(ports.some((each) => each.name === probed) ? [] : [`${name}: there is no port "${probed}"`]),
        ...(used === scheme ? [] : [`${name}: the scheme is not ${scheme}`]),
      ];
    },
  );
  const { requests = {}, limits = {} } = container.resources ?? {};
  return [
    ...problems,
    ...(ports.length === 1 && ports[0]?.containerPort === port ? [] : [`the port is not PORT, ${port}`]),
    ...stopTimeProblems("terminationGracePeriodSeconds", spec.terminationGracePeriodSeconds ?? 0, env),
    ...(requests.cpu === undefined || mebibytes(requests.memory) > mebibytes(limits.memory)
      ? ["requests and limits do not fit"]
      : []),
  ];
}

function mebibytes(quantity = ""): number {
  const [, digits, unit] = /^(\d+)([MG]i)$/.exec(quantity) ?? [];
  return Number(digits) * (unit === "Gi" ? 1024 : 1);
}

function privilegeProblems({ automountServiceAccountToken, securityContext, containers }: PodSpec): string[] {
  const isPodSafe =
    automountServiceAccountToken === false &&
    securityContext?.runAsNonRoot === true &&
    securityContext.runAsUser === 1000 &&
    securityContext.seccompProfile?.type === "RuntimeDefault";
  const areContainersSafe = containers.every(
    ({ securityContext: own }) =>
      own?.allowPrivilegeEscalation === false &&
      own.readOnlyRootFilesystem === true &&
      own.capabilities?.drop?.join() === "ALL",
  );
  return isPodSafe && areContainersSafe ? [] : ["it has more privileges than it needs"];
}
