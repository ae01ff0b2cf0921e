import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSource } from "../../../src/data-update/sources.js";
import { updateDatabase } from "../../../src/data-update/update-database.js";
import type { DatabaseName } from "../../../src/service/data-files/data-folder.js";
import {
  CREDENTIALS,
  databaseFile,
  type Misbehavior,
  startPublishers,
} from "../../../test/data-update/fake-publishers.js";
import { load } from "../../lib/load/open-loop.js";
import { ROOT, startService } from "../../lib/service.js";
import { createClients, type Pace, repeat, type Trial } from "./scenario.js";

/** Replaces a data file every second. */
export async function swapDatabase({ seconds, rate }: Pace): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-swap-"));
  const file = join(folder, "asn.mmdb");
  const original = join(ROOT, "data", "asn.mmdb");
  copyFileSync(original, file);
  const service = await startService({ environment: { GEOIP_ASN_FILES: file } });
  let swaps = 0;
  const result = await load(createClients(service.url), rate, async () => {
    swaps = await repeat(
      seconds,
      async () => {
        copyFileSync(original, `${file}.next`);
        renameSync(`${file}.next`, file);
      },
      1_000,
    );
  });
  await service.end();
  rmSync(folder, { recursive: true });
  return { ...result, done: `${swaps} × rename`, expected: [] };
}

/** The sources of `update-data`, with a file that each offers. */
type PublishedFile = readonly [source: string, database: DatabaseName, file: string];
const ORIGIN_ASN: PublishedFile = ["origin-asn", "asn", "origin-asn"];
const UPDATES: readonly PublishedFile[] = [
  ORIGIN_ASN,
  ["dbip", "city", "dbip-city-lite-2026-11"],
  ["geolite2", "city", "GeoLite2-City"],
  ["geoip2", "asn", "GeoIP2-ISP"],
  ["ipinfo", "asn", "ipinfo_lite"],
];
const MISBEHAVIOR: readonly Misbehavior[] = ["missing", "page", "truncated", "disconnects", "silent"];

/** Updates the data from local servers that behave and misbehave as the publishers do, each in turn. */
export async function updateFromPublishers({ seconds, rate }: Pace): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-update-"));
  const fake = await startPublishers();
  const service = await startService({ environment: { DATA_DIR: folder } });
  const limits = { timeout: 500, pauses: [], maxBytes: 100_000_000 };
  let updates = 0;
  const result = await load(createClients(service.url), rate, async () => {
    await repeat(
      seconds,
      async () => {
        const [name, database, file] = UPDATES[updates % UPDATES.length] ?? ORIGIN_ASN;
        const isReal = updates === 0;
        const content = isReal
          ? readFileSync(join(ROOT, "data", "asn.mmdb"))
          : databaseFile({ type: `update ${updates}`, built: "2026-11-01" });
        fake.files.set(file, { content, changed: new Date(Date.UTC(2026, 10, 1, 0, 0, updates)) });
        const context = {
          publishers: fake.publishers,
          credentials: CREDENTIALS,
          now: new Date("2026-11-22"),
        };
        const source = findSource(name, database, context);
        if (!source.ok) {
          throw new Error(source.failure.description);
        }
        fake.misbehavior = MISBEHAVIOR[updates % MISBEHAVIOR.length] ?? "missing";
        const failed = await updateDatabase({ database, source: source.value, folder, limits });
        fake.misbehavior = "none";
        const replaced = service.says(/data replaced/g, updates + 1);
        const updated = await updateDatabase({ database, source: source.value, folder, limits });
        if (failed.ok || !updated.ok || updated.value === undefined) {
          throw new Error(`${name}: ${JSON.stringify([failed, updated])}`);
        }
        await replaced;
        updates += 1;
      },
      200,
    );
  });
  await service.end();
  await fake.close();
  rmSync(folder, { recursive: true });
  return { ...result, done: `${updates} × update, each after a failed one`, expected: [] };
}
