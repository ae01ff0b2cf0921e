/** The published rules of a mail provider about addresses that reach the same mailbox. */
export interface MailProvider {
  readonly name: string;
  /** The domains with these rules, in lower-case ASCII. */
  readonly domains: readonly string[];
  /** The main domain, if a name is the same mailbox at each of the domains. */
  readonly mailboxDomain?: string;
  /** Characters in a name that are ignored. */
  readonly ignored?: string;
  /** Characters in a name that are equivalent to a dot. */
  readonly likeDot?: string;
  /** Matches labels `user` for which `anything@user.domain` reaches `user@domain`. */
  readonly subdomainUser?: RegExp;
  /** The pages of the provider with these rules. */
  readonly sources: readonly string[];
}

/**
 * The domains that Fastmail offers for addresses: those that its published lists have both in 2022
 * (https://www.fastmail.com/about/ourdomains/) and in 2026
 * (https://www.fastmail.help/hc/en-us/articles/6239365719055-What-domains-can-I-use-with-Fastmail). Domains of services
 * that it acquired later (pobox.com and others) are omitted.
 */
const FASTMAIL_DOMAINS: readonly string[] = `
  123mail.org 150mail.com 150ml.com 16mail.com 2-mail.com 4email.net 50mail.com airpost.net
  allmail.net bestmail.us cluemail.com elitemail.org emailcorner.net emailengine.net emailengine.org
  emailgroups.net emailplus.org emailuser.net eml.cc f-m.fm fast-email.com fast-mail.org fastem.com
  fastemail.us fastemailer.com fastest.cc fastimap.com fastmail.cn fastmail.co.uk fastmail.com
  fastmail.com.au fastmail.de fastmail.es fastmail.fm fastmail.fr fastmail.im fastmail.in fastmail.jp
  fastmail.mx fastmail.net fastmail.nl fastmail.org fastmail.se fastmail.to fastmail.tw fastmail.uk
  fastmail.us fastmailbox.net fastmessaging.com fea.st fmail.co.uk fmailbox.com fmgirl.com fmguy.com
  ftml.net h-mail.us hailmail.net imap-mail.com imap.cc imapmail.org inoutbox.com internet-e-mail.com
  internet-mail.org internetemails.net internetmailing.net jetemail.net justemail.net letterboxes.org
  mail-central.com mail-page.com mailas.com mailbolt.com mailc.net mailcan.com mailforce.net
  mailhaven.com mailingaddress.org mailite.com mailmight.com mailnew.com mailsent.net mailservice.ms
  mailup.net mailworks.org ml1.net mm.st myfastmail.com mymacmail.com nospammail.net ownmail.net
  petml.com postinbox.com postpro.net proinbox.com promessage.com realemail.net reallyfast.biz
  reallyfast.info rushpost.com sent.as sent.at sent.com speedpost.net speedymail.org ssl-mail.com
  swift-mail.com the-fastest.net the-quickest.com theinternetemail.com veryfast.biz veryspeedy.net
  warpmail.net xsmail.com yepmail.net your-mail.com
`
  .trim()
  .split(/\s+/);

/**
 * The providers with rules besides the `+suffix`. A rule needs a page of the provider that states it, because a wrong
 * rule sends mail to another person.
 *
 * Examined and omitted, because dots and hyphens are significant and no domain is equivalent to another: Outlook.com with
 * Hotmail, Live and MSN (an alias is an address of its own, and the same name at two of the domains can be two people),
 * Yahoo and AOL (`name-x` belongs to a separate nickname, not to `name`), GMX, Mail.ru, Tuta. Dots are also significant
 * in organizations' own domains at Google.
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
    // A label with a hyphen is ambiguous: the user name has a hyphen or an underscore.
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
    // No main domain: the same name at another domain is reserved for its owner, but not always enabled.
    ignored: "._-",
    sources: ["https://proton.me/support/change-username", "https://proton.me/support/addresses-and-aliases"],
  },
  {
    name: "Yandex Mail",
    domains: ["yandex.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "ya.ru"],
    mailboxDomain: "yandex.ru",
    likeDot: "-",
    sources: [
      // The domains.
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

/** Returns the provider of a domain in A-labels. */
export function mailProviderOf(domain: string): MailProvider | undefined {
  return PROVIDER_BY_DOMAIN.get(domain);
}
