import { EmailRule, EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { ok } from "../../failures/result.js";
import { inputError, singleAndBatch } from "../batch.js";
import { createTool, type Tool, type ToolState } from "../tool.js";
import { addressFlags } from "./address-flags.js";
import { type EmailLists, NO_LISTS } from "./email-lists.js";
import { extractAddress } from "./extract-address.js";
import { createRuleTrail, type EmailRuleName } from "./rule-trail.js";
import { sanitizeEmail } from "./sanitize-email.js";

const FIELD = "email";

/** The dependencies of {@link emailService}. */
export interface EmailServiceDeps extends ToolState {
  /** Returns the lists that are in use now. Default: empty lists. */
  readonly lists?: () => EmailLists;
}

/** Creates the email tool. Texts that are not addresses are rejected as an invalid `email`. */
export function emailService({ lists = () => NO_LISTS, ...state }: EmailServiceDeps = {}): Tool {
  const { single, batch } = singleAndBatch({
    field: FIELD,
    batchField: "emails",
    run: (input) => {
      const email = sanitizeEmail(input);
      return email.ok ? ok({ email: email.value }) : email;
    },
  });
  return createTool(
    EmailService,
    {
      sanitizeEmail: ({ email }) => single(email),

      explainEmail({ email }) {
        const extracted = extractAddress(email);
        if (!extracted.ok) {
          throw inputError(extracted.failure, { field: FIELD });
        }
        const { address, note } = extracted.value;
        const trail = createRuleTrail(email);
        trail.note("EXTRACT_ADDRESS", address);
        const spellings = new Map<EmailRuleName, string>();
        const sanitized = sanitizeEmail(address, (rule, result, provider) => {
          spellings.set(rule, result);
          trail.note(rule, result, provider);
        });
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
          ...addressFlags(
            {
              written: spellings.get("NORMALIZE_UNICODE") ?? address,
              unfolded: spellings.get("LOWER_CASE") ?? spellings.get("UNQUOTE") ?? sanitized.value,
              email: sanitized.value,
            },
            lists(),
          ),
          note,
        };
      },

      batchSanitizeEmails: ({ emails }, context) => batch(emails, context),
    },
    state,
  );
}
