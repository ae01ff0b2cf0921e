import type { JsonObject } from "@bufbuild/protobuf";
import type { Response } from "connect-transcoding/openapi";
import { afterAll, describe, expect, test } from "vitest";
import { expectValid } from "../../../packages/connect-transcoding/test/openapi/describe.js";
import {
  parametersOf,
  schemaCompiler,
} from "../../../packages/connect-transcoding/test/openapi/validator.js";
import { geoIpService } from "../../../src/tools/geoip/geoip-service.js";
import { databases } from "../../tools/geoip/test-databases.js";
import { type HttpExchange, send } from "../support/clients.js";
import {
  call,
  contentOf,
  DOCUMENT,
  EXAMPLES,
  errorOf,
  formsOf,
  JSON_TYPE,
  mediaTypeOf,
  PLACES,
  type Place,
} from "../support/documented-examples.js";
import { sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

// A trusted proxy, so that requests can have any client address.
const server = useServer({ trustedProxies: ["127.0.0.1"] });
// The installed databases have a record for every public address; these do not.
const known = databases({ "8.0.0.0/8": { country_code: "US" } }, { "8.0.0.0/8": {} });
const geoIp = geoIpService({
  databases: () => known,
  countries: async () => ({ ok: true, value: [] }),
  now: () => 0,
});
const sparse = useServer({ trustedProxies: ["127.0.0.1"], tools: [geoIp] });
const compile = schemaCompiler(DOCUMENT);

/** Sends JSON where the operation accepts a body, otherwise a query. */
const jsonFormOf = (place: Place) => (formsOf(place).includes(JSON_TYPE) ? JSON_TYPE : "query");

describe("the document", () => {
  test("is served", async () => {
    const { status, headers, json } = await send(`${server.url}/openapi.json`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(json).toEqual(JSON.parse(JSON.stringify(DOCUMENT)));
  });

  test("is valid OpenAPI 3.1", async () => {
    await expectValid(DOCUMENT);
  });

  test("has a contact", () => {
    expect(DOCUMENT.info.contact).toEqual({ name: "The maintainers of Utility Tools" });
  });

  test.each(Object.keys(DOCUMENT.components.schemas))("has a valid JSON Schema %s", (name) => {
    expect(compile(["components", "schemas", name])(undefined)).not.toEqual([]);
  });

  test("describes every operation, parameter and property", () => {
    const described = PLACES.flatMap(({ operation }) => [
      operation.summary,
      operation.description,
      ...parametersOf(operation)
        .filter(({ name }) => name !== "type")
        .map(({ description }) => description),
    ]);
    const properties = Object.values(DOCUMENT.components.schemas).flatMap((schema) =>
      Object.entries(schema.properties ?? {}).filter(([, { const: selector }]) => selector === undefined),
    );
    const undescribed = properties
      .filter(([, schema]) => (schema.description ?? "") === "")
      .map(([name]) => name);
    expect(described).not.toContain(undefined);
    expect(described).not.toContain("");
    expect(undescribed).toEqual(["error"]);
  });

  test("calls no optional parameter required", () => {
    const optional = PLACES.flatMap(({ operation }) => parametersOf(operation)).filter(
      ({ required }) => !required,
    );
    expect(optional.map(({ name }) => name)).toContain("country");
    expect(optional.filter(({ description = "" }) => description.startsWith("Required."))).toEqual([]);
  });

  test("credits DB-IP with a link", () => {
    expect(DOCUMENT.info.description).toContain("[DB-IP](https://db-ip.com)");
  });
});

/** Examples that differ from the response: it changes, is no JSON, or has longer lists. */
const OTHER_RESPONSES =
  /^(GenerateOtp|VerifyOtp|GenerateHotp|VerifyHotp|ListCountries|GetCountry|SearchCountries|LookupAsn|ExplainEmail|RenderBarcode|GetAbout)$/;

describe.each(EXAMPLES)("the example $name of $httpMethod $path", (example) => {
  const { path, httpMethod, operation, name } = example;
  const success = operation.responses[200] as Response;

  test.each(formsOf(example))("has the documented response when sent as %s", async (form) => {
    const exchange = await call(server.url, example, example.parameters, form);
    expect(exchange.status).toBe(200);
    const type = mediaTypeOf(exchange);
    const withExample = Object.entries(success.content ?? {}).filter(([, { examples }]) => examples?.[name]);
    expect(withExample.length === 0 ? Object.keys(success.content ?? {}) : [withExample[0]?.[0]]).toContain(
      type,
    );
    if (success.content?.[type]?.schema !== undefined) {
      const check = compile(["paths", path, httpMethod, "responses", "200", "content", type, "schema"]);
      expect(check(type === JSON_TYPE ? exchange.json : exchange.text)).toEqual([]);
    }
    if (!OTHER_RESPONSES.test(name)) {
      const hint =
        "correct the examples of the response in the proto file, or add the example to OTHER_RESPONSES";
      expect(exchange.json ?? exchange.text, hint).toEqual(success.content?.[type]?.examples?.[name]?.value);
    }
    for (const [header, { schema }] of Object.entries(success.headers ?? {})) {
      const value = exchange.headers.get(header);
      expect(value).toEqual(schema.const ?? expect.stringMatching(/./));
    }
  });

  test("is valid according to its schemas", () => {
    const { requestBody } = operation;
    for (const [type, { examples }] of Object.entries(requestBody?.content ?? {})) {
      const check = compile(["paths", path, httpMethod, "requestBody", "content", type, "schema"]);
      expect(check(examples?.[name]?.value)).toEqual([]);
    }
    for (const [type, { examples }] of Object.entries(success.content ?? {})) {
      if (examples?.[name] !== undefined) {
        const check = compile(["paths", path, httpMethod, "responses", "200", "content", type, "schema"]);
        expect(check(examples[name].value)).toEqual([]);
      }
    }
    for (const [index, { examples }] of parametersOf(operation).entries()) {
      if (examples?.[name] !== undefined) {
        const check = compile(["paths", path, httpMethod, "parameters", String(index), "schema"]);
        expect(check(examples[name].value)).toEqual([]);
      }
    }
  });
});

test("every country has the documented form", async () => {
  const check = compile(["components", "schemas", "Country"]);
  const list = (await send(`${server.url}/v1/countries`)).json as { code2: string }[];
  for (const { code2 } of list) {
    const { json } = await send(`${server.url}/v1/countries?country=${code2}`);
    expect(check(json)).toEqual([]);
  }
});

test.each(PLACES.filter(({ operation }) => operation.responses[304] !== undefined))(
  "$path can return 304",
  async (place) => {
    const example = EXAMPLES.find(({ path }) => path === place.path);
    const query = new URLSearchParams(example?.parameters as Record<string, string>);
    const url = `${server.url}${place.path}?${query}`;
    const exchange = await send(url, { headers: { "if-none-match": "*" } });
    expect(exchange).toMatchObject({ status: 304, text: "" });
    expect(exchange.headers.get("etag")).not.toBeNull();
  },
);

describe("errors", () => {
  const checkError = compile(["components", "schemas", "Error"]);
  /** Parameters that cause the errors of tools. */
  const otherErrors: Readonly<Record<string, JsonObject>> = {
    "/v1/countries COUNTRY_NOT_FOUND": { country: "ZZ" },
    "/v1/geoIp RESERVED_ADDRESS": { ip_address: "127.0.0.1" },
    "/v1/geoIp ADDRESS_NOT_FOUND": { ip_address: "9.9.9.9" },
    "/v1/geoIp/asn RESERVED_ASN": { asn: "64512" },
    "/v1/geoIp/asn ASN_NOT_FOUND": { asn: "4199999999" },
  };
  /** Client addresses that cause the errors of LookupSelf. */
  const ownAddresses: Readonly<Record<string, string>> = {
    "/v1/geoIp/self RESERVED_ADDRESS": "127.0.0.1",
    "/v1/geoIp/self ADDRESS_NOT_FOUND": "9.9.9.9",
  };

  function provokeOther(place: Place, reason: string): Promise<HttpExchange> {
    const { url } = reason === "ADDRESS_NOT_FOUND" ? sparse : server;
    const key = `${place.path} ${reason}`;
    return call(url, place, otherErrors[key] ?? {}, jsonFormOf(place), ownAddresses[key]);
  }

  async function sendHead(line: string, header: string, body = ""): Promise<HttpExchange> {
    const request = `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n${body}`;
    const { status, body: text } = await sendRaw(server.port, request);
    return { status, headers: new Headers(), text, json: JSON.parse(text) };
  }

  /** Sends a GET with a body of spaces, which fetch() does not send. */
  const getWithBody = (path: string, length: number): Promise<HttpExchange> =>
    sendHead(`GET ${path}`, `Content-Length: ${length}`, " ".repeat(length));

  async function provoke(place: Place, reason: string): Promise<HttpExchange> {
    const { path, httpMethod } = place;
    const url = `${server.url}${path}`;
    const method = httpMethod.toUpperCase();
    const json = { "content-type": JSON_TYPE };
    switch (reason) {
      case "INVALID_PARAMETERS":
        return send(`${url}?no_such_parameter=x`, { method });
      case "MALFORMED_QUERY":
        return send(`${url}?x=%`, { method });
      case "MALFORMED_BODY":
        return send(url, { method, headers: json, body: "{" });
      case "UNSUPPORTED_MEDIA_TYPE":
        return send(url, { method, headers: { "content-type": "text/plain" }, body: "{}" });
      case "UNSUPPORTED_CONTENT_ENCODING":
        return send(url, { method, headers: { ...json, "content-encoding": "br" }, body: "{}" });
      case "BODY_TOO_LARGE":
        return method === "GET"
          ? getWithBody(path, 512 * 1024 + 1)
          : send(url, { method, headers: json, body: " ".repeat(512 * 1024 + 1) });
      case "HEADERS_TOO_LARGE":
        return sendHead(`${method} ${path}`, `X: ${"x".repeat(16_384)}`);
      case "BODY_NOT_ALLOWED":
        return getWithBody(path, 1);
      default:
        return provokeOther(place, reason);
    }
  }

  const documented = PLACES.flatMap((place) =>
    Object.entries(place.operation.responses)
      .filter(([status]) => Number(status) >= 400 && Number(status) < 500)
      .flatMap(([status, response]) =>
        Object.entries(contentOf(response)[JSON_TYPE]?.examples ?? {}).map(([reason, { value }]) => ({
          ...place,
          status: Number(status),
          reason,
          example: value,
        })),
      ),
  );

  test.each(documented)(
    "$httpMethod $path can return $status $reason",
    async ({ status, reason, example, ...place }) => {
      expect(checkError(example)).toEqual([]);
      const exchange = await provoke(place, reason);
      const hint =
        `If ${reason} is an error of a tool, add parameters that cause it to otherErrors in test/contract/documents/openapi.test.ts: ` +
        `"${place.path} ${reason}": { … }`;
      expect(errorOf(exchange), hint).toMatchObject({ status, reason });
      expect(checkError(exchange.json)).toEqual([]);
      // The documented example must have the structure of the actual response.
      expect(errorOf({ ...exchange, json: example })).toMatchObject({ status, reason });
    },
  );

  test("are documented for each method with specific errors", () => {
    const keys = documented.map(({ path, reason }) => `${path} ${reason}`);
    expect(keys).toEqual(expect.arrayContaining([otherErrors, ownAddresses].flatMap(Object.keys)));
  });
});

afterAll(() => {
  expect(server.bugs).toEqual([]);
});
