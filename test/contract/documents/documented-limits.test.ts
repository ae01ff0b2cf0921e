import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { fieldDocsOf, jsonOf } from "connect-transcoding/openapi";
import { afterAll, describe, expect, test } from "vitest";
import type { HttpExchange } from "../support/clients.js";
import {
  BINDINGS,
  call,
  errorOf,
  exampleNamed,
  formsOf,
  mediaTypeOf,
} from "../support/documented-examples.js";
import { useServer } from "../support/serve.js";

const server = useServer();

// The http_field options are documentation only; these tests check that the tools enforce it. They read the options, so a
// new field needs no change here, unless it accepts only texts of a special form. `api.txt` lists all of them.
describe("documented limits of parameters are enforced", () => {
  function emailOfLength(length: number): string {
    const domain = "@example.com";
    const labels = `${"a".repeat(63)}.`.repeat(3).slice(0, length - 64 - domain.length);
    return `${"a".repeat(64)}@${labels}${domain.slice(1)}`;
  }
  /** German, with as many private subtags as needed. */
  function languageOfLength(length: number): string {
    return `de-x${"-private".repeat(length)}`.slice(0, length);
  }
  function keyUriOfLength(type: string, length: number): string {
    const end = "?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
    return `otpauth://${type}/`.padEnd(length - end.length, "a") + end;
  }
  /** Creates a value that is valid except for its length. The default is the documented example with letters before it. */
  const ofLength: Record<string, (length: number) => string> = {
    "utilitytools.v1.SanitizeEmailRequest.email": emailOfLength,
    "utilitytools.v1.ExplainEmailRequest.email": (length) => "Jane <jane@example.com>".padStart(length, "J"),
    "utilitytools.v1.VerifyOtpRequest.key_uri": (length) => keyUriOfLength("totp", length),
    "utilitytools.v1.VerifyHotpRequest.key_uri": (length) => keyUriOfLength("hotp", length),
    "utilitytools.v1.RenderBarcodeRequest.data": (length) => "7".repeat(length),
    "utilitytools.v1.GetCountryRequest.country": (length) => "FRANCE".slice(0, length),
    "utilitytools.v1.GetCountryRequest.language": languageOfLength,
    "utilitytools.v1.ListCountriesRequest.language": languageOfLength,
  };
  /** Parameters that a request can have in place of one that is not required. */
  const inPlaceOf: Record<string, JsonObject> = {
    "utilitytools.v1.VerifyOtpRequest.secret": { key_uri: keyUriOfLength("totp", 100) },
    "utilitytools.v1.VerifyHotpRequest.secret": { key_uri: keyUriOfLength("hotp", 100) },
  };
  /** Parameters that the longest text needs. */
  const withLongest: Record<string, JsonObject> = {
    "utilitytools.v1.RenderBarcodeRequest.data": { error_correction: "low" },
  };
  const FIELDS = BINDINGS.flatMap(({ method }) =>
    method.input.fields.map((field) => ({
      method: method.name,
      name: field.jsonName,
      field,
      fullName: `${method.input.typeName}.${field.name}`,
      ...fieldDocsOf(field),
    })),
  );
  const text = ({ fullName, example }: (typeof FIELDS)[number], length: number) =>
    ofLength[fullName]?.(length) ??
    (example.length < length ? example.padStart(length, "A") : example.slice(example.length - length));
  const lengthHint = (field: (typeof FIELDS)[number], length: number) =>
    `${field.fullName}: ${length} characters must be valid. If the tool is right to reject ` +
    `${JSON.stringify(text(field, length))}, add a function that returns a valid text of a given length to ofLength in ` +
    `test/contract/documents/documented-limits.test.ts: "${field.fullName}": (length) => …`;

  /** Calls a method with its documented request and one parameter changed or omitted. */
  async function callWith(
    method: string,
    name: string,
    value: JsonValue | undefined,
    more: JsonObject = {},
  ): Promise<HttpExchange> {
    const example = exampleNamed(method);
    const { [name]: _, ...others } = example.parameters;
    const parameters = { ...others, ...more, ...(value !== undefined && { [name]: value }) };
    return call(server.url, example, parameters, formsOf(example).at(-1) ?? "query");
  }

  /** LookupSelf finds nothing here, because the client has a loopback address. */
  const successOf = (method: string) => (method === "LookupSelf" ? 404 : 200);

  test.each(FIELDS.filter(({ required }) => required))(
    "$fullName is required",
    async ({ method, name, field }) => {
      // Without a country, the route selects ListCountries instead.
      const missing = method === "GetCountry" ? "" : undefined;
      const exchange = await callWith(method, name, missing);
      expect(errorOf(exchange)).toMatchObject({ status: 400, fields: { [name]: "REQUIRED" } });
      const empty = await callWith(method, name, field.fieldKind === "list" ? [] : "");
      expect(
        errorOf(empty),
        `${field} is required: reject an empty one with the reason REQUIRED`,
      ).toMatchObject({ status: 400, fields: { [name]: "REQUIRED" } });
    },
  );

  test.each(FIELDS.filter(({ required }) => !required))(
    "$fullName is not required",
    async ({ method, name, fullName }) => {
      const exchange = await callWith(method, name, undefined, inPlaceOf[fullName]);
      expect(exchange.status).toBe(successOf(method));
    },
  );

  test.each(FIELDS.filter(({ maxLength }) => maxLength > 0))(
    "$fullName takes at most $maxLength characters",
    async (field) => {
      const { method, name, maxLength } = field;
      const longest = text(field, maxLength);
      expect(longest).toHaveLength(maxLength);
      const { status } = await callWith(method, name, longest, withLongest[field.fullName]);
      expect(status, lengthHint(field, maxLength)).toBe(200);
      const tooLong = await callWith(method, name, text(field, maxLength + 1));
      expect(errorOf(tooLong)).toMatchObject({ status: 400, fields: { [name]: expect.any(String) } });
    },
  );

  test.each(FIELDS.filter(({ minLength }) => minLength > 0))(
    "$fullName takes at least $minLength characters",
    async (field) => {
      const { method, name, minLength } = field;
      const { status } = await callWith(method, name, text(field, minLength));
      expect(status, lengthHint(field, minLength)).toBe(200);
      const tooShort = await callWith(method, name, text(field, minLength - 1));
      expect(errorOf(tooShort)).toMatchObject({ status: 400, fields: { [name]: expect.any(String) } });
    },
  );

  test.each(FIELDS.filter(({ maxItems }) => maxItems > 0))(
    "$fullName takes at most $maxItems elements",
    async ({ method, name, example, maxItems }) => {
      const most = await callWith(method, name, Array(maxItems).fill(example));
      expect(most.status).toBe(200);
      const { results } = most.json as { results: { answer: unknown }[] };
      expect(results).toHaveLength(maxItems);
      expect(results.every(({ answer }) => answer !== undefined)).toBe(true);
      const tooMany = await callWith(method, name, Array(maxItems + 1).fill(example));
      expect(errorOf(tooMany)).toEqual({
        status: 400,
        reason: "INVALID_PARAMETERS",
        fields: { [name]: "TOO_MANY_ITEMS" },
      });
    },
  );

  test.each(FIELDS.filter(({ minimum, maximum }) => minimum !== undefined || maximum !== undefined))(
    "$fullName takes values from $minimum to $maximum",
    async ({ method, name, minimum, maximum }) => {
      for (const value of [minimum, maximum].filter((limit) => limit !== undefined)) {
        expect((await callWith(method, name, value)).status).toBe(200);
      }
      const beyond = [
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      ];
      for (const value of beyond) {
        expect(errorOf(await callWith(method, name, value))).toMatchObject({
          status: 400,
          fields: { [name]: expect.any(String) },
        });
      }
    },
  );

  test.each(FIELDS.filter(({ allowedValues }) => allowedValues.length > 0))(
    "$fullName takes $allowedValues and nothing else",
    async ({ method, name, allowedValues }) => {
      for (const value of allowedValues) {
        expect((await callWith(method, name, value)).status).toBe(200);
      }
      const others = ["0", "1", "7", "9", "-6", "66"].filter((value) => !allowedValues.includes(value));
      for (const value of others) {
        expect(errorOf(await callWith(method, name, value)).status).toBe(400);
      }
    },
  );

  test.each(FIELDS.filter(({ defaultValue }) => defaultValue !== ""))(
    "$fullName is $defaultValue where it is left out",
    async ({ method, name, field, defaultValue }) => {
      const given = await callWith(method, name, jsonOf(field, defaultValue));
      const leftOut = await callWith(method, name, undefined);
      expect(given.status).toBe(successOf(method));
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
