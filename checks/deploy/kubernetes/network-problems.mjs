import { problemsIf } from "../setting-problems.js";
import { matches, ofKind, podTemplates } from "./resources.mjs";

/** The job in the rules of Prometheus: the name of the monitored Service. */
const JOB = "utility-tools";

/** Returns what is wrong with selectors, ports and routes. */
export function networkProblems(resources) {
  const deployments = ofKind(resources, "Deployment");
  const names = deployments.map(({ metadata }) => metadata.name);
  return [
    ...selectorProblems(resources),
    ...deployments
      .filter(({ spec }) => spec.replicas !== undefined)
      .map(({ metadata }) => `${metadata.name}: replicas contradicts the autoscaler`),
    ...ofKind(resources, "HorizontalPodAutoscaler")
      .map(({ spec }) => spec.scaleTargetRef)
      .filter(({ kind, name }) => kind !== "Deployment" || !names.includes(name))
      .map(({ name }) => `the autoscaler scales ${name}, which does not exist`),
    ...portProblems(resources),
    ...ofKind(resources, "ServiceMonitor").flatMap((monitor) => monitorProblems(monitor, resources)),
    ...["HTTPRoute", "GRPCRoute"]
      .flatMap((kind) => ofKind(resources, kind))
      .flatMap((route) => backendProblems(route, resources)),
  ];
}

/** Everything that selects pods must select those of the Deployment only, and one NetworkPolicy each kind of pods. */
function selectorProblems(resources) {
  const templates = [...podTemplates(resources)];
  const names = templates.map(([name]) => name);
  const selectedBy = (selector) =>
    templates.flatMap(([name, { metadata }]) => (matches(selector, metadata.labels) ? [name] : [])).join();
  const selectors = [
    ...ofKind(resources, "Deployment").flatMap(({ spec }) => [
      ["the Deployment", spec.selector.matchLabels],
      ...(spec.template.spec.topologySpreadConstraints ?? []).map(({ labelSelector }) => [
        "a topology constraint",
        labelSelector.matchLabels,
      ]),
    ]),
    ...ofKind(resources, "Service").map(({ metadata, spec }) => [
      `the Service ${metadata.name}`,
      spec.selector,
    ]),
    ...ofKind(resources, "PodDisruptionBudget").map(({ spec }) => [
      "the PodDisruptionBudget",
      spec.selector.matchLabels,
    ]),
  ];
  const policies = ofKind(resources, "NetworkPolicy").map(({ spec }) =>
    selectedBy(spec.podSelector.matchLabels),
  );
  return [
    ...selectors
      .map(([what, selector]) => [what, selectedBy(selector)])
      .filter(([, selected]) => selected !== names[0])
      .map(([what, selected]) => `${what} selects "${selected}"`),
    ...problemsIf(
      policies.toSorted().join(" and ") !== names.toSorted().join(" and "),
      `the NetworkPolicies select ${policies.join(" and ")}`,
    ),
  ];
}

function portProblems(resources) {
  const ports = [...podTemplates(resources).values()]
    .flatMap(({ spec }) => spec.containers)
    .flatMap((container) => container.ports ?? []);
  const find = (wanted) => ports.find(({ name }) => name === wanted);
  const services = ofKind(resources, "Service").flatMap(({ metadata, spec }) =>
    spec.ports.map((each) => ({ name: metadata.name, isHeadless: spec.clusterIP === "None", ...each })),
  );
  return [
    ...ofKind(resources, "NetworkPolicy")
      .flatMap(({ spec }) => (spec.ingress ?? []).flatMap((rule) => rule.ports))
      .filter(({ port }) => find(port) === undefined)
      .map(({ port }) => `no pod has the port ${port}`),
    ...services
      .filter(({ targetPort }) => find(targetPort) === undefined)
      .map(({ name, targetPort }) => `${name}: no pod has the port ${targetPort}`),
    ...services
      .filter(({ isHeadless, port, targetPort }) => isHeadless && find(targetPort)?.containerPort !== port)
      .map(({ name, port }) => `${name}: a headless Service does not translate the port ${port}`),
  ];
}

/** A ServiceMonitor must find the port in one Service: each pod is scraped once. */
function monitorProblems({ spec: { selector, endpoints } }, resources) {
  const hasTls = ofKind(resources, "ConfigMap").some(({ data }) => data?.TLS_CERT_FILE !== undefined);
  return endpoints.flatMap(({ port, path, scheme = "http" }) => {
    const found = ofKind(resources, "Service").filter(
      ({ metadata, spec }) =>
        matches(selector.matchLabels, metadata.labels) && spec.ports.some(({ name }) => name === port),
    );
    return [
      ...problemsIf(found.length !== 1, `the ServiceMonitor finds ${found.length} ports ${port}`),
      ...found
        .filter(({ metadata }) => metadata.name !== JOB)
        .map(({ metadata }) => `the ServiceMonitor names the job ${metadata.name}`),
      ...problemsIf(path !== "/metrics", `there are no metrics at ${path}`),
      ...problemsIf(scheme !== (hasTls ? "https" : "http"), `the ServiceMonitor uses ${scheme}`),
    ];
  });
}

function backendProblems({ kind, spec }, resources) {
  const backends = ofKind(resources, "Service").flatMap(({ metadata, spec }) =>
    spec.ports.map(({ port }) => `${metadata.name}:${port}`),
  );
  return spec.rules
    .flatMap(({ backendRefs }) => backendRefs.map(({ name, port }) => `${name}:${port}`))
    .filter((backend) => !backends.includes(backend))
    .map((backend) => `${kind}: there is no ${backend}`);
}
