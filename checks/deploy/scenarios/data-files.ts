import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSource } from "../../../src/data-update/sources.js";
import { updateDatabase } from "../../../src/data-update/update-database.js";
import {
  CREDENTIALS,
  databaseFile,
  type Misbehavior,
  startPublishers,
} from "../../../test/data-update/fake-publishers.js";
import { ROOT, startService } from "../../lib/service.js";
import { type Pace, repeat, sendLoad, type Trial } from "./clients.js";

/** Replaces a data file every second. */
export async function swapDatabase({ seconds, rate }: Pace): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-swap-"));
  const file = join(folder, "asn.mmdb");
  const original = join(ROOT, "data", "asn.mmdb");
  copyFileSync(original, file);
  const service = await startService({ environment: { GEOIP_ASN_FILES: file } });
  let swaps = 0;
  const result = await sendLoad(service.url, rate, {}, () =>
    repeat(seconds, 1_000, async () => {
      copyFileSync(original, `${file}.next`);
      renameSync(`${file}.next`, file);
      swaps++;
    }),
  );
  await service.end();
  rmSync(folder, { recursive: true });
  return { ...result, done: `${swaps} × rename`, expected: [] };
}

/** The sources of `update-data`, with a file that each offers. */
const UPDATES = [
  ["origin-asn", "asn", "origin-asn"],
  ["dbip", "city", "dbip-city-lite-2026-11"],
  ["geolite2", "city", "GeoLite2-City"],
  ["geoip2", "asn", "GeoIP2-ISP"],
  ["ipinfo", "asn", "ipinfo_lite"],
] as const;
const MISBEHAVIOR: readonly Misbehavior[] = ["missing", "page", "truncated", "disconnects", "silent"];

/** Updates the data from local servers that behave and misbehave as the publishers do, each in turn. */
export async function updateFromPublishers({ seconds, rate }: Pace): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-update-"));
  const fake = await startPublishers();
  const service = await startService({ environment: { DATA_DIR: folder } });
  const limits = { timeout: 500, pauses: [], maxBytes: 100_000_000 };
  const { publishers } = fake;
  const context = { publishers, credentials: CREDENTIALS, now: new Date("2026-11-22") };
  let updates = 0;
  const update = async (times: number): Promise<void> => {
    const [name, database, file] = UPDATES[times % UPDATES.length] ?? UPDATES[0];
    const content =
      times === 0
        ? readFileSync(join(ROOT, "data", "asn.mmdb"))
        : databaseFile({ type: `update ${times}`, built: "2026-11-01" });
    fake.files.set(file, { content, changed: new Date(Date.UTC(2026, 10, 1, 0, 0, times)) });
    const source = findSource(name, database, context);
    if (!source.ok) {
      throw new Error(source.failure.description);
    }
    fake.misbehavior = MISBEHAVIOR[times % MISBEHAVIOR.length] ?? "missing";
    const failed = await updateDatabase({ database, source: source.value, folder, limits });
    fake.misbehavior = "none";
    const replaced = service.says(/data replaced/g, times + 1);
    const updated = await updateDatabase({ database, source: source.value, folder, limits });
    if (failed.ok || !updated.ok || updated.value === undefined) {
      throw new Error(`${name}: ${JSON.stringify([failed, updated])}`);
    }
    await replaced;
    updates++;
  };
  const result = await sendLoad(service.url, rate, {}, () => repeat(seconds, 200, update));
  await service.end();
  await fake.close();
  rmSync(folder, { recursive: true });
  return { ...result, done: `${updates} × update, each after a failed one`, expected: [] };
}
