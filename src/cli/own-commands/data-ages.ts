import type { Config } from "../../config/config.js";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { ageWarnings, oldSources } from "../../tools/data-age.js";
import { loadEmailLists, loadInstalledLists } from "../../tools/email/load-email.js";
import { describeRejected, loadDatabases } from "../../tools/geoip/load-geoip.js";
import { ageInDays, type DataSource } from "../../tools/tool.js";
import { table } from "../output/tables.js";
import { createStyle, usesColors } from "../output/terminal.js";
import type { ProcessContext } from "../run.js";

const DAY = 86_400_000;

/** The options of {@link showAges}. */
export interface AgeOptions {
  /** Milliseconds; undefined: no age is an error. */
  readonly maxAge: number | undefined;
  /** Whether the list of disposable domains has a source, so that the installed one can be old as well. */
  readonly updatesDisposable: boolean;
}

/**
 * Prints the sources of the data in use with their ages and files. Resolves to the exit status: whether data cannot be used, or is older
 * than allowed.
 */
export async function showAges(
  config: Config,
  { maxAge, updatesDisposable }: AgeOptions,
  { env, out }: ProcessContext,
  report: (problem: string) => Promise<void>,
): Promise<ExitStatus> {
  const [loaded, installed] = await Promise.all([loadDatabases(config), loadInstalledLists()]);
  if (!loaded.ok || !installed.ok) {
    for (const { failure } of [loaded, installed].filter((each) => !each.ok)) {
      await report(failure.description);
    }
    return EXIT.unavailable;
  }
  for (const file of loaded.value.rejected) {
    await report(describeRejected(file));
  }
  const inFolder = await loadEmailLists(config.dataDir, installed.value);
  if (!inFolder.ok) {
    await report(`${inFolder.failure.description}; ${installed.value.file} is used`);
  }
  const lists = inFolder.ok ? inFolder.value : installed.value;
  for (const file of [...loaded.value.outdated, ...lists.outdated]) {
    await report(`${file} is older than the installed file, which is used`);
  }
  const header = ["Source", "Built", "Days old", "Publisher", "File"];
  const rows = [
    ...geoIpRows(loaded.value, config),
    ...lists.sources
      .filter(({ builtAt }) => builtAt !== undefined)
      .map((source) => rowOf(source, lists.file)),
  ];
  const lines = out.isTerminal
    ? table(header, rows, out.width ?? 80, createStyle(usesColors(out.isTerminal, env)))
    : [header, ...rows].map((row) => row.join("\t"));
  await out.sink.write(`${lines.join("\n")}\n`);
  const candidates = [
    ...loaded.value.sources,
    ...lists.sources.map((source) => (updatesDisposable ? { ...source, isFixed: undefined } : source)),
  ];
  if (maxAge === undefined) {
    for (const warning of ageWarnings(candidates, Date.now())) {
      await report(warning);
    }
    return EXIT.ok;
  }
  const old = oldSources(candidates, Date.now(), maxAge / DAY);
  for (const { name, builtAt } of old) {
    await report(`${name} is ${ageInDays(builtAt, Date.now())} days old`);
  }
  return old.length === 0 ? EXIT.ok : EXIT.oldData;
}

/** The row of a source. It has no files if it is a part of the program. */
function rowOf({ name, publisher, builtAt }: DataSource, files = ""): string[] {
  const times = builtAt && [dateOf(builtAt), `${ageInDays(builtAt, Date.now())}`];
  return [name, ...(times ?? ["unknown", "unknown"]), publisher, files];
}

/** The rows of databases with their files, and then of sources that are a part of the program. */
function geoIpRows(
  { sources, files }: { readonly sources: readonly DataSource[]; readonly files: readonly string[] },
  { geoIpCityFiles }: Config,
): string[][] {
  const cities = geoIpCityFiles?.length ?? 1;
  // There is a source for each file. The sources of two files of one database can have another order.
  const paths = [files.slice(0, cities), files.slice(cities)].flatMap((group) =>
    group.map(() => group.join(", ")),
  );
  return sources.map((source, index) => rowOf(source, paths[index]));
}

/** Returns the day of a date in UTC, such as 2026-11-01. */
export function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
