import { EmailRule, EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { ok } from "../../failures/result.js";
import { inputError, singleAndBatch } from "../batch.js";
import { createTool, type Tool, type ToolModule } from "../tool.js";
import { createRuleTrail } from "./rule-trail.js";
import { sanitizeEmail } from "./sanitize-email.js";

const FIELD = "email";

/** Creates the email tool. Texts that are not addresses are rejected as an invalid `email`. */
export function emailService(): Tool {
  const { single, batch } = singleAndBatch({
    field: FIELD,
    batchField: "emails",
    run: (input) => {
      const email = sanitizeEmail(input);
      return email.ok ? ok({ email: email.value }) : email;
    },
  });
  return createTool(EmailService, {
    sanitizeEmail: ({ email }) => single(email),

    explainEmail({ email }) {
      const trail = createRuleTrail(email);
      const sanitized = sanitizeEmail(email, trail.note);
      if (!sanitized.ok) {
        throw inputError(sanitized.failure, { field: FIELD });
      }
      return {
        email: sanitized.value,
        steps: trail.steps.map((step) => ({
          ...step,
          rule: EmailRule[step.rule],
          references: [...step.references],
        })),
      };
    },

    batchSanitizeEmails: ({ emails }, context) => batch(emails, context),
  });
}

export const load: ToolModule["load"] = () => ok(emailService());
