/** A resource of Kubernetes. Its schema has been validated, so that `spec` has the type of its kind. */
export interface Resource<Spec = unknown> {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec: Spec;
  /** The content of a ConfigMap. */
  readonly data?: Readonly<Record<string, string>>;
}

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  readonly matchLabels: Labels;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly runAsUser?: number;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: LabelSelector }[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources?: { readonly limits?: Labels; readonly requests?: Labels };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[] };
  };
  readonly volumeMounts?: readonly VolumeMount[];
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme?: "HTTP" | "HTTPS" };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
}

export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

/** The specs of the kinds whose relations are checked. */
export interface Specs {
  readonly ConfigMap: unknown;
  readonly CronJob: { readonly jobTemplate: { readonly spec: { readonly template: PodTemplate } } };
  readonly Deployment: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
  readonly GRPCRoute: Route<{ readonly method: { readonly service: string } }>;
  readonly HTTPRoute: Route<{
    readonly path: { readonly type: "Exact" | "PathPrefix"; readonly value: string };
  }>;
  readonly HorizontalPodAutoscaler: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
  };
  readonly NetworkPolicy: {
    readonly podSelector: LabelSelector;
    readonly ingress?: readonly { readonly ports: readonly { readonly port: number | string }[] }[];
  };
  readonly PersistentVolumeClaim: unknown;
  readonly PodDisruptionBudget: { readonly selector: LabelSelector };
  readonly Service: {
    readonly clusterIP?: string;
    readonly selector: Labels;
    readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
  };
  readonly ServiceMonitor: {
    readonly selector: LabelSelector;
    readonly endpoints: readonly { readonly port: string; readonly path: string; readonly scheme?: string }[];
  };
}

export interface Route<Match> {
  readonly hostnames: readonly string[];
  readonly rules: readonly {
    readonly matches: readonly Match[];
    readonly backendRefs: readonly { readonly name: string; readonly port: number }[];
  }[];
}

/** Returns the resources of a kind. */
export function ofKind<K extends keyof Specs>(
  resources: readonly Resource[],
  kind: K,
): readonly Resource<Specs[K]>[] {
  return resources.filter((each): each is Resource<Specs[K]> => each.kind === kind);
}

/** Returns the pod templates by the name of their resource. */
export function podTemplates(resources: readonly Resource[]): ReadonlyMap<string, PodTemplate> {
  return new Map([
    ...ofKind(resources, "Deployment").map(
      ({ metadata, spec }) => [`Deployment ${metadata.name}`, spec.template] as const,
    ),
    ...ofKind(resources, "CronJob").map(
      ({ metadata, spec }) => [`CronJob ${metadata.name}`, spec.jobTemplate.spec.template] as const,
    ),
  ]);
}

/** Whether labels match all labels of a selector. */
export function matches(selector: Labels, labels: Labels = {}): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
