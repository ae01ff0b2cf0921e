import type { MessageInitShape } from "@bufbuild/protobuf";
import type { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { panelHash } from "../../kit/location.js";
import { fieldLabel } from "../../kit/text.js";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../list/list-tool.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, messageNamed } from "../../schema/schema.js";
import type { EMAIL_COLUMNS } from "./email-answers.js";

type Normalize = typeof EmailService.method.batchSanitizeEmails;

const FIELD = fieldOf(messageNamed<Normalize["input"]>("BatchSanitizeEmailsRequest"), "emails");

/** The batch normalization of addresses. */
const EMAILS: ListTool = {
  startWorker: () => new Worker(new URL("./email-worker.ts", import.meta.url), { type: "module" }),
  id: "email",
  command: "email --csv --file",
  method: methodAt<Normalize>("EmailService/BatchSanitizeEmails"),
  maxItems: FIELD.maxItems,
  label: fieldLabel(FIELD),
  requestOf: (emails) => ({ emails: [...emails] }) satisfies MessageInitShape<Normalize["input"]>,
  kinds: { unique: "unique", duplicate: "duplicate", invalid: "invalid" },
  shown: {
    normalized: { label: "Normalized" },
    changed: { label: "Changed" },
    domain: { label: "Domain" },
    duplicate_of: { label: "Same mailbox as" },
  } satisfies Record<(typeof EMAIL_COLUMNS)[number], ListColumn>,
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
