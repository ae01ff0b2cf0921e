import { fail, ok, type Result } from "../../failures/result.js";
import { type EmailFailure, emailTooLong, severalAddresses } from "./email-address.js";

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
 * Takes the address out of a `mailto:` link (RFC 6068), or out of angle brackets (`name-addr` of RFC 5322, section 3.4), without the
 * separator after it in a list. Any other text is the address itself; it is not checked. Fails for several addresses, for text after
 * angle brackets, and for a link whose address is a header.
 */
export function extractAddress(text: string): Result<ExtractedAddress, EmailFailure> {
  if (text.length > 2 * MAX_TEXT_LENGTH || [...text].length > MAX_TEXT_LENGTH) {
    return emailTooLong();
  }
  if (isMailtoLink(text)) {
    return addressOfLink(text.trim());
  }
  const alone = withoutSeparator(withoutHyperlink(text));
  // The name has no angle brackets outside of quotes.
  const [, name, address, rest = ""] =
    /^((?:"(?:[^"\\]|\\.)*"|[^"<>])*)<([^<>]*)>\s*(.*)$/su.exec(alone) ?? [];
  if (name === undefined || address === undefined) {
    const note = alone === text ? "" : "A link and a separator after an address are not a part of it.";
    return ok({ address: alone, note });
  }
  const isLink = isMailtoLink(address);
  const unquoted = name.replace(/"(?:[^"\\]|\\.)*"/gsu, "");
  if (rest.includes("@") || (isLink ? /@/ : /@.*[,;]/s).test(unquoted)) {
    return severalAddresses();
  }
  if (rest !== "") {
    return fail("COMMENT_NOT_ALLOWED", "text after the angle brackets is not allowed: end with the address");
  }
  if (isLink) {
    return addressOfLink(address.trim());
  }
  const what = name.trim() === "" ? "Angle brackets" : "A display name and angle brackets";
  return ok({ address, note: `${what} around an address are not a part of it.` });
}

/** Removes the link of `jane@example.com<mailto:jane@example.com>`, which mail programs write for a link in plain text. */
function withoutHyperlink(text: string): string {
  const [link = "", address = ""] = /<mailto:([^<>?]+)[^<>]*>/i.exec(text) ?? [];
  const before = text.slice(0, text.indexOf(link));
  return link !== "" && before.toLowerCase().endsWith(address.toLowerCase())
    ? before + text.slice(before.length + link.length)
    : text;
}

/** Removes the semicolon or comma with which an entry of a list of recipients ends. */
function withoutSeparator(text: string): string {
  const trimmed = text.trimEnd();
  return /[;,]$/.test(trimmed) ? trimmed.slice(0, -1) : text;
}

/** The headers after `?`, such as the subject, are ignored. */
function addressOfLink(link: string): Result<ExtractedAddress, EmailFailure> {
  const [, path = "", query] = /^mailto:([^?#]*)(\?[^#]*)?/is.exec(link) ?? [];
  if (path.startsWith("//")) {
    return fail("INVALID_LINK", "a mailto: link has no // before its address");
  }
  const hasRecipient = /[?&]to=[^&]/i.test(query ?? "");
  if (path.includes(",") || (path !== "" && hasRecipient)) {
    return severalAddresses();
  }
  if (hasRecipient) {
    return fail("INVALID_LINK", "the mailto: link has its address after to=: give the address alone");
  }
  const rest = query === undefined ? "" : " Its headers, such as a subject, are ignored.";
  try {
    return ok({ address: decodeURIComponent(path), note: `The address is that of a mailto: link.${rest}` });
  } catch {
    return fail("INVALID_LINK", "the mailto: link has percent-encoding that is not UTF-8");
  }
}
