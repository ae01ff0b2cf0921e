import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documentsWithBlocks, withBlocks } from "../../scripts/release/install.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { version } = JSON.parse(read("package.json"));
const EMPTY = { repository: "", homepage: "", bugs: "", image: "", owner: "" };
const FILLED = {
  repository: "https://git.example.com/a/b",
  homepage: "https://b.example.com",
  bugs: "https://git.example.com/a/b/issues",
  image: "registry.example.com/a/b",
  owner: "a",
};

test.each(documentsWithBlocks())(
  "%s installs as release.config.json says: run `node scripts/release/install.mjs`",
  (file) => {
    expect(read(file)).toBe(withBlocks(read(file), JSON.parse(read("release.config.json")), version));
  },
);

test.each([
  [
    "install @utility-tools/protos @connectrpc/connect",
    EMPTY,
    "```sh install\n" +
      "CLONE=../utility-tools    # a clone of this repository, in which npm ci has run\n" +
      'npm --prefix "$CLONE" run pack -- @utility-tools/protos\n' +
      'npm install @connectrpc/connect "$CLONE"/release/*.tgz\n```',
  ],
  [
    "install --prefix /opt/a-0.2.0 @utility-tools/server@0.2.0",
    FILLED,
    "```sh install\nnpm install --prefix /opt/a-0.2.0 @utility-tools/server@0.2.0\n```",
  ],
  [
    "upgrade --prefix /opt/a-0.2.0 @utility-tools/server@0.2.0",
    EMPTY,
    "```sh install\n" +
      "CLONE=../utility-tools    # the clone\n" +
      'git -C "$CLONE" pull && npm --prefix "$CLONE" ci\n' +
      'npm --prefix "$CLONE" run pack -- @utility-tools/server\n' +
      'npm install --prefix /opt/a-0.2.0 "$CLONE"/release/*.tgz\n```',
  ],
  [
    "upgrade --prefix /opt/a-0.2.0 @utility-tools/server@0.2.0",
    FILLED,
    "```sh install\nnpm install --prefix /opt/a-0.2.0 @utility-tools/server@0.2.0\n```",
  ],
  [
    "supported",
    EMPTY,
    "No version is published yet. Until the first release, the latest commit gets fixes; what is said below of releases holds from then on.",
  ],
  ["supported", FILLED, "The latest release gets fixes. Before version 1.0, earlier releases get none."],
  [
    "image",
    FILLED,
    "```sh install\npodman pull registry.example.com/a/b:1.2.3 && podman tag registry.example.com/a/b:1.2.3 utility-tools\n" +
      "# or podman build --format docker --file deploy/Containerfile --tag utility-tools .    # in a clone\n```",
  ],
  ["published", EMPTY, "No version is published yet: it runs in a clone of this repository."],
  [
    "published",
    FILLED,
    "Without a clone, `npx @utility-tools/server` and the image `registry.example.com/a/b:1.2.3` run it. " +
      "More is at <https://b.example.com>.",
  ],
])("%s with %j", (words, config, text) => {
  const page = (block: string) => `a\n\n<!-- ${words} -->\n${block}<!-- end -->\n\nb\n`;
  expect(withBlocks(page("old\n"), config, "1.2.3")).toBe(page(`${text}\n`));
});
