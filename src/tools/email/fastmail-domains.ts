/**
 * The domains of Fastmail's own on which it gives out addresses: those that public copies of its lists have both
 * in 2022 (https://www.fastmail.com/about/ourdomains/) and in 2026
 * (https://www.fastmail.help/hc/en-us/articles/6239365719055-What-domains-can-I-use-with-Fastmail). Domains of
 * services that it took over later (pobox.com and others) are left out.
 */
export const FASTMAIL_DOMAINS: readonly string[] = `
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
