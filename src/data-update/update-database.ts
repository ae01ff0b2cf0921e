import { createHash } from "node:crypto";
import { readRegularFile } from "connect-transcoding-operations/files/read-regular-file";
import {
  type FolderFile,
  folderPaths,
  type Provenance,
  readProvenance,
  replaceFile,
} from "../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { type CheckFailure, checkDatabase } from "./check-database.js";
import { checkDisposable } from "./check-disposable.js";
import {
  FETCH_LIMITS,
  type FetchedFile,
  type FetchFailure,
  type FetchLimits,
  fetchFile,
  type OnProgress,
} from "./fetch-file.js";
import { type Source, URL_SOURCE } from "./sources.js";
import { MAX_UNPACKED_BYTES, type UnpackFailure, unpack } from "./unpack.js";

/** The options of {@link updateDatabase}. */
export interface UpdateOptions {
  readonly database: FolderFile;
  readonly source: Source;
  /** The data folder, which is created if it is missing. */
  readonly folder: string;
  /** The installed file. Those of publishers are compared with it; a file from a URL may have other networks. */
  readonly installed?: string | undefined;
  readonly limits?: FetchLimits;
  readonly onProgress?: OnProgress;
}

/** A new file in the data folder. */
export interface Update {
  readonly builtAt: Date;
}

/** Why a database was not updated. The description names the source, without secrets. */
export type UpdateFailure = FetchFailure | UnpackFailure | CheckFailure | Failure<"FOLDER_UNWRITABLE">;

/**
 * Downloads the newest file of a database, checks it, and replaces the one in the data folder. A running service then reloads
 * it. Resolves to undefined if the source has no newer file. After a failure the present file is unchanged.
 *
 * Needs memory for the download and for two unpacked files: some 400 MB for locations, and at most the limits of both.
 */
export async function updateDatabase(
  options: UpdateOptions,
): Promise<Result<Update | undefined, UpdateFailure>> {
  const updated = await update(options);
  if (updated.ok || updated.failure.reason === "FOLDER_UNWRITABLE") {
    return updated;
  }
  const { reason, description } = updated.failure;
  return { ok: false, failure: { reason, description: `${options.source.description} ${description}` } };
}

async function update(options: UpdateOptions): Promise<Result<Update | undefined, UpdateFailure>> {
  const { database, source, folder, installed } = options;
  const paths = folderPaths(folder, database);
  const fetched = await fetchNewest(options, await readProvenance(paths));
  if (!fetched.ok || fetched.value === undefined) {
    return fetched.ok ? ok(undefined) : fetched;
  }
  const { content, ...known } = fetched.value;
  const unpacked = await unpack(content, MAX_UNPACKED_BYTES[database]);
  if (!unpacked.ok) {
    return unpacked;
  }
  const present = await readRegularFile(paths.file);
  const before = present.ok ? present.value : undefined;
  const reference =
    installed === undefined || source.name === URL_SOURCE ? undefined : await readRegularFile(installed);
  const checked =
    database === "disposable"
      ? await checkDisposable(unpacked.value, before, known.lastModified)
      : await checkDatabase(database, unpacked.value, before, reference?.ok ? reference.value : undefined);
  if (!checked.ok || checked.value === undefined) {
    return checked;
  }
  const { length } = unpacked.value;
  const replaced = await replaceFile(folder, database, unpacked.value, {
    ...known,
    source: source.name,
    length,
  });
  return replaced.ok ? checked : replaced;
}

/** Downloads the first file of a source that exists. Resolves to undefined if it is the present one. */
async function fetchNewest(
  { source, limits = FETCH_LIMITS, onProgress }: UpdateOptions,
  present: Provenance | undefined,
): Promise<Result<(FetchedFile & Pick<Provenance, "address">) | undefined, FetchFailure>> {
  let result: Result<never, FetchFailure> = fail("NOT_PUBLISHED", "has no files");
  for (const download of source.downloads) {
    const address = createHash("sha256").update(download.url.href).digest("hex");
    const known = present?.address === address ? present : undefined;
    const fetched = await fetchFile(download, known, limits, onProgress);
    if (fetched.ok) {
      return ok(fetched.value && { ...fetched.value, address });
    }
    result = fetched;
    if (fetched.failure.reason !== "NOT_PUBLISHED") {
      break;
    }
  }
  return result;
}
