import { dirname } from "node:path";
import { readConfig } from "../../../src/config/read-config.js";
import { SETTINGS } from "../../../src/config/settings.js";
import { healthPages } from "../../../src/service/pages/health-pages.js";
import { problemsIf, settingProblems, stopTimeProblems } from "../setting-problems.js";

/** The settings with paths of mounted files, and that of a mounted folder. */
const FILE_SETTINGS = ["apiKeysFile", "tlsCertFile", "tlsKeyFile"].map((key) => SETTINGS[key].name);
const FOLDER_SETTING = SETTINGS.dataDir.name;

const health = { services: [], isServing: () => true, isStopping: () => false, onChange: () => () => {} };
const HEALTH_PATHS = [...healthPages(health).keys()];

/** The job in the rules of Prometheus: the name of the monitored Service. */
const JOB = "utility-tools";

/** Returns what is wrong with resources that are valid by their schemas: settings, files, privileges, probes, selectors and ports. */
export function problemsOf(resources) {
  const ofKind = (...kinds) => resources.filter(({ kind }) => kinds.includes(kind));
  const [deployments, services] = [ofKind("Deployment"), ofKind("Service")];
  const maps = new Map(ofKind("ConfigMap").map(({ metadata, data = {} }) => [metadata.name, data]));
  const claims = ofKind("PersistentVolumeClaim").map(({ metadata }) => metadata.name);
  const pods = [
    ...deployments.map(({ metadata, spec }) => ({ name: `Deployment ${metadata.name}`, ...spec.template })),
    ...ofKind("CronJob").map(({ metadata, spec }) => ({
      name: `CronJob ${metadata.name}`,
      ...spec.jobTemplate.spec.template,
    })),
  ];
  const containers = pods.flatMap(({ name, spec }) =>
    [...spec.containers, ...(spec.initContainers ?? [])].map((container) => ({ name, pod: spec, container })),
  );
  const podPorts = new Map(
    containers
      .flatMap(({ container }) => container.ports ?? [])
      .map((port) => [port.name, port.containerPort]),
  );
  const servicePorts = services.flatMap(({ metadata, spec }) =>
    spec.ports.map((each) => ({ service: metadata.name, isHeadless: spec.clusterIP === "None", ...each })),
  );
  /** A problem for each name that is not known. */
  const unknown = (names, known, problem) =>
    names.filter((name) => !known.includes(name)).map((name) => `${problem} ${name}`);
  return [
    ...pods
      .filter(({ spec }) => !isSafe(spec))
      .map(({ name }) => `${name} has more privileges than it needs`),
    ...containers.flatMap(({ name, pod, container }) =>
      containerProblems(container, pod, maps, claims).map((each) => `${name}: ${each}`),
    ),
    ...problemsIf(new Set(containers.map(({ container }) => container.image)).size > 1, "the images differ"),
    ...selectorProblems(pods, deployments, services, ofKind),
    ...deployments
      .filter(({ spec }) => spec.replicas !== undefined)
      .map(({ metadata }) => `${metadata.name}: replicas contradicts the autoscaler`),
    ...unknown(
      ofKind("HorizontalPodAutoscaler").map(({ spec: { scaleTargetRef: to } }) => `${to.kind} ${to.name}`),
      pods.map(({ name }) => name),
      "the autoscaler scales no",
    ),
    ...unknown(
      [
        ...ofKind("NetworkPolicy").flatMap(({ spec }) => (spec.ingress ?? []).flatMap((rule) => rule.ports)),
        ...servicePorts.map(({ targetPort: port }) => ({ port })),
      ].map(({ port }) => port),
      [...podPorts.keys()],
      "no pod has the port",
    ),
    ...servicePorts
      .filter(({ isHeadless, port, targetPort }) => isHeadless && podPorts.get(targetPort) !== port)
      .map(({ service, port }) => `${service}: a headless Service does not translate the port ${port}`),
    ...unknown(
      ofKind("HTTPRoute", "GRPCRoute")
        .flatMap(({ spec }) => spec.rules.flatMap(({ backendRefs }) => backendRefs))
        .map(({ name, port }) => `${name}:${port}`),
      servicePorts.map(({ service, port }) => `${service}:${port}`),
      "a route leads to no",
    ),
    ...ofKind("ServiceMonitor").flatMap((monitor) => monitorProblems(monitor, services, maps)),
  ];
}

function matches(selector, labels = {}) {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

/** Everything that selects pods must select those of the Deployment only, and one NetworkPolicy each kind of pods. */
function selectorProblems(pods, deployments, services, ofKind) {
  const selectedBy = (selector) =>
    pods.flatMap(({ name, metadata }) => (matches(selector, metadata.labels) ? [name] : [])).join();
  const selectors = [
    ...[...deployments, ...ofKind("PodDisruptionBudget")].map(({ spec }) => spec.selector.matchLabels),
    ...deployments
      .flatMap(({ spec }) => spec.template.spec.topologySpreadConstraints ?? [])
      .map(({ labelSelector }) => labelSelector.matchLabels),
    ...services.map(({ spec }) => spec.selector),
  ];
  const policies = ofKind("NetworkPolicy").map(({ spec }) => selectedBy(spec.podSelector.matchLabels));
  const names = pods.map(({ name }) => name);
  return [
    ...selectors
      .map(selectedBy)
      .filter((selected) => selected !== names[0])
      .map((selected) => `a selector selects "${selected}"`),
    ...problemsIf(policies.toSorted().join("; ") !== names.toSorted().join("; "), `policies of ${policies}`),
  ];
}

/** A ServiceMonitor must find the port in one Service: each pod is scraped once. */
function monitorProblems({ spec: { selector, endpoints } }, services, maps) {
  const hasTls = [...maps.values()].some((data) => data.TLS_CERT_FILE !== undefined);
  return endpoints.flatMap(({ port, path, scheme = "http" }) => {
    const found = services
      .filter(({ metadata }) => matches(selector.matchLabels, metadata.labels))
      .filter(({ spec }) => spec.ports.some(({ name }) => name === port))
      .map(({ metadata }) => metadata.name);
    return [
      ...problemsIf(found.join() !== JOB, `the ServiceMonitor finds the port ${port} in "${found}"`),
      ...problemsIf(path !== "/metrics", `there are no metrics at ${path}`),
      ...problemsIf(scheme !== (hasTls ? "https" : "http"), `the ServiceMonitor uses ${scheme}`),
    ];
  });
}

function containerProblems(container, pod, maps, claims) {
  const { env = [], envFrom = [] } = container;
  const data = envFrom.flatMap(({ configMapRef: map }) => (map === undefined ? [] : [maps.get(map.name)]));
  if (data.includes(undefined)) {
    return ["a ConfigMap of the environment does not exist"];
  }
  const settings = Object.assign({}, ...data, ...env.map(({ name, value }) => ({ [name]: value })));
  const hasSecret = envFrom.some(({ secretRef }) => secretRef !== undefined && secretRef.optional !== true);
  const { RATE_LIMIT: limit, RATE_LIMIT_STORE: store, TRUSTED_PROXIES: proxies } = settings;
  return [
    ...settingProblems(settings),
    ...problemsIf(limit && !store && !hasSecret, "each pod has a rate limit of its own"),
    ...problemsIf(/\/(?:\d|1\d)(?!\d)/.test(proxies), "TRUSTED_PROXIES has pods besides the gateway"),
    ...mountProblems(container, pod.volumes ?? [], settings, claims),
    ...(container.ports === undefined ? [] : serverProblems(container, pod, settings)),
  ];
}

function mountProblems({ volumeMounts = [] }, volumes, settings, claims) {
  const files = FILE_SETTINGS.flatMap((name) => (name in settings ? [dirname(settings[name])] : []));
  const folders = FOLDER_SETTING in settings ? [settings[FOLDER_SETTING]] : [];
  const isMounted = (volume) => volumeMounts.some(({ name }) => name === volume.name);
  return [
    ...volumeMounts.flatMap(({ name, mountPath, subPath, readOnly }) => {
      const volume = volumes.find((each) => each.name === name);
      const { secret, persistentVolumeClaim: claim } = volume ?? {};
      const isUsed = (secret ? files : folders).includes(mountPath);
      return [
        ...problemsIf(volume === undefined, `there is no volume ${name}`),
        ...problemsIf(claim && !claims.includes(claim.claimName), `there is no claim ${claim?.claimName}`),
        ...problemsIf(subPath !== undefined, `${mountPath} has a subPath and is never updated`),
        ...problemsIf(!isUsed, `no setting names ${mountPath} or a file in it`),
        ...problemsIf(secret && readOnly !== true, `${mountPath} is writable`),
      ];
    }),
    ...[...files, ...folders]
      .filter((folder) => !volumeMounts.some(({ mountPath }) => mountPath === folder))
      .map((folder) => `${folder} is not mounted`),
    ...volumes.filter((volume) => !isMounted(volume)).map(({ name }) => `the volume ${name} is not mounted`),
  ];
}

function serverProblems({ ports, resources, ...probes }, { terminationGracePeriodSeconds = 0 }, settings) {
  const config = readConfig(settings);
  if (!config.ok) {
    return [];
  }
  const { port, tlsCertFile } = config.value;
  const expectedScheme = tlsCertFile === undefined ? "HTTP" : "HTTPS";
  const { requests = {}, limits = {} } = resources ?? {};
  const fits = requests.cpu !== undefined && mebibytes(requests.memory) <= mebibytes(limits.memory);
  return [
    ...["startupProbe", "livenessProbe", "readinessProbe"].flatMap((name) => {
      const { path, port: probed, scheme = "HTTP" } = probes[name]?.httpGet ?? {};
      return [
        ...problemsIf(!HEALTH_PATHS.includes(path), `${name}: there is no health check at "${path}"`),
        ...problemsIf(!ports.some((each) => each.name === probed), `${name}: there is no port "${probed}"`),
        ...problemsIf(scheme !== expectedScheme, `${name}: the scheme is not ${expectedScheme}`),
      ];
    }),
    ...problemsIf(
      ports.map((each) => each.containerPort).join() !== `${port}`,
      `the port is not PORT, ${port}`,
    ),
    ...stopTimeProblems("terminationGracePeriodSeconds", terminationGracePeriodSeconds, settings),
    ...problemsIf(!fits, "requests and limits do not fit"),
  ];
}

function mebibytes(quantity = "") {
  const [, digits, unit] = /^(\d+)([MG]i)$/.exec(quantity) ?? [];
  return Number(digits) * (unit === "Gi" ? 1024 : 1);
}

function isSafe({ automountServiceAccountToken, securityContext: pod, containers, initContainers = [] }) {
  return (
    automountServiceAccountToken === false &&
    pod?.runAsNonRoot === true &&
    pod.runAsUser === 1000 &&
    pod.seccompProfile?.type === "RuntimeDefault" &&
    [...containers, ...initContainers].every(
      ({ securityContext: own }) =>
        own?.allowPrivilegeEscalation === false &&
        own.readOnlyRootFilesystem === true &&
        own.capabilities?.drop?.join() === "ALL",
    )
  );
}
