import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** One source file, or several of one kind, and what was in them. */
interface FileRecord {
  /** Path inside the package; `*` stands for any folder name. */
  readonly path: string;
  /** How many files that is. */
  readonly files: number;
  /**
   * SHA-256 in hexadecimal: of the file, or, for several files, of the lines `<sha256 of the file>  <path>`
   * in the order of the paths.
   */
  readonly sha256: string;
}

/** What a package does not say of its data in a way that could be read. */
export interface PackageOrigin {
  /** What the data is called. */
  readonly name: string;
  readonly publisher: string;
  /** Where the publisher tells of it. */
  readonly url: string;
  /** The credit that its licence asks for. */
  readonly attribution: string;
}

/** What was read from one package, and whose it is: what the service says of the data. */
export interface PackageRecord extends PackageOrigin {
  readonly package: string;
  readonly version: string;
  readonly licence: string;
  readonly files: readonly FileRecord[];
}

/** Reads files of one installed package and keeps a record of them. */
export interface PackageReader {
  /** Text of a file, by its path inside the package. */
  text(path: string): string;
  /** JSON of a file. The caller says what it is; the build checks the result, not the input. */
  json<T>(path: string): T;
  /** JSON of the file of this name in every folder of a folder that has it, by the folder's name, in order. */
  jsonOfFolders<T>(folder: string, file: string): ReadonlyMap<string, T>;
  /** All that was read so far. */
  record(): PackageRecord;
}

const require = createRequire(import.meta.url);

/** Opens an installed package for reading. Its `exports` do not matter: the files are read from the disk. */
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
    record: () => ({ package: name, version, licence: license, ...origin, files: [...files.values()] }),
  };
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
