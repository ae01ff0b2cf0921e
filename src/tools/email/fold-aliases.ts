import { isDotAtom } from "./local-part.js";
import { type MailProvider, mailProviderOf } from "./provider-rules.js";
import type { EmailRuleName, NoteRule } from "./rule-trail.js";
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
export function foldAliases(mailbox: Mailbox, note?: NoteRule): Mailbox {
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
