import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { parseDuration } from "connect-transcoding-operations/settings/values";
import type { Config } from "../../config/config.js";
import { type Environment, readConfig } from "../../config/read-config.js";
import { FOLDER_FILES, type FolderFile } from "../../data-files/data-folder.js";
import { FETCH_LIMITS } from "../../data-update/fetch-file.js";
import {
  DEFAULT_SOURCES,
  findSource,
  NO_SOURCE,
  PUBLISHERS,
  type Source,
} from "../../data-update/sources.js";
import { type UpdateFailure, updateDatabase } from "../../data-update/update-database.js";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { checkDataFolder } from "../../service/check-files.js";
import { defaultGeoIpPaths } from "../../tools/geoip/load-geoip-files.js";
import { reporterOf } from "../failures.js";
import { createStatusLine } from "../output/progress.js";
import { writerOf } from "../root.js";
import type { ProcessContext } from "../run.js";
import { dateOf, showAges } from "./data-ages.js";

interface Flags {
  readonly citySource?: string;
  readonly asnSource?: string;
  readonly disposableSource?: string;
  readonly dataDir?: string;
  readonly timeout?: string;
  readonly check?: boolean;
  readonly maxAge?: string;
  readonly every?: string;
}

/**
 * Runs `update-data` with the arguments that commander has parsed. Resolves to the exit status. Throws a `CommanderError` for
 * invalid arguments, after commander has printed it.
 */
export async function updateData(
  parsed: Command,
  context: ProcessContext,
  publishers = PUBLISHERS,
): Promise<ExitStatus> {
  const { env } = context;
  const flags = parsed.opts<Flags>();
  const report = reporterOf("update-data", context);
  const duration = (text: string | undefined, isAllowed: (ms: number) => boolean, problem: string) => {
    const ms = text === undefined ? undefined : parseDuration(text);
    return text === undefined || (ms !== undefined && isAllowed(ms)) ? ms : parsed.error(problem);
  };
  const timeout = duration(flags.timeout, (ms) => ms > 0, "--timeout must be a duration, such as 30s or 10m");
  const maxAge = duration(
    flags.maxAge,
    () => flags.check === true,
    "--max-age must be a duration, such as 60d, and needs --check",
  );
  const every = duration(
    flags.every,
    (ms) => !flags.check && ms >= MIN_PERIOD && ms <= MAX_PERIOD,
    "--every must be a duration from 1h to 20d, such as 1d, and cannot be used with --check",
  );
  const config = readConfig(flags.dataDir === undefined ? env : { ...env, DATA_DIR: flags.dataDir });
  if (!config.ok) {
    await report(config.failure.description);
    return EXIT.config;
  }
  const { dataDir } = config.value;
  // A download creates the folder, but not one above it: that is mistyped, or a volume that is not mounted.
  const { problems = [] } = await checkDataFolder({ dataDir: flags.check ? dataDir : dirname(dataDir) });
  if (problems.length > 0) {
    await report(problems.join("; "));
    return EXIT.config;
  }
  const sources = new Map<FolderFile, Source>();
  const { MAXMIND_ACCOUNT_ID = "", MAXMIND_LICENSE_KEY = "", IPINFO_TOKEN = "" } = env;
  const credentials = {
    maxmindAccountId: MAXMIND_ACCOUNT_ID,
    maxmindLicenseKey: MAXMIND_LICENSE_KEY,
    ipinfoToken: IPINFO_TOKEN,
  };
  for (const database of FOLDER_FILES) {
    const text = sourceText(database, flags, env);
    if (text === NO_SOURCE) {
      continue;
    }
    const source = findSource(text, database, { publishers, credentials, now: new Date() });
    if (source.ok) {
      sources.set(database, source.value);
      continue;
    }
    const { reason, description } = source.failure;
    // Nothing is downloaded for the ages, so that credentials may be missing.
    if (flags.check && reason === "MISSING_CREDENTIALS") {
      continue;
    }
    const isFlag = flags[`${database}Source`] !== undefined;
    const name = isFlag ? `--${database}-source` : sourceVariable(database);
    const isUnknown = reason === "UNKNOWN_SOURCE";
    const problem = isUnknown ? `${name} ${description}, or none` : description;
    if (isUnknown && isFlag) {
      parsed.error(problem);
    }
    await report(problem);
    return EXIT.config;
  }
  if (flags.check) {
    return showAges(config.value, { maxAge, updatesDisposable: sources.has("disposable") }, context, report);
  }
  const update = () => updateAll(sources, config.value, timeout ?? FETCH_LIMITS.timeout, context, report);
  if (every === undefined) {
    return update();
  }
  // Files are replaced atomically, so that an update can be interrupted. As process 1, Node would ignore these signals otherwise.
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => process.exit(EXIT.ok));
  }
  for (;;) {
    await wait(pauseAfter(await update(), every));
  }
}

/** Returns the milliseconds until the next of the repeated updates. After a failure, the files would otherwise be old for a whole period. */
export function pauseAfter(status: ExitStatus, every: number): number {
  return status === EXIT.ok ? every : MIN_PERIOD;
}

/** Updates each file from its source. Resolves to the exit status of the first failure. */
async function updateAll(
  sources: ReadonlyMap<FolderFile, Source>,
  config: Config,
  timeout: number,
  { out, err }: ProcessContext,
  report: (problem: string) => Promise<void>,
): Promise<ExitStatus> {
  const { dataDir: folder, geoIpCityFiles, geoIpAsnFiles } = config;
  const unused = {
    city: geoIpCityFiles && "GEOIP_CITY_FILES",
    asn: geoIpAsnFiles && "GEOIP_ASN_FILES",
    disposable: undefined,
  };
  let status: ExitStatus = EXIT.ok;
  for (const [database, source] of sources) {
    const progress = createStatusLine(writerOf(err.sink), () => performance.now(), 0);
    const updated = await updateDatabase({
      database,
      source,
      folder,
      limits: { ...FETCH_LIMITS, timeout },
      installed: database === "disposable" ? undefined : defaultGeoIpPaths()[database][0],
      ...(err.isTerminal && {
        onProgress: (received, length) => progress.update(() => progressText(database, received, length)),
      }),
    });
    progress.clear();
    if (!updated.ok) {
      await report(`${database}: ${updated.failure.description}`);
      status = status === EXIT.ok ? STATUS[updated.failure.reason] : status;
      continue;
    }
    const result =
      updated.value === undefined
        ? `${source.description} has no newer file`
        : `replaced by the file of ${source.description}, built ${dateOf(updated.value.builtAt)}`;
    await out.sink.write(`${database}: ${result}\n`);
    if (unused[database] !== undefined) {
      await report(`${database}: ${unused[database]} is set, so that the service does not use this file`);
    }
  }
  return status;
}

/** The exit status of each failure. */
const STATUS: Readonly<Record<UpdateFailure["reason"], ExitStatus>> = {
  NOT_PUBLISHED: EXIT.unavailable,
  INVALID_DOWNLOAD: EXIT.unavailable,
  FOLDER_UNWRITABLE: EXIT.io,
  PUBLISHER_UNAVAILABLE: EXIT.temporary,
  CREDENTIALS_REJECTED: EXIT.noPermission,
};

/** The name of the variable with the source of a file. */
function sourceVariable(database: FolderFile): string {
  return `DATA_${database.toUpperCase()}_SOURCE`;
}

/** Returns the source of a file as the flag or the variable has it, or the default. */
function sourceText(database: FolderFile, flags: Flags, env: Environment): string {
  return flags[`${database}Source`] ?? (env[sourceVariable(database)] || DEFAULT_SOURCES[database]);
}

const DAY = 86_400_000;
/** The shortest period of updates in milliseconds. Publishers allow some downloads a day. */
const MIN_PERIOD = 3_600_000;
/** Timers cannot wait longer than 24 days. */
const MAX_PERIOD = 20 * DAY;
const MEGABYTE = 1_000_000;

/** The progress of a download, such as `city: 12.5 of 60.0 MB`. */
function progressText(database: FolderFile, received: number, length: number | undefined): string {
  const total = length === undefined ? "" : ` of ${(length / MEGABYTE).toFixed(1)}`;
  return `${database}: ${(received / MEGABYTE).toFixed(1)}${total} MB`;
}
