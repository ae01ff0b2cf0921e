import type { Failure } from "../../result.js";

/** Why a text is no e-mail address that this service can normalise. Part of the API: names stay. */
export type EmailFailureReason =
  | "REQUIRED"
  | "EMAIL_TOO_LONG"
  | "UNPAIRED_SURROGATE"
  | "CONTROL_CHARACTER"
  | "INVISIBLE_CHARACTER"
  | "WHITE_SPACE"
  | "COMMENT_NOT_ALLOWED"
  | "AT_SIGN_MISSING"
  | "LOCAL_PART_MISSING"
  | "LOCAL_PART_TOO_LONG"
  | "MISPLACED_DOT"
  | "INVALID_LOCAL_PART"
  | "INVALID_QUOTED_STRING"
  | "DOMAIN_MISSING"
  | "DOMAIN_TOO_LONG"
  | "DOMAIN_WITHOUT_DOT"
  | "INVALID_DOMAIN"
  | "IP_LITERAL_NOT_ALLOWED"
  | "LABEL_TOO_LONG"
  | "NUMERIC_TOP_LEVEL_DOMAIN";

/** A failure of this tool. Descriptions never repeat the address: it is personal data. */
export type EmailFailure = Failure<EmailFailureReason>;
