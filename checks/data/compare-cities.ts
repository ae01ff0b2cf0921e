import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { networksOf, withoutReserved } from "../../data/build/cities/networks.js";
import { readPackageMmdb } from "../../data/build/cities/read-package.js";
import { writeColumns } from "../../data/build/cities/write-columns.js";
import { convertColumns } from "../../scripts/convert-columns.mjs";
import { addressBits, ipAddress } from "../../src/text/ip-address.js";
import { memorySource } from "../../src/tools/geoip/databases/block-source.js";
import { loadGeoIpDatabases } from "../../src/tools/geoip/databases/load-databases.js";
import { openDatabase } from "../../src/tools/geoip/databases/open-database.js";
import { readLocation } from "../../src/tools/geoip/databases/records.js";
import { placeDetailsReader } from "../../src/tools/geoip/details/place-details.js";
import { defaultGeoIpPaths } from "../../src/tools/geoip/load-geoip-files.js";
import { lookupIp } from "../../src/tools/geoip/lookup-ip.js";
import { randomNumbers } from "../../test/tools/geoip/draw-addresses.js";
import { countries } from "../../test/tools/geoip/test-countries.js";
import { toBytes, toNumber } from "../../test/tools/geoip/test-databases.js";

// Compares the installed location file with the MMDB file that it is made from: `npm run check -- data/cities [--lookups]`. With
// `--lookups`, it does not build the file again. Fails unless the build and all answers for a random address of each network are
// the same.

const mmdb = readPackageMmdb("dbip-city-lite");
const installed = readFileSync(defaultGeoIpPaths().city[0] ?? "");
const { sha256 } = JSON.parse(readFileSync("data/SOURCES.json", "utf8"))["city.columns"][0];
const committed = brotliDecompressSync(readFileSync("data/city.columns.br"));
const built = process.argv.includes("--lookups") ? committed : writeColumns(mmdb);
for (const [name, bytes] of Object.entries({ committed, built })) {
  const isRecorded = createHash("sha256").update(bytes).digest("hex") === sha256;
  check(`the ${name} file has the recorded SHA-256`, isRecorded);
}
check("the installed file is the committed one, converted", convertColumns(committed).equals(installed));

const random = randomNumbers(20_260_901n);
const readDetails = placeDetailsReader(countries);
const asn = await loadGeoIpDatabases({ city: [], asn: defaultGeoIpPaths().asn });
const [columns, tree] = [installed, mmdb].map((bytes) => {
  const opened = openDatabase(memorySource(bytes), readLocation);
  if (!opened.ok || !asn.ok) {
    throw new Error("a file does not open");
  }
  const city = opened.value;
  const databases = { city: { 4: city, 6: city }, asn: asn.value.asn };
  return { city, databases, details: city.withRecords(readDetails, 8_192) };
});
if (columns === undefined || tree === undefined) {
  throw new Error("a file is missing");
}
for (const family of [4, 6] as const) {
  let count = 0;
  let wrong = 0;
  for (const { first, prefixLength } of networksOf(withoutReserved(tree.city.lookup), family)) {
    const bits = addressBits(family);
    const address = ipAddress(toBytes(toNumber(first) | random(bits - prefixLength), bits));
    const [answer, expected] = [columns, tree].map(({ databases, details }) => {
      const found = lookupIp(address, databases);
      return JSON.stringify([found, found.ok && details.lookup(address).record]);
    });
    count += 1;
    if (answer !== expected) {
      wrong += 1;
      if (wrong <= 3) {
        console.log(`${answer}\n${expected}`);
      }
    }
  }
  check(`${count} answers for IPv${family} are the same, except ${wrong}`, wrong === 0);
}
conclude();
