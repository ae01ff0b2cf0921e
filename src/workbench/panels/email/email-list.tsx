import {
  BatchSanitizeEmailsRequestSchema,
  EmailService,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListTool } from "../../list/list-tool.js";
import { EMAIL_ADDRESS, panelHash } from "../../panels.js";
import { emailAnswers, markDuplicates } from "./email-answers.js";

const { batchSanitizeEmails } = EmailService.method;

/** The batch normalization of addresses. */
const EMAILS: ListTool<typeof batchSanitizeEmails.input, typeof batchSanitizeEmails.output> = {
  fileName: "email",
  method: batchSanitizeEmails,
  field: BatchSanitizeEmailsRequestSchema.field.emails,
  requestOf: (emails) => ({ emails: [...emails] }),
  answersOf: emailAnswers,
  compare: markDuplicates,
  kinds: [
    { id: "unique", label: "unique" },
    { id: "duplicate", label: "duplicate" },
    { id: "invalid", label: "invalid" },
  ],
  invalidKind: "invalid",
  columns: [
    { name: "normalized", label: "Normalized" },
    { name: "changed", label: "Changed" },
    { name: "domain", label: "Domain" },
    { name: "duplicate_of", label: "Same mailbox as" },
  ],
  examples: [
    "Jane.Doe+news@GoogleMail.com",
    "janedoe@gmail.com",
    "shop@jane.fastmail.com",
    "jane@Bücher.example",
    "jane..doe@example.com",
  ],
  action: "Normalize",
  inputLabel: "Address",
  showInput: (input, answer) =>
    answer.kind === "invalid" ? undefined : (
      <a href={panelHash("email", { parameters: { address: input } })}>{input}</a>
    ),
  looksRight: (text) => EMAIL_ADDRESS.test(text),
  columnName: /^(e-?mail|mail|e-?mail[ _-]?addr(ess)?|addr(ess)?)$/i,
};

/** Normalizes a list of addresses and finds those of the same mailbox. */
export function EmailList({ isShown }: { readonly isShown: boolean }) {
  return <ListLookup tool={EMAILS} isShown={isShown} />;
}
