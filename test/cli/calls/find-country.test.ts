import { Code } from "@connectrpc/connect";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { beforeAll, describe, expect, test } from "vitest";
import { type MethodCaller, openLocalService } from "../../../src/cli/calls/calls.js";
import { findingCountries } from "../../../src/cli/calls/find-country.js";
import { callFailure } from "../../../src/cli/failures.js";

const { getCountry } = CountriesService.method;
let call: MethodCaller;
beforeAll(async () => {
  const opened = await openLocalService(CountriesService, {});
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  call = findingCountries(opened.value);
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
  ])("%s", async (_name, text, code2) => {
    expect(await call(getCountry, { country: text })).toMatchObject({ country: { code2 } });
  });
});

describe("a country is not found by", () => {
  test.each<[string, string, string, RegExp]>([
    [
      "a value that several have",
      "EUR",
      "COUNTRY_AMBIGUOUS",
      /^several countries match; give the code of one: Germany \(DE\), .*, and \d+ more$/,
    ],
    ["a part of names", "virgin isl", "COUNTRY_AMBIGUOUS", /United States Virgin Islands \(VI\)/],
    ["a part of one name", "liechtenst", "COUNTRY_NOT_FOUND", /did you mean Liechtenstein \(LI\)\?$/],
    ["a name with a wrong letter", "Germny", "COUNTRY_NOT_FOUND", /did you mean Germany \(DE\)\?$/],
    ["an unknown code", "QQ", "COUNTRY_NOT_FOUND", /QQ/],
    ["a text that is no name", "zzzz", "COUNTRY_NOT_FOUND", /^no country has this code or name$/],
    ["no text", "", "REQUIRED", /must not be empty/],
  ])("%s", async (_name, text, reason, message) => {
    const failure = await call(getCountry, { country: text }).then(
      () => undefined,
      (thrown) => callFailure(thrown, "country"),
    );
    expect(failure).toMatchObject({ reason, message: expect.stringMatching(message) });
    expect([Code.NotFound, Code.InvalidArgument]).toContain(failure?.code);
  });
});
