import { fail, ok, type Result } from "../../failures/result.js";
import { type EmailFailure, emailTooLong } from "./email-address.js";

/** An address, and what was around it. */
export interface ExtractedAddress {
  readonly address: string;
  /** What was ignored, for people; empty for an address alone. */
  readonly note: string;
}

/** The length limit of a text with an address in characters, including white space around it. */
const MAX_TEXT_LENGTH = 1000;

/** Whether a text has the form of a `mailto:` link. */
function isMailtoLink(text: string): boolean {
  return /^\s*mailto:/i.test(text);
}

/**
 * Takes the address out of a `mailto:` link (RFC 6068), or out of angle brackets (`name-addr` of RFC 5322, section 3.4). Any
 * other text is the address itself; it is not checked. Fails for several addresses, for text after angle brackets, for a link in them, and
 * for a link whose address is a header.
 */
export function extractAddress(text: string): Result<ExtractedAddress, EmailFailure> {
  if (text.length > 2 * MAX_TEXT_LENGTH || [...text].length > MAX_TEXT_LENGTH) {
    return emailTooLong();
  }
  if (isMailtoLink(text)) {
    return addressOfLink(text.trim());
  }
  // The name has no angle brackets outside of quotes.
  const [, name, address, rest = ""] =
    /^((?:"(?:[^"\\]|\\.)*"|[^"<>])*)<([^<>]*)>\s*(.*)$/su.exec(text) ?? [];
  if (name === undefined || address === undefined) {
    return ok({ address: text, note: "" });
  }
  if (rest !== "") {
    return rest.includes("@")
      ? fail("SEVERAL_ADDRESSES", "the text has several addresses: give one of them")
      : fail("COMMENT_NOT_ALLOWED", "text after the angle brackets is not allowed: end with the address");
  }
  if (isMailtoLink(address)) {
    return fail(
      "INVALID_LINK",
      "a mailto: link in angle brackets is not allowed: give the link without them",
    );
  }
  const what = name.trim() === "" ? "Angle brackets" : "A display name and angle brackets";
  return ok({ address, note: `${what} around an address are not a part of it.` });
}

/** The headers after `?`, such as the subject, are ignored. */
function addressOfLink(link: string): Result<ExtractedAddress, EmailFailure> {
  const [, path = "", query] = /^mailto:([^?#]*)(\?[^#]*)?/is.exec(link) ?? [];
  if (path.includes(",")) {
    return fail("SEVERAL_ADDRESSES", "the mailto: link has several addresses: give one of them");
  }
  if (path === "" && /[?&]to=/i.test(query ?? "")) {
    return fail("INVALID_LINK", "the mailto: link has its address after to=: give the address alone");
  }
  const rest = query === undefined ? "" : " Its headers, such as a subject, are ignored.";
  try {
    return ok({
      address: decodeURIComponent(path),
      note: `The address is that of a mailto: link.${rest}`,
    });
  } catch {
    return fail("INVALID_LINK", "the mailto: link has percent-encoding that is not UTF-8");
  }
}
