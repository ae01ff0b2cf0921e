import { namesOfKind } from "../../../text/column-names.js";
import { EMAIL_ADDRESS } from "../../../text/recognize-input.js";
import { serveWork } from "../../list/work/serve-work.js";
import { EMAIL_COLUMNS, type EmailResults, emailAnswers, markDuplicates } from "./email-answers.js";

serveWork({
  method: "EmailService/BatchSanitizeEmails",
  requestOf: (inputs) => ({ emails: inputs }),
  answersOf: (response: EmailResults) => emailAnswers(response),
  compare: markDuplicates,
  columns: EMAIL_COLUMNS,
  itemName: "address",
  // An e-mail address has at most 254 bytes.
  maxLength: 300,
  looksRight: (text) => EMAIL_ADDRESS.test(text),
  columnName: namesOfKind("email"),
});
