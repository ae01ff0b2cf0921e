import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { mmdbBytes } from "../tools/geoip/test-databases.js";

/** Creates a `DATA_DIR` with one network. A process starts in two thirds of the time that it needs with the data of the release. */
export function useSmallData(): string {
  const folder = mkdtempSync(join(tmpdir(), "small-data-"));
  // The service uses installed files that are newer.
  const content = { buildEpoch: Math.floor(Date.now() / 1000) };
  writeFileSync(join(folder, "city.mmdb"), mmdbBytes({ "8.0.0.0/8": { country_code: "US" } }, content));
  writeFileSync(
    join(folder, "asn.mmdb"),
    mmdbBytes({ "8.0.0.0/8": { autonomous_system_number: 15_169 } }, content),
  );
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
