import type { EmailLists } from "./email-lists.js";

/** What the lists say about an address. */
export interface AddressFlags {
  readonly disposable: boolean;
  readonly freeProvider: boolean;
  readonly roleAccount: boolean;
  /** The address that was probably meant; empty if the domain is no known misspelling. */
  readonly didYouMean: string;
}

/**
 * Looks an address up in the lists. Misspellings go first: some of them are in the list of disposable domains as well, because somebody
 * catches their mail.
 *
 * @param email the normalized address
 * @param written the address as the user wrote it, whose name is kept in the suggestion
 */
export function addressFlags(email: string, written: string, lists: EmailLists): AddressFlags {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const meant = lists.misspelled.get(domain);
  return {
    disposable: meant === undefined && domainsAbove(domain).some((each) => lists.disposable.has(each)),
    freeProvider: lists.freeProviders.has(domain),
    roleAccount: lists.roleNames.has(email.slice(0, at)),
    didYouMean: meant === undefined ? "" : `${written.slice(0, written.lastIndexOf("@")).trim()}@${meant}`,
  };
}

/** Returns a domain and those above it, without the top-level domain: `a.b.example` has `a.b.example` and `b.example`. */
function domainsAbove(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
}
