import { readFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { describe, expect, test } from "vitest";
import { connectClients, grpcJsClient, send } from "./clients.js";
import { useServer } from "./serve.js";

const BASE_URL = "https://tools.example";
const server = useServer({ publicBaseUrl: BASE_URL });
const { listCountries, getCountry } = CountriesService.method;

interface Summary {
  readonly code2: string;
  readonly code3: string;
  readonly name: string;
  readonly api_url: string;
}

const list = async (): Promise<Summary[]> => (await send(`${server.url}/v1/countries`)).json as Summary[];
const get = async (code: string) => send(`${server.url}/v1/countries?country=${code}`);

describe("the list", () => {
  test("is a bare array of 250 summaries with exactly the fields of the specification", async () => {
    const countries = await list();
    expect(countries).toHaveLength(250);
    for (const country of countries) {
      expect(Object.keys(country)).toEqual([
        "code2",
        "code3",
        "name",
        "capital",
        "region",
        "subregion",
        "api_url",
      ]);
    }
    expect(countries.find(({ code2 }) => code2 === "FR")).toEqual({
      code2: "FR",
      code3: "FRA",
      name: "France",
      capital: "Paris",
      region: "Europe",
      subregion: "Western Europe",
      api_url: `${BASE_URL}/v1/countries?country=FR`,
    });
  });

  test("is sorted by name", async () => {
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual(names.toSorted(new Intl.Collator("en").compare));
  });

  test("has api_urls that return the named country with all fields of the summary", async () => {
    for (const summary of await list()) {
      const { status, json } = await send(summary.api_url.replace(BASE_URL, server.url));
      expect([status, json]).toEqual([200, expect.objectContaining({ ...summary })]);
    }
  });
});

describe("the detail", () => {
  test.each(["FR", "fr", "FRA", "fra", "Fr"])("is found by %s", async (code) => {
    expect((await get(code)).json).toMatchObject({ code2: "FR", code3: "FRA", numeric: "250", eu: true });
  });

  test("of Kosovo is found by either code", async () => {
    expect((await get("XK")).json).toEqual((await get("xkx")).json);
  });

  test("has all fields of the data file's record", async () => {
    const file = JSON.parse(readFileSync(new URL("../../data/countries.json", import.meta.url), "utf8"));
    const france = file.countries.find(({ code2 }: { code2: string }) => code2 === "FR");
    const { officialName, nativeName, callingCodes, topLevelDomain, timeZones, languages, states, ...same } =
      france;
    expect((await get("FR")).json).toEqual({
      ...same,
      official_name: officialName,
      native_name: nativeName,
      calling_codes: callingCodes,
      top_level_domain: topLevelDomain,
      time_zones: timeZones,
      languages: languages.map(renameNative),
      states: states.map(renameNative),
      api_url: `${BASE_URL}/v1/countries?country=FR`,
    });
  });

  test("of a country without subdivisions has an empty list", async () => {
    expect((await get("GI")).json).toMatchObject({ name: "Gibraltar", states: [] });
  });
});

function renameNative({ nativeName, ...same }: { nativeName: string }) {
  return { ...same, native_name: nativeName };
}

test("list and detail are the same over every protocol", async () => {
  const countries = (await list()) as unknown as JsonObject[];
  const country = (await get("FR")).json;
  const grpcJs = grpcJsClient(server.url);
  for (const [name, call] of [...connectClients(server.url), ["grpc-js", grpcJs] as const]) {
    expect([name, await call(listCountries, {})]).toEqual([name, { answer: { countries } }]);
    expect([name, await call(getCountry, { country: "fra" })]).toEqual([name, { answer: { country } }]);
  }
  grpcJs.close();
});
