// `npm run check -- package/alone`: copies packages/ and the license into an empty folder, adds a manifest, installs, and runs the tests
// there. So the packages can become a repository of their own.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, checkRuns, conclude, mustRun, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { ROOT } from "../lib/service.mjs";

const copy = temporaryFolder("alone");
for (const file of trackedFiles("packages", "LICENSE", "NOTICE")) {
  cpSync(join(ROOT, file), join(copy, file));
}
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const shared = ["@types/node", "typescript", "vitest"].map((name) => [name, devDependencies[name]]);
const manifest = {
  private: true,
  type: "module",
  workspaces: ["packages/*"],
  devDependencies: Object.fromEntries(shared),
};
writeFileSync(join(copy, "package.json"), JSON.stringify(manifest));

const outside = trackedFiles("packages").flatMap((file) => pathsOutside(file));
check("no file names a path outside of packages/", outside.length === 0, outside.join("\n"));
const options = { cwd: copy, seconds: 900 };
checkRuns("npm install", "npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], options);
checkRuns("tsc", "npx", ["tsc", "-p", "packages", "--noEmit"], options);
checkRuns("the tests", "npx", ["vitest", "run", "--config", "packages/vitest.config.ts"], options);
conclude();

function trackedFiles(...paths) {
  return mustRun("git", ["ls-files", ...paths], { cwd: ROOT })
    .stdout.trim()
    .split("\n");
}

/** The relative paths in a file that lead out of packages/: in links of Markdown, and in strings of code. */
function pathsOutside(file) {
  if (!/\.(?:md|[cm]?[jt]sx?|json)$/.test(file)) {
    return [];
  }
  const depth = file.split("/").length - 2;
  return [...readFileSync(join(ROOT, file), "utf8").matchAll(/(?<=\]\(|["'`])(?:\.\.\/)+/g)]
    .filter(([up]) => up.length / 3 > depth)
    .map(([up]) => `${file}: ${up}`);
}
