import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { documentOf, expectValid } from "./describe.js";
import { documentedService, text } from "./documented-service.js";

describe("a oneof that is always set", () => {
  const outcome = {
    input: text({ example: "x" }),
    answer: { ...text(), oneof: "outcome" },
    failure: { type: Type.MESSAGE, message: "Failure", oneof: "outcome" },
  };
  const messages = { Outcome: outcome, Failure: { reason: text({ example: "LATE" }) } };
  const document = documentOf(
    documentedService(messages, {
      Report: { input: "Outcome", output: "Outcome", rule: "POST /v1/outcomes" },
    }),
    { "test.Outcome": "An outcome." },
  );
  const { schemas } = document.components;

  test("is oneOf components, in responses", async () => {
    await expectValid(document);
    expect(schemas.Outcome).toEqual({
      description: "An outcome.",
      oneOf: [
        { $ref: "#/components/schemas/OutcomeAnswer" },
        { $ref: "#/components/schemas/OutcomeFailure" },
      ],
    });
    expect(schemas.OutcomeFailure).toEqual({
      type: "object",
      description: "An outcome.",
      properties: {
        input: { type: "string", examples: ["x"] },
        failure: { $ref: "#/components/schemas/Failure" },
      },
      required: ["input", "failure"],
    });
  });

  test("is oneOf components without other properties, in requests", () => {
    expect(schemas.OutcomeInput?.oneOf).toEqual([
      { $ref: "#/components/schemas/OutcomeInputAnswer" },
      { $ref: "#/components/schemas/OutcomeInputFailure" },
    ]);
    expect(schemas.OutcomeInputAnswer).toEqual({
      type: "object",
      description: "An outcome.",
      properties: { input: { type: "string", examples: ["x"] }, answer: { type: "string" } },
      required: ["answer"],
      additionalProperties: false,
    });
  });
});

test("an alternative never has the name of a message", () => {
  const choice = { input: { ...text(), oneof: "choice" }, other: { ...text(), oneof: "choice" } };
  const { schemas } = documentOf(
    documentedService({ Choice: choice }, { Take: { input: "Choice", output: "Choice", rule: "POST /v1" } }),
  ).components;
  expect(schemas.Choice?.oneOf?.[0]).toEqual({ $ref: "#/components/schemas/ChoiceInput2" });
  expect(schemas.ChoiceInput?.oneOf?.[0]).toEqual({ $ref: "#/components/schemas/ChoiceInputInput" });
});

describe("an object in a response with names that identifiers cannot tell apart", () => {
  const documentWith = (second: ReturnType<typeof text>) =>
    documentOf(
      documentedService(
        { Request: {}, Codes: { "+30s": text({ maxLength: 8, example: "1" }), "-30s": second } },
        { List: { input: "Request", output: "Codes", rule: "GET /v1/codes" } },
      ),
      {
        "test.Codes": "The codes.",
        "test.Codes._43_30s": "The next code.",
        "test.Codes._45_30s": "The last code.",
      },
    );

  test("is a map", async () => {
    const document = documentWith(text({ maxLength: 8, example: "2" }));
    await expectValid(document);
    expect(document.components.schemas.Codes).toEqual({
      type: "object",
      description: "The codes.\n\n- `+30s`: The next code.\n- `-30s`: The last code.",
      additionalProperties: { type: "string", maxLength: 8 },
      required: ["+30s", "-30s"],
    });
  });

  test("has properties if they are of different types", () => {
    const { Codes } = documentWith(text({ maxLength: 6 })).components.schemas;
    expect(Object.keys(Codes?.properties ?? {})).toEqual(["+30s", "-30s"]);
  });
});
