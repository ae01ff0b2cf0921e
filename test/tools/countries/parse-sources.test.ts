import { describe, expect, it } from "vitest";
import { parseSources } from "../../../src/tools/countries/parse-sources.js";
import { dataText } from "../../data/load-countries.js";

const good = {
  name: "N",
  publisher: "P",
  url: "https://p.example",
  licence: "MIT",
  attribution: "",
  version: "1",
};

describe("parseSources", () => {
  it("reads the committed file", () => {
    const parsed = parseSources(JSON.parse(dataText("SOURCES.json")));
    expect(parsed.ok && parsed.value.map(({ name, licence }) => [name, licence])).toEqual([
      ["Countries List", "MIT"],
      ["Unicode CLDR", "Unicode-3.0"],
      ["iso-3166", "MIT"],
      ["Countries States Cities Database", "ODbL-1.0"],
    ]);
  });

  it("leaves out what it does not know", () => {
    expect(parseSources({ "countries.json": [{ ...good, package: "n", files: [] }] })).toEqual({
      ok: true,
      value: [{ ...good, builtAt: undefined }],
    });
  });

  it.each([
    [{}, "file.countries.json must be a list, not missing"],
    [
      { "countries.json": [{ ...good, url: "x" }] },
      'file.countries.json[0].url must be an https URL, not "x"',
    ],
    [{ "countries.json": [{ ...good, licence: 1 }] }, "file.countries.json[0].licence must be text"],
  ])("names what is wrong in %j", (json, problem) => {
    expect(parseSources(json)).toMatchObject({
      failure: { reason: "BROKEN_COUNTRY_DATA", description: expect.stringContaining(problem) },
    });
  });
});
