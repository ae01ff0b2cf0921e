import { ageInDays, type DataSource } from "../../tools/tool.js";

/** The age in days after which the log, `serve --check` and the alert `UtilityToolsDataOld` warn. */
export const OLD_DATA_DAYS = 60;

/** A source with a build date. */
type DatedSource = DataSource & { readonly builtAt: Date };

/** Returns the sources that are older than a number of days, and that `update-data` can replace: those of IANA are part of the program. */
export function oldSources(sources: readonly DataSource[], now: number, days = OLD_DATA_DAYS): DatedSource[] {
  return sources.filter(
    (source): source is DatedSource =>
      source.builtAt !== undefined &&
      !source.name.startsWith("IANA") &&
      ageInDays(source.builtAt, now) > days,
  );
}
