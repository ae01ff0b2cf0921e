import { expect, test } from "vitest";
import { operationIdOf } from "../../../src/openapi/operations/operation.js";
import type { BindingGroup } from "../../../src/routes/rules/binding-group.js";

test.each([
  ["BookService", "GetBook", "bookGetBook"],
  ["SEGService", "Search", "segSearch"],
  ["SEGService", "GetX", "segGetX"],
  ["GeoIpService", "LookupIp", "geoIpLookupIp"],
  ["IAMPolicy", "Get", "iamPolicyGet"],
  ["A", "Get", "aGet"],
  ["Service", "Get", "serviceGet"],
  ["IP", "ID", "ipid"],
  ["lower", "get", "lowerget"],
])("%s.%s is %s", (service, method, id) => {
  const binding = { method: { name: method, parent: { name: service } }, options: { operationId: "" } };
  expect(operationIdOf([binding] as unknown as BindingGroup)).toBe(id);
});
