import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import {
  checkView,
  descriptionOf,
  fieldOf,
  HOSTS,
  hashOf,
  json,
  openPanel,
  post,
  press,
  shownResponse,
} from "../harness.mjs";
import { dropFile, kindsOf, pasteText, rowsOf } from "../lists.mjs";

/** Looks up the client's own address, one address, and lists. */
export async function visit(browser) {
  await ownAddress(browser);
  await oneAddress(browser);
  await otherInputs(browser);
  await errorOnPhone(browser);
  await smallList(browser);
  await pastedLists(browser);
  await viewList(browser);
}

const SELF = "**/utilitytools.v1.GeoIpService/LookupSelf";
const addressOf = (page) => fieldOf(page, "IP address");
const locationOf = (page) => page.getByRole("region", { name: "Location" });
const headingOf = (page, name) => locationOf(page).getByRole("heading", { name });

async function lookUp(page, address) {
  await addressOf(page).fill(address);
  await press(page, "Look up");
}

/** The panel opens with the client's own address, or says why it has no location. */
async function ownAddress(browser) {
  for (const [host, text] of [
    [undefined, /same computer.*has no location.*Here is 8\.8\.8\.8/s],
    [HOSTS.network, /private network.*has no location.*Here is 8\.8\.8\.8/s],
  ]) {
    await withoutOwnAddress(browser, host, text);
  }
  const { url, open } = browser;
  const { page, finish } = await open("geoip", { host: HOSTS.name });
  const note = page.getByRole("region", { name: "Your address" });
  await note.waitFor();
  const text = await note.innerText();
  check(
    "the response explains an address without a place",
    /same computer.*127\.0\.0\.0\/8/s.test(text),
    text,
  );

  // As from a public address: with the response for another address, whose encoding is the same.
  const request = { ip_address: "193.0.6.139", view: "LOOKUP_VIEW_FULL" };
  const response = await post(`${url}/utilitytools.v1.GeoIpService/LookupIp`, request);
  await page.route(SELF, (route) => route.fulfill({ json: response }));
  await page.reload();
  await headingOf(page, /Amsterdam/).waitFor();
  const field = addressOf(page);
  const located = [await note.count(), await field.inputValue()];
  checkEqual("a public address of the client is located", located, [0, "193.0.6.139"]);

  // Typed before the response arrives.
  let respond;
  const isTyped = new Promise((resolve) => {
    respond = resolve;
  });
  await page.route(SELF, (route) => isTyped.then(() => route.fallback()));
  await page.reload();
  await field.pressSequentially("1.1");
  respond();
  await page.getByText("Press Enter to look it up.").waitFor();
  checkEqual("the response does not replace what was typed", await field.inputValue(), "1.1");
  check("no place stands under another address", await headingOf(page, /Amsterdam/).isHidden());
  await press(page, "My address");
  const isFilled = () => document.querySelector("main form input")?.value === "193.0.6.139";
  await page.waitForFunction(isFilled, undefined, { timeout: 5_000 });
  check("the button fills in the own address", true);
  await finish(/404/);
}

/** At a host of which the page knows that the client has no place, it says so without an error in the console. */
async function withoutOwnAddress({ open }, host, expected) {
  const { page, finish } = await open("geoip", { host });
  const note = page.getByRole("region", { name: "Your address" });
  await headingOf(page, "Mountain View").waitFor();
  const text = await note.innerText();
  check(
    `an own address without a place is explained at ${host ?? "this computer"}`,
    expected.test(text),
    text,
  );
  check("the address of the link is not that of the example", page.url().endsWith("#/geoip"));
  await addressOf(page).fill("1.1.1.1");
  await press(page, "My address");
  checkEqual("the button brings the example back", await addressOf(page).inputValue(), "8.8.8.8");
  await headingOf(page, "Mountain View").waitFor();
  await finish();
}

/** What is entered, what the field shows then, and a text of the answer. */
const ENTERED = [
  ["8.8.8.8:53", "8.8.8.8", "Google LLC"],
  ["[2001:4860:4860::8888]:443", "2001:4860:4860::8888", "Google LLC"],
  ["http://193.0.6.139/", "193.0.6.139", "RIPE NCC"],
  [" 8.8.8.8\u200b", "8.8.8.8", "Google LLC"],
  ["8.8.8.77/24", "8.8.8.0/24", "256 addresses"],
  ["8.8.8.0/33", "8.8.8.0/33", "This is no network."],
  ["dns.google", "dns.google", "Names of hosts are not looked up"],
  ["AS15169", "AS15169", "Largest networks"],
  ["JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP", "This is no IP address."],
];

/** What is no plain address is read, or has a message. */
async function otherInputs({ url, open }) {
  const { page, finish } = await open("geoip/1.1.1.1");
  for (const [text, shown, answer] of ENTERED) {
    await lookUp(page, text);
    await page.getByText(answer).first().waitFor();
    checkEqual(`"${text}" is looked up, or has a message`, await addressOf(page).inputValue(), shown);
  }
  check("what is not looked up is not in the URL", page.url().endsWith("#/geoip/AS15169"), page.url());
  for (const [text, shown, answer] of ENTERED) {
    await page.goto("about:blank");
    await openPanel(page, url, `geoip/${encodeURIComponent(text)}`);
    await page.getByText(answer).first().waitFor();
    checkEqual(`a link with "${text}" shows the same`, await addressOf(page).inputValue(), shown);
  }
  await lookUp(page, "8.8.8.8, 1.1.1.1");
  await page.waitForURL(({ hash }) => hash === "#/geoip?mode=list");
  await finish();
}

/** One address: typed, from an example, reserved, and invalid. */
async function oneAddress({ url, open }) {
  const { page, finish } = await open("geoip");
  const address = addressOf(page);
  await lookUp(page, "193.0.6.139");
  const expected = await json(`${url}/v1/geoIp?ip_address=193.0.6.139&view=full`);
  await locationOf(page).getByText(expected.metadata.asn_name).waitFor();
  const shown = JSON.stringify(await shownResponse(page, "LookupIp"));
  checkEqual("the response is that of the service", shown, JSON.stringify(expected));
  const facts = await locationOf(page).innerText();
  const { city, region_code, time_zone } = expected.metadata.details;
  const areShown = [city, region_code, time_zone].every((value) => value !== "" && facts.includes(value));
  check("the details are shown", areShown, facts);
  check("details that are unknown are not shown", !facts.includes("Postal code"), facts);
  const map = page.getByRole("img", { name: /^Map: Netherlands, 52\.\d° N, 4\.\d° E$/ });
  checkEqual("the map has a description", await map.count(), 1);

  await page.getByRole("button", { name: "192.168.1.1" }).click();
  await page.getByText("Private-Use").first().waitFor();
  const rfc = await page.getByRole("link", { name: "RFC 1918" }).first().getAttribute("href");
  check("a reserved range is explained", rfc.includes("rfc1918"), rfc);
  await page.goBack();
  await page.getByRole("heading", { name: city }).waitFor();
  checkEqual("the back button shows the address before", await address.inputValue(), "193.0.6.139");
  await press(page, "My address");
  await page.getByRole("region", { name: "Your address" }).waitFor();
  // The page writes the example into the field, even between the two steps of Playwright's fill.
  await locationOf(page).getByText("Google LLC").waitFor();
  check("the client's own address is one click away", page.url().endsWith("#/geoip"));
  await lookUp(page, "8.8.8.8.8");
  await page.getByText("This is no IP address.").first().waitFor();
  checkEqual("an invalid address is marked as invalid", await address.getAttribute("aria-invalid"), "true");
  await finish(/40[04]/);
}

/** On a narrow phone, an error is next to its field, and not clipped. */
async function errorOnPhone({ open }) {
  const { page, finish } = await open("geoip", { viewport: { width: 320, height: 640 }, hasTouch: true });
  const words = "Must be an IPv4 or IPv6 address";
  const message = page.getByText(words).first();
  await addressOf(page).fill("300.1.1.1");
  await page.getByRole("button", { name: "Look up" }).tap();
  await message.waitFor();
  const [field, text] = await Promise.all([addressOf(page).boundingBox(), message.boundingBox()]);
  const distance = text.y - (field.y + field.height);
  check("the error is directly below its field", distance >= 0 && distance < 24, distance);
  const isVisible = text.x >= 0 && text.x + text.width <= 320 && text.y + text.height <= 640;
  check("the error is on the screen", isVisible, text);
  const described = await descriptionOf(addressOf(page));
  check("the field names the error", described.includes(words), described);
  await finish(/40[04]/);
}

/** A pasted list: sorted, filtered, and kept while one address is shown. */
async function smallList({ open }) {
  const { page, finish } = await open("geoip");
  await page.getByRole("tab", { name: "List" }).click();
  check("the list has a link", page.url().endsWith("#/geoip?mode=list"), page.url());
  await page.getByRole("textbox").first().fill("10.0.0.1\n9.9.9.9, 1.1.1.1\nnonsense\n2001:4860:4860::8888");
  await press(page, "Look up");
  const rows = rowsOf(page);
  await rows.filter({ hasText: "nonsense" }).waitFor();
  const first = async () => (await rows.locator("th[scope=row]").allInnerTexts()).join();
  const texts = await rows.allInnerTexts();
  check("each address has its result", /RFC 1918/.test(texts[1]) && /Cloudflare/.test(texts[3]), texts);
  const order = "10.0.0.1,9.9.9.9,1.1.1.1,nonsense,2001:4860:4860::8888";
  checkEqual("the results and errors are in order", await first(), order);
  checkEqual("the results are counted", await kindsOf(page), ["All 5", "3 found", "1 reserved", "1 invalid"]);
  await page.getByRole("button", { name: "3 found" }).click();
  await press(page, "Address");
  // The worker sorts.
  await rows.nth(1).filter({ hasText: "1.1.1.1" }).waitFor();
  checkEqual("rows are filtered and sorted", await first(), "1.1.1.1,9.9.9.9,2001:4860:4860::8888");
  await page.getByRole("searchbox", { name: "Filter the rows" }).fill("quad9");
  await page.getByText("1–1 of 1 rows").waitFor();
  await page.getByRole("link", { name: "9.9.9.9" }).click();
  await page.getByRole("heading", { name: /Berkeley/ }).waitFor();
  await page.goBack();
  await page.getByText("1–1 of 1 rows").waitFor();
  checkEqual("the list keeps its results while one address is shown", await first(), "9.9.9.9");
  await finish(/404/);
}

/** Several lines that are pasted into a field open the list of their kind. */
async function pastedLists({ url, open }) {
  const { page, finish } = await open("geoip");
  const list = page.getByRole("form", { name: "List" }).getByRole("textbox");
  for (const [panel, field, lines, hash] of [
    ["geoip", "main form input", "8.8.8.8\n\n1.1.1.1\n", "#/geoip?mode=list"],
    ["geoip", ".geoip-form input", "8.8.8.8, 1.1.1.1", "#/geoip?mode=list"],
    ["email", "main .field input", "a@example.com\r\nno address", "#/email?mode=list"],
    ["home", "main form input", "9.9.9.9\n2001:db8::1", "#/geoip?mode=list"],
    ["home", "main form input", "a@example.com\nb@example.com", "#/email?mode=list"],
    ["home", "main form input", "Jane <a@example.com>\nb@example.com", "#/email?mode=list"],
  ]) {
    await openPanel(page, url, panel);
    await pasteText(page, field, lines);
    await page.waitForURL((each) => each.hash === hash);
    await page.waitForFunction(() => document.activeElement?.matches("form[aria-label=List] textarea"));
    const entered = lines
      .replace("\r", "")
      .replace(", ", "\n")
      .replace(/Jane <(.*)>/, "$1");
    checkEqual(`lines pasted in ${panel} open ${hash}`, await list.inputValue(), entered);
  }
  await openPanel(page, url, "home");
  await pasteText(page, "main form input", "Japan\n8.8.8.8");
  checkEqual("other lines stay on the home", hashOf(page), "#/home");
  const field = page.getByRole("textbox", { name: "Look up" });
  checkEqual("they are not joined", await field.inputValue(), "Japan 8.8.8.8");
  await finish(/40[04]/);
}

/** A list is accessible and fits a phone, as a table and as a file. */
async function viewList({ open }) {
  for (const colorScheme of ["light", "dark"]) {
    const options = { colorScheme, bypassCSP: true, reducedMotion: "reduce" };
    const { page, finish } = await open("geoip?mode=list", options);
    await page.getByRole("textbox").first().fill("name,ip\nJane,8.8.8.8\nJoe,10.0.0.1\nJim,nonsense");
    await press(page, "Look up");
    await page.getByText("1–3 of 3 rows").waitFor();
    const legend = page.getByRole("list", { name: "Legend" });
    checkEqual("the shades of the map are explained", await legend.innerText(), "Rows\n1");
    await checkView(page, `a table, ${colorScheme}`);
    await dropFile(page, "addresses.txt", `${"8.8.8.8\n".repeat(150)}9.9.9.9`);
    await page.getByText("1–100 of 151 rows").waitFor();
    await checkView(page, `a file, ${colorScheme}`);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("101–151 of 151 rows").waitFor();
    await finish();
  }
}
