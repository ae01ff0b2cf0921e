import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A source file, or several of one kind, with a checksum. */
interface FileRecord {
  /** The path inside the package; `*` is any folder name. */
  readonly path: string;
  readonly files: number;
  /**
   * SHA-256 in hexadecimal: of the file, or for several files of the lines `<sha256 of the file>  <path>` in the order
   * of the paths.
   */
  readonly sha256: string;
}

/** The origin of the data, which is not machine-readable in the package. */
export interface PackageOrigin {
  readonly name: string;
  readonly publisher: string;
  /** The publisher's page about the data. */
  readonly url: string;
  /** The credit that its license requires. */
  readonly attribution: string;
  /** The SPDX license expression, if the package has it in another form. */
  readonly license?: string;
}

/** The files that were read from one package, and their origin, which the service returns as a source. */
export interface PackageRecord extends PackageOrigin {
  readonly package: string;
  readonly version: string;
  readonly license: string;
  readonly files: readonly FileRecord[];
}

/** Reads files of one installed package and records them. */
export interface PackageReader {
  /** Returns the text of a file, by its path inside the package. */
  text(path: string): string;
  /** Returns the JSON of a file. Does not check its type: the build checks the result. */
  json<T>(path: string): T;
  /** Returns the JSON of the files with this name in all folders of a folder, by the name of the folder, in order. */
  jsonOfFolders<T>(folder: string, file: string): ReadonlyMap<string, T>;
  /** Returns the record of all files read so far. */
  record(): PackageRecord;
}

const require = createRequire(import.meta.url);

/** Opens an installed package. Reads files from the disk, regardless of `exports`. Throws an Error if it is missing. */
export function openPackage(name: string, origin: PackageOrigin): PackageReader {
  const root = (require.resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, "package.json")));
  if (root === undefined) {
    throw new Error(`the package ${name} is not installed`);
  }
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
    license: string;
  };
  const files = new Map<string, FileRecord>();

  const text = (path: string) => {
    const content = readFileSync(join(root, path));
    files.set(path, { path, files: 1, sha256: sha256(content) });
    return content.toString("utf8");
  };

  return {
    text,
    json: <T>(path: string) => JSON.parse(text(path)) as T,
    jsonOfFolders: <T>(folder: string, file: string) => {
      const contents = new Map<string, T>();
      const lines: string[] = [];
      const names = readdirSync(join(root, folder)).sort();
      for (const name of names.filter((name) => existsSync(join(root, folder, name, file)))) {
        const content = readFileSync(join(root, folder, name, file));
        lines.push(`${sha256(content)}  ${folder}/${name}/${file}\n`);
        contents.set(name, JSON.parse(content.toString("utf8")) as T);
      }
      const path = `${folder}/*/${file}`;
      files.set(path, { path, files: lines.length, sha256: sha256(lines.join("")) });
      return contents;
    },
    record: () => ({ package: name, version, license, ...origin, files: [...files.values()] }),
  };
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
