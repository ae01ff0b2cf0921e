import { check } from "../../checks.mjs";
import { openPanel } from "../harness.mjs";

/** Normalizes an address while typing. */
export async function visit({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "email");
  const field = page.getByRole("textbox", { name: "E-mail address", exact: true });
  await field.fill("");
  await field.pressSequentially("J.Smith+spam@Fastmail.FM");
  await page.getByText("j.smith@fastmail.fm").first().waitFor();
  const steps = page.getByRole("region", { name: "Steps" }).getByRole("heading", { level: 3 });
  check(
    "each rule is shown while typing",
    (await steps.allInnerTexts()).join() === "Normalize domain,Lower case,Remove suffix",
    (await steps.allInnerTexts()).join(),
  );
  await field.fill("jane..doe@example.com");
  await page
    .getByText(/two in a row/)
    .first()
    .waitFor();
  check("an invalid address is marked as invalid", (await field.getAttribute("aria-invalid")) === "true");
  await finish((complaint) => complaint.includes("400"));
}
