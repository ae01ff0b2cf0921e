import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, startService } from "../../lib/processes/service.js";
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
