import { EmailRule, EmailRuleSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { describe, expect, test } from "vitest";
import { ruleTitle } from "../../../../src/workbench/panels/email/rule-title.js";

describe("ruleTitle", () => {
  test("is the rule's name as words", () => {
    expect(ruleTitle(EmailRuleSchema.value[EmailRule.REMOVE_SUFFIX])).toBe("Remove suffix");
    expect(ruleTitle(EmailRuleSchema.value[EmailRule.TRIM])).toBe("Trim");
  });

  test("is empty for a rule that this page does not know yet", () => {
    expect(ruleTitle(undefined)).toBe("");
  });
});
