import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { CountriesService } from "../../../gen/utilitytools/v1/countries_pb.js";
import { RpcError } from "../../../src/rpc/rpc-error.js";
import { countriesService } from "../../../src/tools/countries/countries-service.js";
import { loadCountries } from "../../data/load-countries.js";
import { callUnary } from "../../rpc/call.js";

const countries = loadCountries();
const service = countriesService({ countries });
const { listCountries, getCountry } = CountriesService.method;

const list = (baseUrl = "https://tools.example") => callUnary(service, listCountries, {}, { baseUrl });

async function get(code: string, baseUrl = "https://tools.example") {
  const { country } = await callUnary(service, getCountry, { country: code }, { baseUrl });
  return country;
}

async function failure(country: string): Promise<RpcError> {
  try {
    await get(country);
  } catch (error) {
    if (error instanceof RpcError) {
      return error;
    }
    throw error;
  }
  throw new Error("no failure");
}

describe("countriesService", () => {
  it("implements the service", () => {
    expect(service.service).toBe(CountriesService);
  });
});

describe("listCountries", () => {
  it("lists all countries by name", async () => {
    const { countries: listed } = await list();
    expect(listed.map(({ name }) => name)).toEqual(countries.map(({ name }) => name));
    expect(listed).toHaveLength(250);
    expect(listed.find(({ code2 }) => code2 === "FR")).toEqual(
      expect.objectContaining({
        code2: "FR",
        code3: "FRA",
        name: "France",
        capital: "Paris",
        region: "Europe",
        subregion: "Western Europe",
        apiUrl: "https://tools.example/v1/countries?country=FR",
      }),
    );
  });

  it("links every country to itself", async () => {
    const { countries: listed } = await list("http://127.0.0.1:8080");
    for (const { code2, apiUrl } of listed) {
      const url = new URL(apiUrl);
      expect(`${url.origin}${url.pathname}`).toBe("http://127.0.0.1:8080/v1/countries");
      expect((await get(url.searchParams.get("country") ?? ""))?.code2).toBe(code2);
    }
  });
});

describe("getCountry", () => {
  it.each(["FR", "fr", "FRA", "fRa"])("finds %s", async (code) => {
    const france = await get(code, "http://[::1]:8080");
    expect(france).toEqual(
      expect.objectContaining({
        code2: "FR",
        code3: "FRA",
        numeric: "250",
        officialName: "the French Republic",
        nativeName: "France",
        flag: "🇫🇷",
        callingCodes: ["+33"],
        topLevelDomain: ".fr",
        continent: "Europe",
        timeZones: ["Europe/Paris"],
        eu: true,
        apiUrl: "http://[::1]:8080/v1/countries?country=FR",
      }),
    );
    expect(france?.coordinates).toEqual(expect.objectContaining({ lat: 46, lon: 2 }));
    expect(france?.currencies).toEqual([expect.objectContaining({ code: "EUR", name: "Euro" })]);
    expect(france?.languages).toEqual([
      expect.objectContaining({ code: "fr", name: "French", nativeName: "Français" }),
    ]);
    expect(france?.states.find((state) => state.code === "FR-IDF")).toEqual(
      expect.objectContaining({ name: "Île-de-France", nativeName: "", type: "metropolitan region" }),
    );
    expect(france?.states).toHaveLength(124);
  });

  it.each(["XK", "xkx"])("finds Kosovo as %s", async (code) => {
    expect(await get(code)).toEqual(
      expect.objectContaining({ code2: "XK", code3: "XKX", numeric: "", name: "Kosovo", states: [] }),
    );
  });

  it("does not give its data away", async () => {
    const first = await get("NO");
    first?.states.splice(0);
    first?.timeZones.splice(0);
    expect((await get("NO"))?.states).toHaveLength(17);
    expect((await get("NO"))?.timeZones).toEqual(["Europe/Oslo"]);
  });

  it.each([
    ["", "REQUIRED", "is required: a 2- or 3-letter country code, for example FR or FRA"],
    ["F", "INVALID_COUNTRY_CODE", "must be a 2- or 3-letter country code, for example FR or FRA"],
    ["France", "INVALID_COUNTRY_CODE", "must be a 2- or 3-letter country code, for example FR or FRA"],
    ["250", "INVALID_COUNTRY_CODE", "must be a 2- or 3-letter country code, for example FR or FRA"],
  ])("refuses %j", async (code, reason, description) => {
    expect(await failure(code)).toMatchObject({
      code: Code.InvalidArgument,
      reason: "INVALID_PARAMETERS",
      violations: [{ field: "country", reason, description }],
    });
  });

  it.each([
    ["ZZ", "ZZ"],
    ["zzz", "ZZZ"],
    ["UK", "UK"],
    ["AN", "AN"],
  ])("does not find %s", async (code, shown) => {
    expect(await failure(code)).toMatchObject({
      code: Code.NotFound,
      reason: "COUNTRY_NOT_FOUND",
      message: `No country has the code ${shown} in ISO 3166-1; XK is Kosovo.`,
      metadata: { country: shown },
    });
  });
});
