import type {
  BatchSanitizeEmailsRequestSchema,
  EmailService,
} from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { fieldLabel } from "../../kit/text.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListTool } from "../../list/list-tool.js";
import { panelHash } from "../../panels.js";
import { fieldOf, messageNamed, methodAt } from "../../schema/schema.js";
import { EMAIL_COLUMNS } from "./email-answers.js";

const NORMALIZE = methodAt<typeof EmailService.method.batchSanitizeEmails>(
  "EmailService/BatchSanitizeEmails",
);
const REQUEST = messageNamed<typeof BatchSanitizeEmailsRequestSchema>("BatchSanitizeEmailsRequest");
const FIELD = fieldOf(REQUEST, "emails");

const LABELS = {
  normalized: "Normalized",
  changed: "Changed",
  domain: "Domain",
  duplicate_of: "Same mailbox as",
} as const satisfies Readonly<Record<(typeof EMAIL_COLUMNS)[number], string>>;

/** The batch normalization of addresses. */
const EMAILS: ListTool<
  typeof EmailService.method.batchSanitizeEmails.input,
  typeof EmailService.method.batchSanitizeEmails.output
> = {
  startWorker: () => new Worker(new URL("./email-worker.ts", import.meta.url), { type: "module" }),
  id: "email",
  command: "email --csv --file",
  method: NORMALIZE,
  maxItems: FIELD.maxItems,
  label: fieldLabel(FIELD),
  requestOf: (emails) => ({ emails: [...emails] }),
  kinds: [
    { id: "unique", label: "unique" },
    { id: "duplicate", label: "duplicate" },
    { id: "invalid", label: "invalid" },
  ],
  columns: EMAIL_COLUMNS.map((name) => ({ name, label: LABELS[name] })),
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
};

/** Normalizes a list of addresses and finds those of the same mailbox. */
export function EmailList({ isShown }: { readonly isShown: boolean }) {
  return <ListLookup tool={EMAILS} isShown={isShown} />;
}
