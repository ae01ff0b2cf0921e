import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NAMES } from "../../scripts/release/install.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const PAGES = execFileSync("git", ["ls-files", "*.md", ".github/*.yml"], { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n");

/** Names of others: registry, name, and for a command the package that has it. */
const KNOWN = read("test/release/documented-names.tsv")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("\t"));
const isKnown = (registry: string, name: string) =>
  KNOWN.some(([at, each]) => at === registry && each === name);

/** Commands that install or run something by its name, by registry. */
const COMMANDS: readonly (readonly [registry: string, command: RegExp])[] = [
  ["npm", /\bnpm (?:install|i|add|exec)\b/],
  ["npx", /\bnpx\b/],
  ["pip", /\bpip3? install\b/],
  ["image", /\b(?:podman|docker) (?:pull|run|create)\b/],
  ["chart", /\bhelm (?:install|upgrade) [\w-]+/],
  ["go", /\bgo (?:get|install)\b/],
  ["debian", /\bapt(?:-get)? install\b/],
];
/** Flags without a value. */
const FLAGS =
  /^--?(?:rm|read-only|detach|replace|quiet|yes|save-dev|global|g|D|tool|no-install-recommends|interactive|tty)$/;
/** Registries whose commands take several names; of the others, the words after the name are arguments of the program. */
const SEVERAL: readonly string[] = ["npm", "pip", "go", "debian"];

/** Returns "registry name" of all that the commands of a page install or run. */
function namesIn(page: string): string[] {
  const text = page.replaceAll("\\\n", " ");
  return COMMANDS.flatMap(([registry, command]) =>
    [...text.matchAll(new RegExp(`${command.source}([^\\n\`|&;#>)]*)`, "g"))].flatMap(([, args = ""]) => {
      const names = [];
      const words = args.trim().split(/\s+/).filter(Boolean);
      for (let index = 0; index < words.length; index++) {
        const word = words[index] ?? "";
        if (word === "--package" || word === "-p") {
          return [`npm ${words[index + 1]}`];
        }
        if (!word.startsWith("-")) {
          names.push(`${registry} ${withoutVersion(word)}`);
        } else if (!FLAGS.test(word) && !word.includes("=")) {
          index++;
        }
      }
      return SEVERAL.includes(registry) ? names : names.slice(0, 1);
    }),
  );
}

const withoutVersion = (word: string) => word.replaceAll('"', "").replace(/(?<=.)(@|==).*$/, "");

/** Why a name is neither ours nor a known one; undefined if it is. */
function problemOf(entry: string, page: string): string | undefined {
  const [registry = "", name = ""] = entry.split(" ");
  const isFile = /[*$]|^\.|^deploy\/|\.tgz$/.test(name);
  const isOwn = ["npm", "npx"].includes(registry) && NAMES.includes(name);
  const isOwnImage =
    registry === "image" && name === "utility-tools" && /^podman build|image -->/m.test(page);
  const isListed = isKnown(registry, name) || (registry === "npx" && isKnown("npm", name));
  // A command has the name of another package than its own: the page installs that package before.
  const owner = KNOWN.find(([at, each]) => at === "command" && each === name)?.[2];
  const isInstalled = registry === "npx" && owner !== undefined && namesIn(page).includes(`npm ${owner}`);
  return isFile || isOwn || isOwnImage || isListed || isInstalled ? undefined : entry;
}

const problemsOf = (page: string) => namesIn(page).flatMap((entry) => problemOf(entry, page) ?? []);

test.each(PAGES)("%s installs and runs only what is ours or known", (file) => {
  expect(problemsOf(read(file))).toEqual([]);
});

describe("a name of a stranger is found in", () => {
  test.each([
    ["npm install utility-tools", "npm utility-tools"],
    ["npm i -g utility-tools@1.0.4", "npm utility-tools"],
    ["npm install --save-dev typescript one-port", "npm one-port"],
    ["npm install --prefix /opt/a @utility-tools/srever", "npm @utility-tools/srever"],
    ["echo a | npx utility-tools email", "npx utility-tools"],
    ["npx --yes ut 8.8.8.8", "npx ut"],
    ["npx -p buf buf generate", "npm buf"],
    ["npx tsc --init", "npx tsc"],
    ["venv/bin/pip install --quiet grpcio==1.85.1 utility-tools==1", "pip utility-tools"],
    ["podman pull registry.example/utility-tools:0.1.0", "image registry.example/utility-tools:0.1.0"],
    ["docker run --rm \\\n  --publish 80:80 example/tools serve", "image example/tools"],
    ["helm install utility-tools example/utility-tools", "chart example/utility-tools"],
    ["go install example.com/utility-tools@latest", "go example.com/utility-tools"],
    ["Run `npm install utility-tools` first.", "npm utility-tools"],
  ])("%s", (page, expected) => {
    expect(problemsOf(page)).toEqual([expected]);
  });
});
