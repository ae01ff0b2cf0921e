// Uses each panel of the workbench in a real browser, as somebody would who sees the service for the first time: by what
// is on the screen, and held against what the service answers elsewhere. `npm test` does not need it.
//
// With --pictures it also writes the pictures that README shows.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { conclude } from "../checks.mjs";
import { inBrowser, MAIN } from "./harness.mjs";
import { accessibility } from "./visits/accessibility.mjs";
import { withKeys } from "./visits/api-keys.mjs";
import { barcode } from "./visits/barcode.mjs";
import { countries } from "./visits/countries.mjs";
import { email } from "./visits/email.mjs";
import { firstVisit } from "./visits/first-visit.mjs";
import { geoIp } from "./visits/geo-ip.mjs";
import { keyboardAndTheme } from "./visits/keyboard-and-theme.mjs";
import { oneTimePasswords } from "./visits/one-time-passwords.mjs";
import { pictures } from "./visits/pictures.mjs";
import { snippets } from "./visits/snippets.mjs";

const PICTURES = process.argv.includes("--pictures")
  ? join(import.meta.dirname, "..", "..", "docs", "pictures")
  : undefined;

await inBrowser("the workbench", async (world) => {
  for (const visit of [
    firstVisit,
    oneTimePasswords,
    geoIp,
    countries,
    email,
    barcode,
    snippets,
    keyboardAndTheme,
    accessibility,
  ]) {
    console.log(`\n${visit.name}`);
    await visit(world);
  }
  if (PICTURES !== undefined) {
    await pictures(world, PICTURES);
  }
});

const folder = mkdtempSync(join(tmpdir(), "browser-keys-"));
const keys = join(folder, "keys.txt");
const { stdout } = await promisify(execFile)(process.execPath, [
  MAIN,
  "make-key",
  "browser",
  "--append",
  keys,
]);
const [key] = stdout.trim().split(/\s+/);
await inBrowser("the workbench with keys", (world) => withKeys(world, key), {
  API_KEYS_FILE: keys,
  OPEN_AREAS: "docs",
});
rmSync(folder, { recursive: true });
conclude();
