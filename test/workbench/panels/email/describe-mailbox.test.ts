import { expect, test } from "vitest";
import { describeMailbox } from "../../../../src/workbench/panels/email/describe-mailbox.js";

const PLAIN = {
  disposable: false,
  freeProvider: false,
  roleAccount: false,
  relay: false,
  didYouMean: "",
  steps: [],
};
const STEP = { rule: "EMAIL_RULE_LOWER_CASE", description: "", result: "", provider: "", references: [] };

test.each([
  ["normal", {}, "This is the one spelling of the mailbox already.", false, []],
  [
    "changed",
    { steps: [STEP], freeProvider: true },
    "This is the one spelling of the mailbox. Mail to both spellings arrives there.",
    false,
    ["Free provider"],
  ],
  [
    "known provider's",
    { steps: [STEP, { ...STEP, provider: "Gmail" }], freeProvider: true },
    "This is the one spelling of the mailbox. Mail to both spellings arrives there.",
    false,
    ["Free provider: Gmail"],
  ],
  ["misspelled", { didYouMean: "jane@gmail.com" }, "The domain is probably misspelled.", true, []],
  [
    "relayed",
    { relay: true },
    "This is the one spelling of the mailbox already.",
    false,
    ["Forwards to another mailbox"],
  ],
  [
    "disposable",
    { disposable: true, roleAccount: true },
    "This address is disposable: do not rely on it.",
    true,
    ["Disposable", "A role, not a person"],
  ],
])("a %s address is described in words", (_, part, verdict, isWarning, names) => {
  const words = describeMailbox({ ...PLAIN, ...part });
  expect([words.verdict, words.isWarning]).toEqual([verdict, isWarning]);
  expect(words.findings).toEqual(names);
});
