import { Code } from "@connectrpc/connect";
import { EmailRule, EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { describe, expect, it } from "vitest";
import { emailService } from "../../../src/tools/email/email-service.js";
import { callUnary, errorOf, methodNames } from "../call.js";

const sanitize = (email: string) => callUnary(emailService(), EmailService.method.sanitizeEmail, { email });

describe("emailService", () => {
  it("implements every method of its service", () => {
    expect(emailService().service).toBe(EmailService);
    expect(methodNames(emailService())).toEqual(["SanitizeEmail", "ExplainEmail", "BatchSanitizeEmails"]);
  });

  it("returns the normal form", async () => {
    expect(await sanitize("J.Smith+spam@GoogleMail.com")).toMatchObject({ email: "jsmith@gmail.com" });
  });

  it.each([
    ["", "REQUIRED"],
    ["user", "AT_SIGN_MISSING"],
    ["user@[192.0.2.1]", "IP_LITERAL_NOT_ALLOWED"],
  ])("rejects %j as an invalid argument: %s", async (email, reason) => {
    expect(await errorOf(sanitize(email))).toMatchObject({
      code: Code.InvalidArgument,
      violations: [{ field: "email", reason, description: expect.stringMatching(/./) }],
    });
  });
});

describe("ExplainEmail", () => {
  const explain = (email: string) => callUnary(emailService(), EmailService.method.explainEmail, { email });

  it("returns each rule that changed the address, with its result", async () => {
    const { email, steps } = await explain(' "J.Smith+spam"@GoogleMail.com');
    expect(email).toBe("jsmith@gmail.com");
    expect(steps.map(({ rule, result, provider }) => [EmailRule[rule], result, provider])).toEqual([
      ["TRIM", '"J.Smith+spam"@GoogleMail.com', ""],
      ["NORMALIZE_DOMAIN", '"J.Smith+spam"@googlemail.com', ""],
      ["UNQUOTE", "J.Smith+spam@googlemail.com", ""],
      ["LOWER_CASE", "j.smith+spam@googlemail.com", ""],
      ["REMOVE_SUFFIX", "j.smith@googlemail.com", ""],
      ["FOLD_CHARACTERS", "jsmith@googlemail.com", "Gmail"],
      ["FOLD_DOMAIN", "jsmith@gmail.com", "Gmail"],
    ]);
    for (const { description, references, provider } of steps) {
      expect(description).toMatch(/^[A-Z].*[.]$/);
      expect(references.every((url) => url.startsWith("https://"))).toBe(true);
      expect(provider === "" || references.length > 0).toBe(true);
    }
  });

  it("returns no rules for an address in its normal form", async () => {
    expect(await explain("jsmith@gmail.com")).toMatchObject({ email: "jsmith@gmail.com", steps: [] });
  });

  it("fails as SanitizeEmail does", async () => {
    expect(await errorOf(explain("user"))).toEqual(await errorOf(sanitize("user")));
  });
});

describe("BatchSanitizeEmails", () => {
  const batch = (emails: string[]) =>
    callUnary(emailService(), EmailService.method.batchSanitizeEmails, { emails });

  it("returns the result of each input in order, also for duplicates", async () => {
    const { results } = await batch(["B+x@Example.com", "user", "B+x@Example.com"]);
    expect(results).toMatchObject([
      { input: "B+x@Example.com", outcome: { case: "answer", value: { email: "b@example.com" } } },
      {
        input: "user",
        outcome: {
          case: "error",
          value: {
            code: Code.InvalidArgument,
            reason: "AT_SIGN_MISSING",
            message: expect.stringMatching("@"),
          },
        },
      },
      { input: "B+x@Example.com", outcome: { case: "answer", value: { email: "b@example.com" } } },
    ]);
  });
});
