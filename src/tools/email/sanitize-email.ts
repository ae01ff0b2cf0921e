import { ok, type Result } from "../../failures/result.js";
import {
  byteLength,
  type EmailFailure,
  emailTooLong,
  formatLocalPart,
  isDotAtom,
  localPartTooLong,
  MAX_EMAIL_BYTES,
  MAX_LOCAL_PART_BYTES,
  parseEmailAddress,
  toNfc,
} from "./email-address.js";
import { normalizeDomain } from "./normalize-domain.js";
import { type MailProvider, mailProviderOf } from "./provider-rules.js";
import type { EmailRuleName, NoteRule } from "./rule-trail.js";

/**
 * Returns the one address for all spellings of a mailbox. It still delivers to that mailbox, and its own normal form is
 * itself.
 *
 * The domain becomes lower-case A-labels. The local part becomes NFC and lower-case, loses unnecessary quotes and its
 * `+suffix`, and follows the rules of its provider. A local part that needs its quotes keeps its case and its `+`: only
 * the receiving host may interpret it (RFC 5321 section 2.4), and hosts with such names distinguish them.
 *
 * `note` is called after every rule, even if the rule changed nothing.
 */
export function sanitizeEmail(input: string, note?: NoteRule): Result<string, EmailFailure> {
  const address = parseEmailAddress(input);
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

/** A mailbox. */
interface Mailbox {
  /** In quotes if it needs them. */
  readonly localPart: string;
  /** In A-labels. */
  readonly domain: string;
}

function normalizeMailbox(localPart: string, domain: string, note: NoteRule | undefined): Mailbox {
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

/**
 * Converts a local part to lower case, including letters outside ASCII, by Unicode's default rules (no locale): a final
 * `Σ` becomes `ς`, `İ` becomes `i` with a combining dot. The result is in NFC, so converting it again changes nothing.
 */
function lowerCaseLocalPart(text: string): string {
  return toNfc(text.toLowerCase());
}

/** Checks the limits again: lower case, A-labels and the main domain of a provider can be longer than the input. */
function joinWithinLimits({ localPart, domain }: Mailbox): Result<string, EmailFailure> {
  if (byteLength(localPart) > MAX_LOCAL_PART_BYTES) {
    return localPartTooLong();
  }
  const email = `${localPart}@${domain}`;
  return byteLength(email) > MAX_EMAIL_BYTES ? emailTooLong() : ok(email);
}

/**
 * Returns the main address of a mailbox, according to the published rules of its provider: undoes subdomain addressing,
 * removes ignored characters and the `+suffix`, and replaces domains that share their mailboxes by one. The suffix is
 * removed at every domain (RFC 5233 describes the convention).
 *
 * The local part must be a lower-case dot-atom in NFC, and the result is one. A step that would leave an invalid local
 * part is skipped: `+tag` keeps its suffix because nothing else would be left, and `a.+tag` because `a.` is not `a` (except
 * at Gmail, where dots are ignored and the result is `a`).
 */
function foldAliases(mailbox: Mailbox, note?: NoteRule): Mailbox {
  const { localPart, domain } = undoSubdomainAddressing(mailbox);
  const provider = mailProviderOf(domain);
  note?.("UNDO_SUBDOMAIN_ADDRESS", `${localPart}@${domain}`, provider);
  const folded = {
    localPart: foldLocalPart(localPart, provider, (rule, name) =>
      note?.(rule, `${name}@${domain}`, provider),
    ),
    domain: foldDomain(domain),
  };
  note?.("FOLD_DOMAIN", `${folded.localPart}@${folded.domain}`, provider);
  return folded;
}

/** Returns the main domain of the provider if its domains share their mailboxes, otherwise the domain itself. */
function foldDomain(domain: string): string {
  return mailProviderOf(domain)?.mailboxDomain ?? domain;
}

function undoSubdomainAddressing(mailbox: Mailbox): Mailbox {
  const dot = mailbox.domain.indexOf(".");
  const user = mailbox.domain.slice(0, dot);
  const domain = mailbox.domain.slice(dot + 1);
  const pattern = mailProviderOf(domain)?.subdomainUser;
  return pattern?.test(user) ? { localPart: user, domain } : mailbox;
}

function foldLocalPart(
  localPart: string,
  provider: MailProvider | undefined,
  note: (rule: EmailRuleName, localPart: string) => void,
): string {
  const plus = localPart.indexOf("+");
  const cut = plus > 0 ? localPart.slice(0, plus) : localPart;
  const user = foldUser(cut, provider);
  if (!isDotAtom(user)) {
    return localPart;
  }
  note("REMOVE_SUFFIX", cut);
  note("FOLD_CHARACTERS", user);
  return user;
}

function foldUser(user: string, provider: MailProvider | undefined): string {
  if (!provider?.ignored && !provider?.likeDot) {
    return user;
  }
  const { ignored = "", likeDot = "" } = provider;
  // Removing characters can join a letter and a combining mark.
  const folded = toNfc(
    Array.from(user, (character) => {
      if (ignored.includes(character)) {
        return "";
      }
      return likeDot.includes(character) ? "." : character;
    }).join(""),
  );
  return isDotAtom(folded) ? folded : user;
}
