import { EmailRule, EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import {
  implement,
  invalidFields,
  orThrow,
  type RpcErrorInit,
  type ServiceImplementation,
} from "connect-transcoding";
import { ok, type Result } from "../../result.js";
import { answerEach } from "../batch.js";
import { createRuleTrail, type NoteRule } from "./rule-trail.js";
import { sanitizeEmail } from "./sanitize-email.js";

/** `EmailService` over {@link sanitizeEmail}; a text that is no address is an invalid `email`. */
export function emailService(): ServiceImplementation {
  return implement(EmailService, {
    sanitizeEmail({ email }) {
      return orThrow(answer(email));
    },

    explainEmail({ email }) {
      const trail = createRuleTrail(email);
      const { email: sanitized } = orThrow(answer(email, trail.note));
      return {
        email: sanitized,
        steps: trail.steps.map((step) => ({
          ...step,
          rule: EmailRule[step.rule],
          references: [...step.references],
        })),
      };
    },

    batchSanitizeEmails({ emails }) {
      return { results: answerEach("emails", emails, (email) => answer(email)) };
    },
  });
}

/** The message for one address, or what its call fails with. */
function answer(email: string, note?: NoteRule): Result<{ email: string }, RpcErrorInit> {
  const result = sanitizeEmail(email, note);
  return result.ok
    ? ok({ email: result.value })
    : { ok: false, failure: invalidFields([{ field: "email", ...result.failure }]) };
}
