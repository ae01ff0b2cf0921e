import { basename } from "node:path";
import type { IpAddress } from "../../src/text/ip-address.js";
import { loadGeoIpDatabases } from "../../src/tools/geoip/databases/load-databases.js";
import type { AsnRecord } from "../../src/tools/geoip/databases/records.js";
import { defaultGeoIpPaths } from "../../src/tools/geoip/load-geoip-files.js";
import { lookupByFamily, type ReadersByFamily } from "../../src/tools/geoip/lookup-ip.js";
import { findSpecialPurpose } from "../../src/tools/geoip/special-purpose.js";
import { drawIpv4, drawIpv6, randomNumbers } from "../../test/tools/geoip/draw-addresses.js";

// Compares data/asn.mmdb with other MMDB files on random public addresses: `npm run check -- data/asn a.mmdb b.mmdb`. IPv6
// addresses are in networks of the first file. Fails if too few systems are the same where all other files agree.

/** The number of random addresses per family. */
const ADDRESSES = 100_000;
/** The smallest share of addresses with the same system. */
const MIN_SAME = { 4: 0.99, 6: 0.97 };

const random = randomNumbers(20_260_916n);
const files = process.argv.slice(2);
const [first, ...rest] = await Promise.all(files.map(open));
if (first === undefined) {
  throw new Error("usage: npm run check -- data/asn FILE.mmdb ...");
}
const committed = await open(defaultGeoIpPaths().asn[0] ?? "");

for (const family of [4, 6] as const) {
  const addresses = publicAddresses(family === 4 ? drawIpv4(random) : drawIpv6(first, random));
  const ours = systemsOf(committed, addresses);
  const others = [first, ...rest].map((readers) => systemsOf(readers, addresses));
  const agreed = addresses.map((_, index) => {
    const [system = 0, ...more] = others.map((systems) => systems[index]);
    return more.every((other) => other === system) ? system : 0;
  });
  console.log(`IPv${family}, ${ADDRESSES} random addresses:`);
  others.forEach((theirs, index) => {
    const onlyOurs = ours.filter((our, at) => our > 0 && theirs[at] === 0).length;
    console.log(`  ${basename(files[index] ?? "")}: ${compare(ours, theirs).text}, ${onlyOurs} not in it`);
  });
  const { same, text } = compare(ours, agreed);
  console.log(`  all other files agree: ${text}`);
  if (same < MIN_SAME[family]) {
    process.exitCode = 1;
  }
}

async function open(path: string): Promise<ReadersByFamily<AsnRecord>> {
  const loaded = await loadGeoIpDatabases({ city: [], asn: [path] });
  if (!loaded.ok) {
    throw new Error(loaded.failure.description);
  }
  return loaded.value.asn;
}

function publicAddresses(draw: () => IpAddress): IpAddress[] {
  const found: IpAddress[] = [];
  while (found.length < ADDRESSES) {
    const address = draw();
    if (findSpecialPurpose(address).block === undefined) {
      found.push(address);
    }
  }
  return found;
}

/** Returns the number of the autonomous system of each address; 0 if there is none. */
function systemsOf(readers: ReadersByFamily<AsnRecord>, addresses: readonly IpAddress[]): number[] {
  return addresses.map((address) => lookupByFamily(readers, address).record?.number ?? 0);
}

/** Returns the share of the same system among addresses with one in both lists, and a text with it. */
function compare(ours: readonly number[], theirs: readonly number[]): { same: number; text: string } {
  const both = ours.map((our, index) => [our, theirs[index]]).filter((pair) => !pair.includes(0));
  const same = both.filter(([our, their]) => our === their).length / both.length;
  return { same, text: `${(100 * same).toFixed(2)} % of ${both.length} have the same system` };
}
