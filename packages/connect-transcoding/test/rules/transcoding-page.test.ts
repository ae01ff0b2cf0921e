import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { HttpError } from "../../src/errors/http-error.js";
import { createTranscoder } from "../../src/rules/route-table.js";
import { file_library_v1_library } from "../gen/library/v1/library_pb.js";
import { defineService, ruleOf } from "../support/define-service.js";

const ROOT = join(import.meta.dirname, "../../../..");
const PAGE = readFileSync(join(ROOT, "docs/transcoding.md"), "utf8");
const registry = createRegistry(file_library_v1_library);

const examples = [
  ...PAGE.matchAll(/^\| `([^`|]+)` \| `([A-Z]+) ([^`|]+)` \| (?:`([^`|]+)`|(\d+)) \|$/gm),
].map(([, rule = "", verb = "", target = "", message, status]) => ({ rule, verb, target, message, status }));

test("the page has examples", () => {
  expect(examples.length).toBeGreaterThan(12);
});

test.each(examples)("$rule: $verb $target", ({ rule, verb, target, message, status }) => {
  const service = defineService([{ name: "Method", input: "Place", rule: ruleOf(rule) }]);
  const transcoder = createTranscoder(service.methods, { unknownParameters: "reject", registry });
  const content = { contentType: undefined, contentEncoding: undefined, body: new Uint8Array() };
  try {
    const bound = transcoder.find(verb, target).bind(content);
    expect(JSON.stringify(toJson(bound.method.input, bound.message))).toBe(message);
  } catch (thrown) {
    if (!(thrown instanceof HttpError)) {
      throw thrown;
    }
    expect(String(thrown.status)).toBe(status);
  }
});

test("the page has every reason of the engine, and no other", () => {
  const folder = join(import.meta.dirname, "../../src");
  // status.ts has the names of the canonical codes, which are no reasons.
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^(?!node|server|services|openapi|errors.code)[^.]*\.ts$/.test(file),
  );
  const reasons = new Set(
    sources
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .flatMap((source) => [...source.matchAll(/"([A-Z]+(?:_[A-Z]+)+|REQUIRED)"/g)])
      .map(([, reason]) => reason),
  );
  const listed = [...PAGE.matchAll(/^\|(?: \d+ \|)? `([A-Z_]+)` \|/gm)].map(([, reason]) => reason);
  expect([...reasons].filter((reason) => !listed.includes(reason))).toEqual([]);
  expect(listed.filter((reason) => reason !== "INVALID_PARAMETERS" && !reasons.has(reason))).toEqual([]);
});
