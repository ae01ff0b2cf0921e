// Runs TypeScript without a build: `node --import ./packages/testing/typescript.mjs packages/connect-transcoding/checks/fuzz/engine.ts`. The packages of this repository
// are their sources, too. Types are removed, and nothing else changes, so that programs run as fast as built ones.
import { existsSync, readFileSync } from "node:fs";
import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transformSync } from "rolldown/utils";

/** The condition of `exports` in packages/<name>/package.json that names sources. */
const SOURCE = "utility-tools-source";

/** Imports name the built file: `./x.js` is `./x.ts` here. */
export function resolve(specifier, context, next) {
  const conditions = [...context.conditions, SOURCE];
  if (/^(?:\.{1,2}\/|file:).*\.js$/.test(specifier)) {
    const source = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
    if (existsSync(source) && !existsSync(new URL(specifier, context.parentURL))) {
      return next(source.href, { ...context, conditions });
    }
  }
  return next(specifier, { ...context, conditions });
}

/** Removes the types of a file. Reads JSON as a module, for which Node 20 prints a warning. */
export function load(url, context, next) {
  if (/^file:.*\.json$/.test(url)) {
    const source = `export default ${readFileSync(fileURLToPath(url), "utf8")}`;
    return { format: "module", source, shortCircuit: true };
  }
  if (!/^file:.*\.ts$/.test(url)) {
    return next(url, context);
  }
  const file = fileURLToPath(url);
  const { code, map, errors } = transformSync(file, readFileSync(file, "utf8"), {
    target: "es2023",
    sourcemap: true,
  });
  if (errors.length > 0) {
    throw new SyntaxError(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
  }
  const encoded = Buffer.from(JSON.stringify(map)).toString("base64");
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
  return { format: "module", source, shortCircuit: true };
}

// Node before 22.15 has only hooks in a thread of their own, which loads this file again.
if ("registerHooks" in module) {
  module.registerHooks({ resolve, load });
} else if (isMainThread) {
  module.register(import.meta.url);
}
