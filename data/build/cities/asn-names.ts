import { cleanAsnName } from "../../../src/tools/geoip/databases/asn-names.js";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import { networksOf } from "./networks.js";

/** The names of autonomous systems by number. */
type Names = ReadonlyMap<number, string>;

/** Returns the name of each system in an ASN file. Throws an Error if the file cannot be read. */
export function namesIn(mmdb: Buffer): Names {
  const names = new Map<number, string>();
  const opened = openMmdb(memorySource(mmdb), (record) => {
    const { autonomous_system_number: number = 0, autonomous_system_organization: name = "" } = record as {
      autonomous_system_number?: number;
      autonomous_system_organization?: string;
    };
    names.set(number, cleanAsnName(number, name));
    return undefined;
  });
  if (!opened.ok) {
    throw new Error(`the ASN file ${opened.failure.description}`);
  }
  for (const family of [4, 6] as const) {
    // Reads each record once.
    for (const _ of networksOf(opened.value.lookup, family));
  }
  return names;
}

/** What occurs in addresses. */
const ADDRESS =
  /\b(?:street|st|road|rd|avenue|ave?|boulevard|blvd|drive|lane|way|quay|highway|terrace|floor|fl|building|bldg|tower|center|centre|plaza|park|block|flat|suite|unit|room|plot|house|sector|level|village|district|dist|city|box|jalan|jl|jln|calle|avenida|rua|soi|moo|no|str|strasse|cho|ku|jie|lu|marg|nagar)\b|,\s*\d{5,6}$|\d\/f\b/i;
/** What occurs in addresses only. */
const CERTAIN =
  /\b(?:(?<!district )no\.? ?\d|road\b|jalan|jl\.|floor\b|\d+f\b|\d+\/f\b|street(?:,|$)|avenue$|sector,|p\.? ?o\.? ?box|plot no|house \d)|,\s*\d{5,6}$/i;
/** What names without a number have that are no addresses. */
const COMPANY = /^\D+\b(?:ltd|llc|inc|limited|corp|co|company|corporation|gmbh|group)\b\D*$/i;
/** Names of blocks of numbers, and instead of a name. */
const NO_NAME =
  /^(?:ASN?\d*|-Reserved AS-|(?:AS\d+-\d+|.*) - (?:KRNIC-ASBLOCK-AP|IRINN AS-BLOCK.*|JPNIC.*BLOCK.*))?$/i;

/** Returns the words of a name. */
function wordsOf(name: string): string[] {
  return (
    name
      .normalize("NFKD")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  );
}

/**
 * Returns the systems whose name in `names` is missing or an address, with that name, a tab, and the better one of DB-IP or, if that is not
 * better, of IPtoASN, which has a handle before the description.
 */
export function betterNames(names: Names, dbIp: Names, ipToAsn: Names): Readonly<Record<string, string>> {
  const better: Record<string, string> = {};
  for (const [number, name] of [...names].toSorted(([a], [b]) => a - b)) {
    const other = dbIp.get(number) ?? "";
    const words = new Set(wordsOf(name));
    const isOther = !wordsOf(other).some((word) => words.has(word));
    const [, handle = "", description = ""] = /^(\S+) (.+)$/.exec(ipToAsn.get(number) ?? "") ?? [];
    const isDescription = letters(description) !== "" && letters(name).endsWith(letters(description));
    const isAddress =
      (CERTAIN.test(name) && !COMPANY.test(name)) ||
      (isOther && isDescription && ADDRESS.test(name) && /\d/.test(name));
    if (isAddress || NO_NAME.test(name)) {
      // Without a number it may be the name of a street, or that of a company.
      const second = isDescription ? handle : (ipToAsn.get(number) ?? "");
      const candidates = /\d/.test(name) || name === "" ? [other, second] : [other];
      const found = candidates.find((each) => !NO_NAME.test(each) && !CERTAIN.test(each));
      if (found !== undefined && letters(found) !== letters(name)) {
        better[number] = `${name}\t${found}`;
      }
    }
  }
  return better;
}

function letters(name: string): string {
  return wordsOf(name).join("");
}
