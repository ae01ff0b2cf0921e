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
writeFileSync(
  join(import.meta.dirname, "../../src/tools/geoip/databases/asn-names.json"),
  `${JSON.stringify(names, undefined, 2)}\n`,
);
console.log(`asn-names.json was built: ${Object.keys(names).length} names`);
