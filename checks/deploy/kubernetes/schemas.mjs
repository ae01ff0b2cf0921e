// JSON schemas of resources for kubeconform, from the API documents of Kubernetes and the definitions of custom resources. The
// documents do not say that objects have no other members than those described; the schemas do.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "connect-transcoding-testing/checks.mjs";
import { parse } from "yaml";

/** The Go modules with the documents, which are not built, and their checksums as in go.sum. */
const MODULES = {
  kubernetes: ["k8s.io/kubernetes@v1.37.2", "h1:A2VDEiObzkYqFTKhSsn0ZEb0RlLEXpHWj93gi2HqEwE="],
  gatewayApi: ["sigs.k8s.io/gateway-api@v1.6.3", "h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc="],
  prometheusOperator: [
    "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
  ],
};

/** API documents of Kubernetes, and the kinds of which schemas are written. */
const BUILT_IN = [
  ["api__v1", "v1", ["ConfigMap", "PersistentVolumeClaim", "Service"]],
  ["apis__apps__v1", "apps-v1", ["Deployment"]],
  ["apis__autoscaling__v2", "autoscaling-v2", ["HorizontalPodAutoscaler"]],
  ["apis__batch__v1", "batch-v1", ["CronJob"]],
  ["apis__networking.k8s.io__v1", "networking-v1", ["NetworkPolicy"]],
  ["apis__policy__v1", "policy-v1", ["PodDisruptionBudget"]],
];

/** Files with definitions of custom resources, by module. */
const CUSTOM = {
  gatewayApi: ["httproutes", "grpcroutes"].map(
    (name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`,
  ),
  prometheusOperator: ["servicemonitors", "prometheusrules"].map(
    (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
  ),
};

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const REQUIRED = ["apiVersion", "kind", "metadata"];

/** Writes the schemas, such as `deployment-apps-v1.json`. */
export function writeSchemas(target) {
  mkdirSync(target);
  const write = (kind, suffix, schema) =>
    writeFileSync(join(target, `${kind.toLowerCase()}-${suffix}.json`), JSON.stringify(schema));
  const metadata = {};
  const kubernetes = download(MODULES.kubernetes);
  for (const [name, suffix, kinds] of BUILT_IN) {
    const file = join(kubernetes, "api", "openapi-spec", "v3", `${name}_openapi.json`);
    const { schemas } = JSON.parse(readFileSync(file, "utf8")).components;
    const definitions = mapValues(schemas, strict);
    for (const id of Object.keys(definitions).filter((each) => each.startsWith(META))) {
      metadata[id] = definitions[id];
    }
    for (const kind of kinds) {
      const [id] = Object.entries(schemas).find(([, schema]) =>
        schema["x-kubernetes-group-version-kind"]?.some((each) => each.kind === kind),
      );
      write(kind, suffix, { $ref: `#/definitions/${id}`, required: REQUIRED, definitions });
    }
  }
  for (const [module, files] of Object.entries(CUSTOM)) {
    const folder = download(MODULES[module]);
    for (const file of files) {
      const { spec } = parse(readFileSync(join(folder, file), "utf8"));
      const { name, schema } = spec.versions.find((version) => version.name === "v1");
      const { properties, ...rest } = strict(schema.openAPIV3Schema);
      const required = [...REQUIRED, "spec"];
      properties.metadata = { $ref: `#/definitions/${META}ObjectMeta` };
      const suffix = `${spec.group.split(".")[0]}-${name}`;
      write(spec.names.kind, suffix, { ...rest, required, properties, definitions: metadata });
    }
  }
}

/** Downloads a Go module without building it. Returns its folder. */
function download([module, sum]) {
  const { stdout } = mustRun("go", ["mod", "download", "-json", module], { cwd: "/", seconds: 600 });
  const downloaded = JSON.parse(stdout);
  if (downloaded.Sum !== sum) {
    throw new Error(`${module} has the checksum ${downloaded.Sum} instead of ${sum}`);
  }
  return downloaded.Dir;
}

/** Forbids members that a schema does not describe, at any depth, and removes descriptions, which are most of the documents. */
function strict({ description: _, ...schema }) {
  const { $ref, allOf, properties, additionalProperties, items } = schema;
  const isOpen = additionalProperties !== undefined || schema["x-kubernetes-preserve-unknown-fields"];
  return {
    ...schema,
    ...($ref && { $ref: $ref.replace("#/components/schemas/", "#/definitions/") }),
    // A reference; others are conditions on members that are described beside them.
    ...(allOf && { allOf: allOf.map((each) => (each.$ref === undefined ? each : strict(each))) }),
    ...(properties && { properties: mapValues(properties, strict) }),
    ...(properties && !isOpen && { additionalProperties: false }),
    ...(typeof additionalProperties === "object" && { additionalProperties: strict(additionalProperties) }),
    ...(items && { items: strict(items) }),
  };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
