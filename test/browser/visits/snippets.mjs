import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { check } from "../../checks.mjs";
import { openPanel, shownAnswer } from "./page.mjs";

/** What is copied must work when it is pasted. */
export async function snippets({ url, open }) {
  const { context, finish } = await open();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  await openPanel(page, url, "geoip");
  const expected = JSON.stringify(await shownAnswer(page, "LookupIp"));
  const request = page.getByRole("region", { name: "Request of LookupIp" });
  await request.getByRole("button", { name: /^Copy/ }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  const pasted = await promisify(execFile)("bash", ["-c", curl]);
  check("the curl command that is copied gives the same answer", pasted.stdout === expected, curl);
  await request.getByRole("tab", { name: "curl" }).focus();
  await page.keyboard.press("ArrowRight");
  check(
    "tabs move by arrow keys",
    (await request.getByRole("tab", { selected: true }).innerText()) === "gRPC",
  );
  await request.getByRole("button", { name: /^Copy/ }).click();
  const buf = await page.evaluate(() => navigator.clipboard.readText());
  const root = join(import.meta.dirname, "..", "..", "..");
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
  const called = await promisify(execFile)("bash", ["-c", buf], { cwd: root, env });
  check("so does the one for gRPC", JSON.parse(called.stdout).metadata.asnName !== "", buf);
  await finish();
}
