import { create, type DescMessage, fromJson, toJson } from "@bufbuild/protobuf";
import {
  LookupIpRequestSchema,
  LookupIpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpCodesSchema } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { expect, test } from "vitest";
import { fromJsonNames, toJsonNames } from "../../../src/workbench/schema/schema.js";
import { describeSchema } from "./describe-schema.js";

test("schema.json has the schema: after a change, run `npx vitest run test/workbench/schema -u`", async () => {
  const text = `${JSON.stringify(describeSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../../src/workbench/schema/schema.json");
});

test("the texts from the proto files have no URLs of other hosts, which the page must not have", () => {
  const urls = JSON.stringify(describeSchema()).match(/https?:\/\/(?!example\.com\b)[\w.-]+/g) ?? [];
  expect(urls, "Write these hosts without https:// in the proto files, then run `npm run generate`").toEqual(
    [],
  );
});

test.each<[DescMessage, Record<string, unknown>]>([
  [OtpCodesSchema, { next: "1", current: "2", previous: "3", secondPrevious: "4" }],
  [LookupIpResponseSchema, { ip: "::1", metadata: { asnName: "A", coords: { lat: 1, lon: 2 } } }],
])("the names of $name in JSON become those of generated code", (desc, init) => {
  expect(fromJsonNames(toJson(desc, create(desc, init)))).toMatchObject(init);
});

test("a request with local names is one in JSON", () => {
  const request = { ipAddress: "::1", view: 2 };
  expect(fromJson(LookupIpRequestSchema, toJsonNames(request) as never)).toMatchObject(request);
});
