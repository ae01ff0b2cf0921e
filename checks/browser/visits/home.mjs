import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import {
  checkAxe,
  checkShown,
  countBytes,
  hashOf,
  historyOf,
  openPanel,
  panelIds,
  press,
  scanQr,
} from "../harness.mjs";

/** The limits for what the home loads at first, and with all panels, in compressed bytes. */
const FIRST_BYTES = 45_000;
const ALL_BYTES = 160_000;

const SECRET = "JBSWY3DPEHPK3PXP";

/** What is typed, the heading of the answer, a text in it, and the start of its link. */
const ANSWERS = [
  ["8.8.8.8", "Mountain View, California", "United States (US)", "#/geoip/8.8.8.8"],
  ["10.0.0.1", "Private-Use", "10.0.0.0/8", "#/geoip/10.0.0.1"],
  ["Jane.Doe+news@gmail.com", "janedoe@gmail.com", "plus sign", "#/email?address=Jane.Doe"],
  ["日本", "Japan (JP)", "Tokyo", "#/countries/JP"],
  ["de", "Germany (DE)", "Berlin", "#/countries/DE"],
  ["two words", "QR code", "two words", "#/barcode?data=two+words"],
  [SECRET, /^\d{3} \d{3}$/, "left", "#/otp"],
  [`otpauth://totp/Shop:jane?secret=${SECRET}&digits=8`, /^\d{4} \d{4}$/, "Shop: jane", "#/otp"],
];

/** The same for texts of other forms. */
const OTHER_ANSWERS = [
  ["8.8.8.0/24", "8.8.8.0 – 8.8.8.255", "256 addresses", "#/geoip/8.8.8.0"],
  ["2001:4860:4860::/48", /^2001:4860:4860:: – 2001:4860:4860:f/, "2^80 addresses", "#/geoip/2001:4860"],
  ["10.0.0.0/8", "10.0.0.0 – 10.255.255.255", "Private-Use", "#/geoip/10.0.0.0"],
  [
    "AS749",
    "United States Department of Defense (DoD)",
    "222,209,792 addresses in 2,801 networks",
    "#/geoip/21.0.0.0",
  ],
  ["asn:64512", "Private use", "RFC 6996", "#/geoip"],
  ["EUR", "37 countries use EUR", "Germany", "#/countries/DE"],
  ["CHF", "2 countries use CHF", "Liechtenstein", "#/countries/LI"],
  ["+1 212 555 0100", "United States (US)", "Calling code: +1", "#/countries/US"],
  ["Doe, Jane <Jane@example.com>", "jane@example.com", "display name", "#/email?address=Doe"],
  ["8.8.8.8, 1.1.1.1", "2 IP addresses", "List", "#/geoip?mode=list"],
  ["\u200b8.8.8.8 ", "Mountain View, California", "United States (US)", "#/geoip/8.8.8.8"],
  [
    "48.85, 2.35",
    "48.85, 2.35",
    "What is at a place is not known here.",
    "#/barcode?data=geo%3A48.85%2C2.35",
  ],
  ["jbsw-y3dp-ehpk-3pxp", /^\d{3} \d{3}$/, "left", "#/otp"],
];

/** What is typed, and the message in place of an answer. */
const NOTES = [
  ["00:1A:2B:3C:4D:5E", "This is the address of a network card."],
  ["8.8.8.0/33", "This is no network."],
  ["x ".repeat(1_500), "This text has 2,999 characters."],
  ["x".repeat(20_000), "This text has 20,000 characters."],
];

/** Checks that the links of a page, or those of its history, have no secret. */
function checkLinks(what, links) {
  const letters = links.join().replaceAll("-", "").toUpperCase();
  check(`${what} has no secret`, !letters.includes(SECRET), links.join());
}

/** Types into the home, and measures what the page loads. */
export async function visit(browser) {
  await answers(browser);
  await otherAnswers(browser);
  await secretToPanel(browser);
}

/** A typed secret, or link, is opened in its panel, and is in no link and not in the history. */
async function secretToPanel({ open }) {
  const { page, finish } = await open("home");
  const textIn = (name) => page.getByLabel(name, { exact: true }).inputValue();
  const follow = async (text) => {
    await page.getByRole("textbox", { name: "Look up" }).fill(text);
    await page.getByRole("link", { name: "Open One-time passwords" }).click();
    await page.getByRole("img", { name: "QR code of the setup link" }).waitFor();
  };
  await follow(SECRET);
  checkEqual("the panel has the typed secret", await textIn("Secret"), SECRET);
  await page.goBack();
  await follow(`otpauth://totp/Shop:jane?secret=${SECRET}&digits=8`);
  for (const [name, text] of Object.entries({
    Secret: SECRET,
    "Service name": "Shop",
    "Account name": "jane",
  })) {
    checkEqual(`the panel has the typed link: ${name}`, await textIn(name), text);
  }
  await page.goBack();
  await page.getByRole("textbox", { name: "Look up" }).waitFor();
  await page.goForward();
  await page.getByRole("img", { name: "QR code of the setup link" }).waitFor();
  check("the secret is handed over once", (await textIn("Secret")) !== SECRET);
  checkLinks("the history", await historyOf(page));
  await finish();
}

/** Types texts, and checks their answers. */
async function checkAnswers(page, expected) {
  const field = page.getByRole("textbox", { name: "Look up" });
  const answer = page.getByRole("region", { name: "Answer" });
  for (const [text, heading, fact, href] of expected) {
    await field.fill(text);
    await answer.getByRole("heading", { name: heading }).waitFor();
    await answer.getByText(fact).first().waitFor();
    const links = await answer.getByRole("link").evaluateAll((all) => all.map((link) => link.hash));
    const leadsThere = links.some((each) => each.startsWith(href));
    check(`"${text}" is answered, and leads to its tool`, leadsThere, links.join());
    checkLinks("the answer", links);
  }
}

/** Texts of other forms, of which the page loads more than it may at first. */
async function otherAnswers({ open }) {
  const { page, finish } = await open("home", { bypassCSP: true });
  const field = page.getByRole("textbox", { name: "Look up" });
  const answer = page.getByRole("region", { name: "Answer" });
  await checkAnswers(page, OTHER_ANSWERS);
  await field.fill("jane@gmial.com");
  await press(page, "jane@gmail.com");
  await answer.getByRole("heading", { name: "jane@gmail.com" }).waitFor();
  for (const [text, suggestion] of [
    ["example.com/menu", "https://example.com/menu"],
    ["//example.com", "https://example.com"],
    ["http://8.8.8.8/", "8.8.8.8"],
    ["8.8.8.8:53", "8.8.8.8"],
  ]) {
    await field.fill(text);
    await press(page, suggestion);
    checkEqual(`for "${text}", ${suggestion} is suggested`, await field.inputValue(), suggestion);
  }
  for (const [text, words] of NOTES) {
    await field.fill(text);
    await answer.getByText(words).waitFor();
    checkEqual(
      `"${text.slice(0, 20)}" has a message and no QR code`,
      await answer.getByRole("img").count(),
      0,
    );
  }
  await finish(/40[04]/);
}

async function answers({ url, open }) {
  const { context, page, finish } = await open(undefined, { bypassCSP: true });
  const bytes = await countBytes(context, page);
  await openPanel(page, url, "");
  const isSmall = bytes.all > 20_000 && bytes.all < FIRST_BYTES;
  check(`the first load has less than ${FIRST_BYTES} bytes`, isSmall, bytes);
  check("the page has a title", /Utility Tools$/.test(await page.title()), await page.title());
  const main = page.getByRole("main");
  const cards = main.getByRole("listitem").getByRole("link");
  const leads = await cards.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const tools = (await panelIds(page)).filter((id) => id !== "home");
  checkEqual("each card leads to its tool", leads, [...tools.map((id) => `#/${id}`), "docs"]);

  const field = page.getByRole("textbox", { name: "Look up" });
  const answer = page.getByRole("region", { name: "Answer" });
  await page.keyboard.press("/");
  await checkAnswers(page, ANSWERS);
  checkLinks("the history", await historyOf(page));
  await field.fill("Maroco");
  await press(page, "Morocco");
  const morocco = answer.getByRole("heading", { name: "Morocco" });
  await checkShown("a name with a typing error leads to the country", morocco);
  await checkAxe(page, "an answer");
  await field.fill("300.0.0.1");
  await answer.getByRole("alert").getByText("from 0 to 255").waitFor();
  checkEqual("an error replaces the answer", await answer.getByText("Morocco").count(), 0);
  const menu = "https://example.com/menu";
  await field.fill(menu);
  checkEqual("a link is shown as a QR code", await scanQr(page, (found) => found === menu), menu);
  await page.keyboard.press("Escape");
  await answer.waitFor({ state: "detached" });
  checkEqual("Escape clears the field, and the URL has nothing of it", hashOf(page), "#/");

  const credit = page.getByRole("contentinfo").getByRole("link", { name: "IP Geolocation by DB-IP" });
  checkEqual("DB-IP is credited with a link", await credit.getAttribute("href"), "https://db-ip.com");
  for (const id of await panelIds(page)) {
    await openPanel(page, url, id);
  }
  const areSmall = bytes.all > 50_000 && bytes.all < ALL_BYTES;
  check(`all panels with their responses load less than ${ALL_BYTES} bytes`, areSmall, bytes);
  await finish(/40[04]/);
}
