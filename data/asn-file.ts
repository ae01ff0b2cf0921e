import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { Reader } from "maxmind";
import { disjointRanges, parseAsnRanges } from "./asn-ranges.js";
import { writeMmdb } from "./mmdb-writer.js";

/** The input and output of {@link buildAsnFile}. */
export interface AsnFilePaths {
  /** The package.json of the package with the CSV files; its version contains the date of the data. */
  readonly packageJson: string;
  /** CSV files with decimal addresses. */
  readonly ipv4Csv: string;
  readonly ipv6Csv: string;
  /** The MMDB file to write. */
  readonly target: string;
}

/** Increment to rebuild existing files if the same CSV files must give another result. */
const REVISION = 1;

/**
 * Builds the MMDB file of autonomous systems, for IPv4 and IPv6, unless it exists for the same version of the data. The
 * content depends only on the CSV files. The file is replaced atomically.
 *
 * Returns whether it was written. Throws an Error with a one-line message if it cannot be written.
 */
export async function buildAsnFile(paths: AsnFilePaths): Promise<{ readonly written: boolean }> {
  const { name, version } = packageIdentity(await readFile(paths.packageJson, "utf8"), paths.packageJson);
  const description =
    `Autonomous systems by address: ${name} ${version} (revision ${REVISION}). ` +
    "RouteViews, NRO and DB-IP (https://db-ip.com), CC-BY-4.0.";
  if ((await descriptionOf(paths.target)) === description) {
    return { written: false };
  }
  const [ipv4, ipv6] = await Promise.all([
    readFile(paths.ipv4Csv, "utf8").then((csv) => parseAsnRanges(csv, paths.ipv4Csv)),
    readFile(paths.ipv6Csv, "utf8").then((csv) => parseAsnRanges(csv, paths.ipv6Csv)),
  ]);
  const bytes = writeMmdb({
    ipVersion: 6,
    ranges: disjointRanges([...ipv4, ...ipv6]),
    databaseType: "ASN",
    buildEpoch: epochOfVersion(version),
    description: { en: description },
  });
  // Written to a temporary file and renamed, so that nobody reads an incomplete file, even after an interruption.
  const temporary = `${paths.target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, paths.target);
  } finally {
    await rm(temporary, { force: true });
  }
  return { written: true };
}

function packageIdentity(json: string, path: string): { name: string; version: string } {
  const { name, version }: { name?: unknown; version?: unknown } = JSON.parse(json);
  if (typeof name !== "string" || typeof version !== "string") {
    throw new Error(`${path} has no name or no version.`);
  }
  return { name, version };
}

/** Versions of the package end with the hour of the data in UTC: 2.3.2026061719. */
function epochOfVersion(version: string): number {
  const [, year, month, day, hour] = /\.(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(version) ?? [];
  const epoch = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`) / 1_000;
  if (Number.isNaN(epoch)) {
    throw new Error(`The version ${version} of the ASN data does not end in a date as YYYYMMDDHH.`);
  }
  return epoch;
}

/** Returns the English description in the metadata of a file; undefined if the file is missing or invalid. */
async function descriptionOf(path: string): Promise<string | undefined> {
  try {
    const metadata: { description?: unknown } = new Reader(await readFile(path)).metadata;
    const { description } = metadata;
    return typeof description === "object" && description !== null && "en" in description
      ? String(description.en)
      : undefined;
  } catch {
    // Any invalid file is rebuilt.
    return undefined;
  }
}
