// Visits that are not about a single panel.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import {
  checkAxe,
  checkShown,
  checkView,
  clipboardOf,
  countBytes,
  fieldOf,
  hashOf,
  openDrawer,
  openPanel,
  panelIds,
  press,
  shownResponse,
} from "./harness.mjs";

/** A copied snippet works when pasted into a shell. `test/contract/documents/snippets.test.ts` runs those of all languages. */
export async function snippets({ open }) {
  const { page, finish } = await open("geoip/8.8.8.8");
  const expected = JSON.stringify(await shownResponse(page, "LookupIp"));
  const request = await openDrawer(page, "LookupIp", "Request");
  await request.getByRole("button", { name: /^Copy/ }).click();
  const { stdout } = await promisify(execFile)("bash", ["-c", await clipboardOf(page)]);
  checkEqual("the copied curl command returns the same response", stdout, expected);
  await request.getByRole("tab", { name: "curl", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  await request.getByRole("button", { name: /^Copy/ }).click();
  const selected = await request.getByRole("tab", { selected: true }).innerText();
  const copied = await clipboardOf(page);
  check("arrow keys switch tabs", selected === "buf curl" && copied.startsWith(selected), copied);
  await finish();
}

/** The page works by keyboard, and remembers the theme. */
export async function keyboardAndTheme({ open }) {
  const { page, finish } = await open("home", { colorScheme: "light" });
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.textContent ?? "");
  check("the first focusable element leads to the content", /skip|content/i.test(first), first);
  await page.getByRole("navigation").getByRole("link", { name: "E-mail" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "E-mail" }).waitFor();
  check("panels are links", page.url().endsWith("#/email"));
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  const toggle = page.getByRole("banner").getByRole("button").last();
  for (let tries = 0; tries < 3 && (await background()) === light; tries++) {
    await toggle.click();
  }
  const dark = await background();
  await page.reload();
  await page.locator("main h1").waitFor();
  const after = await background();
  check("the chosen theme is remembered", dark !== light && after === dark, `${light} ${dark} ${after}`);
  await finish();
}

/** The drawer with requests and responses is closed at first, and stays open in other panels and on later visits. */
export async function drawer({ url, open }) {
  const { page, finish } = await open("geoip/8.8.8.8");
  const isOpen = () => page.locator("details.drawer").evaluate(({ open: isShown }) => isShown);
  check("the drawer is closed at first", !(await isOpen()));
  await openDrawer(page, "LookupIp");
  await openPanel(page, url, "email");
  check("the drawer stays open in another panel", await isOpen());
  await page.reload();
  await page.locator("main h1").waitFor();
  await page.locator("details.drawer").waitFor();
  check("the drawer stays open on a later visit", await isOpen());
  await page.locator("details.drawer > summary").click();
  await openPanel(page, url, "barcode");
  check("the drawer stays closed after it was closed", !(await isOpen()));
  await finish();
}

/** The limit for what the first load of a panel transfers without the map, in compressed bytes, with its requests. */
const PANEL_BYTES = 60_000;

/** Each panel loads little. */
export async function firstLoads({ url, open }) {
  const first = await open("");
  const ids = await panelIds(first.page);
  await first.finish();
  for (const id of ids) {
    const { context, page, finish } = await open();
    const bytes = await countBytes(context, page);
    await openPanel(page, url, id);
    const isSmall = bytes.withoutMap > 20_000 && bytes.withoutMap < PANEL_BYTES;
    check(`the first load of ${id} has less than ${PANEL_BYTES} bytes without the map`, isSmall, bytes);
    await finish();
  }
}

/** axe finds no problem in any panel, and no panel scrolls sideways on a phone. */
export async function accessibility({ url, open }) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, finish } = await open(undefined, { colorScheme, bypassCSP: true, reducedMotion: "reduce" });
    // The drawers are open with one color scheme, and closed with the other.
    const state = colorScheme === "light" ? "open" : "closed";
    await page.addInitScript((text) => localStorage.setItem("utility-tools.api-drawer", text), state);
    await openPanel(page, url, "");
    for (const id of await panelIds(page)) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await openPanel(page, url, id);
      await checkView(page, `${id}, ${colorScheme}`);
    }
    await finish(/40[04]/);
  }
}

/** The palette leads to panels, countries and look-ups by keyboard alone, and `/` to the main field of a panel. */
export async function palette({ url, open }) {
  const { page, finish } = await open("email", { bypassCSP: true });
  const field = page.getByRole("combobox", { name: "Tool, country or address" });
  const closed = () => page.locator("dialog").waitFor({ state: "detached" });
  const options = page.getByRole("option");
  const selected = page.getByRole("option", { selected: true });
  /** Types a text into the palette, and presses Enter when the first place is the expected one. */
  const goTo = async (text, expected) => {
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type(text);
    await selected.filter({ hasText: expected }).waitFor();
    await page.keyboard.press("Enter");
    await closed();
  };
  for (const [text, expected, hash] of [
    ["otp", "One-time passwords", "#/otp"],
    ["qr", "QR code", "#/barcode"],
    ["holland", "Netherlands", "#/countries/NL"],
    ["2001:db8::1", "2001:db8::1", "#/geoip/2001:db8::1"],
    ["jane+x@example.com", "jane+x@example.com", "#/email?address=jane%2Bx%40example.com"],
  ]) {
    await goTo(text, expected);
    checkEqual(`"${text}" leads to ${hash}`, hashOf(page), hash);
  }

  await page.keyboard.press("Control+k");
  await options.nth(2).waitFor();
  await page.keyboard.press("ArrowUp");
  check("arrow keys go around", (await selected.innerText()).startsWith("API reference"));
  const active = await field.getAttribute("aria-activedescendant");
  checkEqual("the field names the active place", await selected.getAttribute("id"), active);
  await checkAxe(page, "the palette");
  await page.keyboard.type("no such place");
  await page.getByText("Nothing found.").waitFor();
  checkEqual("an empty result is reported", await options.count(), 0);
  await page.keyboard.press("Escape");
  await closed();
  check("Escape closes the palette", true);

  await page.getByRole("banner").getByRole("button", { name: "Go to" }).click();
  await options.filter({ hasText: "Geo IP" }).click();
  await page.getByRole("heading", { level: 1, name: "Geo IP" }).waitFor();
  check("the palette works by pointer", hashOf(page) === "#/geoip");
  await page.keyboard.press("/");
  const focused = () => page.evaluate(() => document.activeElement?.matches("main input, main textarea"));
  check("the slash key focuses the main field", await focused());
  await page.keyboard.type("/");
  const typed = await page.evaluate(() => document.activeElement.value);
  check("in a field, the slash key types a slash", typed.endsWith("/"), typed);
  await openPanel(page, url, "no-such-panel");
  const start = page.getByRole("main").getByRole("link");
  checkEqual("an unknown link offers the start", await start.getAttribute("href"), "#/");
  await page.keyboard.press("/");
  await checkShown("without a field, the slash key opens the palette", field);
  await finish(/40[04]/);
}

/**
 * While the service does not respond, the page says so once, and keeps what answers the input. It continues when the service is back.
 */
export async function serviceDown({ open }) {
  const { context, page, finish } = await open("geoip/8.8.8.8");
  const facts = page.getByRole("region", { name: "Location" });
  const field = fieldOf(page, "IP address");
  const notice = page.getByText("You are offline", { exact: true });
  const google = facts.getByText("Google LLC");
  await google.waitFor();
  await context.setOffline(true);
  await press(page, "Look up");
  await notice.waitFor();
  checkEqual("a notice says once that the page is offline", await notice.count(), 1);
  check("the result stays", await google.isVisible());
  await field.fill("193.0.6.139");
  await press(page, "Look up");
  await google.waitFor({ state: "hidden" });
  check("a result does not stand under another address", true);
  checkEqual("the address stays", await field.inputValue(), "193.0.6.139");
  checkEqual("there is no other error", await page.locator(".error").count(), 0);
  await context.setOffline(false);
  await facts.getByText("RIPE NCC").first().waitFor();
  await notice.waitFor({ state: "detached" });
  check("the page continues by itself", true);
  // The page itself waits an hour here, so only the button can continue.
  const lookUps = "**/utilitytools.v1.GeoIpService/**";
  const details = [{ type: "google.rpc.ErrorInfo", debug: { reason: "RATE_LIMIT_EXCEEDED" } }];
  const json = { code: "resource_exhausted", message: "too many requests", details };
  const response = { status: 429, headers: { "retry-after": "3600" }, json };
  await page.route(lookUps, (route) => route.fulfill(response));
  await field.fill("8.8.8.8");
  await press(page, "Look up");
  await page.getByText("The page continues in 60 minutes").waitFor();
  await page.unroute(lookUps);
  await press(page, "Retry");
  await checkShown("a button continues at once", google);
  await finish(/ERR_INTERNET_DISCONNECTED|429/);
}

/** The page of a service that requires an API key. */
export async function withKey({ url, open }, key) {
  const { page, finish } = await open();
  const field = page.getByLabel("API key", { exact: true });
  await openPanel(page, url, "home");
  await field.waitFor();
  checkEqual("the page asks for an API key once", await field.count(), 1);
  checkEqual("there is no error", await page.locator(".error, .trouble").count(), 0);
  await openPanel(page, url, "email");
  await field.waitFor();
  for (const wrong of ["not-the-key", "not a key"]) {
    await field.fill(wrong);
    await press(page, "Continue");
    await page.getByText("This key is not valid").first().waitFor();
    check(`"${wrong}" is not accepted`, (await field.getAttribute("aria-invalid")) === "true");
  }
  await field.fill(key);
  await page.keyboard.press("Enter");
  const address = page.getByText("janedoe@gmail.com").first();
  await checkShown("a valid key opens the panel", address);
  const request = await openDrawer(page, "SanitizeEmail", "Request");
  await checkShown("snippets contain the variable of the key", request.getByText("$UTILITY_TOOLS_API_KEY"));
  const text = await page.locator("body").innerText();
  check("snippets do not contain the key", !text.includes(key), text);
  check("the URL does not contain the key", !page.url().includes(key));
  await page.reload();
  await address.waitFor();
  checkEqual("the key is kept in the tab", await field.count(), 0);
  await press(page, "Forget the API key");
  await field.waitFor();
  const stored = await page.evaluate(() => Object.values(sessionStorage).join());
  check("the key can be removed", !stored.includes(key));
  await finish(/401/);
}
