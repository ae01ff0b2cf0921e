import { check } from "../../checks.mjs";
import { openPanel } from "./page.mjs";

/** The way by keyboard, and the theme that stays. */
export async function keyboardAndTheme({ url, open }) {
  const { context, finish } = await open({ colorScheme: "light" });
  const page = await context.newPage();
  await openPanel(page, url, "overview");
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.textContent ?? "");
  check("the first stop of the keyboard leads to the content", /skip|content/i.test(first), first);
  await page.getByRole("navigation").getByRole("link", { name: "E-mail" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "E-mail" }).waitFor();
  check("panels are links", page.url().endsWith("#/email"));
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  const toggle = page.getByRole("banner").getByRole("button").last();
  for (let tries = 0; tries < 3 && (await ground()) === light; tries++) {
    await toggle.click();
  }
  const dark = await ground();
  await page.reload();
  await page.locator("main h1").waitFor();
  check(
    "the theme can be changed, and stays",
    dark !== light && (await ground()) === dark,
    `${light} ${dark}`,
  );
  await finish();
}
