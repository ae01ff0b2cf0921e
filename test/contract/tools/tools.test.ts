import { readFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import { Resvg } from "@resvg/resvg-js";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import jsqr from "jsqr";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connectClients,
  grpcJsClient,
  type Outcome,
  restOutcome,
  send,
  type UnaryClient,
} from "../support/clients.js";
import { errorOf } from "../support/documented-examples.js";
import { useServer } from "../support/serve.js";

describe("barcode", () => {
  const server = useServer();

  /** Decodes the QR code in an image. */
  function decode(contentType: string | null, image: Uint8Array): string | undefined {
    const bytes = contentType === "image/svg+xml" ? new Resvg(Buffer.from(image)).render().asPng() : image;
    const { data, width, height } = PNG.sync.read(Buffer.from(bytes));
    return readQrCode(new Uint8ClampedArray(data), width, height)?.data;
  }

  // The types of jsqr declare a default export, but its CommonJS module is the function.
  const readQrCode = jsqr as unknown as typeof jsqr.default;

  async function open(url: string) {
    const response = await fetch(url);
    const contentType = response.headers.get("content-type");
    return {
      status: response.status,
      contentType,
      text: decode(contentType, new Uint8Array(await response.arrayBuffer())),
    };
  }

  async function generate(
    parameters: Record<string, string>,
  ): Promise<{ otp_url: string; qrcode_url: string }> {
    const body = new URLSearchParams({ type: "time_based", action: "generate", ...parameters });
    const response = await fetch(`${server.url}/v1/otp`, { method: "POST", body });
    return (await response.json()) as { otp_url: string; qrcode_url: string };
  }

  describe("the QR code of a new secret", () => {
    test.each([
      ["nothing", {}],
      ["ASCII", { label: "ann@example.com", issuer: "Example" }],
      ["characters that URLs escape", { label: "a;b&c=d?e#f/g+h%i j", issuer: "R&D 100%" }],
      ["non-ASCII characters", { label: "jürgen@münchen.example", issuer: "株式会社" }],
      ["emoji", { label: "👩‍💻", issuer: "🔐" }],
      ["the maximum length", { label: "é".repeat(128), issuer: "é".repeat(64), digits: "8" }],
    ])("with %s reads as its otp_url, in both formats", async (_name, parameters) => {
      const { otp_url, qrcode_url } = await generate(parameters);
      expect(await open(qrcode_url)).toEqual({ status: 200, contentType: "image/svg+xml", text: otp_url });
      expect(await open(`${qrcode_url}&format=png`)).toEqual({
        status: 200,
        contentType: "image/png",
        text: otp_url,
      });
      expect(await open(`${qrcode_url}&format=svg`)).toMatchObject({
        contentType: "image/svg+xml",
        text: otp_url,
      });
    });
  });

  describe("the same image over every protocol", () => {
    const { renderBarcode } = BarcodeService.method;
    const request = { data: "https://example.com/ä", format: "BARCODE_FORMAT_PNG" };

    test("as a google.api.HttpBody", async () => {
      const response = await fetch(
        `${server.url}/v1/barcode?type=qr_code&format=png&data=https://example.com/%C3%A4`,
      );
      const data = Buffer.from(await response.arrayBuffer()).toString("base64");
      const outcome = { answer: { image: { contentType: "image/png", data, extensions: [] } } };
      const grpcJs = grpcJsClient(server.url);
      for (const [name, call] of [...connectClients(server.url), ["grpc-js", grpcJs] as const]) {
        expect([name, await call(renderBarcode, request)]).toEqual([name, outcome]);
      }
      grpcJs.close();
    });
  });
});

describe("countries", () => {
  const BASE_URL = "https://tools.example";
  const server = useServer({ publicBaseUrl: BASE_URL });
  const { listCountries, getCountry, searchCountries } = CountriesService.method;

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
      const file = JSON.parse(readFileSync(new URL("../../../data/countries.json", import.meta.url), "utf8"));
      const france = file.countries.find(({ code2 }: { code2: string }) => code2 === "FR");
      const {
        officialName,
        nativeName,
        callingCodes,
        topLevelDomain,
        timeZones,
        areaKm2,
        unMember,
        drivingSide,
        weekStart,
        measurementSystem,
        postalCodeFormat,
        currencies,
        languages,
        states,
        search: _,
        ...same
      } = france;
      expect((await get("FR")).json).toEqual({
        ...same,
        official_name: officialName,
        native_name: nativeName,
        calling_codes: callingCodes,
        top_level_domain: topLevelDomain,
        time_zones: timeZones,
        area_km2: areaKm2,
        un_member: unMember,
        driving_side: drivingSide,
        week_start: weekStart,
        measurement_system: measurementSystem,
        postal_code_format: postalCodeFormat,
        currencies: currencies.map(({ minorUnits, ...others }: { minorUnits: number }) => ({
          ...others,
          minor_units: minorUnits,
        })),
        languages: languages.map(renameNative),
        states: states.map(renameNative),
        api_url: `${BASE_URL}/v1/countries?country=FR`,
      });
    });

    test("has the name in a language on request, and so has the list", async () => {
      const { json } = await send(`${server.url}/v1/countries?country=FR&language=de`);
      expect(json).toMatchObject({ name: "France", localized_name: "Frankreich" });
      expect((await get("FR")).json).not.toHaveProperty("localized_name");
      const listed = (await send(`${server.url}/v1/countries?language=fr`)).json as { code2: string }[];
      expect(listed).toHaveLength(250);
      expect(listed[0]).toMatchObject({ code2: "AF", name: "Afghanistan", localized_name: "Afghanistan" });
      expect(listed.find(({ code2 }) => code2 === "DE")).toMatchObject({ localized_name: "Allemagne" });
      expect((await list())[0]).not.toHaveProperty("localized_name");
    });

    test("of a country without subdivisions has an empty list", async () => {
      expect((await get("GI")).json).toMatchObject({ name: "Gibraltar", states: [] });
    });
  });

  describe("the search", () => {
    const search = async (query: string) => send(`${server.url}/v1/countries:search?${query}`);

    test("is a bare array of matches, the best first", async () => {
      const { status, json } = await search("query=UK&limit=2");
      const summaries = await list();
      const summaryOf = (code: string) => summaries.find(({ code2 }) => code2 === code);
      expect([status, json]).toEqual([
        200,
        [
          {
            value: "UK",
            kind: "KIND_ALTERNATIVE_NAME",
            language: "en",
            match: "MATCH_EXACT",
            country: summaryOf("GB"),
          },
          {
            value: "Ukraine",
            kind: "KIND_NAME",
            language: "en",
            match: "MATCH_START",
            country: summaryOf("UA"),
          },
        ],
      ]);
    });

    test("has the subdivision that matches", async () => {
      const { states } = (await get("DE")).json as { states: { code: string }[] };
      const { json } = await search("query=bayern");
      expect(json).toMatchObject([
        { value: "Bayern", kind: "KIND_SUBDIVISION_NAME", country: { code2: "DE" } },
      ]);
      expect((json as { state: unknown }[])[0]?.state).toEqual(states.find(({ code }) => code === "DE-BY"));
    });

    test.each([
      ["a calling code", "query=%2B49", "DE"],
      // A plus sign in a query is a space.
      ["a calling code whose plus sign is not escaped", "query=+49", "DE"],
      ["a name in another script", "query=%E6%97%A5%E6%9C%AC", "JP"],
      ["a name with spaces", "query=south+korea", "KR"],
    ])("finds %s", async (_name, query, code2) => {
      expect((await search(query)).json).toMatchObject({ 0: { country: { code2 } } });
    });

    test("of an unknown name is empty", async () => {
      expect(await search("query=Atlantis")).toMatchObject({ status: 200, text: "[]" });
    });

    test.each([
      ["", { query: "REQUIRED" }],
      ["query=", { query: "REQUIRED" }],
      [`query=${"x".repeat(101)}`, { query: "QUERY_TOO_LONG" }],
      ["query=x&limit=0", { limit: "INVALID_LIMIT" }],
      ["query=+&limit=251", { query: "REQUIRED", limit: "INVALID_LIMIT" }],
    ])("with ?%s is invalid", async (query, fields) => {
      expect(errorOf(await search(query))).toEqual({ status: 400, reason: "INVALID_PARAMETERS", fields });
    });

    test("is the same over every protocol", async () => {
      const matches = (await search("query=georgia")).json as JsonObject[];
      expect(matches).toHaveLength(3);
      const grpcJs = grpcJsClient(server.url);
      for (const [name, call] of [...connectClients(server.url), ["grpc-js", grpcJs] as const]) {
        expect([name, await call(searchCountries, { query: "georgia" })]).toEqual([
          name,
          { answer: { matches, suggestions: [] } },
        ]);
      }
      grpcJs.close();
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
});

describe("batches and explanations", () => {
  const server = useServer({ trustedProxies: ["127.0.0.1"] });

  /** Sends a batch over REST, with which the other protocols must agree. */
  async function post(path: string, request: JsonObject): Promise<Outcome> {
    const headers = { "content-type": "application/json" };
    return restOutcome(
      await send(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(request) }),
    );
  }

  /** Converts the outcome of a single call to the expected batch item. */
  async function single(path: string): Promise<unknown> {
    const { status, json } = await send(`${server.url}${path}`, { method: "GET" });
    return status === 200 ? { answer: json } : { status };
  }

  let ways: [string, UnaryClient][] = [];
  let grpcJs: ReturnType<typeof grpcJsClient> | undefined;
  beforeAll(() => {
    grpcJs = grpcJsClient(server.url);
    // A thousand e-mail addresses do not fit in a URL.
    ways = [...connectClients(server.url).filter(([name]) => name !== "Connect, GET"), ["grpc-js", grpcJs]];
  });
  afterAll(() => {
    grpcJs?.close();
    expect(server.bugs).toEqual([]);
  });

  describe("BatchLookupIps", () => {
    const ip_addresses = [
      "8.8.8.8",
      "2001:4860:4860::8888",
      "::ffff:1.1.1.1",
      "10.0.0.1",
      "3000::1",
      "x",
      "",
    ];

    test("returns for each address the result of LookupIp, over REST", async () => {
      const outcome = await post("/v1/geoIp:batch", { ip_addresses });
      const { results } = (outcome as { answer: { results: JsonObject[] } }).answer;
      expect(results.map(({ input }) => input)).toEqual(ip_addresses);
      for (const { input, answer, error } of results) {
        const alone = await single(`/v1/geoIp?ip_address=${encodeURIComponent(String(input))}`);
        const codes: Record<string, number> = { NOT_FOUND: 404, INVALID_ARGUMENT: 400 };
        const { code = "" } = (error ?? {}) as { code?: string };
        expect(answer === undefined ? { status: codes[code] } : { answer }).toEqual(alone);
      }
      expect(results.map(({ error }) => (error as JsonObject | undefined)?.reason)).toEqual([
        undefined,
        undefined,
        undefined,
        "RESERVED_ADDRESS",
        "RESERVED_ADDRESS",
        "INVALID_IP_ADDRESS",
        "REQUIRED",
      ]);
    });

    test("is the same over every protocol", async () => {
      const overRest = await post("/v1/geoIp:batch", { ip_addresses });
      for (const [name, call] of ways) {
        expect([name, await call(GeoIpService.method.batchLookupIps, { ip_addresses })]).toEqual([
          name,
          overRest,
        ]);
      }
    });
  });

  describe("the full view", () => {
    const FULL = "LOOKUP_VIEW_FULL";
    const lookUp = (query: string, headers: Record<string, string> = {}) =>
      send(`${server.url}/v1/geoIp${query}`, { headers });

    test("is selected by its value over HTTP, its name or its number", async () => {
      const [first, ...others] = await Promise.all(
        ["full", FULL, "2"].map((view) => lookUp(`?ip_address=1.1.1.1&view=${view}`)),
      );
      expect(first?.json).toMatchObject({ metadata: { details: { city: "Sydney", region_code: "AU-NSW" } } });
      expect(others.map(({ text }) => text)).toEqual([first?.text, first?.text]);
    });

    test("adds the details at the end of the basic view", async () => {
      const basic = await lookUp("?ip_address=1.1.1.1");
      expect((await lookUp("?ip_address=1.1.1.1&view=basic")).text).toBe(basic.text);
      const { text } = await lookUp("?ip_address=1.1.1.1&view=full");
      expect(text.startsWith(`${basic.text.slice(0, -2)},"details":{`)).toBe(true);
      expect(basic.text).not.toContain("details");
    });

    test("has an entity tag of its own", async () => {
      const [basic, full] = await Promise.all(
        ["basic", "full"].map((view) => lookUp(`?ip_address=9.9.9.9&view=${view}`)),
      );
      const tag = full?.headers.get("etag") ?? "";
      expect(tag).not.toBe(basic?.headers.get("etag"));
      const again = (view: string) => lookUp(`?ip_address=9.9.9.9&view=${view}`, { "if-none-match": tag });
      expect([(await again("full")).status, (await again("basic")).status]).toEqual([304, 200]);
    });

    test("is available for the client's own address", async () => {
      const headers = { "x-forwarded-for": "1.1.1.1" };
      const [self, single] = [
        await lookUp("/self?view=full", headers),
        await lookUp("?ip_address=1.1.1.1&view=full"),
      ];
      expect(self.text).toBe(single.text);
    });

    test("is the same in batches, over every protocol", async () => {
      const ip_addresses = ["1.1.1.1", "10.0.0.1", "2001:4860:4860::8888"];
      const overRest = await post("/v1/geoIp:batch", { ip_addresses, view: "full" });
      const { results } = (overRest as { answer: { results: JsonObject[] } }).answer;
      expect(results[0]?.answer).toEqual((await lookUp("?ip_address=1.1.1.1&view=full")).json);
      for (const [name, call] of ways) {
        const outcome = await call(GeoIpService.method.batchLookupIps, { ip_addresses, view: FULL });
        expect([name, outcome]).toEqual([name, overRest]);
      }
    });

    test("has a number that is known, over every protocol", async () => {
      for (const [name, call] of ways) {
        expect([name, await call(GeoIpService.method.lookupIp, { ip_address: "1.1.1.1", view: 7 })]).toEqual([
          name,
          { code: "INVALID_ARGUMENT", reason: "INVALID_PARAMETERS", fields: ["view"] },
        ]);
      }
    });
  });

  describe("BatchSanitizeEmails", () => {
    /** The maximum number of addresses of the maximum length. */
    const longest = Array.from({ length: 1000 }, (_, index) => {
      const domain = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.com`;
      return `${String(index).padStart(64, "a")}@${domain}`;
    });

    test("accepts a thousand addresses of 254 bytes over every protocol", async () => {
      expect(new Set(longest.map(({ length }) => length))).toEqual(new Set([254]));
      const expected = { answer: { results: longest.map((email) => ({ input: email, answer: { email } })) } };
      expect(await post("/v1/sanitizeEmail:batch", { emails: longest })).toEqual(expected);
      for (const [name, call] of ways) {
        expect([name, await call(EmailService.method.batchSanitizeEmails, { emails: longest })]).toEqual([
          name,
          expected,
        ]);
      }
    });

    test("still has a size limit, over every protocol", async () => {
      const emails = ["x".repeat(512 * 1024)];
      expect(await post("/v1/sanitizeEmail:batch", { emails })).toMatchObject({ reason: "BODY_TOO_LARGE" });
      for (const [name, call] of ways) {
        expect([name, await call(EmailService.method.batchSanitizeEmails, { emails })]).toMatchObject([
          name,
          { code: "RESOURCE_EXHAUSTED" },
        ]);
      }
    });

    test.each([
      [[], "REQUIRED"],
      [Array(1001).fill("a@b.example"), "TOO_MANY_ITEMS"],
    ])("rejects a whole batch (%#)", async (emails, reason) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ emails });
      const { status, json } = await send(`${server.url}/v1/sanitizeEmail:batch`, {
        method: "POST",
        headers,
        body,
      });
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error: {
          details: [{ fieldViolations: [{ field: "emails", reason }] }, { reason: "INVALID_PARAMETERS" }],
        },
      });
    });
  });

  describe("LookupSelf", () => {
    const lookUp = (client: string) =>
      send(`${server.url}/v1/geoIp/self`, { headers: { "x-forwarded-for": client } });

    test("looks up the address that a trusted proxy forwards, as LookupIp does, without caching", async () => {
      const { status, json, headers } = await lookUp("8.8.8.8");
      expect([status, headers.get("cache-control")]).toEqual([200, "private, no-store"]);
      expect({ answer: json }).toEqual(await single("/v1/geoIp?ip_address=8.8.8.8"));
    });

    test("names the special-purpose address of a local client", async () => {
      const { status, json } = await send(`${server.url}/v1/geoIp/self`);
      expect(status).toBe(404);
      expect(json).toMatchObject({
        error: {
          status: "NOT_FOUND",
          details: [{ reason: "RESERVED_ADDRESS", metadata: { range: "Loopback", block: "127.0.0.0/8" } }],
        },
      });
    });

    test("has no address as a parameter", async () => {
      expect((await send(`${server.url}/v1/geoIp/self?ip_address=8.8.8.8`)).status).toBe(400);
    });
  });

  describe("ExplainEmail", () => {
    test("returns the same steps over every protocol", async () => {
      const email = "Jane.Doe+news@GoogleMail.com";
      const overRest = await post("/v1/sanitizeEmail:explain", { email });
      expect(overRest).toMatchObject({
        answer: {
          email: "janedoe@gmail.com",
          steps: [
            { rule: "EMAIL_RULE_NORMALIZE_DOMAIN", result: "Jane.Doe+news@googlemail.com", provider: "" },
            { rule: "EMAIL_RULE_LOWER_CASE", result: "jane.doe+news@googlemail.com", provider: "" },
            { rule: "EMAIL_RULE_REMOVE_SUFFIX", result: "jane.doe@googlemail.com", provider: "" },
            { rule: "EMAIL_RULE_FOLD_CHARACTERS", result: "janedoe@googlemail.com", provider: "Gmail" },
            { rule: "EMAIL_RULE_FOLD_DOMAIN", result: "janedoe@gmail.com", provider: "Gmail" },
          ],
        },
      });
      for (const [name, call] of ways) {
        expect([name, await call(EmailService.method.explainEmail, { email })]).toEqual([name, overRest]);
      }
    });
  });
});
