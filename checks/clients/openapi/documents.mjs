// Lints documents, and generates types from them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { check, checkRuns, mustRun } from "connect-transcoding-testing/checks.mjs";
import { ROOT } from "../../lib/service.mjs";

const HERE = import.meta.dirname;
const COMMAND = join(ROOT, "packages", "connect-transcoding", "dist", "cli", "main.js");
/** Descriptor sets of other services, by name. */
const DESCRIPTORS = {
  garden: join(ROOT, "packages/testing/gen/garden.binpb"),
  library: join(ROOT, "packages/connect-transcoding/examples/google-library/gen/library.binpb"),
};

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

/** Checks documents: that of the service, and others. */
export async function checkDocuments(temporary, document) {
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
}
