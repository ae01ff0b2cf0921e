// Builds deploy/kubernetes with kustomize, validates the resources with kubeconform, and checks what schemas do not; then changes the
// example, and checks that the changes are found. Go builds the programs and downloads the schemas once.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { conclude, mustRun, run, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { goPrograms } from "connect-transcoding-testing/go.mjs";
import { parse, parseAllDocuments } from "yaml";
import { checkMistakes } from "../check-mistakes.mjs";
import { checkHelm } from "./helm.mjs";
import { MISTAKES } from "./mistakes.mjs";
import { problemsOf } from "./problems.mjs";
import { writeSchemas } from "./schemas.mjs";

const HERE = import.meta.dirname;
const KUBERNETES = join(HERE, "..", "..", "..", "deploy", "kubernetes");
const PROGRAMS = [
  "sigs.k8s.io/kustomize/kustomize/v5",
  "github.com/yannh/kubeconform/cmd/kubeconform",
  "helm.sh/helm/v3/cmd/helm",
];

const prepareSchemas = (folder) => writeSchemas(join(folder, "schemas"));
const programs = goPrograms("kubernetes", HERE, PROGRAMS, prepareSchemas, ["schemas.mjs"]);
/** The name and the tag of the image, which the chart has as well. */
const { images } = parse(readFileSync(join(KUBERNETES, "example", "kustomization.yaml"), "utf8"));
const components = readdirSync(join(KUBERNETES, "components"));
// TLS changes what the others add.
const last = ["tls", "update-data-in-pods"];
const withTls = [...components.filter((name) => !last.includes(name)), "tls"];
const temporary = temporaryFolder("kubernetes");
const rendered = [[], ...components.map((name) => [name]), withTls].map((used) => [
  used,
  build(overlay(used)),
]);
for (const [used, yaml] of rendered) {
  checkMistakes(`base with ${used.join(", ") || "no component"}`, yaml, [], problemsIn);
}
checkHelm(programs, rendered, readObjects);
checkMistakes("example", build(join(KUBERNETES, "example")), MISTAKES, problemsIn);
conclude();

/** Creates an overlay with the base and components. Returns its folder. */
function overlay(used) {
  const folder = mkdtempSync(join(temporary, "overlay-"));
  const path = (...names) => relative(folder, join(KUBERNETES, ...names));
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [path("base")],
    components: used.map((component) => path("components", component)),
    images,
  };
  // JSON is YAML.
  writeFileSync(join(folder, "kustomization.yaml"), JSON.stringify(kustomization));
  return folder;
}

function build(folder) {
  return mustRun(join(programs, "kustomize"), ["build", folder]).stdout;
}

/** Returns what is wrong with resources in YAML: first by their schemas, then with their relations. */
function problemsIn(yaml) {
  const schemas = join(programs, "schemas", "{{ .ResourceKind }}{{ .KindSuffix }}.json");
  const args = ["-strict", "-summary", "-schema-location", schemas];
  const { status, stdout, stderr } = run(join(programs, "kubeconform"), args, { input: yaml });
  if (status !== 0) {
    return [`${stdout}${stderr}`];
  }
  return problemsOf(readObjects(yaml));
}

function readObjects(yaml) {
  return parseAllDocuments(yaml).map((document) => document.toJS());
}
