import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suggestDomain } from "../../../src/tools/email/suggest-domain.js";
import type { PackageRecord } from "../countries/read-packages.js";
import {
  disposableEmailDomains,
  mailchecker,
  misspelledProviders,
  type PackageList,
  providerLists,
  relayLists,
  roleNames,
  topLevelDomains,
} from "./read-email-packages.js";

/** A list of `data/email`: one value per line, and the packages that it is from. */
export interface BuiltList {
  readonly text: string;
  readonly records: readonly PackageRecord[];
}

/** The services of relays that no package has, with the pages that name their domains. */
const MORE_RELAYS = [
  // https://relay.firefox.com/faq
  "relay.firefox.com",
  // https://www.33mail.com
  "33mail.com",
  // https://ironvest.com
  "opayq.com",
  // https://forwardemail.net/guides
  "hideaddress.net",
];

/** Words of the list of role names that are first or family names, places or brands. */
const NO_ROLES = new Set(
  `alexa alla angels apple asd asdasd asdf berlin boston caltrain chef chicago china denver europe facebook family food
  football france friends fun gardner india instagram iphone itunes ladies lifesum montreal music myplex namecheap newyork
  paris paypal plex plex.tv prime random rockstars sanfrancisco seattle shopify singapore smile stockholm stripe sydney twitter
  women`.split(/\s+/),
);

/** Top-level domains that gave names away until 2023: the disposable domains below them have ended. */
const ENDED = /\.(?:cf|ga|gq|ml|tk)$/;

/** The providers that are misspelled most. */
const LARGEST = ["gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "icloud.com"];

/** The number of lists that have a domain of a common provider; fewer for one that people misspell. */
const COMMON_VOTES = { any: 5, misspelled: 3 };

/** Builds the lists from the packages, by file. Throws an Error if the form of a package has changed. */
export function buildEmailLists(): Readonly<Record<string, BuiltList>> {
  const primary = checked(disposableEmailDomains(), 5_000);
  const second = checked(mailchecker(), 40_000);
  const misspelled = checked(misspelledProviders(), 200);
  const relays = relayLists().map((list) => checked(list, 10));
  const tlds = checked(topLevelDomains(), 1_300);
  const lists = providerLists().map((list) => checked(list, 200));

  const disposable = new Set(primary.names);
  const relay = new Set([...relays.flatMap(({ names }) => names), ...MORE_RELAYS]);
  const own = readOwn("free-providers.txt");
  const votes = new Map<string, number>();
  for (const names of [...lists, misspelled].map((list) => list.names).concat([own])) {
    for (const domain of new Set(names)) {
      votes.set(domain, (votes.get(domain) ?? 0) + 1);
    }
  }
  const votesOf = (domain: string) => votes.get(domain) ?? 0;
  const alsoDisposable = new Set(second.names);
  const isProvider = (domain: string) =>
    !disposable.has(domain) &&
    !relay.has(domain) &&
    (own.includes(domain) || votesOf(domain) >= (alsoDisposable.has(domain) ? 3 : 2));
  const misspelledSet = new Set(misspelled.names);
  const isCommon = (domain: string) =>
    isProvider(domain) &&
    votesOf(domain) >= (misspelledSet.has(domain) ? COMMON_VOTES.misspelled : COMMON_VOTES.any);
  const common = [...new Set([...misspelled.names, ...own, ...[...votes.keys()].toSorted()])].filter(
    isCommon,
  );
  // The lists of providers contain misspellings of the largest ones.
  const largest = { commonProviders: new Set(LARGEST), topLevelDomains: new Set(tlds.names) };
  const isMisspelling = (domain: string) =>
    !common.includes(domain) &&
    !own.includes(domain) &&
    !misspelledSet.has(domain) &&
    suggestDomain(domain, { ...largest, freeProviders: new Set(), relays: relay }) !== undefined;
  const providers = [...votes.keys()].filter((domain) => isProvider(domain) && !isMisspelling(domain));
  const free = new Set(providers);
  const hasParent = (domain: string) => {
    const labels = domain.split(".");
    return labels.some((_, index) => index > 0 && disposable.has(labels.slice(index).join(".")));
  };
  const more = second.names.filter(
    (domain) =>
      !disposable.has(domain) &&
      !hasParent(domain) &&
      !free.has(domain) &&
      !relay.has(domain) &&
      !ENDED.test(domain) &&
      suggestDomain(domain, { ...largest, freeProviders: free, relays: relay }) === undefined,
  );
  const role = checked(roleNames(), 800);
  const ownRoles = readOwn("role-names.txt");
  const roles = role.names.filter((name) => /^[a-z][a-z._-]{2,}$/.test(name) && !NO_ROLES.has(name));

  return {
    "disposable-domains.txt": listed(primary.names, [primary]),
    "more-disposable-domains.txt": listed(more, [second]),
    "free-providers.txt": listed(providers, [...lists, misspelled]),
    "common-providers.txt": { text: lines(common), records: [misspelled.record] },
    "relay-domains.txt": listed([...relay], relays),
    "role-names.txt": listed([...ownRoles, ...roles], [role]),
    "top-level-domains.txt": listed(tlds.names, [tlds]),
  };
}

function readOwn(file: string): readonly string[] {
  return readFileSync(join(import.meta.dirname, file), "utf8")
    .trimEnd()
    .split("\n");
}

function listed(names: readonly string[], lists: readonly PackageList[]): BuiltList {
  return { text: lines([...new Set(names)].toSorted()), records: lists.map(({ record }) => record) };
}

function lines(names: readonly string[]): string {
  return `${names.join("\n")}\n`;
}

/** Throws an Error for a list that has fewer names than it had. */
function checked(list: PackageList, min: number): PackageList {
  if (list.names.length < min) {
    throw new Error(`the package ${list.record.package} has only ${list.names.length} names`);
  }
  return list;
}
