import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { Reader } from "maxmind";
import { disjointRanges, parseAsnRanges } from "./asn-ranges.js";
import { writeMmdb } from "./mmdb-writer.js";

/** Where the ASN file's data comes from and where it goes. */
export interface AsnFilePaths {
  /** The package.json of the package that the CSV files are in; its version dates the data. */
  readonly packageJson: string;
  /** CSV files with decimal addresses. */
  readonly ipv4Csv: string;
  readonly ipv6Csv: string;
  /** The MMDB file to write. */
  readonly target: string;
}

/** To be raised when the same CSV files are to give another file, so that existing ones are built anew. */
const REVISION = 1;

/**
 * Builds the MMDB file of autonomous systems, IPv4 and IPv6 in one, unless it is there already for the same
 * version of the data. What it writes depends on the CSV files alone. The file appears at once and whole.
 *
 * Returns whether it was written. Throws an Error with a message of one line when it cannot be.
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
  // Aside and then renamed: no reader, and no later run after an interruption, ever sees half a file.
  const aside = `${paths.target}.${process.pid}.tmp`;
  try {
    await writeFile(aside, bytes);
    await rename(aside, paths.target);
  } finally {
    await rm(aside, { force: true });
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

/** The package's versions end in the hour of the data, in UTC: 2.3.2026061719. */
function epochOfVersion(version: string): number {
  const [, year, month, day, hour] = /\.(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(version) ?? [];
  const epoch = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`) / 1_000;
  if (Number.isNaN(epoch)) {
    throw new Error(`The version ${version} of the ASN data does not end in a date as YYYYMMDDHH.`);
  }
  return epoch;
}

/** The English description in a file's metadata; undefined when there is no such file or no sense in it. */
async function descriptionOf(path: string): Promise<string | undefined> {
  try {
    const metadata: { description?: unknown } = new Reader(await readFile(path)).metadata;
    const { description } = metadata;
    return typeof description === "object" && description !== null && "en" in description
      ? String(description.en)
      : undefined;
  } catch {
    // Whatever is wrong with it, it is built anew.
    return undefined;
  }
}
