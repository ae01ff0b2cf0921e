// `npm run check -- site`: builds the site of the documents into `checks/site/.vitepress/dist`. A link to a page that does not exist fails.
//   npm run check -- site --base /utility-tools/   below a path of a host
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseArgs } from "node:util";
import { pageOf } from "./pages.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGES = join(import.meta.dirname, "pages");
const OUTPUT = join(import.meta.dirname, ".vitepress", "dist");

const { values } = parseArgs({ options: { base: { type: "string", default: "/" } } });
const { repository } = JSON.parse(readFileSync(join(ROOT, "release.config.json"), "utf8"));

rmSync(PAGES, { recursive: true, force: true });
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 16 * 1024 * 1024,
});
for (const file of listed.split("\n")) {
  if (file.endsWith(".md") && !file.startsWith(".github/")) {
    write(
      posix.join(dirname(file), posix.basename(file).replace("README.md", "index.md")),
      pageOf(file, read(file), repository),
    );
  }
}
cpSync(join(ROOT, "docs", "pictures"), join(PAGES, "docs", "pictures"), { recursive: true });
cpSync(join(ROOT, "packages", "architecture.svg"), join(PAGES, "packages", "architecture.svg"));

const vitepress = join(import.meta.dirname, "node_modules", "vitepress", "bin", "vitepress.js");
const { status } = spawnSync(
  process.execPath,
  [vitepress, "build", import.meta.dirname, "--base", values.base],
  {
    stdio: "inherit",
  },
);
if (status === 0) {
  const bytes = readdirSync(OUTPUT, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
  console.log(`${(bytes / 1e6).toFixed(1)} MB in ${OUTPUT}`);
}
process.exitCode = status ?? 1;

function read(file) {
  return readFileSync(join(ROOT, file), "utf8");
}

function write(file, text) {
  mkdirSync(join(PAGES, dirname(file)), { recursive: true });
  writeFileSync(join(PAGES, file), text);
}
