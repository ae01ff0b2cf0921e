import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { convertColumns } from "../../scripts/convert-columns.mjs";
import type { IpAddress } from "../../src/text/ip-address.js";
import { memorySource } from "../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../src/tools/geoip/databases/mmdb-reader.js";
import type { MmdbReader, MmdbResult } from "../../src/tools/geoip/databases/movable-reader.js";
import { openDatabase } from "../../src/tools/geoip/databases/open-database.js";
import { readCityRecord } from "../../src/tools/geoip/databases/records.js";
import { withoutReserved } from "./cities/networks.js";
import { readPackageMmdb } from "./cities/read-package.js";
import { columnsOf, placeNumbers } from "./cities/write-columns.js";

// Run manually after build-cities.ts: builds data/country-sources.columns.br, which has the addresses whose country in city.columns
// is neither that in IPtoASN nor that in user-country. The first is the `country` of their record, the second the `region`.
const folder = join(import.meta.dirname, "..");
const readCountry = (record: unknown) => readCityRecord(record)?.country;
const [city, ipToAsn, user] = [
  openDatabase(memorySource(readFileSync(join(folder, "city.columns"))), readCountry),
  openMmdb(memorySource(readPackageMmdb("iptoasn-country")), readCountry),
  openMmdb(memorySource(readPackageMmdb("user-country")), readCountry),
].map((opened): MmdbReader<string> => {
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return opened.value;
});
if (city === undefined || ipToAsn === undefined || user === undefined) {
  throw new Error("a file is missing");
}
const places = placeNumbers();

function lookup(address: IpAddress): MmdbResult<number> {
  const [located, first, second] = [city, ipToAsn, user].map((reader) => reader?.lookup(address));
  const [country, one, other] = [located, first, second].map((result) => result?.record);
  const isOther =
    country !== undefined && one !== undefined && one !== country && other !== undefined && other !== country;
  const prefixLength = Math.max(...[located, first, second].map((result) => result?.prefixLength ?? 0));
  return { record: isOther ? places.number([one, other, "", 0, 0]) : undefined, prefixLength };
}

const header = {
  databaseType: "Country-Sources",
  description: "IPtoASN and user-country",
  builtAt: user.builtAt,
};
const columns = columnsOf(header, withoutReserved(lookup), places.numbers, false);
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
const compressed = brotliCompressSync(columns, {
  params: { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: columns.length },
});
writeFileSync(join(folder, "country-sources.columns"), convertColumns(columns));
writeFileSync(join(folder, "country-sources.columns.br"), compressed);
console.log(
  `data/country-sources.columns.br was built: ${compressed.length} bytes, ${columns.length} unpacked`,
);
