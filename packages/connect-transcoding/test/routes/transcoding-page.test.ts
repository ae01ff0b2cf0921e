import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, toJson } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { expect, test } from "vitest";
import { createRouteTable } from "../../src/routes/route-table.js";
import { failureOf, findRoute } from "../support/requests.js";

const PACKAGE = join(import.meta.dirname, "../..");
const [PAGE, RESPONSES] = ["rules", "responses"].map((name) =>
  readFileSync(join(PACKAGE, "docs", `${name}.md`), "utf8"),
) as [string, string];
const registry = createRegistry(file_library_v1_library);

const examples = [
  ...PAGE.matchAll(/^\| `([^`|]+)` \| `([A-Z]+) ([^`|]+)` \| (?:`([^`|]+)`|(\d+)) \|$/gm),
].map(([, rule = "", httpMethod = "", target = "", message, status]) => ({
  rule,
  httpMethod,
  target,
  message,
  status,
}));

test("the page has examples", () => {
  expect(examples.length).toBeGreaterThan(12);
});

test.each(examples)("$rule: $httpMethod $target", ({ rule, httpMethod, target, message, status }) => {
  const service = defineService([{ name: "Method", input: "Place", rule: ruleOf(rule) }]);
  const routes = createRouteTable(service.methods, { unknownParameters: "reject", registry });
  const content = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
  const bind = () => findRoute(routes, `${httpMethod} ${target}`).bind(content);
  if (status !== undefined) {
    expect(String(failureOf(bind).status)).toBe(status);
    return;
  }
  const bound = bind();
  expect(JSON.stringify(toJson(bound.method.input, bound.message))).toBe(message);
});

test("the page lists exactly the reasons of the engine", () => {
  const folder = join(import.meta.dirname, "../../src");
  // errors/code* has the names of the canonical codes, which are not reasons.
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^(?!node|protocols|server|services|openapi|reference|errors.code)[^.]*\.ts$/.test(file),
  );
  const reasons = new Set(
    sources
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .flatMap((source) => [...source.matchAll(/"([A-Z]+(?:_[A-Z]+)+|REQUIRED)"/g)])
      .map(([, reason]) => reason),
  );
  const listed = [...RESPONSES.matchAll(/^\|(?: \d+ \|)? `([A-Z_]+)` \|/gm)].map(([, reason]) => reason);
  expect([...reasons].filter((reason) => !listed.includes(reason))).toEqual([]);
  expect(listed.filter((reason) => reason !== "INVALID_PARAMETERS" && !reasons.has(reason))).toEqual([]);
});
