import { createRegistry, fromJson } from "@bufbuild/protobuf";
import { HttpSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createRouteTable } from "../../src/routes/route-table.js";
import type { HttpRules } from "../../src/routes/rules/http-rules.js";

const { methods } = defineService([
  { name: "Plain" },
  { name: "Ruled", rule: ruleOf("GET /v1/a", ["GET /v1/b"]) },
]);

/** The routes with these rules: method, HTTP method and path. */
function routesWith(rules: HttpRules): string[] {
  const registry = createRegistry(file_library_v1_library);
  const { bindings } = createRouteTable(methods, { unknownParameters: "reject", registry, rules });
  return bindings.map(
    ({ method, httpMethod, template }) => `${method.name}: ${httpMethod} ${template.source}`,
  );
}

describe("rules from outside the proto file", () => {
  test("add a rule to a method without one", () => {
    const rules = [{ selector: "test.Service.Plain", ...ruleOf("GET /v1/{name=shelves/*}") }];
    expect(routesWith(rules)).toEqual([
      "Plain: GET /v1/{name=shelves/*}",
      "Ruled: GET /v1/a",
      "Ruled: GET /v1/b",
    ]);
  });

  test("replace the rule of a method with its additional bindings", () => {
    const rules = [{ selector: "test.Service.Ruled", ...ruleOf("PUT /v2/a", ["PURGE /v2/a"]) }];
    expect(routesWith(rules)).toEqual(["Ruled: PUT /v2/a", "Ruled: PURGE /v2/a"]);
  });

  test("of several rules of a method, the last one holds", () => {
    const rules = ["GET /v1/x", "GET /v1/y"].map((line) => ({
      selector: "test.Service.Ruled",
      ...ruleOf(line),
    }));
    expect(routesWith(rules)).toEqual(["Ruled: GET /v1/y"]);
  });

  test("can come from the `http` section of a service configuration", () => {
    const http = {
      rules: [
        {
          selector: "test.Service.Plain",
          post: "/v1/{name=shelves/*}:read",
          body: "*",
          additional_bindings: [{ get: "/v1/{name=books/*}" }],
        },
      ],
      fully_decode_reserved_expansion: true,
    };
    expect(routesWith(fromJson(HttpSchema, http).rules).slice(0, 2)).toEqual([
      "Plain: POST /v1/{name=shelves/*}:read",
      "Plain: GET /v1/{name=books/*}",
    ]);
  });

  test.each([
    ["test.Service.Unknown", "a rule selects 'test.Service.Unknown', which is not a registered method"],
    ["", "a rule selects '', which is not a registered method"],
    ["test.Service.*", "a rule selects 'test.Service.*', which is not a registered method"],
  ])("with the selector '%s' are rejected", (selector, message) => {
    const rules = [{ selector, ...ruleOf("GET /v1/x") }];
    expect(() => routesWith(rules)).toThrow(new Error(message));
  });

  test("are checked as those in proto files are", () => {
    const rules = [{ selector: "test.Service.Plain", ...ruleOf("GET /v1/{nope}") }];
    expect(() => routesWith(rules)).toThrow("test.Service.Plain: the path binds 'nope'");
  });
});
