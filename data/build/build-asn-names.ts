import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { betterNames, namesIn } from "./cities/asn-names.js";
import { readPackageMmdb } from "./cities/read-package.js";

// Run manually after an update of the package: builds src/tools/geoip/databases/asn-names.json.
const names = betterNames(
  namesIn(readPackageMmdb("origin-asn")),
  namesIn(readPackageMmdb("dbip-asn-lite")),
  namesIn(readPackageMmdb("iptoasn-asn")),
);
const rows = Object.entries(names).map(([number, pair]) => `  "${number}": ${JSON.stringify(pair)}`);
writeFileSync(
  join(import.meta.dirname, "../../src/tools/geoip/databases/asn-names.json"),
  `{\n${rows.join(",\n").replaceAll('","', '", "')}\n}\n`,
);
console.log(`asn-names.json was built: ${rows.length} names`);
