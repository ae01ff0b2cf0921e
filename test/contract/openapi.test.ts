import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, describe, expect, test } from "vitest";
import { BarcodeService } from "../../gen/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "../../gen/utilitytools/v1/countries_pb.js";
import { EmailService } from "../../gen/utilitytools/v1/email_pb.js";
import { GeoIpService } from "../../gen/utilitytools/v1/geoip_pb.js";
import { OtpService } from "../../gen/utilitytools/v1/otp_pb.js";
import { loadDocumentation } from "../../src/documentation.js";
import { fieldSurface, jsonOf } from "../../src/openapi/field-surface.js";
import type { MediaType, Operation, Response } from "../../src/openapi/open-api.js";
import { openApiDocument } from "../../src/openapi/open-api-document.js";
import { readHttpBindings } from "../../src/transcoding/http-rule.js";
import { schemaCompiler } from "../openapi/validator.js";
import { type HttpExchange, send } from "./clients.js";
import { sendRaw } from "./raw-http.js";
import { useServer } from "./serve.js";

const server = useServer();

const SERVICES = [OtpService, CountriesService, GeoIpService, EmailService, BarcodeService];
const BINDINGS = SERVICES.flatMap(({ methods }) => methods.flatMap(readHttpBindings));
const DOCUMENT = openApiDocument(BINDINGS, loadDocumentation(), {
  baseUrl: undefined,
  maxBodyBytes: 64 * 1024,
});
const compile = schemaCompiler(DOCUMENT);

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** An operation, and where it is. */
interface Place {
  readonly path: string;
  readonly verb: string;
  readonly operation: Operation;
}

const PLACES: readonly Place[] = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
);

/** The examples of an operation that have one name: together they are one request. */
interface Example extends Place {
  readonly name: string;
  readonly parameters: JsonObject;
}

const EXAMPLES: readonly Example[] = PLACES.flatMap((place) => {
  const { parameters = [], requestBody, responses } = place.operation;
  const answers = Object.values(contentOf(responses[200]));
  const bodies = Object.values(requestBody?.content ?? {});
  const names = new Set(
    [...parameters, ...bodies, ...answers].flatMap(({ examples = {} }) => Object.keys(examples)),
  );
  return [...names].map((name) => {
    const inQuery = parameters.flatMap((parameter) => {
      const example = parameter.examples?.[name];
      return example === undefined ? [] : [[parameter.name, example.value] as const];
    });
    const inBody = requestBody?.content[JSON_TYPE]?.examples?.[name]?.value ?? {};
    return { ...place, name, parameters: { ...Object.fromEntries(inQuery), ...(inBody as JsonObject) } };
  });
});

function contentOf(
  response: Operation["responses"][string] | undefined,
): Readonly<Record<string, MediaType>> {
  if (response !== undefined && "$ref" in response) {
    const name = response.$ref.replace("#/components/responses/", "");
    return contentOf(DOCUMENT.components.responses[name]);
  }
  return response?.content ?? {};
}

/** The ways to send parameters that a document allows for an operation. */
type Form = "query" | typeof JSON_TYPE | typeof FORM_TYPE;

function formsOf({ requestBody }: Operation): Form[] {
  const types = Object.keys(requestBody?.content ?? {}).filter(
    (type) => type === JSON_TYPE || type === FORM_TYPE,
  );
  return types.length === 0 || types.includes(FORM_TYPE) ? ["query", ...types] : types;
}

function call({ path, verb }: Place, parameters: JsonObject, form: Form): Promise<HttpExchange> {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  const method = verb.toUpperCase();
  return form === "query"
    ? send(`${server.url}${path}?${text}`, { method })
    : send(`${server.url}${path}`, {
        method,
        headers: { "content-type": form },
        body: form === JSON_TYPE ? JSON.stringify(parameters) : text,
      });
}

const mediaTypeOf = ({ headers }: HttpExchange) => headers.get("content-type")?.split(";")[0] ?? "";

describe("the document", () => {
  test("is the one that the server has", async () => {
    const { status, headers, json } = await send(`${server.url}/openapi.json`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(json).toEqual(JSON.parse(JSON.stringify(DOCUMENT)));
  });

  test("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(DOCUMENT)));
    expect(result).toEqual({ valid: true });
  });

  test.each(Object.keys(DOCUMENT.components.schemas))("has a schema %s that JSON Schema takes", (name) => {
    expect(compile(["components", "schemas", name])(undefined)).not.toEqual([]);
  });

  test("has every route once, and an example of every method", () => {
    expect(PLACES.map(({ path, verb }) => `${verb} ${path}`)).toEqual([
      "post /v1/otp",
      "get /v1/countries",
      "get /v1/geoIp",
      "post /v1/sanitizeEmail",
      "get /v1/barcode",
    ]);
    expect(EXAMPLES.map(({ name }) => name)).toEqual([
      "GenerateOtp",
      "VerifyOtp",
      "GetCountry",
      "ListCountries",
      "LookupIp",
      "SanitizeEmail_text",
      "SanitizeEmail_json",
      "RenderBarcode",
    ]);
  });

  test("has something to say of every operation, parameter and property", () => {
    const described = PLACES.flatMap(({ operation }) => [
      operation.summary,
      operation.description,
      ...(operation.parameters ?? [])
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

  test("credits DB-IP with a link", () => {
    expect(DOCUMENT.info.description).toContain("[DB-IP](https://db-ip.com)");
  });
});

describe.each(EXAMPLES)("the example $name of $verb $path", (example) => {
  const { path, verb, operation, name } = example;
  const success = operation.responses[200] as Response;

  test.each(formsOf(operation))("is answered as documented, sent as %s", async (form) => {
    const exchange = await call(example, example.parameters, form);
    expect(exchange.status).toBe(200);
    const type = mediaTypeOf(exchange);
    const withExample = Object.entries(success.content ?? {}).filter(([, { examples }]) => examples?.[name]);
    expect(withExample.length === 0 ? Object.keys(success.content ?? {}) : [withExample[0]?.[0]]).toContain(
      type,
    );
    if (success.content?.[type]?.schema !== undefined) {
      const check = compile(["paths", path, verb, "responses", "200", "content", type, "schema"]);
      expect(check(type === JSON_TYPE ? exchange.json : exchange.text)).toEqual([]);
    }
    for (const [header, { schema }] of Object.entries(success.headers ?? {})) {
      const value = exchange.headers.get(header);
      expect(value).toEqual(schema.const ?? expect.stringMatching(/./));
    }
  });

  test("is valid by its own schemas", () => {
    const { requestBody } = operation;
    for (const [type, { examples }] of Object.entries(requestBody?.content ?? {})) {
      const check = compile(["paths", path, verb, "requestBody", "content", type, "schema"]);
      expect(check(examples?.[name]?.value)).toEqual([]);
    }
    for (const [type, { examples }] of Object.entries(success.content ?? {})) {
      if (examples?.[name] !== undefined) {
        const check = compile(["paths", path, verb, "responses", "200", "content", type, "schema"]);
        expect(check(examples[name].value)).toEqual([]);
      }
    }
    for (const [index, { examples }] of (operation.parameters ?? []).entries()) {
      if (examples?.[name] !== undefined) {
        const check = compile(["paths", path, verb, "parameters", String(index), "schema"]);
        expect(check(examples[name].value)).toEqual([]);
      }
    }
  });
});

// Where the answer depends on the request alone, the document shows the real one.
test.each(["LookupIp", "SanitizeEmail_text", "SanitizeEmail_json"])(
  "the answer to %s is the documented one",
  async (name) => {
    const example = exampleNamed(name);
    const exchange = await call(example, example.parameters, "query");
    const { content = {} } = example.operation.responses[200] as Response;
    const documented = content[mediaTypeOf(exchange)]?.examples?.[name]?.value;
    expect(documented).toBeDefined();
    expect(exchange.json ?? exchange.text).toEqual(documented);
  },
);

function exampleNamed(name: string): Example {
  const found = EXAMPLES.find((example) => example.name === name || example.name === `${name}_json`);
  if (found === undefined) {
    throw new Error(`there is no example ${name}`);
  }
  return found;
}

/** The status and the reason of an error, and its fields with the reasons of each. */
function errorOf({ status, json }: HttpExchange) {
  const { details } = (json as { error: { details: JsonObject[] } }).error;
  const violations = (details[0]?.fieldViolations ?? []) as unknown as { field: string; reason: string }[];
  return {
    status,
    reason: details.at(-1)?.reason,
    fields: Object.fromEntries(violations.map(({ field, reason }) => [field, reason])),
  };
}

describe("errors", () => {
  const checkError = compile(["components", "schemas", "Error"]);
  const otherErrors: Record<string, JsonObject> = {
    COUNTRY_NOT_FOUND: { country: "ZZ" },
    RESERVED_ADDRESS: { ip_address: "127.0.0.1" },
    ADDRESS_NOT_FOUND: { ip_address: "3000::1" },
  };

  async function provoke(place: Place, reason: string): Promise<HttpExchange> {
    const { path, verb } = place;
    const url = `${server.url}${path}`;
    const method = verb.toUpperCase();
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
        return send(url, { method, headers: { ...json, "content-encoding": "gzip" }, body: "{}" });
      case "BODY_TOO_LARGE":
        return send(url, { method, headers: json, body: " ".repeat(64 * 1024 + 1) });
      case "BODY_NOT_ALLOWED": {
        // fetch() would not send such a request.
        const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`;
        const { status, body } = await sendRaw(server.port, `${head}{}`);
        return { status, headers: new Headers(), text: body, json: JSON.parse(body) };
      }
      default:
        return call(place, otherErrors[reason] ?? {}, "query");
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
    "$verb $path can answer $status $reason",
    async ({ status, reason, example, ...place }) => {
      expect(checkError(example)).toEqual([]);
      const exchange = await provoke(place, reason);
      expect(errorOf(exchange)).toMatchObject({ status, reason });
      expect(checkError(exchange.json)).toEqual([]);
      // The shape of the documented example is the one of the real answer, whatever its words.
      expect(errorOf({ ...exchange, json: example })).toMatchObject({ status, reason });
    },
  );

  test("are documented for each method that has errors of its own", () => {
    const reasons = documented.map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(Object.keys(otherErrors)));
  });

  test.each(["/no/such/path", "/v1/otp"])("GET %s has the shape of every error", async (path) => {
    const exchange = await send(`${server.url}${path}`);
    expect(exchange.status).toBeGreaterThanOrEqual(400);
    expect(checkError(exchange.json)).toEqual([]);
  });
});

// What http_field says of a request is documentation, which the tools must keep to.
describe("what is documented of each parameter holds", () => {
  /** A value of a given length that would be right but for that; letters where nothing is said. */
  const ofLength: Record<string, (length: number) => string> = {
    "utilitytools.v1.SanitizeEmailRequest.email": (length) => {
      const domain = "@example.com";
      const labels = `${"a".repeat(63)}.`.repeat(3).slice(0, length - 64 - domain.length);
      return `${"a".repeat(64)}@${labels}${domain.slice(1)}`;
    },
    "utilitytools.v1.GetCountryRequest.country": (length) => "FRANCE".slice(0, length),
  };
  const FIELDS = BINDINGS.flatMap(({ method }) =>
    method.input.fields.map((field) => ({
      method: method.name,
      name: field.jsonName,
      field,
      fullName: `${method.input.typeName}.${field.name}`,
      ...fieldSurface(field),
    })),
  );
  const text = (fullName: string, length: number) => ofLength[fullName]?.(length) ?? "A".repeat(length);

  /** The documented request of a method with one parameter changed, or left out. */
  async function callWith(method: string, name: string, value: JsonValue | undefined): Promise<HttpExchange> {
    const example = exampleNamed(method);
    const { [name]: _, ...others } = example.parameters;
    const parameters = value === undefined ? others : { ...others, [name]: value };
    return call(example, parameters, formsOf(example.operation).at(-1) ?? "query");
  }

  test("there is something to hold", () => {
    expect(FIELDS.filter(({ required }) => required).map(({ fullName }) => fullName)).toHaveLength(5);
    expect(FIELDS.filter(({ maxLength }) => maxLength > 0)).toHaveLength(6);
    expect(FIELDS.filter(({ allowedValues }) => allowedValues.length > 0)).toHaveLength(2);
    expect(FIELDS.filter(({ defaultValue }) => defaultValue !== "")).toHaveLength(3);
  });

  test.each(FIELDS.filter(({ required }) => required))("$fullName is required", async ({ method, name }) => {
    // Without its country GetCountry is another method; see the selection of ListCountries.
    const missing = method === "GetCountry" ? "" : undefined;
    const exchange = await callWith(method, name, missing);
    expect(errorOf(exchange)).toMatchObject({ status: 400, fields: { [name]: "REQUIRED" } });
    const empty = await callWith(method, name, "");
    expect(errorOf(empty)).toMatchObject({ status: 400, fields: { [name]: "REQUIRED" } });
  });

  test.each(FIELDS.filter(({ required }) => !required))(
    "$fullName is not required",
    async ({ method, name }) => {
      expect((await callWith(method, name, undefined)).status).toBe(200);
    },
  );

  test.each(FIELDS.filter(({ maxLength }) => maxLength > 0))(
    "$fullName takes at most $maxLength characters",
    async ({ method, name, fullName, maxLength }) => {
      const longest = text(fullName, maxLength);
      expect(longest).toHaveLength(maxLength);
      expect((await callWith(method, name, longest)).status).toBe(200);
      const tooLong = await callWith(method, name, text(fullName, maxLength + 1));
      expect(errorOf(tooLong)).toMatchObject({ status: 400, fields: { [name]: expect.any(String) } });
    },
  );

  test.each(FIELDS.filter(({ minLength }) => minLength > 0))(
    "$fullName takes at least $minLength characters",
    async ({ method, name, fullName, minLength }) => {
      expect((await callWith(method, name, text(fullName, minLength))).status).toBe(200);
      const tooShort = await callWith(method, name, text(fullName, minLength - 1));
      expect(errorOf(tooShort)).toMatchObject({ status: 400, fields: { [name]: expect.any(String) } });
    },
  );

  test.each(FIELDS.filter(({ allowedValues }) => allowedValues.length > 0))(
    "$fullName takes $allowedValues and nothing else",
    async ({ method, name, allowedValues }) => {
      for (const value of allowedValues) {
        expect((await callWith(method, name, value)).status).toBe(200);
      }
      for (const value of ["0", "1", "7", "9", "-6", "66"]) {
        expect(errorOf(await callWith(method, name, value)).status).toBe(400);
      }
    },
  );

  test.each(FIELDS.filter(({ defaultValue }) => defaultValue !== ""))(
    "$fullName is $defaultValue where it is left out",
    async ({ method, name, field, defaultValue }) => {
      const given = await callWith(method, name, jsonOf(field, defaultValue));
      const leftOut = await callWith(method, name, undefined);
      expect(given.status).toBe(200);
      expect({ text: leftOut.text, type: mediaTypeOf(leftOut) }).toEqual({
        text: given.text,
        type: mediaTypeOf(given),
      });
    },
  );
});

afterAll(() => {
  expect(server.bugs).toEqual([]);
});
