import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { cachingOptions } from "../../../src/service/caching.js";
import { useServer } from "../support/serve.js";

const COUNTRIES = "max-age=3600, stale-while-revalidate=86400, stale-if-error=86400";
const IP = "/v1/geoIp?ip_address=8.8.8.8";

/** The path of a Connect GET request in JSON: https://connectrpc.com/docs/protocol/#unary-get-request */
const connectGet = (method: string, message: object) =>
  `/utilitytools.v1.${method}?connect=v1&encoding=json&message=${encodeURIComponent(JSON.stringify(message))}`;

/** Paths of GET requests with the status, and with the `Cache-Control` for shared caches and for private ones alone. */
const RESPONSES: readonly (readonly [path: string, status: number, shared: string, private_: string])[] = [
  ["/v1/countries", 200, `public, ${COUNTRIES}`, `private, ${COUNTRIES}`],
  ["/v1/countries?country=fr", 200, `public, ${COUNTRIES}`, `private, ${COUNTRIES}`],
  ["/v1/countries:search?query=fran", 200, `public, ${COUNTRIES}`, `private, ${COUNTRIES}`],
  ["/v1/about", 200, "public, max-age=60", "private, max-age=60"],
  [IP, 200, "private, no-cache", "private, no-cache"],
  [`${IP}&view=full`, 200, "private, no-cache", "private, no-cache"],
  ["/v1/geoIp/self", 200, "private, no-store", "private, no-store"],
  ["/v1/barcode?type=qr_code&data=x", 200, "no-store", "no-store"],
  ["/v1/countries?country=XX", 404, "no-store", "no-store"],
  ["/v1/countries?country=", 400, "no-store", "no-store"],
  ["/v1/countries?unknown=1", 400, "no-store", "no-store"],
  ["/v1/countries:search?query=", 400, "no-store", "no-store"],
  ["/v1/geoIp?ip_address=10.0.0.1", 404, "no-store", "no-store"],
  [connectGet("CountriesService/ListCountries", {}), 200, `public, ${COUNTRIES}`, `private, ${COUNTRIES}`],
  [
    connectGet("GeoIpService/LookupIp", { ip_address: "8.8.8.8" }),
    200,
    "private, no-cache",
    "private, no-cache",
  ],
  [connectGet("GeoIpService/LookupSelf", {}), 200, "private, no-store", "private, no-store"],
  [connectGet("BarcodeService/RenderBarcode", { data: "x" }), 200, "no-store", "no-store"],
  [connectGet("CountriesService/GetCountry", { country: "XX" }), 404, "no-store", "no-store"],
];

const FORWARDED = { "x-forwarded-for": "8.8.8.8" };
const trustedProxies = ["127.0.0.1"];
const publicBaseUrl = "https://tools.example";
const open = { apiKeysFile: undefined, rateLimit: undefined, publicBaseUrl, trustedProxies };
const shared = useServer({ publicBaseUrl, trustedProxies, methodOptions: cachingOptions(open) });
const limited = useServer({
  publicBaseUrl,
  trustedProxies,
  methodOptions: cachingOptions({ ...open, rateLimit: { limit: 10, window: 60 } }),
});

describe.each(RESPONSES)("GET %s", (path, status, forAll, forOne) => {
  test.each([
    ["for every client", shared, forAll],
    ["with a rate limit", limited, forOne],
  ])("has the right Cache-Control %s", async (_, server, cacheControl) => {
    const response = await fetch(`${server.url}${path}`, { headers: FORWARDED });
    expect([response.status, response.headers.get("cache-control")]).toEqual([status, cacheControl]);
  });
});

test.each(RESPONSES.filter(([path]) => path.startsWith("/v1/")))(
  "HEAD %s has the headers of GET",
  async (path) => {
    const get = await fetch(`${shared.url}${path}`, { headers: FORWARDED });
    const head = await fetch(`${shared.url}${path}`, { method: "HEAD", headers: FORWARDED });
    const caching = ({ status, headers }: Response) => [
      status,
      ...["cache-control", "etag", "vary"].map((name) => headers.get(name)),
    ];
    expect(caching(head)).toEqual(caching(get));
  },
);

test.each(["/v1/countries", "/v1/countries?country=FR", "/v1/about", IP])(
  "304 of %s has the headers of 200",
  async (path) => {
    const request = (tag: string, method = "GET") =>
      fetch(`${shared.url}${path}`, { method, headers: { "if-none-match": tag } });
    const { status, headers } = await request('"other"');
    const tag = headers.get("etag") ?? "";
    expect([status, tag]).toEqual([200, expect.stringMatching(/^W\/".+"$/)]);
    const response = await request(tag);
    expect([response.status, await response.text()]).toEqual([304, ""]);
    expect(response.headers.get("content-type")).toBeNull();
    for (const name of ["cache-control", "etag", "vary"]) {
      expect(response.headers.get(name)).toBe(headers.get(name));
    }
    expect((await request(tag, "HEAD")).status).toBe(304);
  },
);

test("a POST has no Cache-Control", async () => {
  const response = await fetch(`${shared.url}/utilitytools.v1.CountriesService/ListCountries`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, null]);
});

test("a compressed response to a Connect GET request has Vary", async () => {
  const path = connectGet("CountriesService/ListCountries", {});
  const seen = await Promise.all(
    ["gzip", "identity"].map(async (coding) => {
      const { headers } = await fetch(`${shared.url}${path}`, { headers: { "accept-encoding": coding } });
      return [headers.get("content-encoding"), headers.get("vary")];
    }),
  );
  expect(seen).toEqual([
    ["gzip", "accept-encoding"],
    [null, "accept-encoding"],
  ]);
});

describe("with CORS", () => {
  const server = useServer({ corsOrigins: ["https://a.example"] });

  test.each(["/v1/countries", connectGet("CountriesService/ListCountries", {})])(
    "the last Vary header of GET %s has all names",
    async (path) => {
      const [response] = await once(get(`${server.url}${path}`), "response");
      const { rawHeaders }: IncomingMessage = response.resume();
      const values = rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() === "vary");
      expect(values.at(-1)).toBe("origin, accept-encoding");
    },
  );
});

test("the document has the header of the settings", async () => {
  const seen = await Promise.all(
    [shared, limited].map(async ({ url }) => {
      const document = await (await fetch(`${url}/openapi.json`)).text();
      return /"examples":\["(\w+, max-age=60)"\]/.exec(document)?.[1];
    }),
  );
  expect(seen).toEqual(["public, max-age=60", "private, max-age=60"]);
});
