import { readFileSync } from "node:fs";
import { join } from "node:path";
import { domainToASCII } from "node:url";
import type { Country } from "../../../../src/tools/countries/country.js";
import type { AliasKind } from "../../../../src/tools/countries/country-names.js";
import type { Alias } from "../names/find-names.js";
import { PARTS } from "../names/languages.js";
import type { Sources } from "../sources.js";

/** Time zones of the IANA database that are of no country. */
const WITHOUT_COUNTRY = new Set("CET CST6CDT EET EST EST5EDT HST MET MST MST7MDT PST8PDT WET".split(" "));

const KINDS: Readonly<Record<string, AliasKind>> = {
  olympic: "code",
  football: "code",
  vehicle: "code",
  reserved: "code",
  former: "formerCode",
  domain: "domain",
};

interface CodeRow {
  readonly kind: string;
  readonly value: string;
  readonly countries: readonly string[];
}

/**
 * Returns the codes by which a country is only searched, by alpha-2 code: each once, and none that its record has. Throws an Error for a
 * country that does not exist, and for a top-level domain that IANA has not delegated.
 */
export function buildCodes(
  countries: readonly Country[],
  sources: Sources,
): ReadonlyMap<string, readonly Alias[]> {
  const rows = readRows();
  const byCode = new Map(countries.map((country) => [country.code2, country]));
  const aliases = new Map<string, Alias[]>(countries.map(({ code2 }) => [code2, []]));
  const add = (code2: string, name: string, kind: AliasKind) => {
    const [country, own] = [byCode.get(code2), aliases.get(code2)];
    if (country === undefined || own === undefined) {
      throw new Error(`other-codes.txt: ${name} is of ${code2}, which is no country`);
    }
    const isKnown = own.some((alias) => alias.name === name && alias.kind === kind);
    // A former currency may have the code of a country: `ESP`.
    if (!isKnown && (kind === "formerCurrency" || ![country.code2, country.code3].includes(name))) {
      own.push({ name, language: "", kind });
    }
  };

  const inSports = new Map(
    rows
      .filter(({ kind }) => ["olympic", "football"].includes(kind))
      .map(({ value, countries: [code2] }) => [value, code2]),
  );
  const delegated = readDomains();
  for (const { kind, value, countries: owners } of rows) {
    if (kind === "domain" && !delegated.has(domainToASCII(value.slice(1)))) {
      throw new Error(`other-codes.txt: the top-level domain ${value} does not exist`);
    }
    for (const code2 of owners) {
      // A sign of vehicles is less known than the same code in sports.
      if (kind !== "vehicle" || [undefined, code2].includes(inSports.get(value))) {
        add(code2, value, required(KINDS[kind], `a kind ${kind}`));
      }
    }
  }
  for (const [part, code2] of Object.entries(PARTS)) {
    add(code2, part, "code");
    add(code2, String.fromCodePoint(...[...part].map((letter) => 0x1f1a5 + letter.charCodeAt(0))), "code");
  }
  for (const [zone, code2] of zoneLinks(countries, sources)) {
    add(code2, zone, "timeZone");
  }
  for (const [currency, users] of formerCurrencies(countries, sources)) {
    for (const code2 of users) {
      add(code2, currency, "formerCurrency");
    }
  }
  return aliases;
}

/** Returns the currencies that are legal tender nowhere, with the countries of today that used them. */
export function formerCurrencies(
  countries: readonly Pick<Country, "code2">[],
  { codes: { pastTender } }: Sources,
): ReadonlyMap<string, readonly string[]> {
  const known = new Set(countries.map(({ code2 }) => code2));
  const successors = new Map(
    readRows().flatMap(({ kind, value, countries }) => (kind === "former" ? [[value, countries]] : [])),
  );
  const all = [...pastTender].map(([currency, regions]) => {
    const users = regions.filter((region) => known.has(region));
    const heirs = regions.flatMap((region) => successors.get(region) ?? []);
    return { currency, isOfCountry: users.length > 0, users: users.length > 0 ? users : heirs };
  });
  // The mark of Germany precedes that of East Germany.
  all.sort((a, b) => Number(b.isOfCountry) - Number(a.isOfCountry));
  return new Map(all.map(({ currency, users }) => [currency, users]));
}

/** Returns the other names of time zones, with the country of the place for which they are named. */
function zoneLinks(countries: readonly Country[], { codes: { zoneGroups } }: Sources) {
  const owners = new Map(
    countries.flatMap(({ code2, timeZones }) => timeZones.map((zone) => [zone, code2] as const)),
  );
  const known = new Set(countries.map(({ code2 }) => code2));
  return zoneGroups.flatMap(({ code2, zones }) => {
    const owner = zones.map((zone) => owners.get(zone)).find((each) => each !== undefined) ?? code2;
    const links = zones.filter((zone) => !owners.has(zone) && !WITHOUT_COUNTRY.has(zone));
    return known.has(owner) ? links.map((zone) => [zone, owner] as const) : [];
  });
}

function readRows(): readonly CodeRow[] {
  return readFileSync(join(import.meta.dirname, "other-codes.txt"), "utf8")
    .split("\n")
    .filter((line) => /^[a-z]/.test(line))
    .flatMap((line) => {
      const [kind = "", ...pairs] = line.split(" ");
      return pairs.flatMap((pair) => {
        const [values = "", countries = ""] = pair.split("=");
        return values.split(",").map((value) => ({ kind, value, countries: countries.split(",") }));
      });
    });
}

function readDomains(): ReadonlySet<string> {
  const path = join(import.meta.dirname, "..", "..", "..", "email", "top-level-domains.txt");
  return new Set(readFileSync(path, "utf8").toLowerCase().split("\n"));
}

function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) {
    throw new Error(`there is no ${what}`);
  }
  return value;
}
