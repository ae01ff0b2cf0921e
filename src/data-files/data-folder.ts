import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { type Failure, fail, ok, type Result } from "../failures/result.js";

/** The databases of the Geo IP tool: `city` has locations, `asn` autonomous systems. */
export type DatabaseName = "city" | "asn";

/** All databases, in the order of messages. */
export const DATABASES: readonly DatabaseName[] = ["city", "asn"];

/** The files that `update-data` downloads: databases, and the list of disposable e-mail domains. */
export type FolderFile = DatabaseName | "disposable";

/** All of these files, in the order of messages. */
export const FOLDER_FILES: readonly FolderFile[] = [...DATABASES, "disposable"];

/** The paths of a file in the data folder. */
export interface FolderPaths {
  /** The MMDB file, or the list. */
  readonly file: string;
  /** The {@link Provenance} of the file, as JSON. */
  readonly provenance: string;
}

/** Returns the paths of a file in the data folder. The files may not exist. */
export function folderPaths(folder: string, name: FolderFile): FolderPaths {
  const suffix = name === "disposable" ? "txt" : "mmdb";
  return { file: join(folder, `${name}.${suffix}`), provenance: join(folder, `${name}.json`) };
}

/** Where a file in the data folder is from, and how to ask whether there is a newer one. */
export interface Provenance {
  /** The name of the source, or `url`. */
  readonly source: string;
  /** The SHA-256 of the address of the download in hexadecimal, because an address may contain a secret. */
  readonly address: string;
  /** The SHA-256 of the download in hexadecimal. */
  readonly sha256: string;
  /** The length of the file in bytes. If it differs, this is the provenance of another file. */
  readonly length: number;
  /** The headers `ETag` and `Last-Modified` of the download; empty if absent. */
  readonly etag: string;
  readonly lastModified: string;
}

/** Reads the provenance of a file. Returns undefined if there is none, or none of this file. */
export async function readProvenance({ file, provenance }: FolderPaths): Promise<Provenance | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(provenance, "utf8"));
    return isProvenance(value) && value.length === (await stat(file)).size ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProvenance(value: unknown): value is Provenance {
  const { length, ...texts } = (value ?? {}) as Partial<Record<keyof Provenance, unknown>>;
  const { source, address, sha256, etag, lastModified } = texts;
  return (
    typeof length === "number" &&
    [source, address, sha256, etag, lastModified].every((text) => typeof text === "string")
  );
}

/**
 * Replaces a file in the data folder, and its provenance. Each is written under another name, flushed to the disk and
 * renamed, so that a reader sees the old or the new content. Creates the folder. Fails if it cannot be written.
 */
export async function replaceFile(
  folder: string,
  name: FolderFile,
  content: Uint8Array,
  provenance: Provenance,
): Promise<Result<undefined, Failure<"FOLDER_UNWRITABLE">>> {
  const paths = folderPaths(folder, name);
  try {
    await mkdir(folder, { recursive: true });
    await removeLeftovers(folder);
    await writeAtomically(paths.file, content);
    await writeAtomically(paths.provenance, `${JSON.stringify(provenance, undefined, 2)}\n`);
    return ok(undefined);
  } catch (thrown) {
    const problem = `${folder} cannot be written (${systemErrorText(thrown)})`;
    return fail("FOLDER_UNWRITABLE", `${problem}; DATA_DIR names another folder`);
  }
}

const TEMPORARY = /^(?:city|asn|disposable)\.(?:mmdb|txt|json)\.[\da-f-]{36}$/;
/** Milliseconds after which a temporary file belongs to a process that was killed. Writing takes a few seconds. */
const LEFTOVER_AGE = 60 * 60 * 1000;

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => TEMPORARY.test(each))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > LEFTOVER_AGE) {
      await rm(path, { force: true });
    }
  }
}

async function writeAtomically(path: string, content: Uint8Array | string): Promise<void> {
  // A unique name: two updates may run at the same time.
  const temporary = `${path}.${process.getBuiltinModule("node:crypto").randomUUID()}`;
  try {
    // The service may run as another user.
    const file = await open(temporary, "wx", 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}
