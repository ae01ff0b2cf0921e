import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { BarcodeFormat } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { describe, expect, test } from "vitest";
import { SNIPPETS } from "../../../src/workbench/snippet/snippets.js";
import { EXAMPLES, METHODS, NASTY_REQUESTS } from "./sample-requests.js";

const URL = "http://127.0.0.1:8080";

function snippet<Input extends DescMessage>(
  id: string,
  method: DescMethodUnary<Input>,
  init: MessageInitShape<Input>,
  { baseUrl = URL, needsKey = false } = {},
): string | undefined {
  const message = create(method.input, init);
  return SNIPPETS.find((kind) => kind.id === id)?.write({ method, message, baseUrl, needsKey });
}

const { about, barcode, countries, email, geoIp, otp } = SERVICES;

describe("curl", () => {
  const curl = <Input extends DescMessage>(method: DescMethodUnary<Input>, init: MessageInitShape<Input>) =>
    snippet("curl", method, init);

  test("of a method without parameters", () => {
    expect(curl(about.method.getAbout, {})).toBe(`curl '${URL}/v1/about'`);
  });
  test("has the fields of a GET in the query, percent-encoded", () => {
    expect(curl(geoIp.method.lookupIp, { ipAddress: "2001:db8::1" })).toBe(
      `curl '${URL}/v1/geoIp?ip_address=2001%3Adb8%3A%3A1'`,
    );
    expect(curl(geoIp.method.lookupIp, { ipAddress: "'&$\n" })).toBe(
      `curl '${URL}/v1/geoIp?ip_address=%27%26%24%0A'`,
    );
  });
  test("leaves out what selects a method by not being there", () => {
    expect(curl(countries.method.listCountries, {})).toBe(`curl '${URL}/v1/countries'`);
    expect(curl(countries.method.getCountry, { country: "FR" })).toBe(
      `curl '${URL}/v1/countries?country=FR'`,
    );
  });
  test("has what selects a method in the query of a GET, enums by their names there, and a file to write to", () => {
    expect(curl(barcode.method.renderBarcode, { data: "a b", format: BarcodeFormat.PNG })).toBe(
      `curl '${URL}/v1/barcode?type=qr_code&data=a%20b&format=png' \\\n  -o barcode.png`,
    );
    expect(curl(barcode.method.renderBarcode, { data: "png" })).toContain("-o barcode.svg");
  });
  test("has fields and what selects a method in the JSON of a POST", () => {
    expect(curl(otp.method.generateOtp, { label: "it's", digits: 6 })).toBe(
      [
        `curl '${URL}/v1/otp' \\`,
        "  -H 'Content-Type: application/json' \\",
        "  -d '{",
        '    "type": "time_based",',
        '    "action": "generate",',
        `    "label": "it'\\''s",`,
        '    "digits": 6',
        "  }'",
      ].join("\n"),
    );
  });
  test("asks for JSON where the answer would be text", () => {
    expect(curl(email.method.sanitizeEmail, { email: "a@b.c" })).toContain(
      `-d '{"format": "json", "email": "a@b.c"}'`,
    );
    expect(curl(email.method.explainEmail, { email: "a@b.c" })).toContain(`-d '{"email": "a@b.c"}'`);
  });
  test("keeps the path that a proxy has the service below", () => {
    const method = geoIp.method.lookupSelf;
    expect(snippet("curl", method, {}, { baseUrl: "https://x.example/tools" })).toBe(
      "curl 'https://x.example/tools/v1/geoIp/self'",
    );
  });
});

describe("buf curl", () => {
  const method = geoIp.method.lookupIp;
  const NAME = "utilitytools.v1.GeoIpService/LookupIp";

  test("has to be told of HTTP/2 over cleartext", () => {
    expect(snippet("grpc", method, { ipAddress: "8.8.8.8" })).toBe(
      [
        "buf curl --protocol grpc --http2-prior-knowledge \\",
        `  -d '{"ip_address": "8.8.8.8"}' \\`,
        `  '${URL}/${NAME}'`,
      ].join("\n"),
    );
  });
  test("and not over TLS", () => {
    expect(snippet("grpc", method, {}, { baseUrl: "https://x.example" })).toBe(
      ["buf curl --protocol grpc \\", "  -d '{}' \\", `  'https://x.example/${NAME}'`].join("\n"),
    );
  });
  test("has enums by their names in the schema", () => {
    expect(snippet("grpc", barcode.method.renderBarcode, { data: "x", format: BarcodeFormat.PNG })).toContain(
      `-d '{"data": "x", "format": "BARCODE_FORMAT_PNG"}'`,
    );
  });
});

describe("TypeScript", () => {
  test("calls the method by its name and its fields by theirs", () => {
    expect(snippet("typescript", geoIp.method.lookupIp, { ipAddress: "8.8.8.8" })).toBe(
      [
        'import { createUtilityToolsClient } from "utility-tools";',
        "",
        `const client = createUtilityToolsClient("${URL}");`,
        'const answer = await client.geoIp.lookupIp({ ipAddress: "8.8.8.8" });',
      ].join("\n"),
    );
  });
  test("has enums by their names in the generated code, and where that is", () => {
    const text = snippet("typescript", barcode.method.renderBarcode, {
      data: "x",
      format: BarcodeFormat.PNG,
    });
    expect(text).toContain('import { BarcodeFormat } from "utility-tools/v1/barcode";');
    expect(text).toContain('renderBarcode({ data: "x", format: BarcodeFormat.PNG });');
  });
  test("has lists, one element a line where they are long", () => {
    const { method } = geoIp;
    expect(snippet("typescript", method.batchLookupIps, { ipAddresses: ["::1"] })).toContain(
      'batchLookupIps({ ipAddresses: ["::1"] });',
    );
    const long = ["a", "b"].map((letter) => letter.repeat(30));
    expect(snippet("typescript", method.batchLookupIps, { ipAddresses: long })).toContain(
      `batchLookupIps({\n  ipAddresses: [\n    "${long[0]}",\n    "${long[1]}",\n  ],\n});`,
    );
  });
});

test.each(SNIPPETS)(
  "$title has the place of a key where one is needed, and no other secret",
  ({ id, write }) => {
    for (const { method, message } of EXAMPLES) {
      const request = { method, message, baseUrl: URL };
      expect(write({ ...request, needsKey: true })).toContain("UTILITY_TOOLS_API_KEY");
      expect(write({ ...request, needsKey: false })).not.toMatch(/KEY\b|authorization/i);
      if (id !== "typescript") {
        // Double quotes, so that the shell puts the key in.
        expect(write({ ...request, needsKey: true })).toContain(
          '-H "Authorization: Bearer $UTILITY_TOOLS_API_KEY"',
        );
      }
    }
  },
);

test.each(SNIPPETS)("$title has nothing that is invisible in it", ({ write }) => {
  for (const { method, message } of NASTY_REQUESTS) {
    const text = write({ method, message, baseUrl: URL, needsKey: false });
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}|\u2028/u);
  }
});

test("there are methods, and an example of each", () => {
  // A stream would need snippets of another kind.
  expect(METHODS).toEqual(Object.values(SERVICES).flatMap(({ methods }) => methods));
  expect(METHODS.length).toBeGreaterThanOrEqual(10);
  expect(EXAMPLES.map(({ method }) => method)).toEqual(METHODS);
});
