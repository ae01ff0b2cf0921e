import type { HttpResponse, Page } from "connect-transcoding";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { describe, expect, test } from "vitest";
import { withStartText } from "../../../src/service/pages/start-text.js";

const HTML: HttpResponse = { status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html>" };
const DOCUMENT: OpenApiDocument = {
  openapi: "3.1.1",
  info: { title: "Tools", version: "1.2.3", description: "" },
  servers: [],
  paths: {
    "/v1/geoIp": { get: { summary: "Locates `an` address", operationId: "a", tags: [], responses: {} } },
    "/v1/barcode": { post: { summary: "Encodes", operationId: "b", tags: [], responses: {} } },
  },
  components: { schemas: {}, responses: {} },
  tags: [],
  security: [],
};

async function get(page: Page | undefined, baseUrl: string, accept: string | undefined) {
  if (typeof page !== "function") {
    throw new Error("the page is static");
  }
  return page({ baseUrl, header: (name) => (name === "accept" ? accept : undefined), turn: async () => {} });
}

describe("withStartText", () => {
  const start = withStartText(new Map([["/", HTML]]), async () => DOCUMENT).get("/");

  test("starts with an example at the base URL of the request", async () => {
    for (const baseUrl of ["http://127.0.0.1:9000", "https://tools.example"]) {
      const { headers, body } = await get(start, baseUrl, undefined);
      expect(headers).toMatchObject({ "content-type": "text/plain; charset=utf-8", vary: "accept" });
      expect(String(body).split("\n")).toEqual([
        "Tools 1.2.3",
        "",
        `Example: curl '${baseUrl}/v1/geoIp?ip_address=8.8.8.8'`,
        "",
        "GET  /v1/geoIp    Locates an address",
        "POST /v1/barcode  Encodes",
        "",
        "Reference: /docs in a browser, /openapi.json for programs",
        "",
      ]);
    }
  });

  test("keeps the page for browsers, which differs by Accept", async () => {
    expect(await get(start, "http://127.0.0.1:9000", "text/html,*/*;q=0.8")).toEqual({
      ...HTML,
      headers: { ...HTML.headers, vary: "accept" },
    });
  });

  test("adds nothing without a page", () => {
    expect(withStartText(new Map(), async () => DOCUMENT).size).toBe(0);
  });
});
