import { readAddress } from "../../src/text/ip-address.js";
import { geoIpSources } from "../../src/tools/geoip/geoip-sources.js";
import { tryLookups } from "../../src/tools/geoip/load-databases.js";
import { type GeoIpDatabases, lookupIp } from "../../src/tools/geoip/lookup-ip.js";
import { openMmdb } from "../../src/tools/geoip/mmdb-reader.js";
import { placeDetailsReader } from "../../src/tools/geoip/place-details.js";
import { readAsnRecord, readLocation } from "../../src/tools/geoip/records.js";
import { countries } from "../../test/tools/geoip/test-countries.js";
import { type Case, measured, readCaseOptions, runCases } from "../lib/cases.js";
import { randomAddress } from "../lib/random.js";
import { ADDRESSES, fileMaker } from "./mmdb-files.js";

// Opens changed MMDB files, tries them as a load does, and looks up addresses in them. Everything must quickly succeed or return a
// failure, with the little memory that checks/suites.mjs allows.

/** The maximum processor time of an opening or a lookup, in milliseconds. */
const MAX_MILLISECONDS = 100;
/** The number of lookups at random addresses, besides those at fixed ones. */
const RANDOM_LOOKUPS = 10;
const makeFile = fileMaker();
const readDetails = placeDetailsReader(countries);

async function check({ random, count }: Case): Promise<string[]> {
  const problems: string[] = [];
  const timed = <T>(what: string, run: () => T): T => {
    const { result, milliseconds } = measured(run);
    if (milliseconds > MAX_MILLISECONDS) {
      problems.push(`${what}: ${milliseconds.toFixed(1)} ms of processor time`);
    }
    return result;
  };
  const bytes = makeFile(random);
  const [city, asn] = timed("opening", () => [openMmdb(bytes, readLocation), openMmdb(bytes, readAsnRecord)]);
  if (!city.ok || !asn.ok) {
    count("open", city.ok ? "ok" : city.failure.reason);
    return problems;
  }
  const tried = await (random.oneIn(2) ? tryLookups(city.value) : tryLookups(asn.value));
  count("load", tried.ok ? "ok" : tried.failure.reason);

  // Also if the load has found damage: it tries only some records.
  const databases: GeoIpDatabases = {
    city: { 4: city.value, 6: city.value },
    asn: { 4: asn.value, 6: asn.value },
  };
  const details = city.value.withRecords(readDetails, 100);
  JSON.stringify(geoIpSources(databases, {}));
  const addresses = [...ADDRESSES, ...Array.from({ length: RANDOM_LOOKUPS }, () => randomAddress(random))];
  for (const text of addresses) {
    const address = readAddress(text);
    if (address === undefined) {
      throw new Error(`${text} is not an address`);
    }
    const looked = timed(`lookup of ${text}`, () => lookupIp(address, databases));
    count("lookup", looked.ok ? "ok" : looked.failure.reason);
    const detailed = timed(`details of ${text}`, () => details.lookup(address));
    count("details", detailed.record === undefined ? "none" : "ok");
    // The service looks up the details only of undamaged records.
    if (looked.ok && detailed.damage !== undefined) {
      throw new Error(`the details of ${text} are damaged: ${detailed.damage}`);
    }
  }
  return problems;
}

await runCases(readCaseOptions("fuzz/mmdb"), { run: check });
