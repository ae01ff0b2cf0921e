import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { isInEuropeanUnion } from "../../../src/tools/geoip/eu-territories.js";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const ALL_CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

interface TerritoryContainment {
  readonly supplemental: {
    readonly territoryContainment: { readonly EU: { readonly _contains: readonly string[] } };
  };
}

it("holds for CLDR's member states, the outermost regions with codes of their own, and Åland", () => {
  const cldr: TerritoryContainment = createRequire(import.meta.url)(
    "cldr-core/supplemental/territoryContainment.json",
  );
  const members = cldr.supplemental.territoryContainment.EU._contains;
  expect(members).toHaveLength(27);
  expect(ALL_CODES.filter(isInEuropeanUnion)).toEqual(
    [...members, "AX", "GF", "GP", "MF", "MQ", "RE", "YT"].sort(),
  );
});

it.each([
  ["the United Kingdom, which left in 2020", "GB"],
  ["Saint Barthélemy, which left in 2012", "BL"],
  ["Greenland", "GL"],
  ["the Faroe Islands", "FO"],
  ["Aruba", "AW"],
  ["New Caledonia", "NC"],
  ["the European Union as a code", "EU"],
  ["Greece as the Union writes it", "EL"],
  ["nothing", ""],
])("does not hold for %s", (_, code) => {
  expect(isInEuropeanUnion(code)).toBe(false);
});
