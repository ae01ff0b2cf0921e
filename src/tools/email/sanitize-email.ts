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
import { octets } from "./text.js";

/**
 * The one address that stands for all ways to write the same mailbox, and still delivers there. Normalising
 * an answer gives it back.
 *
 * The domain becomes lower-case A-labels. The local part becomes NFC and lower-case, loses quotes that it does
 * not need and its `+suffix`, and follows the rules of its provider. A local part that needs its quotes keeps
 * its case and its `+`: only the receiving host may interpret it (RFC 5321 section 2.4), and the hosts that
 * have such names are the ones that take it at its word.
 */
export function sanitizeEmail(input: string): Result<string, EmailFailure> {
  const address = parseAddress(input);
  if (!address.ok) {
    return address;
  }
  const domain = normalizeDomain(address.value.domain);
  if (!domain.ok) {
    return domain;
  }
  return joinWithinLimits(normalizeMailbox(address.value.localPart, domain.value));
}

interface WrittenMailbox {
  /** With quotes, where it needs them. */
  readonly localPart: string;
  readonly domain: string;
}

function normalizeMailbox(localPart: string, domain: string): WrittenMailbox {
  return isDotAtom(localPart)
    ? foldAliases({ localPart: lowerCaseLocalPart(localPart), domain })
    : { localPart: formatLocalPart(localPart), domain: foldDomain(domain) };
}

/** Measures again, for lower case, A-labels and a provider's main domain can be longer than what was written. */
function joinWithinLimits({ localPart, domain }: WrittenMailbox): Result<string, EmailFailure> {
  if (octets(localPart) > MAX_LOCAL_PART_OCTETS) {
    return localPartTooLong();
  }
  const email = `${localPart}@${domain}`;
  return octets(email) > MAX_EMAIL_OCTETS ? emailTooLong() : ok(email);
}
