import { check } from "../../checks.mjs";
import { openPanel } from "./page.mjs";

/** Each rule as somebody types. */
export async function email({ url, open }) {
  const { context, finish } = await open();
  const page = await context.newPage();
  await openPanel(page, url, "email");
  const field = page.getByRole("textbox", { name: "Email", exact: true });
  await field.fill("");
  await field.pressSequentially("J.Smith+spam@Fastmail.FM");
  await page.getByText("j.smith@fastmail.fm").first().waitFor();
  const steps = page.getByRole("region", { name: "Steps" }).getByRole("heading", { level: 3 });
  check(
    "each rule is shown as one types",
    (await steps.allInnerTexts()).join() === "Normalize domain,Lower case,Remove suffix",
    (await steps.allInnerTexts()).join(),
  );
  await field.fill("jane..doe@example.com");
  await page
    .getByText(/two in a row/)
    .first()
    .waitFor();
  check(
    "what is no address is marked, in the service's words",
    (await field.getAttribute("aria-invalid")) === "true",
  );
  await finish((complaint) => complaint.includes("400"));
}
