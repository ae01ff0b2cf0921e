// Documents have blocks between `<!-- install ARGUMENTS -->`, `<!-- image -->` or `<!-- published -->` and `<!-- end -->`. Their text says
// how to install from a clone while release.config.json is empty, and by name once it is filled in.
// `node scripts/release/install.mjs` writes them; a release does so as well.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configProblems } from "./config.mjs";
import { PACKAGES, ROOT, read, readJson } from "./workspace.mjs";

const BLOCK = /^<!-- (install|image|published)(?: (.*?))? -->\n[\s\S]*?^<!-- end -->$/gm;
/** The names of the packages, the service's last. */
export const NAMES = PACKAGES.map((folder) => readJson(join(folder, "package.json")).name);
const SERVICE = NAMES.at(-1);
/** How to make the image, also where a version is published. */
const BUILD_IMAGE =
  "podman build --format docker --file deploy/Containerfile --tag utility-tools .    # in a clone";

/** The documents that have such blocks. */
export function documentsWithBlocks() {
  const { stdout } = spawnSync("git", ["grep", "-l", "^<!-- end -->$", "--", "*.md"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return stdout.trim().split("\n");
}

/** Writes the blocks of a document anew. */
export function withBlocks(page, config, version) {
  return page.replaceAll(BLOCK, (_, kind, words) => {
    const text = TEXTS[kind](config, version, words?.split(" "));
    return `<!-- ${[kind, words].filter(Boolean).join(" ")} -->\n${text}\n<!-- end -->`;
  });
}

const TEXTS = {
  /** Arguments of `npm install`, some of which name packages of this repository. */
  install: (config, _, words) => {
    const nameOf = (word) => NAMES.find((name) => word === name || word.startsWith(`${name}@`));
    const own = words.map(nameOf).filter(Boolean);
    const others = words.filter((word) => nameOf(word) === undefined);
    return isFilled(config)
      ? shell(`npm install ${words.join(" ")}`)
      : shell(
          "CLONE=../utility-tools    # a clone of this repository, in which npm ci has run",
          `npm --prefix "$CLONE" run pack -- ${own.join(" ")}`,
          `npm install ${[...others, '"$CLONE"/release/*.tgz'].join(" ")}`,
        );
  },
  image: ({ image, ...config }, version) =>
    isFilled({ image, ...config })
      ? shell(
          `podman pull ${image}:${version} && podman tag ${image}:${version} utility-tools`,
          `# or ${BUILD_IMAGE}`,
        )
      : shell(BUILD_IMAGE),
  published: ({ image, homepage, ...config }, version) =>
    isFilled({ image, homepage, ...config })
      ? `Without a clone, \`npx ${SERVICE}\` and the image \`${image}:${version}\` run it. More is at <${homepage}>.`
      : "No version is published yet: it runs in a clone of this repository.",
};

const isFilled = (config) => configProblems(config).length === 0;
const shell = (...lines) => ["```sh install", ...lines, "```"].join("\n");

if (process.argv[1] === import.meta.filename) {
  for (const file of documentsWithBlocks()) {
    writeFileSync(
      join(ROOT, file),
      withBlocks(read(file), readJson("release.config.json"), readJson("package.json").version),
    );
  }
}
