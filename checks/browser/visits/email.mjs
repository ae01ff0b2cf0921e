import { checkEqual } from "connect-transcoding-testing/checks.mjs";
import { buttonOf, fieldOf, hashOf, post, press } from "../harness.mjs";
import { csvLines, download, dropFile, kindsOf, rowsOf } from "../lists.mjs";

/** Normalizes an address while typing, and a list. */
export async function visit(browser) {
  await oneAddress(browser);
  await findDuplicates(browser);
}

async function oneAddress({ open }) {
  const { page, finish } = await open("email");
  const field = fieldOf(page, "E-mail address");
  await field.fill("");
  await field.pressSequentially("J.Smith+spam@Fastmail.FM");
  await page.getByText("j.smith@fastmail.fm").first().waitFor();
  const reasons = page.getByRole("region", { name: "What changed" });
  const steps = await reasons.getByRole("heading", { level: 3 }).allInnerTexts();
  checkEqual("each rule is shown while typing", steps, [
    "Domain in lower case",
    "Name in lower case",
    "Tag removed",
  ]);
  await field.fill("jane@example.com");
  await page.getByText("Nothing: the address is already in its normal form.").waitFor();
  await field.fill("jane..doe@example.com");
  await page.getByText("two in a row").first().waitFor();
  checkEqual("an invalid address is marked as invalid", await field.getAttribute("aria-invalid"), "true");
  await typeAtUrlChange(page, field);
  await finish(/400/);
}

/** Types a letter at the moment at which the page writes the text before into its URL. */
async function typeAtUrlChange(page, field) {
  await field.evaluate((input) => {
    const { replaceState } = history;
    history.replaceState = (...args) => {
      history.replaceState = replaceState;
      history.replaceState(...args);
      input.value += "m";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    };
  });
  await field.fill("john@example.co");
  await page.waitForURL(/address=john%40example\.com$/);
  checkEqual("no letter is lost", await field.inputValue(), "john@example.com");
}

/** 1,200 addresses, of which 87 have the mailbox of an earlier one, and 3 are invalid. */
function addressList() {
  const unique = Array.from({ length: 1_110 }, (_, index) => `user${index}@example.org`);
  const duplicates = Array.from({ length: 87 }, (_, index) => `User${index}+news@Example.org`);
  return [...unique, ...duplicates, "jane..doe@example.com", "no address", ""];
}

/** The duplicates in a customer list are found, and removed. */
async function findDuplicates({ url, open }) {
  const { page, finish } = await open("email");
  const emails = addressList();
  const text = `Kunde;E-Mail\n${emails.map((email, index) => `Nr. ${index};${email}`).join("\n")}\n`;
  await page.getByRole("tab", { name: "List" }).click();
  await page.getByRole("form", { name: "List" }).waitFor();
  await dropFile(page, "kunden.csv", text);
  await buttonOf(page, "1,110 unique").waitFor();
  const kinds = ["All 1,200", "1,110 unique", "87 duplicate", "3 invalid"];
  checkEqual("duplicates are counted", await kindsOf(page), kinds);
  checkEqual("the column is detected", await page.getByLabel("Column", { exact: true }).inputValue(), "1");
  await press(page, "1,110 unique");
  await page.getByText("of 1,110 rows").waitFor();
  const { name, text: csv } = await download(page, "Download CSV");
  checkEqual("the file has a name", name, "email.csv");
  checkEqual("the file has the selected rows", csvLines(csv).length, 1_111);
  await press(page, "All 1,200");
  const rows = JSON.parse((await download(page, "JSON")).text);
  const { results } = await post(`${url}/v1/sanitizeEmail:batch`, { emails: emails.slice(300, 1_199) });
  checkEqual(
    "each row is that of the service",
    rows.slice(300, 1_199).map(({ normalized, error }) => [normalized, error]),
    results.map(({ answer, error }) => [answer?.email ?? "", error?.message ?? ""]),
  );
  const duplicateOf = rows[1_110].duplicate_of;
  checkEqual("a duplicate names the first address of the mailbox", duplicateOf, "user0@example.org");
  checkEqual("an empty row has an error", rows[1_199].error, "this row has no address");

  // A plain list in the text field
  await press(page, "Remove");
  await page.getByRole("textbox").first().fill("janedoe@gmail.com\nJane.Doe+x@gmail.com");
  await press(page, "Normalize");
  await buttonOf(page, "1 duplicate").waitFor();
  checkEqual("a pasted list is normalized", await rowsOf(page).count(), 3);
  await page.getByRole("link", { name: "Jane.Doe+x@gmail.com" }).click();
  await page.getByRole("region", { name: "What changed" }).waitFor();
  checkEqual("a row leads to its steps", hashOf(page), "#/email?address=Jane.Doe%2Bx%40gmail.com");
  await finish();
}
