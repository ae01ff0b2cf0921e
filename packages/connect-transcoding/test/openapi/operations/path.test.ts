import { describe, expect, test } from "vitest";
import { openApiPath } from "../../../src/openapi/operations/path.js";
import { parsePathTemplate } from "../../../src/routes/rules/path-template.js";

test.each([
  ["/v1/books", "/v1/books", []],
  ["/v1/{name}", "/v1/{name}", ["name"]],
  ["/v1/{name=*}", "/v1/{name}", ["name"]],
  ["/v1/{name=shelves/*}", "/v1/shelves/{name}", ["name"]],
  ["/v1/{name=shelves/*/books/*}", "/v1/shelves/{name_1}/books/{name_2}", ["name_1", "name_2"]],
  ["/v1/{book.name=shelves/*}/pages", "/v1/shelves/{book.name}/pages", ["book.name"]],
  ["/v1/{name=shelves/*}:archive", "/v1/shelves/{name}:archive", ["name"]],
  ["/v1/files/{name=**}", "/v1/files/{name}", ["name"]],
  ["/v1/{name=shelves/**}", "/v1/shelves/{name}", ["name"]],
  ["/v1/*/books/{name}", "/v1/{segment_1}/books/{name}", ["segment_1", "name"]],
  ["/v1/*/*", "/v1/{segment_1}/{segment_2}", ["segment_1", "segment_2"]],
  ["/v1/{name_1}/{name=a/*/b/*}", "/v1/{name_1}/a/{name_2}/b/{name_3}", ["name_1", "name_2", "name_3"]],
  ["/v1/{all=shelves}", "/v1/shelves", []],
  ["/v1/{name=shelves/**}/books", "/v1/shelves/{name}/books", ["name"]],
  ["/v1/{name=shelves/**}/{book}", "/v1/shelves/{name}/{book}", ["name", "book"]],
  ["/", "/", []],
])("%s is %s", (template, path, names) => {
  const described = openApiPath(parsePathTemplate(template));
  expect(described.path).toBe(path);
  expect(described.wildcards.map(({ name }) => name)).toEqual(names);
  expect(described.shape).toBe(path.replaceAll(/\{[^}]*\}/g, "{}"));
});

describe("a wildcard", () => {
  test("has the field that it is a part of, and its range", () => {
    const { wildcards } = openApiPath(parsePathTemplate("/v1/{name=shelves/*/books/**}"));
    expect(wildcards).toEqual([
      {
        name: "name_1",
        fieldPath: "name",
        fieldValue: "shelves/{name_1}/books/{name_2}",
        range: [1, 2],
        spansRest: false,
      },
      {
        name: "name_2",
        fieldPath: "name",
        fieldValue: "shelves/{name_1}/books/{name_2}",
        range: [3, undefined],
        spansRest: true,
      },
    ]);
  });

  test.each([
    ["/v1/{name=a/*/b/**}", "a/1/b/2/3", ["1", "2/3"]],
    ["/v1/{name=a/**/b/*}", "a/1/2/b/3", ["1/2", "3"]],
    ["/v1/{name=a/**/b}", "a/1/2/b", ["1/2"]],
    ["/v1/**/{name=a/*/b}", "a/1/b", [undefined, "1"]],
  ])("of %s has a part of %s", (template, value, parts) => {
    const { wildcards } = openApiPath(parsePathTemplate(template));
    const partOf = ({ fieldPath, range }: (typeof wildcards)[number]) =>
      fieldPath === undefined
        ? undefined
        : value
            .split("/")
            .slice(...range)
            .join("/");
    expect(wildcards.map(partOf)).toEqual(parts);
  });

  test("can have another name", () => {
    const { path } = openApiPath(parsePathTemplate("/v1/{parent=shelves/*}/books"), ["shelf"]);
    expect(path).toBe("/v1/shelves/{shelf}/books");
  });
});
