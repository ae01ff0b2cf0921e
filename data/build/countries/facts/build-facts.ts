import type { Country, Demonym } from "../../../../src/tools/countries/country.js";
import { searchText } from "../../../../src/tools/countries/search/search-text.js";
import { applyChange } from "../change.js";
import type { Sources } from "../sources.js";
import * as tables from "./fact-tables.js";
import { postalCodeFormat } from "./postal-codes.js";

/** The facts of a country about its land, its people and its customs. */
type Facts = Pick<
  Country,
  | "borders"
  | "areaKm2"
  | "landlocked"
  | "unMember"
  | "drivingSide"
  | "weekStart"
  | "measurementSystem"
  | "demonym"
  | "postalCodeFormat"
>;

/** Returns the facts of a country. Throws an Error if a source does not have it. */
export function buildFacts(code: string, sources: Sources): Facts {
  const fact = factsOf(code, sources);
  const alpha2 = new Map([...sources.facts].map(([code2, { cca3 }]) => [cca3, code2]));
  const borders = applyChange(fact.borders, tables.BORDERS[code], `the borders of ${code}`).map((code3) => {
    const neighbor = alpha2.get(code3);
    if (neighbor === undefined) {
      throw new Error(`${code} borders on ${code3}, which is no country`);
    }
    return neighbor;
  });
  const day = sources.weekStarts.get(code) ?? sources.weekStarts.get("001") ?? "";
  const weekStart = tables.WEEK_DAYS[day];
  if (weekStart === undefined) {
    throw new Error(`the week of ${code} starts on ${day}`);
  }
  return {
    areaKm2: applyChange(fact.area, tables.AREAS[code], `the area of ${code}`),
    borders: borders.sort(),
    landlocked: fact.landlocked,
    unMember: applyChange(fact.unMember, tables.UN_MEMBERS[code], `the UN membership of ${code}`),
    drivingSide: tables.WITHOUT_ROADS.has(code)
      ? ""
      : tables.DRIVING_ON_THE_LEFT.has(code)
        ? "left"
        : "right",
    weekStart,
    measurementSystem: sources.measurementSystems.get(code) ?? "metric",
    demonym: demonymOf(code, sources),
    postalCodeFormat: postalCodeFormat(code),
  };
}

/** Returns the demonyms of a country for the search, in English and French, each once. */
export function buildDemonyms(code: string, sources: Sources): readonly Demonym[] {
  const { eng, fra } = factsOf(code, sources).demonyms;
  const isInhabited = demonymOf(code, sources) !== "";
  const known = new Set<string>();
  // The source has "American" for the Northern Mariana Islands.
  const all = [
    ...[demonymOf(code, sources), ...(code === "MP" ? [] : [eng.m, eng.f])].map((names) => ({
      names,
      language: "en",
    })),
    ...[fra?.m ?? "", fra?.f ?? ""].map((names) => ({ names, language: "fr" })),
  ];
  return (isInhabited ? all : []).flatMap(({ names, language }) =>
    names
      .split(/, | or /)
      .map((name) => ({ name: name.normalize("NFC").trim(), language }))
      .filter(({ name }) => {
        const key = `${language} ${searchText(name).compact}`;
        const isNew = name !== "" && !known.has(key);
        known.add(key);
        return isNew;
      }),
  );
}

function demonymOf(code: string, sources: Sources): string {
  return applyChange(factsOf(code, sources).demonyms.eng.m, tables.DEMONYMS[code], `the demonym of ${code}`);
}

function factsOf(code: string, { facts }: Sources) {
  const fact = facts.get(code);
  if (fact === undefined) {
    throw new Error(`world-countries does not have ${code}`);
  }
  return fact;
}
