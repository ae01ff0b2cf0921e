import { check } from "../../lib/checks.mjs";
import { json, openPanel } from "../harness.mjs";
import { download, dropFile, startTask } from "../tasks.mjs";

/** Normalizes an address while typing, and a list. */
export async function visit(browser) {
  await oneAddress(browser);
  await findDuplicates(browser);
}

async function oneAddress({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "email");
  const field = page.getByRole("textbox", { name: "E-mail address", exact: true });
  await field.fill("");
  await field.pressSequentially("J.Smith+spam@Fastmail.FM");
  await page.getByText("j.smith@fastmail.fm").first().waitFor();
  const steps = page
    .getByRole("region", { name: "What changed, and why" })
    .getByRole("heading", { level: 3 });
  check(
    "each rule is shown while typing",
    (await steps.allInnerTexts()).join() === "Normalize domain,Lower case,Remove suffix",
    (await steps.allInnerTexts()).join(),
  );
  await field.fill("jane@example.com");
  await page.getByText("Nothing: the address is already in its normal form.").waitFor();
  await field.fill("jane..doe@example.com");
  await page
    .getByText(/two in a row/)
    .first()
    .waitFor();
  check("an invalid address is marked as invalid", (await field.getAttribute("aria-invalid")) === "true");
  await finish((complaint) => complaint.includes("400"));
}

/** 1,200 addresses, of which 87 have the mailbox of an earlier one, and 3 are invalid. */
function addressList() {
  const unique = Array.from({ length: 1_110 }, (_, index) => `user${index}@example.org`);
  const duplicates = Array.from({ length: 87 }, (_, index) => `User${index}+news@Example.org`);
  return [...unique, ...duplicates, "jane..doe@example.com", "no address", ""];
}

/** The duplicates in a customer list are found, and removed. */
async function findDuplicates({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  const emails = addressList();
  const text = `Kunde;E-Mail\n${emails.map((email, index) => `Nr. ${index};${email}`).join("\n")}\n`;
  await openPanel(page, url, "email");
  const task = startTask("remove 87 duplicates from 1,200 addresses");
  await task.step(page.getByRole("tab", { name: "List" }).click());
  await page.getByRole("form", { name: "List" }).waitFor();
  await task.step(dropFile(page, "kunden.csv", text));
  await page.getByText("of 1,200 rows").waitFor();
  const kinds = await page.getByRole("group", { name: "Show" }).getByRole("button").allInnerTexts();
  check(
    "duplicates are counted",
    kinds.join("; ") === "All 1,200; 1,110 unique; 87 duplicate; 3 invalid",
    kinds.join("; "),
  );
  check("the column is detected", (await page.getByLabel("Column", { exact: true }).inputValue()) === "1");
  await task.step(page.getByRole("button", { name: "1,110 unique" }).click());
  await page.getByText("of 1,110 rows").waitFor();
  const unique = await task.step(download(page, "Download CSV"));
  task.end();
  const lines = unique.text
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split("\r\n");
  check(
    "the file has the selected rows, with the delimiter of the list",
    unique.name === "email.csv" &&
      lines.length === 1_111 &&
      lines[0] === "Kunde;E-Mail;normalized;changed;domain;duplicate_of;error" &&
      lines[1] === "Nr. 0;user0@example.org;user0@example.org;false;example.org;;",
    lines.slice(0, 2).join(" | "),
  );
  await page.getByRole("button", { name: "All 1,200" }).click();
  const rows = JSON.parse((await download(page, "JSON")).text);
  const { results } = await json(`${url}/v1/sanitizeEmail:batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ emails: emails.slice(300, 1_199) }),
  });
  const wrong = results.findIndex(
    ({ answer, error }, index) =>
      rows[index + 300].normalized !== (answer?.email ?? "") ||
      rows[index + 300].error !== (error?.message ?? ""),
  );
  check("each row is that of the service", wrong === -1, JSON.stringify(rows[wrong + 300]));
  check(
    "a duplicate names the first address of the mailbox",
    rows[1_110].duplicate_of === "user0@example.org" && rows[1_199].error === "this row has no address",
    JSON.stringify(rows[1_110]),
  );

  // A plain list in the text field
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("textbox").first().fill("janedoe@gmail.com\nJane.Doe+x@gmail.com");
  await page.getByRole("button", { name: "Normalize", exact: true }).click();
  await page.getByRole("button", { name: "1 duplicate" }).waitFor();
  check("a pasted list is normalized", (await page.getByRole("table").getByRole("row").count()) === 3);
  await page.getByRole("link", { name: "Jane.Doe+x@gmail.com" }).click();
  await page.getByRole("region", { name: "What changed, and why" }).waitFor();
  check(
    "a row leads to its steps",
    page.url().endsWith("#/email?address=Jane.Doe%2Bx%40gmail.com"),
    page.url(),
  );
  await finish();
}
