import type { Config } from "../../../config/config.js";
import { type Failure, ok, type Result } from "../../../failures/result.js";
import type { Country, State } from "../../../tools/countries/country.js";
import { loadCountries, loadSources } from "../../../tools/countries/load-countries.js";
import { loadEmailLists, loadInstalledLists } from "../../../tools/email/load-email.js";
import { addressRanges } from "../../../tools/geoip/address-ranges.js";
import { TIME_ZONES } from "../../../tools/geoip/geoip-sources.js";
import { describeRejected, loadDatabases } from "../../../tools/geoip/load-geoip.js";
import { RANGE_COLUMNS, rangeRows } from "./range-columns.js";
import type { CellValue, ExportColumn, Table } from "./table.js";

/** Writes a table in a format. */
export type Write = <T>(table: Table<T>) => Promise<void>;

/**
 * Exports the data in use. Fails if it cannot be used, and rejects as `write` does.
 *
 * @param report called with files that are not used
 */
type Export = (
  config: Config,
  write: Write,
  report: (problem: string) => Promise<void>,
) => Promise<Result<void, Failure>>;

const text = <T>(name: string, of: (row: T) => CellValue): ExportColumn<T> => ({ name, type: "text", of });
const flag = <T>(name: string, of: (row: T) => CellValue): ExportColumn<T> => ({ name, type: "boolean", of });
const number = <T>(name: string, of: (row: T) => CellValue): ExportColumn<T> => ({
  name,
  type: "double",
  of,
});

/** The fields of `GetCountry`. Lists are separated by spaces. */
const COUNTRY_COLUMNS: readonly ExportColumn<Country>[] = [
  text("code2", ({ code2 }) => code2),
  text("code3", ({ code3 }) => code3),
  text("numeric", ({ numeric }) => numeric),
  text("name", ({ name }) => name),
  text("official_name", ({ officialName }) => officialName),
  text("native_name", ({ nativeName }) => nativeName),
  text("flag", ({ flag }) => flag),
  text("capital", ({ capital }) => capital),
  text("region", ({ region }) => region),
  text("subregion", ({ subregion }) => subregion),
  text("continent", ({ continent }) => continent),
  number("lat", ({ coordinates }) => coordinates.lat),
  number("lon", ({ coordinates }) => coordinates.lon),
  text("currencies", ({ currencies }) => currencies.map(({ code }) => code).join(" ")),
  text("languages", ({ languages }) => languages.map(({ code }) => code).join(" ")),
  text("calling_codes", ({ callingCodes }) => callingCodes.join(" ")),
  text("top_level_domain", ({ topLevelDomain }) => topLevelDomain),
  text("time_zones", ({ timeZones }) => timeZones.join(" ")),
  flag("eu", ({ eu }) => eu),
  text("borders", ({ borders }) => borders.join(" ")),
  number("area_km2", ({ areaKm2 }) => areaKm2),
  flag("landlocked", ({ landlocked }) => landlocked),
  flag("un_member", ({ unMember }) => unMember),
  text("driving_side", ({ drivingSide }) => drivingSide),
  text("week_start", ({ weekStart }) => weekStart),
  text("measurement_system", ({ measurementSystem }) => measurementSystem),
  text("demonym", ({ demonym }) => demonym),
  text("postal_code_format", ({ postalCodeFormat }) => postalCodeFormat),
];

type Subdivision = State & { readonly country: string };

const SUBDIVISION_COLUMNS: readonly ExportColumn<Subdivision>[] = [
  text("country", ({ country }) => country),
  text("code", ({ code }) => code),
  text("name", ({ name }) => name),
  text("native_name", ({ nativeName }) => nativeName),
  text("type", ({ type }) => type),
  text("parent", ({ parent }) => parent),
];

const EMAIL_COLUMNS: readonly ExportColumn<readonly [list: string, name: string]>[] = [
  text("list", ([list]) => list),
  text("name", ([, name]) => name),
];

/** Exports tables that are made of the countries. */
function exportCountries<T>(
  columns: readonly ExportColumn<T>[],
  rowsOf: (country: Country) => readonly T[],
): Export {
  return async (_, write) => {
    const [countries, sources] = await Promise.all([loadCountries(), loadSources()]);
    if (!countries.ok) {
      return countries;
    }
    if (!sources.ok) {
      return sources;
    }
    return ok(await write({ columns, rows: countries.value.flatMap(rowsOf), sources: sources.value }));
  };
}

/** The exports by their names. */
export const EXPORTS = {
  geoip: async (config, write, report) => {
    const [loaded, countries, regions] = await Promise.all([
      loadDatabases(config),
      loadCountries(),
      loadSources(),
    ]);
    if (!loaded.ok) {
      return loaded;
    }
    if (!countries.ok) {
      return countries;
    }
    if (!regions.ok) {
      return regions;
    }
    const { databases, sources, rejected } = loaded.value;
    for (const file of rejected) {
      await report(describeRejected(file));
    }
    const rows = rangeRows(addressRanges(databases, countries.value));
    return ok(
      await write({ columns: RANGE_COLUMNS, rows, sources: [...sources, TIME_ZONES, ...regions.value] }),
    );
  },
  countries: exportCountries(COUNTRY_COLUMNS, (country) => [country]),
  subdivisions: exportCountries(SUBDIVISION_COLUMNS, ({ code2, states }) =>
    states.map((state) => ({ country: code2, ...state })),
  ),
  "email-lists": async ({ dataDir }, write, report) => {
    const installed = await loadInstalledLists();
    if (!installed.ok) {
      return installed;
    }
    const newer = await loadEmailLists(dataDir, installed.value);
    if (!newer.ok) {
      await report(`${newer.failure.description}; ${installed.value.file} is used`);
    }
    const { lists, sources } = newer.ok ? newer.value : installed.value;
    const named: readonly (readonly [list: string, names: Iterable<string>])[] = [
      ["disposable", new Set([...lists.disposable, ...lists.moreDisposable.keys()])],
      ["free_provider", lists.freeProviders],
      ["relay", lists.relays],
      ["role", lists.roleNames],
      ["top_level_domain", lists.topLevelDomains],
    ];
    const rows = named.flatMap(([list, names]) => Array.from(names, (name) => [list, name] as const));
    return ok(await write({ columns: EMAIL_COLUMNS, rows, sources }));
  },
} satisfies Readonly<Record<string, Export>>;
