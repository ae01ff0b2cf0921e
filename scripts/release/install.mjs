// Documents have blocks between `<!-- KIND ARGUMENTS -->` and `<!-- end -->`, where KIND is a member of TEXTS. Their text says
// how to install from a clone while release.config.json is empty, and by name once it is filled in.
// `node scripts/release/install.mjs` writes them; a release does so as well.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configProblems } from "./config.mjs";
import { PACKAGES, ROOT, read, readJson } from "./workspace.mjs";

const BLOCK = /^<!-- (install|upgrade|image|published|supported)(?: (.*?))? -->\n[\s\S]*?^<!-- end -->$/gm;
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

/** Arguments of `npm install`, some of which name packages of this repository; without published packages after `clone`. */
function install(config, words, ...clone) {
  const nameOf = (word) => NAMES.find((name) => word === name || word.startsWith(`${name}@`));
  const own = words.map(nameOf).filter(Boolean);
  const others = words.filter((word) => nameOf(word) === undefined);
  return isFilled(config)
    ? shell(`npm install ${words.join(" ")}`)
    : shell(
        ...clone,
        `npm --prefix "$CLONE" run pack -- ${own.join(" ")}`,
        `npm install ${[...others, '"$CLONE"/release/*.tgz'].join(" ")}`,
      );
}

const TEXTS = {
  install: (config, _, words) =>
    install(config, words, "CLONE=../utility-tools    # a clone of this repository, in which npm ci has run"),
  upgrade: (config, _, words) =>
    install(
      config,
      words,
      "CLONE=../utility-tools    # the clone",
      'git -C "$CLONE" pull && npm --prefix "$CLONE" ci',
    ),
  image: ({ image, ...config }, version) =>
    isFilled({ image, ...config })
      ? shell(
          `podman pull ${image}:${version} && podman tag ${image}:${version} utility-tools`,
          `# or ${BUILD_IMAGE}`,
        )
      : shell(BUILD_IMAGE),
  published: ({ image, homepage, ...config }, version) =>
    isFilled({ image, homepage, ...config })
      ? `Without a clone, \`npx ${SERVICE}\` and the image \`${image}:${version}\` run it. The documents are at <${homepage}>.`
      : "No version is published yet: it runs in a clone of this repository.",
  supported: (config) =>
    isFilled(config)
      ? "The latest release gets fixes. Before version 1.0, earlier releases get none."
      : "No version is published yet. Until the first release, the latest commit gets fixes; what is said below of releases holds from then on.",
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
