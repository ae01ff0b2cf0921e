import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** All files of the repository, as paths from its root. */
const FILES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 16 * 1024 * 1024,
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)));
const PAGES = FILES.filter((file) => file.endsWith(".md"));

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** The text of a page without its blocks of code. */
const proseOf = (page: string) => page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(file: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of proseOf(read(file)).matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) {
      anchor = `${slug}-${count}`;
    }
    anchors.add(anchor);
  }
  return anchors;
}

/** Why a link from a folder leads nowhere, or undefined. */
function problemOf(link: string, file: string): string | undefined {
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path === "" ? file : normalize(join(dirname(file), path));
  if (!existsSync(join(ROOT, target))) {
    return `${link}: there is no ${target}`;
  }
  if (anchor !== undefined && statSync(join(ROOT, target)).isFile() && !anchorsOf(target).has(anchor)) {
    return `${link}: ${target} has no heading #${anchor}`;
  }
  return undefined;
}

describe("links of documents", () => {
  test.each(PAGES)("%s", (file) => {
    const links = [
      ...proseOf(read(file)).matchAll(
        /\]\(<?([^)>\s]+)>?\)|^\[[^\]]+\]: (\S+)|\b(?:src|srcset|href)="([^"]+)"/gm,
      ),
    ].map(([, inline, reference, attribute]) => inline ?? reference ?? attribute ?? "");
    const relative = links.filter((link) => !/^(?:[a-z]+:|\/)/.test(link));
    const problems = relative.flatMap((link) => problemOf(link, file) ?? []);
    expect(problems).toEqual([]);
  });
});

test("documents that other files name exist, with the headings that they name", () => {
  const others = FILES.filter((file) =>
    /\.(?:ts|tsx|mjs|js|json|ya?ml|env|conf|service|timer|txt|sh|md|proto)$/.test(file),
  );
  const problems = others.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w./-])(docs\/[\w./-]+\.(?:md|png|json)(?:#[\w-]+)?)/g)].flatMap(
      ([, name = ""]) => {
        const problem = problemOf(name, "README.md");
        return problem === undefined ? [] : [`${file} names ${problem}`];
      },
    ),
  );
  expect(problems).toEqual([]);
});

test("every document is in the index", () => {
  const index = read("docs/README.md");
  const pages = PAGES.filter((file) => file.startsWith("docs/") && !/README\.md$|\/\d{4}-/.test(file));
  expect(pages.filter((file) => !index.includes(`](${file.slice("docs/".length)})`))).toEqual([]);
});

test("a decision has at most 20 lines", () => {
  const decisions = PAGES.filter((file) => /^docs\/adr\/\d{4}-/.test(file));
  expect(decisions.filter((file) => read(file).trimEnd().split("\n").length > 20)).toEqual([]);
});

test("a page has at most 1,500 words, unless it is a reference", () => {
  const isReference = (file: string) =>
    /^(?:docs\/reference\/|CHANGELOG\.md|data\/README\.md|packages\/[\w-]+\/(?:README|docs\/reference)\.md)/.test(
      file,
    );
  const long = PAGES.filter((file) => !isReference(file) && read(file).split(/\s+/).length > 1_500);
  expect(long).toEqual([]);
});
