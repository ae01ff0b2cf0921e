import currencyCodes from "currency-codes";
import type { PackageReader } from "../read-packages.js";

/** What the packages have about codes and currencies. */
export interface CodeSources {
  /** CLDR: groups of names for one time zone, with the country in the key of the group. */
  readonly zoneGroups: readonly { readonly code2: string; readonly zones: readonly string[] }[];
  /** CLDR: currencies that are legal tender nowhere, with the regions that used them. Some regions have ended. */
  readonly pastTender: ReadonlyMap<string, readonly string[]>;
  /** CLDR: the names of currencies by ISO 4217 code, by locale: the name, and the one after the number 1, which can be the same. */
  readonly currencyNames: ReadonlyMap<string, ReadonlyMap<string, readonly [name: string, one: string]>>;
  /** ISO 4217: the English name of a currency; undefined if the package does not have it. */
  readonly isoCurrencyName: (code: string) => string | undefined;
}

/** Currencies of which the use ended before this year are left out. */
const FIRST_YEAR = "1950";

interface TimeZones {
  readonly keyword: { readonly u: { readonly tz: Readonly<Record<string, { _alias?: string } | string>> } };
}

interface CurrencyData {
  readonly supplemental: {
    readonly currencyData: {
      readonly region: Record<string, readonly Record<string, { _to?: string; _tender?: string }>[]>;
    };
  };
}

interface CurrencyWords {
  readonly displayName?: string;
  readonly "displayName-count-one"?: string;
}

interface CurrencyFile {
  readonly main: Record<string, { numbers: { currencies: Record<string, CurrencyWords> } }>;
}

/** Reads what the build needs of codes and currencies. */
export function readCodeSources(
  cldr: PackageReader,
  bcp47: PackageReader,
  numbers: PackageReader,
  iso4217: PackageReader,
): CodeSources {
  // currency-codes is JavaScript: it is imported above, and read here only for its hash.
  iso4217.text("data.js");
  const { tz } = bcp47.json<TimeZones>("bcp47/timezone.json").keyword.u;
  return {
    zoneGroups: Object.entries(tz).flatMap(([key, group]) =>
      typeof group === "string" || group._alias === undefined
        ? []
        : [{ code2: key.slice(0, 2).toUpperCase(), zones: group._alias.split(" ") }],
    ),
    pastTender: pastTender(cldr.json("supplemental/currencyData.json")),
    currencyNames: new Map(
      [...numbers.jsonOfFolders<CurrencyFile>("main", "currencies.json")].map(([locale, { main }]) => [
        locale,
        new Map(
          Object.entries(main[locale]?.numbers.currencies ?? {}).flatMap(([code, words]) => {
            const { displayName: name = code, "displayName-count-one": one = name } = words;
            return name === code ? [] : [[code, [name, one] as const] as const];
          }),
        ),
      ]),
    ),
    isoCurrencyName: (code) => currencyCodes.code(code)?.currency,
  };
}

function pastTender(file: CurrencyData): ReadonlyMap<string, readonly string[]> {
  const past = new Map<string, string[]>();
  const today = new Set<string>();
  for (const [region, uses] of Object.entries(file.supplemental.currencyData.region)) {
    for (const [code, { _to, _tender }] of uses.flatMap((use) => Object.entries(use))) {
      if (_tender !== "false" && _to === undefined) {
        today.add(code);
      } else if (_tender !== "false" && _to !== undefined && _to >= FIRST_YEAR) {
        past.set(code, [...(past.get(code) ?? []), region]);
      }
    }
  }
  return new Map([...past].filter(([code]) => !today.has(code)));
}
