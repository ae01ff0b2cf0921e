// Lints documents, and generates clients from them with generators that reject what others pass over. Those that build for minutes run with
// `--all`: ogen (Go) and OpenAPI Generator (Java).
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { check, checkRuns, mustRun, run } from "connect-transcoding-testing/checks.mjs";
import { ROOT } from "../../lib/service.mjs";

const HERE = import.meta.dirname;
const COMMAND = join(ROOT, "packages", "connect-transcoding", "dist", "cli", "main.js");
/** Descriptor sets of other services, by name. */
const DESCRIPTORS = {
  garden: join(ROOT, "packages/testing/gen/garden.binpb"),
  library: join(ROOT, "packages/connect-transcoding/examples/google-library/gen/library.binpb"),
};
const GENERATOR = "7.14.0";

/** Writes the document of the service, and those of other services in both versions of OpenAPI, to a folder. Returns their paths by name. */
function writeDocuments(folder, document) {
  mkdirSync(folder);
  const texts = { service: JSON.stringify(document) };
  for (const [name, descriptor] of Object.entries(DESCRIPTORS)) {
    for (const version of ["3.1", "3.0"]) {
      const args = [COMMAND, "openapi", "--descriptor", descriptor, "--openapi", version];
      texts[`${name}-${version}`] = mustRun(process.execPath, args).stdout;
    }
  }
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, text);
      return [name, path];
    }),
  );
}

/** Checks documents: that of the service, and others. `env` has the URL of the service and a key. */
export async function checkDocuments(temporary, document, env, isAll) {
  const documents = writeDocuments(join(temporary, "documents"), document);
  console.log("\nDocuments");
  const config = await createConfig({ extends: ["recommended"] });
  for (const [name, path] of Object.entries(documents)) {
    const source = readFileSync(path, "utf8");
    const found = await lintFromString({ source, absoluteRef: path, config });
    // Warnings concern what proto files do not have, such as a license. An invalid example is a warning, too.
    const problems = found.filter(({ severity, ruleId }) => severity === "error" || /example/.test(ruleId));
    check(
      `Redocly has no objection to ${name}`,
      problems.length === 0,
      problems.map(({ message }) => message),
    );
  }
  const declarations = Object.entries(documents).map(([name, path]) => {
    const output = join(temporary, "documents", `${name}.ts`);
    const command = ["openapi-typescript", path, "--output", output];
    checkRuns(`openapi-typescript accepts ${name}`, "npx", command, { cwd: HERE });
    return output;
  });
  checkRuns("its types compile", "npx", ["tsc", "--noEmit", "--strict", ...declarations], { cwd: HERE });
  if (isAll) {
    ogen(temporary, documents, env);
    openApiGenerator(temporary, documents);
  }
}

function ogen(temporary, documents, env) {
  const folder = join(temporary, "ogen");
  cpSync(join(HERE, "ogen"), folder, { recursive: true });
  const seconds = 600;
  for (const [name, path] of Object.entries(documents)) {
    const args = [
      "tool",
      "ogen",
      "--config",
      "ogen.yml",
      "--package",
      "api",
      "--target",
      name.replace(".", ""),
      path,
    ];
    checkRuns(`ogen accepts ${name}`, "go", args, { cwd: folder, seconds });
  }
  checkRuns("its clients compile", "go", ["build", "-mod=readonly", "./..."], { cwd: folder, seconds });
  const { status, stdout, stderr } = run("go", ["run", "."], { cwd: folder, env, seconds });
  check(
    "its client calls the service",
    status === 0 && stdout === '["200","Japan"]\n["404","COUNTRY_NOT_FOUND"]\n',
    stdout + stderr,
  );
}

function openApiGenerator(temporary, documents) {
  const artifact = `org.openapitools:openapi-generator-cli:${GENERATOR}`;
  mustRun("mvn", ["--quiet", "dependency:get", `-Dartifact=${artifact}`, "-Dtransitive=false"], {
    seconds: 300,
  });
  const repository = join(homedir(), ".m2", "repository", "org", "openapitools", "openapi-generator-cli");
  const jar = join(temporary, "openapi-generator.jar");
  copyFileSync(join(repository, GENERATOR, `openapi-generator-cli-${GENERATOR}.jar`), jar);
  for (const [name, path] of Object.entries(documents)) {
    const folder = join(temporary, "openapi-generator", name);
    // Its validator allows only texts as the body of a link.
    const args = [
      "-Xmx700m",
      "-jar",
      jar,
      "generate",
      "--skip-validate-spec",
      "-g",
      "typescript-fetch",
      "-i",
      path,
      "-o",
      folder,
    ];
    checkRuns(`OpenAPI Generator accepts ${name}`, "java", args, { seconds: 300 });
    const compiler = [
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--moduleResolution",
      "bundler",
      "--module",
      "esnext",
    ];
    checkRuns(`its client of ${name} compiles`, "npx", ["tsc", ...compiler, join(folder, "index.ts")], {
      cwd: HERE,
    });
  }
}
