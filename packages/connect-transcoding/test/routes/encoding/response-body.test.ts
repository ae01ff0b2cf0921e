import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import {
  httpBodyReader,
  readHttpBindings,
  responseBodyOf,
  responseTextReader,
} from "../../../src/routes/rules/http-rule.js";

/** The binding of a method whose response is of some type. */
function bindingWith(output: string, responseBody = "") {
  const rule = { ...ruleOf("GET /v1/show"), responseBody };
  const [binding] = defineService([{ name: "Show", output, rule }]).methods.flatMap(readHttpBindings);
  if (binding === undefined) {
    throw new Error("the method has a rule");
  }
  return binding;
}

describe("the source of a response body", () => {
  test.each([
    ["a message", "Book", "", "", "json", undefined],
    ["a field that is a message", "Book", "publisher", "", "json", "publisher"],
    ["a list", "ListBooksResponse", "books", "", "json", "books"],
    ["a message without a selected text field", "Loan", "", undefined, "json", undefined],
    ["a text", "Loan", "", "title", "text", "title"],
    ["a text field and a response_body", "Loan", "days", "title", "text", "title"],
    ["bytes", "google.api.HttpBody", "", "", "bytes", undefined],
    ["a bytes field", "Cover", "image", "", "bytes", "image"],
    ["a message with a bytes field", "Cover", "", "", "json", undefined],
    [
      "the content type of a google.api.HttpBody",
      "google.api.HttpBody",
      "content_type",
      "",
      "json",
      "content_type",
    ],
  ] as const)("%s", (_what, output, responseBody, textField, kind, field) => {
    const body = responseBodyOf(bindingWith(output, responseBody), textField);
    expect([body.kind, body.field?.name]).toEqual([kind, field]);
  });

  test("an absent field is empty", () => {
    const body = responseBodyOf(bindingWith("Cover", "image"));
    expect(httpBodyReader(body.field)({})).toEqual({ contentType: "", data: new Uint8Array() });
    const text = responseBodyOf(bindingWith("Loan"), "title");
    expect(text.kind === "text" && responseTextReader(text.field)({})).toBe("");
  });
});
