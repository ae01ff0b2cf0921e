import { beforeAll, describe, expect, it } from "vitest";
import { type EmailLists, NO_LISTS } from "../../../src/tools/email/email-lists.js";
import { loadInstalledLists } from "../../../src/tools/email/load-email.js";
import { suggestDomain } from "../../../src/tools/email/suggest-domain.js";

let lists: EmailLists = NO_LISTS;
beforeAll(async () => {
  const loaded = await loadInstalledLists();
  lists = loaded.ok ? loaded.value.lists : expect.unreachable(loaded.failure.description);
});

describe("suggestDomain", () => {
  it.each([
    // A letter too many, too few, replaced or moved: the samples of mailcheck, email-typo-fixer and others.
    [
      "gmail.com",
      "gmial.com gmil.com gmai.com gmaill.com gnail.com gamil.com hmail.com gemail.com gmaul.com",
    ],
    ["yahoo.com", "yaho.com yahooo.com yhoo.com uahoo.com yaoo.com"],
    ["hotmail.com", "hotmial.com hotmai.com otmail.com hptmail.com hotnail.com jotmail.com"],
    ["outlook.com", "outlok.com oulook.com putlook.com"],
    ["protonmail.com", "protonmial.com protnmil.com"],
    ["t-online.de", "tonline.de"],
    // Top-level domains that do not exist, or are com without a letter.
    ["gmail.com", "gmail.con gmail.cmo gmail.cm gmail.co gmail.om gmial.con"],
    ["aol.com", "aol.con"],
    ["web.de", "web.ed"],
    ["mail.ru", "mail.ri"],
    ["yahoo.co.uk", "yahoo.couk yahoo.co.ku"],
    ["company.com", "company.con company.cmo company.comm company.vom"],
    ["company.net", "company.nte company.nett"],
    ["company.de", "company.ed company.dee"],
    ["company.com.br", "company.com.rb"],
  ])("suggests %s for %s", (meant, typos) => {
    const suggested = typos.split(" ").map((typo) => [typo, suggestDomain(typo, lists)]);
    expect(suggested).toEqual(typos.split(" ").map((typo) => [typo, meant]));
  });

  it("suggests nothing for domains that exist, nor for those that resemble none", () => {
    const domains = `gmail.com ymail.com mail.com email.com mail.de gmx.fr gmx.us yahoo.fr yahoo.ca hotmail.be live.nl
      duck.com mozmail.com protonmail.ch tutamail.com online.de inbox.com aim.com bk.ru o2.pl home.nl company.com
      company.co company.cm cloud.com google.com apple.com loud.com nahoo.com xmail.com company.internal a.example msn.co fox.net
      earthling.net prontomail.com`;
    expect(domains.split(/\s+/).filter((domain) => suggestDomain(domain, lists) !== undefined)).toEqual([]);
  });
});
