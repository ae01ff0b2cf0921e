import { FASTMAIL_DOMAINS } from "./fastmail-domains.js";

/** What a mail provider publishes about which addresses reach the same mailbox. */
export interface MailProvider {
  readonly name: string;
  /** The domains that the rules are for, lower-case and in ASCII. */
  readonly domains: readonly string[];
  /** The domain that stands for all of them, where a name is the same mailbox at each. */
  readonly mailboxDomain?: string;
  /** Characters that do not count in a name. */
  readonly ignored?: string;
  /** Characters that mean the same as a dot in a name. */
  readonly likeDot?: string;
  /** The labels `user` for which `anything@user.domain` reaches `user@domain`. */
  readonly subdomainUser?: RegExp;
  /** Where the provider says so. */
  readonly sources: readonly string[];
}

/**
 * The providers whose rules go beyond the `+suffix`. A rule is here only if the provider's own pages state it,
 * for a wrong one sends mail to a stranger.
 *
 * Looked at and left out, because an address is the mailbox there, dots and hyphens count, and no domain is
 * another's double: Outlook.com with Hotmail, Live and MSN (an alias is an address of its own, and the same
 * name at two of the domains can be two people), Yahoo and AOL (`name-x` belongs to a separate nickname, not to
 * `name`), GMX, Mail.ru, Tuta. Organisations' own domains at Google count dots, too.
 */
export const MAIL_PROVIDERS: readonly MailProvider[] = [
  {
    name: "Gmail",
    domains: ["gmail.com", "googlemail.com"],
    mailboxDomain: "gmail.com",
    ignored: ".",
    sources: [
      // Dots.
      "https://support.google.com/mail/answer/7436150",
      // googlemail.com.
      "https://support.google.com/mail/answer/10313",
    ],
  },
  {
    name: "Fastmail",
    domains: FASTMAIL_DOMAINS,
    // A label with a hyphen is left alone: it stands for a user with a hyphen or for one with an underscore.
    subdomainUser: /^[a-z0-9]+$/,
    sources: [
      "https://www.fastmail.help/hc/en-us/articles/360060591053",
      // The hyphen.
      "https://fastmail.blog/2008/01/24/two-address-resolving-additions/",
    ],
  },
  {
    name: "Proton Mail",
    domains: ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"],
    // No common domain: the same name at another of them is reserved for its owner, but not always switched on.
    ignored: "._-",
    sources: ["https://proton.me/support/change-username", "https://proton.me/support/addresses-and-aliases"],
  },
  {
    name: "Yandex Mail",
    domains: ["yandex.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "ya.ru"],
    mailboxDomain: "yandex.ru",
    likeDot: "-",
    sources: [
      // The name is linked to its owner on all of Yandex's domains.
      "https://yandex.com/support/id/authorization/email.html",
      // Dots and hyphens.
      "https://yandex.com/support/passport/authorization/registration.html",
    ],
  },
  {
    name: "iCloud Mail",
    domains: ["icloud.com", "me.com", "mac.com"],
    mailboxDomain: "icloud.com",
    sources: ["https://support.apple.com/en-us/118230"],
  },
];

const PROVIDER_BY_DOMAIN: ReadonlyMap<string, MailProvider> = new Map(
  MAIL_PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
);

/** The provider whose rules hold at a domain, which is given in A-labels. */
export function mailProviderOf(domain: string): MailProvider | undefined {
  return PROVIDER_BY_DOMAIN.get(domain);
}
