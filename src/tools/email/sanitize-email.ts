import { ok, type Result } from "../../result.js";
import type { EmailFailure } from "./email-failure.js";
import { foldAliases, foldDomain } from "./fold-aliases.js";
import {
  formatLocalPart,
  isDotAtom,
  localPartTooLong,
  lowerCaseLocalPart,
  MAX_LOCAL_PART_OCTETS,
} from "./local-part.js";
import { normalizeDomain } from "./normalize-domain.js";
import { emailTooLong, MAX_EMAIL_OCTETS, parseAddress } from "./parse-address.js";
import { mailProviderOf } from "./provider-rules.js";
import type { NoteRule } from "./rule-trail.js";
import { octets } from "./text.js";

/**
 * The one address that stands for all ways to write the same mailbox, and still delivers there. Normalising
 * an answer gives it back.
 *
 * The domain becomes lower-case A-labels. The local part becomes NFC and lower-case, loses quotes that it does
 * not need and its `+suffix`, and follows the rules of its provider. A local part that needs its quotes keeps
 * its case and its `+`: only the receiving host may interpret it (RFC 5321 section 2.4), and the hosts that
 * have such names are the ones that take it at its word.
 *
 * `note` is told of every rule on the way, whether it changes something or not.
 */
export function sanitizeEmail(input: string, note?: NoteRule): Result<string, EmailFailure> {
  const address = parseAddress(input);
  if (!address.ok) {
    return address;
  }
  const domain = normalizeDomain(address.value.domain);
  if (!domain.ok) {
    return domain;
  }
  const { trimmed, writtenLocalPart, localPart } = address.value;
  note?.("TRIM", trimmed);
  note?.("NORMALIZE_UNICODE", `${writtenLocalPart}@${address.value.domain}`);
  note?.("NORMALIZE_DOMAIN", `${writtenLocalPart}@${domain.value}`);
  note?.("UNQUOTE", `${formatLocalPart(localPart)}@${domain.value}`);
  return joinWithinLimits(normalizeMailbox(localPart, domain.value, note));
}

interface WrittenMailbox {
  /** With quotes, where it needs them. */
  readonly localPart: string;
  readonly domain: string;
}

function normalizeMailbox(localPart: string, domain: string, note: NoteRule | undefined): WrittenMailbox {
  if (!isDotAtom(localPart)) {
    const written = formatLocalPart(localPart);
    const mailbox = { localPart: written, domain: foldDomain(domain) };
    note?.("FOLD_DOMAIN", `${written}@${mailbox.domain}`, mailProviderOf(domain));
    return mailbox;
  }
  const lowerCased = lowerCaseLocalPart(localPart);
  note?.("LOWER_CASE", `${lowerCased}@${domain}`);
  return foldAliases({ localPart: lowerCased, domain }, note);
}

/** Measures again, for lower case, A-labels and a provider's main domain can be longer than what was written. */
function joinWithinLimits({ localPart, domain }: WrittenMailbox): Result<string, EmailFailure> {
  if (octets(localPart) > MAX_LOCAL_PART_OCTETS) {
    return localPartTooLong();
  }
  const email = `${localPart}@${domain}`;
  return octets(email) > MAX_EMAIL_OCTETS ? emailTooLong() : ok(email);
}
