import { iso31661, iso31662 } from "iso-3166";
import { openPackage, type PackageOrigin, type PackageRecord } from "./read-packages.js";

/** A country of countries-list. */
export interface ListedCountry {
  readonly name: string;
  readonly native: string;
  readonly phone: readonly number[];
  readonly continent: string;
  readonly capital: string;
  readonly currency: readonly string[];
  readonly languages: readonly string[];
}

/** A name in English and in the language itself; currencies have both too. */
interface Named {
  readonly name: string;
  readonly native: string;
}

/** A country of @countrystatecity/countries. */
interface DatabaseCountry {
  readonly iso2: string;
  readonly tld: string;
  readonly latitude: string;
  readonly longitude: string;
}

/** A state of @countrystatecity/countries. */
export interface DatabaseState {
  readonly name: string;
  readonly iso3166_2: string | null;
  readonly type: string | null;
  readonly native: string | null;
}

/** The content of the packages that the build uses. */
export interface Sources {
  /** ISO 3166-1, from iso-3166. */
  readonly isoCountries: readonly { alpha2: string; alpha3: string; numeric: string; name: string }[];
  /** ISO 3166-2, from iso-3166; `parent` is a country or another subdivision. */
  readonly isoStates: readonly { code: string; name: string; parent: string }[];
  /** countries-list, by alpha-2 code. */
  readonly listed: Readonly<Record<string, ListedCountry>>;
  readonly languages: Readonly<Record<string, Named>>;
  readonly currencies: Readonly<Record<string, Named>>;
  /** @countrystatecity/countries, by alpha-2 code. */
  readonly database: ReadonlyMap<string, DatabaseCountry>;
  readonly databaseZones: ReadonlyMap<string, readonly string[]>;
  readonly databaseStates: ReadonlyMap<string, readonly DatabaseState[]>;
  /** CLDR: the members of a region of UN M49 or of `EU`, by the region's code. */
  readonly containment: ReadonlyMap<string, readonly string[]>;
  /** CLDR: the parts of a subdivision, in ISO 3166-2 codes. */
  readonly subdivisions: ReadonlyMap<string, readonly string[]>;
  /** CLDR: currencies that are legal tender now, by alpha-2 code. */
  readonly tender: ReadonlyMap<string, ReadonlySet<string>>;
  /** CLDR: time zones by alpha-2 code. */
  readonly windowsZones: ReadonlyMap<string, readonly string[]>;
  /** CLDR: former names of time zones. */
  readonly deprecatedZones: ReadonlySet<string>;
  /** The records of the packages. */
  readonly records: readonly PackageRecord[];
}

/** The origins of the packages, from their license files. */
const ORIGINS = {
  "countries-list": {
    name: "Countries List",
    publisher: "Annexare Studio",
    url: "https://github.com/annexare/Countries",
    attribution: "Copyright (c) 2014 Annexare Studio",
  },
  "cldr-core": {
    name: "Unicode CLDR",
    publisher: "Unicode, Inc.",
    url: "https://cldr.unicode.org",
    attribution: "Copyright © 2004-2026 Unicode, Inc.",
  },
  "iso-3166": {
    name: "iso-3166",
    publisher: "Titus Wormer",
    url: "https://github.com/wooorm/iso-3166",
    attribution: "Copyright (c) 2020 Titus Wormer",
  },
  "@countrystatecity/countries": {
    name: "Countries States Cities Database",
    publisher: "dr5hn",
    url: "https://github.com/dr5hn/countries-states-cities-database",
    attribution:
      "Contains information from the Countries States Cities Database " +
      "(https://github.com/dr5hn/countries-states-cities-database), which is made available here under the " +
      "Open Database License 1.0.",
  },
} satisfies Record<string, PackageOrigin>;

/** Reads everything from the installed packages. */
export function readSources(): Sources {
  const list = openPackage("countries-list", ORIGINS["countries-list"]);
  const cldr = openPackage("cldr-core", ORIGINS["cldr-core"]);
  const iso = openPackage("iso-3166", ORIGINS["iso-3166"]);
  const database = openPackage("@countrystatecity/countries", ORIGINS["@countrystatecity/countries"]);
  // iso-3166 is JavaScript: it is imported above, and read here only for its hash.
  iso.text("1.js");
  iso.text("2.js");

  const countries = database.json<readonly DatabaseCountry[]>("dist/data/countries.json");
  const zones = database.jsonOfFolders<{ iso2: string; timezones: readonly { zoneName: string }[] | null }>(
    "dist/data",
    "meta.json",
  );
  const states = database.jsonOfFolders<readonly DatabaseState[]>("dist/data", "states.json");
  const codeOfFolder = (folder: string) => folder.slice(folder.lastIndexOf("-") + 1);

  return {
    isoCountries: iso31661,
    isoStates: iso31662,
    listed: list.json("countries.min.json"),
    languages: list.json("languages.all.min.json"),
    currencies: list.json("currencies.all.min.json"),
    database: new Map(countries.map((country) => [country.iso2, country])),
    databaseZones: new Map(
      [...zones.values()].map(({ iso2, timezones }) => [
        iso2,
        (timezones ?? []).map((zone) => zone.zoneName),
      ]),
    ),
    databaseStates: new Map([...states].map(([folder, list]) => [codeOfFolder(folder), list])),
    containment: contained(
      cldr.json<Containment<"territoryContainment">>("supplemental/territoryContainment.json").supplemental
        .territoryContainment,
      (code) => code,
    ),
    subdivisions: contained(
      cldr.json<Containment<"subdivisionContainment">>("supplemental/subdivisionContainment.json")
        .supplemental.subdivisionContainment,
      (code) => (/^[A-Z]{2}$/.test(code) ? code : `${code.slice(0, 2)}-${code.slice(2)}`.toUpperCase()),
    ),
    tender: legalTender(cldr.json("supplemental/currencyData.json")),
    windowsZones: zonesOfTerritories(cldr.json("supplemental/windowsZones.json")),
    deprecatedZones: deprecatedZones(cldr.json("supplemental/aliases.json")),
    records: [list, cldr, iso, database].map((reader) => reader.record()),
  };
}

interface Containment<Name extends string> {
  readonly supplemental: Readonly<Record<Name, Record<string, { _contains: readonly string[] }>>>;
}

function contained(
  table: Readonly<Record<string, { _contains: readonly string[] }>>,
  spell: (code: string) => string,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(table).map(([code, { _contains }]) => [spell(code), _contains.map((part) => spell(part))]),
  );
}

/** Whether a currency is in use and legal tender according to CLDR, unlike fund codes. */
function legalTender(file: {
  supplemental: {
    currencyData: {
      region: Record<string, readonly Record<string, { _to?: string; _tender?: string }>[]>;
    };
  };
}): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(file.supplemental.currencyData.region).map(([country, uses]) => [
      country,
      new Set(
        uses
          .flatMap((use) => Object.entries(use))
          .filter(([, { _to, _tender }]) => _to === undefined && _tender !== "false")
          .map(([code]) => code),
      ),
    ]),
  );
}

function zonesOfTerritories(file: {
  supplemental: {
    windowsZones: { mapTimezones: readonly { mapZone: { _territory: string; _type: string } }[] };
  };
}): ReadonlyMap<string, readonly string[]> {
  const zones = new Map<string, string[]>();
  for (const { mapZone } of file.supplemental.windowsZones.mapTimezones) {
    const known = zones.get(mapZone._territory) ?? [];
    zones.set(mapZone._territory, [...known, ...mapZone._type.split(" ").filter((zone) => zone !== "")]);
  }
  return zones;
}

function deprecatedZones(file: {
  supplemental: { metadata: { alias: { zoneAlias: object } } };
}): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (node: object, prefix: string) => {
    for (const [name, value] of Object.entries(node) as [string, object][]) {
      if ("_replacement" in value) {
        names.add(prefix + name);
      } else {
        collect(value, `${prefix}${name}/`);
      }
    }
  };
  collect(file.supplemental.metadata.alias.zoneAlias, "");
  return names;
}
