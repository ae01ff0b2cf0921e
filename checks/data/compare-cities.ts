import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readCityMmdb } from "../../data/build/cities/read-package.js";
import { readCities } from "../../data/build/cities/read-ranges.js";
import { writeColumns } from "../../data/build/cities/write-columns.js";
import { addressBits, type IpAddress, ipAddress } from "../../src/text/ip-address.js";
import { openColumns } from "../../src/tools/geoip/columns-reader.js";
import { loadGeoIpDatabases } from "../../src/tools/geoip/load-databases.js";
import { defaultGeoIpPaths } from "../../src/tools/geoip/load-geoip.js";
import { type GeoIpDatabases, lookupByFamily, lookupIp } from "../../src/tools/geoip/lookup-ip.js";
import { type MmdbReader, openMmdb } from "../../src/tools/geoip/mmdb-reader.js";
import { placeDetailsReader } from "../../src/tools/geoip/place-details.js";
import { readLocation } from "../../src/tools/geoip/records.js";
import { drawIpv4, randomNumbers } from "../../test/tools/geoip/draw-addresses.js";
import { countries } from "../../test/tools/geoip/test-countries.js";
import { toBytes } from "../../test/tools/geoip/test-databases.js";

// Compares the installed location file with the MMDB file that it is made from: `npm run check -- data/cities [--lookups]`. With
// `--lookups`, it does not build the file again. Fails unless the build and all answers for random addresses are the same.

/** The number of addresses that have an answer, per family. */
const ADDRESSES = 500_000;
const random = randomNumbers(20_260_901n);
const readDetails = placeDetailsReader(countries);

const installed = readFileSync(defaultGeoIpPaths().city[0] ?? "");
const mmdb = readCityMmdb();
const cities = readCities(mmdb);
const { sha256 } = JSON.parse(readFileSync("data/SOURCES.json", "utf8"))["city.columns"][0];
const built = process.argv.includes("--lookups") ? installed : writeColumns(cities);
for (const [name, bytes] of Object.entries({ installed, built })) {
  report(`the ${name} file has the recorded SHA-256`, sha256Of(bytes) === sha256);
}
const [columns, tree] = [
  await databasesOf(openColumns(installed, readLocation)),
  await databasesOf(openMmdb(mmdb, readLocation)),
];
for (const [family, draw] of [[4, drawIpv4(random)] as const, [6, drawIpv6] as const]) {
  const addresses: IpAddress[] = [];
  while (addresses.length < ADDRESSES) {
    const address = draw();
    if (address.family === family && lookupIp(address, tree.basic).ok) {
      addresses.push(address);
    }
  }
  const wrong = addresses.filter((address) => answerOf(columns, address) !== answerOf(tree, address));
  report(`${ADDRESSES} answers for IPv${family} are the same, except ${wrong.length}`, wrong.length === 0);
  for (const each of wrong.slice(0, 3)) {
    console.log(`${answerOf(columns, each)}\n${answerOf(tree, each)}`);
  }
  for (const [name, { basic }] of Object.entries({ columns, tree })) {
    const start = performance.now();
    for (const address of addresses) {
      lookupByFamily(basic.city, address);
    }
    console.log(`  ${name}: ${((1000 * (performance.now() - start)) / ADDRESSES).toFixed(2)} µs a look-up`);
  }
}

/** Draws the start of a range, the address before it or one after it; every eighth is in a block with longer networks. */
function drawIpv6(): IpAddress {
  const { high, low, ids } = cities.six;
  const index = Number(random(32)) % high.length;
  const block = cities.longer[-1 - (ids[index] ?? 0)];
  const start = (BigInt(high[index] ?? 0) << 96n) | (BigInt(low[index] ?? 0) << 64n);
  const inner = block === undefined ? 0 : Number(random(32)) % block.high.length;
  const tail = (BigInt(block?.high[inner] ?? 0) << 32n) | BigInt(block?.low[inner] ?? 0);
  const offset = [0n, -1n, random(16), random(80)][Number(random(2))] ?? 0n;
  return ipAddress(toBytes((start + tail + offset) & ((1n << 128n) - 1n), addressBits(6)));
}

async function databasesOf(opened: ReturnType<typeof openMmdb<ReturnType<typeof readLocation> & object>>) {
  const asn = await loadGeoIpDatabases({ city: [], asn: defaultGeoIpPaths().asn });
  if (!opened.ok || !asn.ok) {
    throw new Error("a file does not open");
  }
  const city = opened.value;
  const basic: GeoIpDatabases = { city: { 4: city, 6: city }, asn: asn.value.asn };
  return { basic, details: city.withRecords(readDetails, 8_192) };
}

/** Returns everything that the service knows about an address. */
function answerOf(
  { basic, details }: { basic: GeoIpDatabases; details: MmdbReader<unknown> },
  address: IpAddress,
): string {
  return JSON.stringify([lookupIp(address, basic), details.lookup(address).record]);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function report(what: string, isRight: boolean): void {
  console.log(`${isRight ? "ok" : "WRONG"}: ${what}`);
  process.exitCode = isRight ? process.exitCode : 1;
}
