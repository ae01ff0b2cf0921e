import { join } from "node:path";
import { check, checkEqual, run } from "connect-transcoding-testing/checks.mjs";

const CHART = join(import.meta.dirname, "..", "..", "..", "deploy", "helm", "utility-tools");
const RELEASE = ["template", "tools", CHART, "--kube-version=1.37.0"];

/** The values that turn on what components of kustomize add. */
const VALUES = {
  "api-keys": { apiKeys: { enabled: true } },
  tls: { tls: { enabled: true } },
  "update-data": { updateData: { by: "job" } },
  "update-data-in-pods": { updateData: { by: "pods" } },
  "gateway-api": { gatewayApi: { enabled: true } },
  "prometheus-operator": { prometheusOperator: { enabled: true } },
};

/** Values that must be rejected, each with a pattern of the message. */
const WRONG_VALUES = [
  [{ apiKey: { enabled: true } }, /additional properties 'apiKey' not allowed/],
  [{ tls: { enable: true } }, /additional properties 'enable' not allowed/],
  [{ tls: { enabled: "yes" } }, /got string, want boolean/],
  [{ updateData: { by: "cron" } }, /must be one of 'none', 'job', 'pods'/],
  [{ settings: { rate_limit: "1/1s" } }, /'rate_limit' does not match pattern/],
  [{ settings: { RATE_LIMIT: ["1/1s"] } }, /got array, want boolean or number or string/],
];

/** Values that no component has, each with a pattern of the objects as JSON. */
const OTHER_VALUES = [
  [
    { settings: { RATE_LIMIT: "6000/1m", PORT: 8080 } },
    /"PORT":"8080","RATE_LIMIT":"6000\/1m".*"name":"utility-tools-settings","optional":false/,
  ],
  [{ settings: { RATE_LIMIT: "6000/1m", RATE_LIMIT_STORE: "redis://a" } }, /"optional":true/],
  [{ settings: { RATE_LIMIT: "6000/1m" }, autoscaling: { enabled: false }, replicas: 1 }, /"optional":true/],
  [
    { tls: { enabled: true }, gatewayApi: { enabled: true } },
    /^(?!.*"port":80[,}]).*"port":443}\],"matches"/,
  ],
  [{ image: { repository: "registry.example/tools", tag: "1.2.3" } }, /"registry\.example\/tools:1\.2\.3"/],
  [{ autoscaling: { enabled: false }, replicas: 3 }, /^(?!.*Autoscaler").*"replicas":3/],
  [{ networkPolicy: { enabled: false } }, /^(?!.*NetworkPolicy")/],
  [{ networkPolicy: { from: [{ podSelector: {} }] } }, /"from":\[\{"podSelector":\{\}\}\]/],
  [{ pod: { nodeSelector: { disk: "ssd" } } }, /"nodeSelector":\{"disk":"ssd"\}/],
  [{ resources: { limits: { memory: "2Gi" } } }, /"resources":\{"limits":\{"memory":"2Gi"\}\}/],
];

/** Checks that the chart of Helm and kustomize render the same objects with the same components. */
export function checkHelm(programs, rendered, readObjects) {
  const render = (values) =>
    run(join(programs, "helm"), [...RELEASE, "--values=-"], { input: JSON.stringify(values) });
  for (const [components, yaml] of rendered) {
    const { status, stdout, stderr } = render(
      Object.assign({}, ...components.map((component) => VALUES[component])),
    );
    const [found, expected] = [stdout, yaml].map((text) => byName(readObjects(text)));
    const name = `helm with ${components.join(", ") || "the default values"}`;
    check(`${name} renders`, status === 0, stderr);
    checkEqual(`${name} has the objects of kustomize`, Object.keys(found), Object.keys(expected));
    for (const [object, content] of Object.entries(expected)) {
      checkEqual(`${name}: ${object}`, found[object], content);
    }
  }
  for (const [values, problem] of WRONG_VALUES) {
    const { status, stderr } = render(values);
    check(`helm rejects ${JSON.stringify(values)}`, status !== 0 && problem.test(stderr), stderr);
  }
  for (const [values, pattern] of OTHER_VALUES) {
    const { status, stdout, stderr } = render(values);
    const objects = JSON.stringify(readObjects(stdout));
    check(
      `helm uses ${JSON.stringify(values)}`,
      status === 0 && pattern.test(objects),
      `${stderr}${objects}`,
    );
  }
}

/** Returns the objects by kind and name, without what replaces pods when settings change: a name in kustomize, an annotation in Helm. */
function byName(objects) {
  const text = JSON.stringify(objects)
    .replace(/(utility-tools-settings)-\w{10}"/g, '$1"')
    .replace(/"annotations":\{"checksum\/settings":"\w{64}"\},?/g, "");
  const named = JSON.parse(text).map((object) => [`${object.kind} ${object.metadata.name}`, object]);
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
