import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, type JsonValue, toJson } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createRouteTable, type RouteTable } from "../../src/routes/route-table.js";
import { failureOf, findRoute } from "../support/requests.js";

const tables = readFileSync(join(import.meta.dirname, "matches.txt"), "utf8")
  .split(/^= /m)
  .slice(1)
  .map(parseTable);

function parseTable(text: string) {
  const [title = "", ...lines] = text.split("\n").filter((line) => !/^(?:#|$)/.test(line));
  const cases = lines.filter((line) => !line.startsWith("+")).map((line) => line.split(" → "));
  const isRejection = ([, expected = ""]: string[]) => /^\d+$/.test(expected);
  return {
    title,
    routes: lines.filter((line) => line.startsWith("+")).map((line) => line.slice(2).split(" + ")),
    matches: cases
      .filter((each) => !isRejection(each))
      .map(([request = "", route, variables = "{}"]) => [request, route, JSON.parse(variables)] as const),
    rejections: cases
      .filter(isRejection)
      .map(([request = "", status, allow]) => [request, Number(status), allow] as const),
  };
}

const registry = createRegistry(file_library_v1_library);

/** Orders of declaration: all rotations, forwards and backwards. */
function orders<T>(items: readonly T[]): T[][] {
  const turned = items.map((_, index) => [...items.slice(index), ...items.slice(0, index)]);
  return [...turned, ...turned.map((each) => each.toReversed())];
}

interface Router {
  readonly routes: RouteTable;
  /** The first route of each method, by the name of the method. */
  readonly lines: ReadonlyMap<string, string>;
}

function createRouters(routes: readonly (readonly string[])[]): Router[] {
  const methods = routes.map(([line = "", ...additional], index) => {
    return { line, definition: { name: `Route${index}`, input: "Place", rule: ruleOf(line, additional) } };
  });
  const lines = new Map(methods.map(({ definition, line }) => [definition.name, line]));
  return orders(methods).map((order) => {
    const service = defineService(order.map(({ definition }) => definition));
    return { routes: createRouteTable(service.methods, { unknownParameters: "reject", registry }), lines };
  });
}

function matched({ routes, lines }: Router, request: string): [string | undefined, JsonValue] {
  const content = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
  const { method, message } = findRoute(routes, request).bind(content);
  return [lines.get(method.name), toJson(method.input, message, { registry })];
}

function rejected({ routes }: Router, request: string): unknown[] {
  const { status, reason, headers } = failureOf(() => findRoute(routes, request));
  return [status, reason, headers.allow?.split(", ").toSorted().join(", ")];
}

const REASONS: Readonly<Record<number, string>> = {
  400: "MALFORMED_PATH",
  404: "ROUTE_NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
};

describe.each(tables)("$title", ({ routes, matches, rejections }) => {
  const routers = createRouters(routes);

  test.each(matches)("%s → %s", (request, line, captures) => {
    for (const router of routers) {
      expect(matched(router, request)).toEqual([line, captures]);
    }
  });

  // A path without variables has a precomputed match; one with an escape does not.
  test.each(matches)("%s with an additional escape → %s", (request, line, captures) => {
    const escaped = request.replace(/ \/([a-z])/, (_, letter) => ` /%${letter.charCodeAt(0).toString(16)}`);
    for (const router of routers) {
      expect(matched(router, escaped)).toEqual([line, captures]);
    }
  });

  test.each(rejections)("%s → %i", (request, status, allow) => {
    for (const router of routers) {
      expect(rejected(router, request)).toEqual([status, REASONS[status], allow]);
    }
  });
});

test("a path with the kind * allows all HTTP methods", () => {
  const [router] = createRouters([["* /v1/any"]]);
  expect(router?.routes.allowedMethods("/v1/any").toSorted()).toEqual([
    "DELETE",
    "GET",
    "HEAD",
    "OPTIONS",
    "PATCH",
    "POST",
    "PUT",
  ]);
});

test.each([
  ["GET /v1/{hall}", "GET /v1/{shelf}"],
  ["GET /v1/{hall}", "GET /v1/*"],
  ["GET /v1/{name=a/*}", "GET /v1/a/{hall}"],
  ["GET /v1/{name=**}", "GET /v1/**"],
  ["GET /v1/{name=a/**}", "GET /v1/{hall=a/**}/{shelf}"],
  ["GET /v1/{name=a/**}/{shelf}", "GET /v1/{name=a/**/*}/{shelf}"],
  ["POST /v1/**:run", "POST /v1/**/{shelf}:run"],
  ["GET /v1/{name=a/**}/b/{shelf}", "GET /v1/{hall=a/**/b}/*"],
  ["GET /v1/a%2Fb", "GET /v1/a%2fb"],
  ["GET /v1/%61", "GET /v1/a"],
  ["POST /v1/{hall}:run", "POST /v1/*:run"],
  ["PURGE /v1/a", "purge /v1/a"],
  ["* /v1/a", "* /v1/a"],
])("%s and %s conflict", (first, second) => {
  expect(() => createRouters([[first], [second]])).toThrow(
    /one request could select both test\.Service\.Route\d .+ and test\.Service\.Route\d /,
  );
});

test("the tables are complete", () => {
  const count = tables.flatMap(({ matches, rejections }) => [...matches, ...rejections]).length;
  expect(count).toBeGreaterThanOrEqual(300);
});
