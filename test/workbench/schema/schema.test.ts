import { fromJson } from "@bufbuild/protobuf";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { expect, test } from "vitest";
import { fromJsonNames, toJsonNames } from "../../../src/workbench/schema/method.js";
import { describeSchema, messagesOf } from "./describe-schema.js";

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

test("the names of fields in JSON become those of generated code", () => {
  const ours = messagesOf().filter(({ typeName }) => typeName.startsWith("utilitytools."));
  for (const { jsonName, localName } of ours.flatMap(({ fields }) => fields)) {
    expect(fromJsonNames([{ [jsonName]: "1" }])).toEqual([{ [localName]: "1" }]);
  }
});

test("a request with local names is one in JSON", () => {
  const request = { ipAddress: "::1", view: 2 };
  expect(fromJson(LookupIpRequestSchema, toJsonNames(request) as never)).toMatchObject(request);
});
