import { create, toJson } from "@bufbuild/protobuf";
import { BatchSanitizeEmailsResponseSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { expect, test } from "vitest";
import {
  type EmailResults,
  emailAnswers,
  markDuplicates,
} from "../../../../src/workbench/panels/email/email-answers.js";

test("markDuplicates names the first row of the same mailbox", () => {
  const unique = (email: string) => ({ kind: "unique", values: [email, true, "example.com", ""], error: "" });
  const invalid = { kind: "invalid", values: [], error: "wrong" };
  const inputs = ["A@example.com", "wrong", "b@example.com", "a@example.com", "not sent", "A@example.com"];
  const [a, b] = [unique("a@example.com"), unique("b@example.com")];
  const duplicate = {
    ...a,
    kind: "duplicate",
    values: ["a@example.com", true, "example.com", "A@example.com"],
  };
  expect(markDuplicates(inputs, [a, invalid, b, a, undefined, a])).toEqual([
    a,
    invalid,
    b,
    duplicate,
    undefined,
    duplicate,
  ]);
});

test("each result of a batch becomes an answer", () => {
  const message = create(BatchSanitizeEmailsResponseSchema, {
    results: [
      { input: "A+b@example.com", outcome: { case: "answer", value: { email: "a@example.com" } } },
      { input: "a@example.com", outcome: { case: "answer", value: { email: "a@example.com" } } },
      { input: "x", outcome: { case: "error", value: { reason: "AT_SIGN_MISSING", message: "wrong" } } },
    ],
  });
  const response = toJson(BatchSanitizeEmailsResponseSchema, message, { useProtoFieldName: true });
  expect(emailAnswers(response as unknown as EmailResults)).toEqual([
    { kind: "unique", values: ["a@example.com", true, "example.com", ""], error: "" },
    { kind: "unique", values: ["a@example.com", false, "example.com", ""], error: "" },
    { kind: "invalid", values: [], error: "wrong" },
  ]);
});
