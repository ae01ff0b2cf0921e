import { Code } from "@connectrpc/connect";
import { EmailRule, EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { describe, expect, it } from "vitest";
import { NO_LISTS } from "../../../src/tools/email/email-lists.js";
import { emailService } from "../../../src/tools/email/email-service.js";
import { callUnary, errorOf } from "../call.js";

const sanitize = (email: string) => callUnary(emailService(), EmailService.method.sanitizeEmail, { email });

describe("emailService", () => {
  it("returns the normal form", async () => {
    expect(await sanitize("J.Smith+spam@GoogleMail.com")).toMatchObject({ email: "jsmith@gmail.com" });
  });

  it.each([
    ["", "REQUIRED"],
    ["user", "AT_SIGN_MISSING"],
    ["user@[192.0.2.1]", "IP_LITERAL_NOT_ALLOWED"],
    ["mailto:user@example.com", "INVALID_LOCAL_PART"],
    ["User <user@example.com>", "DISPLAY_NAME_NOT_ALLOWED"],
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

  it("takes the address out of a link or of angle brackets, with a note", async () => {
    const { email, note, steps } = await explain("Jane <Jane.Doe@GMail.com>");
    expect([email, note]).toEqual([
      "janedoe@gmail.com",
      "A display name and angle brackets around an address are not a part of it.",
    ]);
    expect(steps[0]).toMatchObject({ rule: EmailRule.EXTRACT_ADDRESS, result: "Jane.Doe@GMail.com" });
    expect(await explain("mailto:a@b.example?subject=x")).toMatchObject({
      email: "a@b.example",
      note: expect.stringMatching(/^The address is that of a mailto: link/),
    });
  });

  it("has the errors of an address for what is in a link or in angle brackets", async () => {
    for (const text of ["mailto:user", "Jane <user>"]) {
      expect((await errorOf(explain(text))).violations).toMatchObject([{ reason: "AT_SIGN_MISSING" }]);
    }
  });

  it("has the flags of the address", async () => {
    const lists = {
      ...NO_LISTS,
      disposable: new Set(["mailinator.com"]),
      freeProviders: new Set(["gmail.com"]),
      commonProviders: new Set(["gmail.com"]),
      roleNames: new Set(["info", "mailer-daemon"]),
      relays: new Set(["duck.com"]),
    };
    const flags = (email: string) =>
      callUnary(emailService({ lists: () => lists }), EmailService.method.explainEmail, { email });
    expect(await flags("In.Fo+x@GoogleMail.com")).toMatchObject({ freeProvider: true, roleAccount: true });
    expect(await flags("a@x.mailinator.com")).toMatchObject({ disposable: true, freeProvider: false });
    expect(await flags("Ann <Ann@Gmial.com>")).toMatchObject({ didYouMean: "Ann@gmail.com" });
    expect(await flags("“Ann＠Gmial.com”")).toMatchObject({ didYouMean: "Ann@gmail.com" });
    expect(await flags("Mailer-Daemon@yandex.com")).toMatchObject({
      email: "mailer.daemon@yandex.ru",
      roleAccount: true,
    });
    expect(await flags("a@duck.com")).toMatchObject({ relay: true, disposable: false });
    expect(await explain("a@mailinator.com")).toMatchObject({
      disposable: false,
      freeProvider: false,
      roleAccount: false,
      didYouMean: "",
      note: "",
    });
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
