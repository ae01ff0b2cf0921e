import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildAsnFile } from "./asn-file.js";

// Run by `npm ci`: builds data/asn.mmdb from the CSV files of @ip-location-db/asn.
const { resolve } = createRequire(import.meta.url);
try {
  const target = join(dirname(resolve("#package.json")), "data", "asn.mmdb");
  const { written } = await buildAsnFile({
    packageJson: resolve("@ip-location-db/asn/package.json"),
    ipv4Csv: resolve("@ip-location-db/asn/asn-ipv4-num.csv"),
    ipv6Csv: resolve("@ip-location-db/asn/asn-ipv6-num.csv"),
    target,
  });
  console.log(written ? "data/asn.mmdb was built." : "data/asn.mmdb is current.");
} catch (error) {
  const [message] = String(error instanceof Error ? error.message : error).split("\n");
  console.error(`data/asn.mmdb could not be built: ${message}`);
  process.exitCode = 1;
}
