import type { EmailLists } from "./email-lists.js";
import { suggestDomain } from "./suggest-domain.js";

/** What the lists say about an address. */
export interface AddressFlags {
  readonly disposable: boolean;
  readonly freeProvider: boolean;
  readonly roleAccount: boolean;
  readonly relay: boolean;
  /** The address that was probably meant; empty if the domain resembles no other. */
  readonly didYouMean: string;
}

/** The spellings of an address. */
export interface AddressSpellings {
  /** As the user wrote it; its name is kept in the suggestion. */
  readonly written: string;
  /** In lower case, with its domain in A-labels, before the rules for aliases. */
  readonly unfolded: string;
  /** The normalized address. */
  readonly email: string;
}

/** No-reply addresses, and those of mailing lists (RFC 2142, section 6, and what Mailman and majordomo add). */
const ROLE_FORM =
  /^owner-|-(?:request|owner|bounces?|join|leave|subscribe|unsubscribe)$|(?:^|[._-])(?:no|do[._-]?not)[._-]?reply(?:$|[._-])/;

/** A shorter name without its separators can be the initials of a person: `h.r`. */
const MIN_JOINED_LETTERS = 6;

/** Looks an address up in the lists, before and after the rules for aliases. A misspelled domain and a relay are not disposable. */
export function addressFlags(spellings: AddressSpellings, lists: EmailLists): AddressFlags {
  const { written, unfolded, email } = spellings;
  const domains = [...new Set([domainOf(unfolded), domainOf(email)])];
  const withParents = domains.flatMap(domainsAbove);
  const relay = withParents.some((domain) => lists.relays.has(domain));
  const meant = suggestDomain(domainOf(unfolded), lists);
  return {
    disposable:
      !relay &&
      meant === undefined &&
      withParents.some((domain) => lists.disposable.has(domain) || lists.moreDisposable.has(domain)),
    freeProvider: domains.some((domain) => lists.freeProviders.has(domain)),
    roleAccount: [nameOf(unfolded), nameOf(email)].some((name) => isRole(name, lists.roleNames)),
    relay,
    didYouMean: meant === undefined ? "" : `${nameOf(written)}@${meant}`,
  };
}

function nameOf(address: string): string {
  return address.slice(0, address.lastIndexOf("@"));
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Whether a name is that of a function, with or without a suffix, a number at its end, or separators. */
function isRole(name: string, roleNames: ReadonlySet<string>): boolean {
  const [base = ""] = name.split("+", 1);
  const joined = base.replace(/[._-]/g, "");
  const unnumbered = base.replace(/[._-]?\d{1,2}$/, "");
  return (
    ROLE_FORM.test(base) ||
    roleNames.has(base) ||
    (unnumbered.length >= 4 && roleNames.has(unnumbered)) ||
    (joined.length >= MIN_JOINED_LETTERS && roleNames.has(joined))
  );
}

/** Returns a domain and those above it, without the top-level domain: `a.b.example` has `a.b.example` and `b.example`. */
function domainsAbove(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
}
