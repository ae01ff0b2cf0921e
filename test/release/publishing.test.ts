import { expect, test } from "vitest";
import { absoluteLinks } from "../../scripts/release/links.mjs";
import { publishedManifest } from "../../scripts/release/manifest.mjs";

const REPOSITORY = "https://git.example.com/a/b";
const CONFIG = {
  repository: REPOSITORY,
  homepage: "https://example.com",
  bugs: `${REPOSITORY}/issues`,
  image: "registry.example.com/a/b",
};
const links = (page: string, folder = "packages/x") =>
  absoluteLinks(page, folder, { repository: REPOSITORY, tag: "v1.2.3" });

test.each([
  ["[a](../../docs/b.md)", `[a](${REPOSITORY}/blob/v1.2.3/docs/b.md)`],
  ["[`a`](../../docs/b.md#c)", `[\`a\`](${REPOSITORY}/blob/v1.2.3/docs/b.md#c)`],
  [
    "[a](src/b.ts) [c](../d/)",
    `[a](${REPOSITORY}/blob/v1.2.3/packages/x/src/b.ts) [c](${REPOSITORY}/blob/v1.2.3/packages/d)`,
  ],
  ["![a](../../docs/b.png)", `![a](${REPOSITORY}/raw/v1.2.3/docs/b.png)`],
  ["[a](#b) [c](https://d.example/e) [f](mailto:g@example.com)", undefined],
  ["```md\n[a](b.md)\n```\n", undefined],
])("the links of %j become absolute", (page, expected) => {
  expect(links(page)).toBe(expected ?? page);
});

test("a link that leaves the repository is an error", () => {
  expect(() => links("[a](../b.md)", "")).toThrow('the link ../b.md in the folder "" leaves the repository');
});

test("a published manifest has no parts for the repository, and the links of the configuration", () => {
  const manifest = {
    name: "@a/b",
    version: "1.2.3",
    description: "d",
    license: "Apache-2.0",
    private: true,
    type: "module",
    workspaces: ["c"],
    scripts: { build: "tsc" },
    exports: { ".": { "utility-tools-source": "./src/index.ts", default: "./dist/index.js" } },
    dependencies: { e: "1.0.0" },
    devDependencies: { f: "1.0.0" },
    optionalDependencies: { typescript: "7.0.0" },
    overrides: { g: "1.0.0" },
    allowScripts: { h: false },
  };
  expect(publishedManifest(manifest, "packages/x", CONFIG)).toEqual({
    name: "@a/b",
    version: "1.2.3",
    description: "d",
    license: "Apache-2.0",
    homepage: "https://example.com",
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: "packages/x" },
    publishConfig: { access: "public" },
    type: "module",
    exports: { ".": { default: "./dist/index.js" } },
    dependencies: { e: "1.0.0" },
  });
});
