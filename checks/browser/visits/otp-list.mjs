import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { HOTP, TOTP } from "otpauth";
import { accessibilityTree, buttonOf, clipboardOf, fieldOf, hashOf, press } from "../harness.mjs";
import { csvLines, download, dropFile, filteredRows, pasteText, rowsOf } from "../lists.mjs";

const SECRETS = ["JBSWY3DPEHPK3PXP", "GEZDGNBVGY3TQOJQ", "KRSXG5BAKRSXG5BA"];

/** The account of a setup link, another one whose codes change soon, and a bare secret. */
const SHOP = new TOTP({ issuer: "Shop", label: "jane", secret: SECRETS[0], digits: 8, period: 60 });
const SOON = new TOTP({ issuer: "Soon, Inc.", label: "joe", secret: SECRETS[1], period: 4 });
const BARE = new TOTP({ secret: SECRETS[2] });

/** Returns the codes of an account some seconds from now. */
export const codesAt = (account, seconds) =>
  seconds.map((second) => account.generate({ timestamp: Date.now() + 1_000 * second }));

/** The page fetches the codes at another time than the check computes them. */
const nearCodes = (account) => codesAt(account, [-2, -1, 0, 1, 2]);

/** Returns the code in a row of the table. */
async function codeIn(page, row) {
  const text = await rowsOf(page).nth(row).locator(".otp-code").innerText();
  return text.replaceAll(/\s/g, "");
}

/** Shows the codes of a pasted list, keeps them current, and downloads them without the secrets. */
export async function visitList({ open }) {
  const { page, finish } = await open("otp");
  const account = page.getByLabel("Secret", { exact: true });
  const own = await account.inputValue();
  await account.focus();
  const counter = new HOTP({ label: "c", secret: SECRETS[0] });
  const list = [SHOP, SOON].map(String).concat(["KRSX G5BA KRSX G5BA", "nonsense", counter.toString()]);
  await pasteText(page, "input:focus", list.join("\n"));
  await page.getByText("5 rows").waitFor();
  checkEqual("pasted lines open a list, which is not in the URL", hashOf(page), "#/otp?mode=list");
  const field = fieldOf(page, "Secrets or setup links");
  const isReadable = async () => (await accessibilityTree(page)).includes(SECRETS[0]);
  const dots = list.join("\n").replaceAll(/[^\n]/g, "•");
  checkEqual("the list is masked", await field.inputValue(), dots);
  check("also for screen readers", !(await isReadable()));
  await press(page, "Show the list");
  checkEqual(
    "a button shows the list",
    [await field.inputValue(), await isReadable()],
    [list.join("\n"), true],
  );
  await press(page, "Hide the list");
  await field.focus();
  for (const key of ["Control+Home", "ArrowRight", "Delete", "9"]) {
    await page.keyboard.press(key);
  }
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  checkEqual("the dots can be copied, but not the list", await clipboardOf(page), dots);
  await press(page, "Show the list");
  const edited = list.join("\n").replace("otp", "o9p");
  checkEqual("a masked list can be edited", await field.inputValue(), edited);
  await field.fill(list.join("\n"));
  await press(page, "Hide the list");
  await press(page, "Show codes");
  await buttonOf(page, "3 with a code").waitFor();

  for (const [row, one] of [SHOP, SOON, BARE].entries()) {
    const [code, near] = [await codeIn(page, row + 1), nearCodes(one)];
    check(`row ${row + 1} has the current code`, near.includes(code), `${code} ${near}`);
  }
  const names = await rowsOf(page).nth(2).getByRole("cell").allInnerTexts();
  checkEqual("a row has the names of the account", names.slice(0, 2), ["Soon, Inc.", "joe"]);
  checkEqual("a filter shows the rows with errors, without a secret", await filteredRows(page, "2 invalid"), [
    "4\tThis secret is not complete. Most have 16 or 32 characters.",
    "5\tIs that of a counter-based account (hotp): its type is counter_based.",
  ]);

  const before = await codeIn(page, 2);
  // Two time steps later, the next code is no longer the current one: the page must have fetched others.
  await page.waitForTimeout(9_000);
  const [after, near] = [await codeIn(page, 2), nearCodes(SOON)];
  check("codes stay current", after !== before && near.includes(after), `${before} ${after} ${near}`);
  check("the results stay while codes are fetched", (await rowsOf(page).count()) === 6);

  const { name, text } = await download(page, "Download CSV");
  const json = await download(page, "JSON");
  const lines = csvLines(text);
  checkEqual("the file has a name", name, "otp.csv");
  checkEqual("the file has a line for each row", lines.length, 6);
  checkEqual("the file has a head", lines[0], "row,issuer,account,code,valid_until,next_code,period,error");
  const codes = /\d+,[^,]+,\d+(?=,4)/;
  checkEqual("the file has the names and codes", lines[2].replace(codes, "…"), '2,"Soon, Inc.",joe,…,4,');
  checkEqual("the file has no code for an error", lines[4].slice(0, 8), "4,,,,,,,");
  checkEqual("JSON has the same rows", JSON.parse(json.text)[0].account, "jane");
  const shown = await page.getByRole("table").innerText();
  const state = await page.evaluate(() => [location.href, history.state, { ...localStorage }]);
  const all = JSON.stringify([text, json.text, shown, state]);
  const found = SECRETS.filter((secret) => all.includes(secret));
  checkEqual("no secret is in a file, the table, the URL or the storage", found, []);

  await page.getByRole("tab", { name: "One account" }).click();
  checkEqual("the account keeps its secret", await account.inputValue(), own);
  await page.getByRole("tab", { name: "List" }).click();
  check("the list keeps its results", (await rowsOf(page).count()) === 6);

  const table = `login_username;login_password;login_totp\njane;hunter2;${SECRETS[0]}\n`;
  await dropFile(page, "export.csv", table);
  await page.getByText("1–1 of 1 rows").waitFor();
  await buttonOf(page, "1 with a code").waitFor();
  const exported = await download(page, "Download CSV");
  const starts = csvLines(exported.text).map((line) => line.split(";", 2).join());
  const expected = ["row,login_username", "1,jane"];
  checkEqual("an export of a password manager gives names and codes only", starts, expected);
  check("no password is in the file", !exported.text.includes("hunter2"));
  await finish(/400/);
}
