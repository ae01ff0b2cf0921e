import { Code } from "@connectrpc/connect";
import {
  CountriesService,
  type GetCountryResponse,
  type ListCountriesResponse,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { beforeAll, describe, expect, test } from "vitest";
import { type MethodCaller, openLocalService } from "../../../src/cli/calls/calls.js";
import { createFindCode, findingCountries } from "../../../src/cli/calls/find-country.js";
import { callFailure } from "../../../src/cli/failures.js";

const { getCountry, listCountries } = CountriesService.method;
const country = { operand: getCountry.input.fields[0], uriOperand: undefined, fields: [] };
let open: MethodCaller;
let call: MethodCaller;
beforeAll(async () => {
  const opened = await openLocalService(CountriesService, {});
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  open = opened.value;
  call = findingCountries(open, createFindCode(open));
});

describe("a country is found by", () => {
  test.each([
    ["its code", "fr", "FR"],
    ["its name", "Germany", "DE"],
    ["its name in any case", "CÔTE D’IVOIRE", "CI"],
    ["a calling code", "+49", "DE"],
    ["a numeric code", "276", "DE"],
    ["its name in another language", "Alemania", "DE"],
    ["its capital", "Paris", "FR"],
    ["a subdivision", "bayern", "DE"],
    ["a name that a subdivision of another has as well", "Georgia", "GE"],
    ["a name that others contain", "Guinea", "GN"],
    ["its name with generic words", "Republic of Argentina", "AR"],
  ])("%s", async (_name, text, code2) => {
    expect(await call(getCountry, { country: text })).toMatchObject({ country: { code2 } });
  });
});

describe("a country is not found by", () => {
  test.each<[string, string, string, RegExp]>([
    [
      "a value of several",
      "EUR",
      "COUNTRY_AMBIGUOUS",
      /^several .* of one: Germany \(DE\), .*, and \d+ more$/,
    ],
    ["a part of names", "virgin isl", "COUNTRY_AMBIGUOUS", /United States Virgin Islands \(VI\)/],
    ["a part of one name", "liechtenst", "COUNTRY_NOT_FOUND", /did you mean Liechtenstein \(LI\)\?$/],
    ["a name with a wrong letter", "Germny", "COUNTRY_NOT_FOUND", /did you mean Germany \(DE\)\?$/],
    ["an unknown code", "QQ", "COUNTRY_NOT_FOUND", /QQ/],
    ["a name that two may be", "Ieland", "COUNTRY_NOT_FOUND", / Ireland \(IE\) or Iceland \(IS\)\?$/],
    ["a text that is no name", "zzzz", "COUNTRY_NOT_FOUND", /^no country has this code or name$/],
    ["no text", "", "REQUIRED", /must not be empty/],
  ])("%s", async (_name, text, reason, message) => {
    const failure = await call(getCountry, { country: text }).then(
      () => undefined,
      (thrown) => callFailure(thrown, country),
    );
    expect(failure).toMatchObject({ reason, message: expect.stringMatching(message) });
    expect([Code.NotFound, Code.InvalidArgument]).toContain(failure?.code);
  });
});

describe("a country of the list", () => {
  test("is the one that a search finds", async () => {
    const searching = findingCountries(open);
    const { countries = [] } = (await open(listCountries, {})) as Partial<ListCountriesResponse>;
    expect(countries).toHaveLength(250);
    const findCode = createFindCode(open);
    for (const { name, code2, code3 } of countries) {
      const known = name === "Saint Martin" ? undefined : code2;
      const found = await searching(getCountry, { country: name }).then(
        (response) => (response as Partial<GetCountryResponse>).country?.code2,
        (thrown) => callFailure(thrown, country).reason,
      );
      // Sint Maarten has this name, too.
      const codes = await Promise.all([name, name.toUpperCase(), code2.toLowerCase(), code3].map(findCode));
      expect([name, found, ...codes]).toEqual([
        name,
        known ?? "COUNTRY_AMBIGUOUS",
        known,
        known,
        code2,
        code2,
      ]);
    }
  });

  test("is found without a search", async () => {
    const called: string[] = [];
    const counting: MethodCaller = (method, request) => {
      called.push(method.name);
      return open(method, request);
    };
    const finding = findingCountries(counting, createFindCode(counting));
    await finding(getCountry, { country: "cote d'ivoire" });
    await finding(getCountry, { country: "GERMANY" });
    await finding(getCountry, { country: "fr" });
    expect(called).toEqual(["ListCountries", "GetCountry", "GetCountry", "GetCountry"]);
  });

  test("is no other text", async () => {
    const texts = ["+49", "276", "🇩🇪", ".de", "Alemania", "EUR", "virgin isl", "", "+Germany"];
    const codes = await Promise.all([...texts, `Germany${" ".repeat(100)}`].map(createFindCode(open)));
    expect(codes.filter((code) => code !== undefined)).toEqual([]);
  });
});
