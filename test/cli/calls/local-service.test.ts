import type { DescMethodUnary } from "@bufbuild/protobuf";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { expect, test } from "vitest";
import { type MethodCaller, openLocalService } from "../../../src/cli/calls/calls.js";
import type { PlannedCalls } from "../../../src/tools/tool.js";

async function open(method: DescMethodUnary, calls?: PlannedCalls): Promise<MethodCaller> {
  const opened = await openLocalService(method.parent, {}, { calls });
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return opened.value;
}

const { getCountry } = CountriesService.method;
const { sanitizeEmail, explainEmail } = EmailService.method;
const { lookupIp } = GeoIpService.method;

// The last ones have no line of their own in the file: each is an error, or needs more than one country.
test.each<[DescMethodUnary, Record<string, unknown>]>([
  [getCountry, { country: "DE" }],
  [getCountry, { country: "us" }],
  [sanitizeEmail, { email: "A.b+c@gmail.com" }],
  [explainEmail, { email: "a@mailinator.com" }],
  [lookupIp, { ipAddress: "8.8.8.8" }],
  [lookupIp, { ipAddress: "8.8.8.8", view: LookupView.FULL }],
  [getCountry, { country: "DEU" }],
  [getCountry, { country: "DE", language: "fr" }],
  [getCountry, { country: "ZZ" }],
])("%s with %j has the same response if it is the only call", async (method, request) => {
  const [one, all] = [await open(method, { methods: [method], request }), await open(method)];
  const results = [one, all].map((call) => call(method, request).catch((error: unknown) => String(error)));
  const [response, expected] = await Promise.all(results);
  expect(response).toEqual(expected);
});

test("the only call loads nothing else", async () => {
  const request = { country: "DE" };
  const call = await open(getCountry, { methods: [getCountry], request });
  const { listCountries } = CountriesService.method;
  expect(await call(listCountries, {})).toMatchObject({ countries: [{ code2: "DE" }] });
});
