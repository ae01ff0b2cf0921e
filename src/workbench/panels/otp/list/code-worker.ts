import { kindOfInput } from "../../../../text/recognize-input.js";
import { serveWork } from "../../../list/work/serve-work.js";
import { isSetupLink, secretProblem } from "../account.js";
import {
  CODE_COLUMNS,
  type CodesResult,
  codesAnswer,
  codesOverview,
  codesRequest,
  expandExports,
  isCurrent,
} from "./code-answers.js";

serveWork({
  method: "OtpService/VerifyOtp",
  isSingle: true,
  requestOf: codesRequest,
  problemOf: (input) => (isSetupLink(input) ? "" : secretProblem(input)),
  answersOf: (response: CodesResult, received) => [codesAnswer(response, received)],
  isCurrent,
  itemName: "secret",
  // As the service accepts a setup link.
  maxLength: 2_953,
  expand: expandExports,
  publicColumn: /^(issuer|service|title|name|label|account|(login[ _-]?)?user(name)?|e-?mail)$/i,
  columns: CODE_COLUMNS,
  overviewOf: codesOverview,
  looksRight: (text) => kindOfInput(text) === "secret",
  columnName:
    /^((otp|totp)?[ _-]?secret([ _-]?key)?|(login[ _-]?)?(otp|totp)|otpauth|uri|url|(setup )?link)$/i,
  isWholeLine: true,
});
