import { ageInDays, type DataSource } from "./tool.js";

/** The age in days after which the log, `serve --check`, `update-data --check` and the alert `UtilityToolsDataOld` warn. */
const OLD_DATA_DAYS = 60;

/** A source with a build date. */
type DatedSource = DataSource & { readonly builtAt: Date };

/** Returns the sources with a build date that `update-data` replaces. */
export function updatedSources(sources: readonly DataSource[]): DatedSource[] {
  return sources.filter(
    (source): source is DatedSource => source.builtAt !== undefined && source.isFixed !== true,
  );
}

/** Returns those of {@link updatedSources} that are older than a number of days. */
export function oldSources(sources: readonly DataSource[], now: number, days = OLD_DATA_DAYS): DatedSource[] {
  return updatedSources(sources).filter(({ builtAt }) => ageInDays(builtAt, now) > days);
}

/** Returns a sentence for each of {@link oldSources}. */
export function ageWarnings(sources: readonly DataSource[], now: number): string[] {
  return oldSources(sources, now).map((source) => `${source.name} is ${oldText(source)}`);
}

/** Says that a source is old, and what to do. */
export function oldText({ chosenBy }: DataSource): string {
  const advice = chosenBy === undefined ? "run update-data" : `replace the file in ${chosenBy}`;
  return `more than ${OLD_DATA_DAYS} days old: ${advice}`;
}
