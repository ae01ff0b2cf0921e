import { isDotAtom } from "./local-part.js";
import { type MailProvider, mailProviderOf } from "./provider-rules.js";
import { toNfc } from "./text.js";

/** A mailbox: a local part, without quotes, at a domain in A-labels. */
export interface Mailbox {
  readonly localPart: string;
  readonly domain: string;
}

/**
 * The main address of the mailbox that an address reaches, so far as the providers' published rules tell:
 * subdomain addressing is undone, characters that do not count and the `+suffix` go, and domains that share
 * their mailboxes become one. The suffix is removed at every domain (RFC 5233 describes the convention).
 *
 * Takes a lower-case dot-atom in NFC, and gives one. A step that would leave no valid local part is not done:
 * `+tag` keeps its suffix for else nothing would be left, and `a.+tag` for else it would be another mailbox
 * than `a.` (at Gmail, where dots do not count, it is `a`).
 */
export function foldAliases(mailbox: Mailbox): Mailbox {
  const { localPart, domain } = undoSubdomainAddressing(mailbox);
  const provider = mailProviderOf(domain);
  return {
    localPart: foldLocalPart(localPart, provider),
    domain: foldDomain(domain),
  };
}

/** The domain whose mailboxes a domain shares; the domain itself, where none is known. */
export function foldDomain(domain: string): string {
  return mailProviderOf(domain)?.mailboxDomain ?? domain;
}

function undoSubdomainAddressing(mailbox: Mailbox): Mailbox {
  const dot = mailbox.domain.indexOf(".");
  const user = mailbox.domain.slice(0, dot);
  const domain = mailbox.domain.slice(dot + 1);
  const pattern = mailProviderOf(domain)?.subdomainUser;
  return pattern?.test(user) ? { localPart: user, domain } : mailbox;
}

function foldLocalPart(localPart: string, provider: MailProvider | undefined): string {
  const plus = localPart.indexOf("+");
  const user = foldUser(plus > 0 ? localPart.slice(0, plus) : localPart, provider);
  return isDotAtom(user) ? user : localPart;
}

function foldUser(user: string, provider: MailProvider | undefined): string {
  if (!provider?.ignored && !provider?.likeDot) {
    return user;
  }
  const { ignored = "", likeDot = "" } = provider;
  // Taking characters out can bring a letter and a combining mark together.
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
