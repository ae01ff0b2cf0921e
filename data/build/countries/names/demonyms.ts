import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AliasKind, CountryNames } from "../../../../src/tools/countries/country-names.js";
import type { Sources } from "../sources.js";
import type { Alias } from "./find-names.js";

/** What languages without inflection add to the name of a country for its inhabitants. */
const INHABITANTS: Readonly<Record<string, readonly string[]>> = {
  zh: ["人"],
  "zh-Hant": ["人"],
  ja: ["人"],
  ko: ["인"],
};

/** Languages that are named after the inhabitants of one country, and the countries. */
const LANGUAGE_OF: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "az:AZ be:BY bg:BG cs:CZ da:DK de:DE el:GR en:GB es:ES et:EE fi:FI fr:FR ga:IE hr:HR hu:HU hy:AM id:ID is:IS it:IT ja:JP ka:GE " +
    "kk:KZ km:KH ko:KR ky:KG lb:LU lo:LA lt:LT lv:LV mk:MK mn:MN mt:MT my:MM ne:NP nl:NL no:NO pl:PL pt:PT ro:RO ru:RU sk:SK sl:SI " +
    "sq:AL sr:RS sv:SE tg:TJ th:TH tk:TM tr:TR uk:UA uz:UZ vi:VN zh:CN"
  )
    .split(" ")
    .map((pair) => pair.split(":")),
);

/** Languages whose words for languages are those for the inhabitants, and for what belongs to them. */
const ADJECTIVES = "en es pt fr it de nl ru uk pl cs ro hu el sv da nb fi tr bg hr id".split(" ");

/** An alias and the alpha-2 code of its country. */
export type CountryAlias = readonly [code2: string, alias: Alias];

/** Reads a table of aliases with a row for each country and a column for each language. */
export function readTable(file: string, kind: AliasKind): readonly CountryAlias[] {
  const [head = [], ...rows] = readFileSync(join(import.meta.dirname, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((row) => row.split("\t"));
  return rows.flatMap(([code2 = "", ...cells]) =>
    cells.flatMap((cell, column) =>
      (cell === "" ? [] : cell.split(", ")).map(
        (name) => [code2, { name, language: head[column + 1] ?? "", kind }] as const,
      ),
    ),
  );
}

/** Returns words for the inhabitants of countries and for what belongs to them. `everyday` are more names of countries. */
export function demonyms(
  sources: Sources,
  names: CountryNames,
  everyday: readonly CountryAlias[],
): readonly CountryAlias[] {
  const alias = (code2: string, name: string, language: string) =>
    [code2, { name, language, kind: "demonym" as const }] as const;
  const ofList = [...sources.nationalities].flatMap(([language, list]) =>
    // `brittisk / caymansk (øyene)` is the more precise of two words, and an explanation.
    Object.entries(list).map(([code2, name]) => alias(code2, name.replace(/^.* \/ | \(.*/g, ""), language)),
  );
  const ofLanguages = ADJECTIVES.flatMap((language) =>
    Object.entries(LANGUAGE_OF).flatMap(([code, code2]) => {
      const name = sources.languageNames.get(language)?.[code] ?? "";
      return /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u.test(name)
        ? [alias(code2, name, language)]
        : [];
    }),
  );
  const built = Object.entries(INHABITANTS).flatMap(([language, ends]) =>
    names.codes.flatMap((code2, index) =>
      [
        ...(names.languages.get(language)?.[index] ?? []),
        ...(names.aliases.get(code2) ?? [])
          .filter((each) => each.kind === "name" && each.language === language)
          .flatMap((each) => each.names),
        ...everyday.flatMap(([code, each]) =>
          code === code2 && each.language === language ? [each.name] : [],
        ),
      ].flatMap((name) => ends.map((end) => alias(code2, `${name}${end}`, language))),
    ),
  );
  return [...readTable("demonyms.tsv", "demonym"), ...built, ...ofList, ...ofLanguages];
}
