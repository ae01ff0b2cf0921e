import { EmailRule, EmailRuleSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { expect, test } from "vitest";
import { namedReferences, titleOfStep } from "../../src/text/email-step-words.js";

const RULES = EmailRuleSchema.values.filter(({ number }) => number !== EmailRule.UNSPECIFIED);

test("each rule has a title that is not its name", () => {
  const titles = RULES.map(({ name }) =>
    titleOfStep({ rule: name, result: "b@example.com" }, "a@example.com"),
  );
  expect(new Set(titles).size).toBe(RULES.length);
  const names = RULES.map(({ localName }) => localName.toLowerCase().replaceAll("_", " "));
  expect(titles.filter((title) => names.includes(title.toLowerCase()))).toEqual([]);
});

test.each([
  ["EMAIL_RULE_NORMALIZE_DOMAIN", "jane@Example.com", "jane@example.com", "Domain in lower case"],
  [
    "EMAIL_RULE_NORMALIZE_DOMAIN",
    "jane@bücher.example",
    "jane@xn--bcher-kva.example",
    "Domain in ASCII letters",
  ],
  ["EMAIL_RULE_NORMALIZE_DOMAIN", "jané@Example.com", "jané@example.com", "Domain in lower case"],
  ["EMAIL_RULE_FOLD_CHARACTERS", "jane.doe@gmail.com", "janedoe@gmail.com", "Dots removed"],
  ["EMAIL_RULE_FOLD_CHARACTERS", "jane-doe@pm.me", "janedoe@pm.me", "Equal characters unified"],
  ["EMAIL_RULE_NEW", "a@example.com", "b@example.com", "New"],
])("%s of %s to %s is %j", (rule, before, result, title) => {
  expect(titleOfStep({ rule, result }, before)).toBe(title);
});

test.each([
  ["", ["https://www.rfc-editor.org/rfc/rfc5321#section-2.4"], ["RFC 5321"]],
  [
    "",
    ["https://www.rfc-editor.org/rfc/rfc5890", "https://www.unicode.org/reports/tr46/"],
    ["RFC 5890", "UTS #46"],
  ],
  [
    "Gmail",
    ["https://support.google.com/a", "https://support.google.com/b"],
    ["Gmail help", "Gmail help (2)"],
  ],
  ["", ["https://example.com/page"], ["example.com"]],
])("references of %j have short names: %j", (provider, references, names) => {
  const named = namedReferences({ provider, references });
  expect(named.map(({ name }) => name)).toEqual(names);
  expect(named.map(({ url }) => url)).toEqual(references);
});
