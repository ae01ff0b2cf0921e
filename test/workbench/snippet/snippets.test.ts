import { execFileSync } from "node:child_process";
import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { BarcodeFormat } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SNIPPETS, shellQuote } from "../../../src/workbench/snippet/snippets.js";
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

const { barcode, countries, geoIp, otp } = SERVICES;

describe("curl", () => {
  const curl = <Input extends DescMessage>(method: DescMethodUnary<Input>, init: MessageInitShape<Input>) =>
    snippet("curl", method, init);

  test("omits a selector that requires an absent parameter", () => {
    expect(curl(countries.method.listCountries, {})).toBe(`curl '${URL}/v1/countries'`);
    expect(curl(countries.method.getCountry, { country: "FR" })).toBe(
      `curl '${URL}/v1/countries?country=FR'`,
    );
  });
  test("adds the selector to the query of a GET, enums by their HTTP names, and an output file", () => {
    expect(curl(barcode.method.renderBarcode, { data: "a b", format: BarcodeFormat.PNG })).toBe(
      `curl '${URL}/v1/barcode?type=qr_code&data=a%20b&format=png' \\\n  -o barcode.png`,
    );
    expect(curl(barcode.method.renderBarcode, { data: "png" })).toContain("-o barcode.svg");
  });
  test("puts fields and selectors into the JSON of a POST", () => {
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
  test("keeps the path prefix of a proxy", () => {
    const method = geoIp.method.lookupSelf;
    expect(snippet("curl", method, {}, { baseUrl: "https://x.example/tools" })).toBe(
      "curl 'https://x.example/tools/v1/geoIp/self'",
    );
  });
});

describe("buf curl", () => {
  const method = geoIp.method.lookupIp;
  const NAME = "utilitytools.v1.GeoIpService/LookupIp";

  test("requests HTTP/2 without TLS", () => {
    expect(snippet("grpc", method, { ipAddress: "8.8.8.8" })).toBe(
      [
        "buf curl --protocol grpc --http2-prior-knowledge \\",
        `  -d '{"ip_address": "8.8.8.8"}' \\`,
        `  '${URL}/${NAME}'`,
      ].join("\n"),
    );
  });
  test("negotiates HTTP/2 over TLS", () => {
    expect(snippet("grpc", method, {}, { baseUrl: "https://x.example" })).toBe(
      ["buf curl --protocol grpc \\", "  -d '{}' \\", `  'https://x.example/${NAME}'`].join("\n"),
    );
  });
});

describe("TypeScript", () => {
  test("calls the method with the fields by name", () => {
    expect(snippet("typescript", geoIp.method.lookupIp, { ipAddress: "8.8.8.8" })).toBe(
      [
        'import { createUtilityToolsClient } from "@utility-tools/client";',
        "",
        `const client = createUtilityToolsClient("${URL}");`,
        'const response = await client.geoIp.lookupIp({ ipAddress: "8.8.8.8" });',
      ].join("\n"),
    );
  });
  test("writes long lists with one element per line", () => {
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

test("sends a POST with the key of the environment, and writes words as Python does", () => {
  const text = snippet("python", otp.method.generateOtp, { label: "true", digits: 6 }, { needsKey: true });
  expect(text).toBe(
    [
      "import json",
      "import os",
      "from urllib.request import Request, urlopen",
      "",
      "request = Request(",
      `    "${URL}/v1/otp",`,
      "    data=json.dumps({",
      '      "type": "time_based",',
      '      "action": "generate",',
      '      "label": "true",',
      '      "digits": 6',
      "    }).encode(),",
      '    headers={"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["UTILITY_TOOLS_API_KEY"]},',
      ")",
      "with urlopen(request, timeout=10) as response:",
      "    print(response.read().decode())",
    ].join("\n"),
  );
});

test.each(SNIPPETS)(
  "$title refers to the key only where one is required, and contains no secret",
  ({ id, write }) => {
    for (const { method, message } of EXAMPLES) {
      const request = { method, message, baseUrl: URL };
      expect(write({ ...request, needsKey: true })).toContain("UTILITY_TOOLS_API_KEY");
      expect(write({ ...request, needsKey: false })).not.toMatch(/KEY\b|authorization/i);
      if (id === "curl" || id === "grpc") {
        // In double quotes, so that the shell expands the variable.
        expect(write({ ...request, needsKey: true })).toContain(
          '-H "Authorization: Bearer $UTILITY_TOOLS_API_KEY"',
        );
      }
    }
  },
);

test.each(SNIPPETS)("$title contains no invisible characters", ({ write }) => {
  for (const { method, message } of NASTY_REQUESTS) {
    const text = write({ method, message, baseUrl: URL, needsKey: false });
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}|\u2028/u);
  }
});

test("every method is unary and has an example", () => {
  // Streams would need other snippets.
  expect(METHODS).toEqual(Object.values(SERVICES).flatMap(({ methods }) => methods));
  expect(METHODS.length).toBeGreaterThanOrEqual(10);
  expect(EXAMPLES.map(({ method }) => method)).toEqual(METHODS);
});

test("a shell reads any quoted text as one word, unchanged", () => {
  // No argument can contain a zero byte or half a surrogate pair.
  const text = fc.string({ unit: ANY_CHARACTER }).map((each) => each.replaceAll(/[\0\p{Cs}]/gu, ""));
  const awkward = fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "\n", " ", "!", "-", "é", "*"),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(text, awkward), { minLength: 100, maxLength: 300 }), (texts) => {
      // The final dot protects line breaks at the end of a text.
      const words = texts.map((each) => shellQuote(`${each}.`)).join(" ");
      const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${words}`], { encoding: "utf8" });
      expect(printed.split("\0").slice(0, -1)).toEqual(texts.map((each) => `${each}.`));
    }),
    { numRuns: 8 },
  );
});
