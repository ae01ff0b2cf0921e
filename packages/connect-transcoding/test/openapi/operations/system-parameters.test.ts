import { defineService, type MethodDefinition, ruleOf } from "connect-transcoding-testing/define-service.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { systemNames } from "../../../src/routes/binding/system-parameters.js";
import { documentOf, expectValid } from "../describe.js";
import { schemaCompiler } from "../validator.js";

/** The system parameters of a method. */
function systemParametersOf(definition: Omit<MethodDefinition, "name">): string[] {
  const service = defineService([{ name: "Get", ...definition }]);
  const { paths } = documentOf(service, {}, { systemParameters: true });
  const [operation] = Object.values(paths).flatMap((item) => Object.values(item));
  return (operation?.parameters ?? []).flatMap((each) => ("$ref" in each ? [each.$ref] : []));
}

const [ALT, FIELDS, PRETTY] = ["Alt", "Fields", "PrettyPrint"].map(
  (name) => `#/components/parameters/${name}`,
);

describe("system parameters", () => {
  test("are absent by default", () => {
    const { components, paths } = documentOf(LibraryService);
    expect(components.parameters).toBeUndefined();
    expect(JSON.stringify(paths)).not.toContain("components/parameters");
  });

  test("are shared components with the names that the server reads", async () => {
    const document = documentOf(LibraryService, {}, { systemParameters: true });
    await expectValid(document);
    const parameters = Object.entries(document.components.parameters ?? {});
    const names = systemNames(() => false);
    expect(parameters.map(([, { name, in: place }]) => [names.get(name), place])).toEqual([
      ["alt", "query"],
      ["fields", "query"],
      ["prettyPrint", "query"],
    ]);
    const compile = schemaCompiler(document);
    for (const [component, { schema }] of parameters) {
      expect(compile(["components", "parameters", component, "schema"])(schema.default ?? "name")).toEqual(
        [],
      );
    }
  });

  test.each<[string, Omit<MethodDefinition, "name">, (string | undefined)[]]>([
    ["of a message", { rule: ruleOf("GET /v1/books") }, [ALT, FIELDS, PRETTY]],
    ["of a stream", { rule: ruleOf("GET /v1/books"), serverStreaming: true }, [ALT, FIELDS]],
    [
      "of a field that is no message",
      { rule: { ...ruleOf("GET /v1/books"), responseBody: "title" } },
      [ALT, PRETTY],
    ],
    ["of a map", { rule: { ...ruleOf("GET /v1/books"), responseBody: "labels" } }, [ALT, PRETTY]],
    ["of bytes", { rule: ruleOf("GET /v1/books"), output: "google.api.HttpBody" }, []],
  ])("%s are those that apply to it", (_what, definition, expected) => {
    expect(systemParametersOf(definition)).toEqual(expected);
  });
});
