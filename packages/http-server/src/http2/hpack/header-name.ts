import { CONNECTION_HEADERS } from "../../core/field-values.js";
import { LOWER_CASE_TOKEN } from "../../core/rules.js";
import { STATIC_TABLE } from "./static-table.js";

/** A header name, and what it means to HTTP/2 itself (RFC 9113, section 8). */
export interface HeaderName {
  readonly text: string;
  /** Whether it is a pseudo-header of requests or of responses. */
  readonly isPseudo: boolean;
  /** The position in `SPECIAL`; -1 for a name that HTTP/2 itself does not use. */
  readonly special: number;
  /**
   * Whether no section may have it: another name that begins with a colon (section 8.3), a header of a connection (section
   * 8.2.2), or a name that is not a token in lower case (section 8.2.1).
   */
  readonly isForbidden: boolean;
}

/** The names whose values HTTP/2 itself uses; the pseudo-headers come first. */
const SPECIAL = [":method", ":scheme", ":path", ":authority", ":status", "host", "content-length", "expect"];
const PSEUDO_COUNT = 5;

/** The limits of the names that are remembered, besides those of the static table. */
const MAX_NAMES = 512;
const MAX_LENGTH = 64;

const names = new Map<string, HeaderName>();
for (const [text] of STATIC_TABLE) names.set(text, newName(text));

/** The header name with this text. The texts of known names take memory once, however many connections keep them. */
export function headerName(text: string): HeaderName {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = newName(text);
  if (names.size < MAX_NAMES && text.length <= MAX_LENGTH) names.set(text, name);
  return name;
}

function newName(text: string): HeaderName {
  const special = SPECIAL.indexOf(text);
  const isPseudo = special >= 0 && special < PSEUDO_COUNT;
  const isForbidden = !isPseudo && (CONNECTION_HEADERS.has(text) || !LOWER_CASE_TOKEN.test(text));
  return { text, isPseudo, special, isForbidden };
}
