import { readAddress } from "../../src/text/ip-address.js";
import { geoIpSources } from "../../src/tools/geoip/geoip-sources.js";
import { tryLookups } from "../../src/tools/geoip/load-databases.js";
import { type GeoIpDatabases, lookupIp } from "../../src/tools/geoip/lookup-ip.js";
import { openMmdb } from "../../src/tools/geoip/mmdb-reader.js";
import { placeDetailsReader } from "../../src/tools/geoip/place-details.js";
import { readAsnRecord, readLocation } from "../../src/tools/geoip/records.js";
import { countries } from "../../test/tools/geoip/test-countries.js";
import { ADDRESSES, fileMaker } from "./mmdb-files.js";
import { randomAddress, randomAt, readRunArguments } from "./random.js";

// Opens changed MMDB files, tries them as a load does, and looks up addresses in them. Everything must quickly succeed or
// return a failure, with the little memory that the script of package.json allows: `npm run check -- fuzz/mmdb --count 20000
// --seed 1`. To repeat a single file by its index: `--seed 1 --from 4711 --count 1`.

/** The maximum processor time of an opening or a lookup, in milliseconds. */
const MAX_MILLISECONDS = 100;
/** The number of lookups at random addresses, besides those at fixed ones. */
const RANDOM_LOOKUPS = 10;
/** The run ends after this many failures. */
const MAX_FAILURES = 10;

const { count, from, seed } = readRunArguments();
const makeFile = fileMaker();
const readDetails = placeDetailsReader(countries);
const outcomes = new Map<string, number>();
const failures: string[] = [];
const slowest = { milliseconds: 0, what: "" };

for (let index = from; index < from + count && failures.length < MAX_FAILURES; index++) {
  await check(index).catch((thrown: unknown) => {
    const stack =
      thrown instanceof Error ? thrown.stack?.split("\n").slice(0, 8).join("\n  ") : String(thrown);
    failures.push(`file ${index}: threw ${stack}`);
  });
}

for (const [outcome, times] of [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${outcome}: ${times}`);
}
console.log(`slowest: ${slowest.milliseconds.toFixed(1)} ms of processor time, ${slowest.what}`);
for (const failure of failures) {
  console.error(`FAILED ${failure}`);
}
console.log(failures.length === 0 ? "no failures" : `${failures.length} failures; seed ${seed}`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function check(index: number): Promise<void> {
  const random = randomAt(seed, index);
  const bytes = makeFile(random);
  const [city, asn] = timed(`file ${index}: opening`, () => [
    openMmdb(bytes, readLocation),
    openMmdb(bytes, readAsnRecord),
  ]);
  if (!city.ok || !asn.ok) {
    tally("open", city.ok ? "ok" : city.failure.reason);
    return;
  }
  const tried = await (random.oneIn(2) ? tryLookups(city.value) : tryLookups(asn.value));
  tally("load", tried.ok ? "ok" : tried.failure.reason);

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
    const looked = timed(`file ${index}: lookup of ${text}`, () => lookupIp(address, databases));
    tally("lookup", looked.ok ? "ok" : looked.failure.reason);
    const detailed = timed(`file ${index}: details of ${text}`, () => details.lookup(address));
    tally("details", detailed.record === undefined ? "none" : "ok");
    // The service looks up the details only of undamaged records.
    if (looked.ok && detailed.damage !== undefined) {
      throw new Error(`the details of ${text} are damaged: ${detailed.damage}`);
    }
  }
}

function tally(step: string, outcome: string): void {
  const key = `${step} ${outcome}`;
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
}

/** Runs a function, and records a failure if it takes too much processor time. */
function timed<T>(what: string, run: () => T): T {
  const start = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(start);
  const milliseconds = (user + system) / 1_000;
  if (milliseconds > slowest.milliseconds) {
    Object.assign(slowest, { milliseconds, what });
  }
  if (milliseconds > MAX_MILLISECONDS) {
    failures.push(`${what}: ${milliseconds.toFixed(1)} ms of processor time`);
  }
  return result;
}
