/** A change of the example's YAML, and a problem that it must cause. */
export type Mistake = readonly [change: string, from: string | RegExp, to: string, problem: RegExp];

/** Mistakes that the checks must find. */
export const MISTAKES: readonly Mistake[] = [
  [
    "a misspelled field",
    "readOnlyRootFilesystem",
    "readOnlyRootFileSystem",
    /additional properties .*readOnlyRootFileSystem/,
  ],
  ["a misspelled field of a route", "backendRefs", "backendRef", /additional properties .*backendRef/],
  ["a misspelled field of an alert", "expr:", "expression:", /expr/],
  ["a wrong type", "maxReplicas: 10", "maxReplicas: ten", /got string, want integer/],
  ["a missing field", /\n {2}scaleTargetRef:(?:\n {4}.*)+/, "", /scaleTargetRef/],
  ["an unknown kind", "kind: Deployment", "kind: Deploymnt", /could not find schema/],
  ["an unknown setting", "GRACE_PERIOD:", "GRACE_PERIODS:", /GRACE_PERIODS is not a setting/],
  ["an invalid setting", "RATE_LIMIT: 6000/1m", "RATE_LIMIT: 6000/x", /RATE_LIMIT must be/],
  [
    "a short grace period",
    "terminationGracePeriodSeconds: 30",
    "terminationGracePeriodSeconds: 23",
    /must exceed/,
  ],
  ["another probe", "path: /readyz", "path: /ready", /readinessProbe: there is no health check at "\/ready"/],
  ["another port of a probe", /port: http\n( {10}periodSeconds: 3)/, "port: https\n$1", /no port "https"/],
  [
    "another port of the container",
    "containerPort: 8080",
    "containerPort: 8081",
    /the port is not PORT, 8080/,
  ],
  [
    "another image",
    /image: registry\.example\/utility-tools:\S+/,
    "image: utility-tools:0.0.0",
    /the images differ/,
  ],
  ["a file elsewhere", "/etc/utility-tools/keys/keys", "/etc/keys", /not mounted/],
  [
    "a subPath",
    "name: keys\n          readOnly: true",
    "name: keys\n          subPath: keys\n          readOnly: true",
    /never updated/,
  ],
  ["a missing claim", "claimName: utility-tools-data", "claimName: data", /no claim data/],
  [
    "a missing ConfigMap",
    "configMapRef:\n            name: utility-tools",
    "configMapRef:\n            name: tools",
    /does not exist/,
  ],
  ["root", "runAsNonRoot: true", "runAsNonRoot: false", /privileges/],
  [
    "a Service of all pods",
    "selector:\n    app.kubernetes.io/component: server\n",
    "selector:\n",
    /selects "Deployment utility-tools,CronJob/,
  ],
  ["another port of a Service", "targetPort: http\n", "targetPort: htp\n", /no pod has the port htp/],
  ["a route to no port", "port: 8080\n    matches", "port: 8081\n    matches", /no utility-tools:8081/],
  [
    "a route to the metrics",
    "value: /workbench\n",
    "value: /workbench\n    - path:\n        type: Exact\n        value: /metrics\n",
    /\/metrics is routed/,
  ],
  [
    "a service without a route",
    "service: utilitytools.v1.OtpService",
    "service: utilitytools.v1.Otp",
    /OtpService is not routed/,
  ],
  ["one host name for both routes", "- grpc.tools", "- tools", /an HTTPRoute and a GRPCRoute/],
  [
    "another name of the job",
    "path: /metrics\n    port: http",
    "path: /metrics\n    port: grpc-pods",
    /the job utility-tools-pods/,
  ],
  ["a monitor of no port", /port: http\n( {4}scrapeTimeout)/, "port: metrics\n$1", /finds 0 ports/],
  [
    "an autoscaler of nothing",
    "kind: Deployment\n    name: utility-tools",
    "kind: Deployment\n    name: tools",
    /which does not exist/,
  ],
];
