import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix } from "node:path";
import { BILL, installedPackages } from "./bill-of-materials.mjs";
import { absoluteLinks } from "./links.mjs";
import { publishedManifest } from "./manifest.mjs";
import { PACKAGES, ROOT, readJson, run, textOf } from "./workspace.mjs";

/** Files of the repository that every package has. */
const SHARED = ["CHANGELOG.md", "LICENSE", "NOTICE"];

/**
 * Packs packages as they are published: with the manifest, the links and the shared files of a release. They must have been built.
 *
 * @param config the content of release.config.json; without a repository, packages have no links to it
 * @param output the folder for the tarballs
 * @returns for each package its folder, name, files, sizes in bytes, integrity, and the path of its tarball
 * @throws Error if a file is missing that a manifest names
 */
export function packPackages(config, output, folders = PACKAGES) {
  mkdirSync(output, { recursive: true });
  return folders.map((folder) => packOne(folder, config, output));
}

function packOne(folder, config, output) {
  const manifest = readJson(join(folder, "package.json"));
  const linked = (text, at) =>
    config.repository
      ? absoluteLinks(text, at, { repository: config.repository, tag: `v${manifest.version}` })
      : text;
  const staging = mkdtempSync(join(tmpdir(), "pack-"));
  const write = (path, text) => {
    mkdirSync(dirname(join(staging, path)), { recursive: true });
    writeFileSync(join(staging, path), text);
  };
  try {
    for (const path of ["README.md", ...foldersOf(manifest.files)]) {
      // npm packs no symbolic links, and the copy of one leads to files of the checkout.
      const filter = (file) => !lstatSync(file).isSymbolicLink();
      cpSync(join(ROOT, folder, path), join(staging, path), { recursive: true, filter });
    }
    for (const path of readdirSync(staging, { recursive: true }).filter((each) => each.endsWith(".md"))) {
      const text = readFileSync(join(staging, path), "utf8");
      write(path, linked(text, posix.join(folder, posix.dirname(path))));
    }
    for (const file of SHARED) {
      cpSync(join(ROOT, file), join(staging, basename(file)));
    }
    write("CHANGELOG.md", linked(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), ""));
    if (folder !== "") {
      write(BILL, textOf(installedPackages(folder)));
    }
    const published = publishedManifest(manifest, folder, config);
    const files = new Set([...(published.files ?? []), ...SHARED, ...(folder === "" ? [] : [BILL])]);
    write("package.json", textOf({ ...published, files: [...files] }));
    const [packed] = npmPack(staging, output);
    const { name, filename, size, unpackedSize, integrity } = packed;
    const paths = packed.files.map(({ path }) => path);
    const missing = targetsOf(published).filter((path) => !paths.includes(path));
    if (missing.length > 0) {
      throw new Error(`${name} has no ${missing.join(", ")}, which its manifest names`);
    }
    return { folder, name, size, unpackedSize, integrity, files: paths, tarball: join(output, filename) };
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** The files and folders that the patterns of a manifest begin with. npm selects the files in them. */
function foldersOf(patterns) {
  const positive = patterns.filter((pattern) => !pattern.startsWith("!"));
  return new Set(positive.map((pattern) => pattern.replace(/\/?[^/]*\*.*$/, "")));
}

/** The files that a manifest names: commands, manual pages and exports. */
function targetsOf({ bin, man, exports, imports }) {
  const leaves = (value) =>
    typeof value === "object" ? Object.values(value).flatMap(leaves) : [posix.normalize(value)];
  return leaves([bin, man, exports, imports].filter(Boolean)).filter((path) => !/[*]|^\.\.\//.test(path));
}

/** Runs `npm pack`, and returns what it says about the tarball. Newer versions of npm return an object in place of a list. */
function npmPack(folder, output) {
  const options = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", output];
  const text = run("npm", ["pack", ...options], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return Object.values(JSON.parse(text));
}
