import { SERVICES } from "@utility-tools/protos/services.js";
import { methodPath } from "connect-transcoding";
import { loadDocumentation, serviceDocument } from "../../../src/service/documentation.js";
import { referencePages, workbenchPages } from "../../../src/service/pages/static-pages.js";
import {
  type Labels,
  matches,
  ofKind,
  podTemplates,
  type Resource,
  type Route,
  type Specs,
} from "./resources.js";

/** Paths that clients outside of the cluster must not reach. */
const PRIVATE_PATHS = ["/metrics", "/healthz", "/readyz"];

const services = Object.values(SERVICES);
const document = serviceDocument(services, loadDocumentation(), {
  publicBaseUrl: undefined,
  unknownParameters: "reject",
  maxRequestBytes: 65_536,
});
const PUBLIC_PATHS = [
  ...Object.keys(document.paths ?? {}),
  ...(await referencePages(document)).keys(),
  ...(await workbenchPages()).keys(),
  ...services.flatMap(({ methods }) => methods.map(methodPath)),
];

/** Returns what is wrong with selectors, ports and routes. */
export function networkProblems(resources: readonly Resource[]): string[] {
  const deployments = ofKind(resources, "Deployment");
  return [
    ...selectorProblems(resources),
    ...deployments.flatMap(({ metadata, spec }) =>
      spec.replicas === undefined ? [] : [`${metadata.name}: replicas contradicts the autoscaler`],
    ),
    ...ofKind(resources, "HorizontalPodAutoscaler").flatMap(({ spec: { scaleTargetRef: target } }) =>
      deployments.some(({ kind, metadata }) => kind === target.kind && metadata.name === target.name)
        ? []
        : [`the autoscaler scales ${target.name}, which does not exist`],
    ),
    ...portProblems(resources),
    ...monitorProblems(resources),
    ...ofKind(resources, "HTTPRoute").flatMap((route) => httpRouteProblems(route, resources)),
    ...ofKind(resources, "GRPCRoute").flatMap((route) => grpcRouteProblems(route, resources)),
  ];
}

/** Everything that selects pods must select those of the Deployment only, and one NetworkPolicy each kind of pods. */
function selectorProblems(resources: readonly Resource[]): string[] {
  const templates = podTemplates(resources);
  const selectedBy = (selector: Labels): string =>
    [...templates]
      .flatMap(([name, { metadata }]) => (matches(selector, metadata.labels) ? [name] : []))
      .join();
  const [server = ""] = templates.keys();
  const selectors: readonly (readonly [string, Labels])[] = [
    ...ofKind(resources, "Deployment").flatMap(({ spec }): [string, Labels][] => [
      ["the Deployment", spec.selector.matchLabels],
      ...(spec.template.spec.topologySpreadConstraints ?? []).map(({ labelSelector }): [string, Labels] => [
        "a topology constraint",
        labelSelector.matchLabels,
      ]),
    ]),
    ...ofKind(resources, "Service").map(({ metadata, spec }): [string, Labels] => [
      `the Service ${metadata.name}`,
      spec.selector,
    ]),
    ...ofKind(resources, "PodDisruptionBudget").map(({ spec }): [string, Labels] => [
      "the PodDisruptionBudget",
      spec.selector.matchLabels,
    ]),
  ];
  const policies = ofKind(resources, "NetworkPolicy").map(({ spec }) =>
    selectedBy(spec.podSelector.matchLabels),
  );
  return [
    ...selectors
      .map(([what, selector]) => [what, selectedBy(selector)] as const)
      .filter(([, selected]) => selected !== server)
      .map(([what, selected]) => `${what} selects "${selected}"`),
    ...(policies.toSorted().join(" and ") === [...templates.keys()].toSorted().join(" and ")
      ? []
      : [`the NetworkPolicies select ${policies.join(" and ")}`]),
  ];
}

function portProblems(resources: readonly Resource[]): string[] {
  const ports = [...podTemplates(resources).values()]
    .flatMap(({ spec }) => spec.containers)
    .flatMap((container) => container.ports ?? []);
  const named = ofKind(resources, "NetworkPolicy")
    .flatMap(({ spec }) => spec.ingress ?? [])
    .flatMap((rule) => rule.ports.map(({ port }) => port));
  return [
    ...named
      .filter((port) => !ports.some(({ name }) => name === port))
      .map((port) => `no pod has the port ${port}`),
    ...ofKind(resources, "Service").flatMap(({ metadata, spec }) =>
      spec.ports.flatMap(({ port, targetPort }) => {
        const target = ports.find(({ name }) => name === targetPort);
        return [
          ...(target === undefined ? [`${metadata.name}: no pod has the port ${targetPort}`] : []),
          ...(spec.clusterIP === "None" && target?.containerPort !== port
            ? [`${metadata.name}: a headless Service does not translate the port ${port}`]
            : []),
        ];
      }),
    ),
  ];
}

/** The job in the rules of Prometheus: the name of the monitored Service. */
const JOB = "utility-tools";

/** A ServiceMonitor must find the port in one Service: each pod is scraped once. */
function monitorProblems(resources: readonly Resource[]): string[] {
  const hasTls = ofKind(resources, "ConfigMap").some(({ data }) => data?.TLS_CERT_FILE !== undefined);
  return ofKind(resources, "ServiceMonitor").flatMap(({ spec: { selector, endpoints } }) =>
    endpoints.flatMap(({ port, path, scheme = "http" }) => {
      const found = ofKind(resources, "Service").filter(
        ({ metadata, spec }) =>
          matches(selector.matchLabels, metadata.labels) && spec.ports.some(({ name }) => name === port),
      );
      return [
        ...(found.length === 1 ? [] : [`the ServiceMonitor finds ${found.length} ports ${port}`]),
        ...found
          .filter(({ metadata }) => metadata.name !== JOB)
          .map(({ metadata }) => `the ServiceMonitor names the job ${metadata.name}`),
        ...(path === "/metrics" ? [] : [`there are no metrics at ${path}`]),
        ...(scheme === (hasTls ? "https" : "http") ? [] : [`the ServiceMonitor uses ${scheme}`]),
      ];
    }),
  );
}

function backendProblems({ kind, spec }: Resource<Route<unknown>>, resources: readonly Resource[]): string[] {
  return spec.rules
    .flatMap(({ backendRefs }) => backendRefs)
    .filter(
      (backend) =>
        !ofKind(resources, "Service").some(
          (service) =>
            service.metadata.name === backend.name &&
            service.spec.ports.some(({ port }) => port === backend.port),
        ),
    )
    .map(({ name, port }) => `${kind}: there is no ${name}:${port}`);
}

function httpRouteProblems(route: Resource<Specs["HTTPRoute"]>, resources: readonly Resource[]): string[] {
  const routed = route.spec.rules.flatMap((rule) => rule.matches).map(({ path }) => path);
  const isRouted = (path: string): boolean =>
    routed.some(({ type, value }) =>
      type === "Exact" ? path === value : value === "/" || path === value || path.startsWith(`${value}/`),
    );
  return [
    ...backendProblems(route, resources),
    ...PUBLIC_PATHS.filter((path) => !isRouted(path)).map((path) => `HTTPRoute: ${path} is not routed`),
    ...PRIVATE_PATHS.filter(isRouted).map((path) => `HTTPRoute: ${path} is routed`),
  ];
}

function grpcRouteProblems(route: Resource<Specs["GRPCRoute"]>, resources: readonly Resource[]): string[] {
  const routed = route.spec.rules.flatMap((rule) => rule.matches).map(({ method }) => method.service);
  const hosts = ofKind(resources, "HTTPRoute").flatMap(({ spec }) => spec.hostnames);
  return [
    ...backendProblems(route, resources),
    ...services
      .filter(({ typeName }) => !routed.includes(typeName))
      .map(({ typeName }) => `GRPCRoute: ${typeName} is not routed`),
    ...route.spec.hostnames
      .filter((host) => hosts.includes(host))
      .map((host) => `${host} is a host name of an HTTPRoute and a GRPCRoute`),
  ];
}
