// `npm run check -- site`: builds the site of the documents into `checks/site/.vitepress/dist`. A link to a page that does not exist fails,
// a search that does not find its page, and what is wrong on pages in Chromium.
//   npm run check -- site --base /utility-tools/   below a path of a host
//   npm run docs                                   serves the site on this machine instead
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseArgs } from "node:util";
import { visibleProblems } from "./looks.mjs";
import { pageOf, startPage } from "./pages.mjs";
import { missedSearches } from "./searches.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGES = join(import.meta.dirname, "pages");
const OUTPUT = join(import.meta.dirname, ".vitepress", "dist");

const { values } = parseArgs({
  options: { base: { type: "string", default: "/" }, serve: { type: "boolean", default: false } },
});
const { repository } = JSON.parse(readFileSync(join(ROOT, "release.config.json"), "utf8"));

rmSync(PAGES, { recursive: true, force: true });
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 16 * 1024 * 1024,
}).split("\n");
for (const file of tracked) {
  if (file.endsWith(".md") && !file.startsWith(".github/")) {
    write(
      posix.join(dirname(file), posix.basename(file).replace("README.md", "index.md")),
      pageOf(file, read(file), repository),
    );
  }
}
write(
  "index.md",
  startPage(read("checks/site/start.md"), pageOf("README.md", read("README.md"), repository)),
);
cpSync(join(ROOT, "docs", "pictures"), join(PAGES, "docs", "pictures"), { recursive: true });
for (const picture of tracked.filter((path) => /^packages\/.*\.svg$/.test(path))) {
  cpSync(join(ROOT, picture), join(PAGES, picture));
}
cpSync(join(ROOT, "src", "service", "pages", "web", "icon.svg"), join(PAGES, "public", "icon.svg"));

const vitepress = join(import.meta.dirname, "node_modules", "vitepress", "bin", "vitepress.js");
const { status } = spawnSync(
  process.execPath,
  [vitepress, values.serve ? "dev" : "build", import.meta.dirname, "--base", values.base],
  { stdio: "inherit" },
);
const problems =
  status === 0 && !values.serve
    ? [...(await missedSearches(OUTPUT)), ...(await visibleProblems(OUTPUT, values.base))]
    : [];
for (const problem of problems) {
  console.error(problem);
}
process.exitCode = problems.length > 0 ? 1 : (status ?? 1);

function read(file) {
  return readFileSync(join(ROOT, file), "utf8");
}

function write(file, text) {
  mkdirSync(join(PAGES, dirname(file)), { recursive: true });
  writeFileSync(join(PAGES, file), text);
}
