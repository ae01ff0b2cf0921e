import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseAllDocuments } from "yaml";
import { createChecks } from "../checks.js";
import { ROOT } from "../service-process.js";
import { MISTAKES } from "./mistakes.js";
import { networkProblems } from "./network-problems.js";
import { podProblems } from "./pod-problems.js";
import type { Resource } from "./resources.js";

// Builds and validates deploy/kubernetes. The argument is the folder of the programs and schemas; see run.mjs.
const [programs = ""] = process.argv.slice(2);
const KUBERNETES = join(ROOT, "deploy", "kubernetes");
const COMPONENTS = readdirSync(join(KUBERNETES, "components"));

const { check, ...checks } = createChecks();
const temporary = mkdtempSync(join(tmpdir(), "utility-tools-kubernetes-"));
try {
  // TLS changes what the others add, and needs a gateway that connects with TLS.
  const withTls = [...COMPONENTS.filter((name) => name !== "tls" && name !== "gateway-api"), "tls"];
  const variants: readonly (readonly [name: string, folder: string])[] = [
    ["base", join(KUBERNETES, "base")],
    ["example", join(KUBERNETES, "example")],
    ...COMPONENTS.map((name) => [`base with ${name}`, overlay(name, [name])] as const),
    [`base with ${withTls.join(", ")}`, overlay("all-with-tls", withTls)],
  ];
  for (const [name, folder] of variants) {
    const problems = problemsOf(build(folder));
    check(`${name} is valid`, problems.length === 0, problems);
  }
  const example = build(join(KUBERNETES, "example"));
  for (const [change, from, to, problem] of MISTAKES) {
    const changed = example.replace(from, to);
    const problems = changed === example ? ["nothing has changed"] : problemsOf(changed);
    check(
      `found: ${change}`,
      problems.some((each) => problem.test(each)),
      problems,
    );
  }
} finally {
  rmSync(temporary, { recursive: true });
}
process.exitCode = checks.failures() === 0 ? 0 : 1;

/** Creates an overlay with the base and components. Returns its folder. */
function overlay(name: string, components: readonly string[]): string {
  const folder = mkdtempSync(join(temporary, `${name}-`));
  const path = (...names: string[]): string => relative(folder, join(KUBERNETES, ...names));
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [path("base")],
    components: components.map((component) => path("components", component)),
  };
  // JSON is YAML.
  writeFileSync(join(folder, "kustomization.yaml"), JSON.stringify(kustomization));
  return folder;
}

function build(folder: string): string {
  const { status, stdout, stderr } = spawnSync(join(programs, "kustomize"), ["build", folder], {
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(`kustomize build ${folder}: ${stderr}`);
  }
  return stdout;
}

/** Returns what is wrong with resources in YAML: first by their schemas, then with their relations. */
function problemsOf(yaml: string): string[] {
  const schemas = join(programs, "schemas", "{{ .ResourceKind }}{{ .KindSuffix }}.json");
  const args = ["-strict", "-summary", "-schema-location", schemas];
  const { status, stdout, stderr } = spawnSync(join(programs, "kubeconform"), args, {
    input: yaml,
    encoding: "utf8",
  });
  if (status !== 0) {
    return [`${stdout}${stderr}`];
  }
  const resources = parseAllDocuments(yaml).map((document): Resource => document.toJS());
  return [...podProblems(resources), ...networkProblems(resources)];
}
