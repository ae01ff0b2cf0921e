import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import { buttonOf, decodeQr, hashOf, press } from "../harness.mjs";
import { csvLines, download, dropFile, filteredRows, pasteText, rowsOf } from "../lists.mjs";

/** Makes the codes of a pasted list and of a table, downloads and prints them. */
export async function visitList({ url, open }) {
  const { page, finish } = await open("barcode", { deviceScaleFactor: 4 });
  await page.getByRole("textbox", { name: "Link" }).focus();
  const texts = ["https://example.com/?a=1&b=2", "Table 1, by the window", "Zoë & Söhne"];
  await pasteText(page, "input:focus", [...texts, "é".repeat(2_000)].join("\n"));
  await page.getByText("4 rows").waitFor();
  checkEqual("pasted lines open a list, which is not in the URL", hashOf(page), "#/barcode?mode=list");
  await press(page, "Make codes");
  await buttonOf(page, "3 with a code").waitFor();
  const drawings = rowsOf(page).getByRole("img", { name: "QR code" });
  for (const [index, text] of texts.entries()) {
    const found = decodeQr(await drawings.nth(index).screenshot());
    checkEqual(`the small code of row ${index + 1} has its text`, found, text);
  }
  const cells = await rowsOf(page).nth(1).getByRole("cell").allInnerTexts();
  checkEqual("a row has the size and the version", cells, ["29 × 29 modules", "3"]);
  const errors = await filteredRows(page, "1 invalid");
  const isShown = errors.length === 1 && /Must fit in one QR code/.test(errors[0]);
  check("a filter shows the row with the error", isShown, errors);

  const { name, text: csv } = await download(page, "Download CSV");
  const [head, first] = csvLines(csv);
  const link = `${url}/v1/barcode?type=qr_code&data=https%3A%2F%2Fexample.com%2F%3Fa%3D1%26b%3D2`;
  checkEqual("the file has a name", name, "barcode.csv");
  checkEqual("the file has a head", head, "input,modules,version,url,error");
  checkEqual("the file has the URL of each image", first, `${texts[0]},29,3,${link},`);
  const image = await fetch(link);
  checkEqual("the URL leads to the image", image.headers.get("content-type"), "image/svg+xml");

  await dropFile(page, "tables.csv", "Nr;Text\n1;Table 1, left\n2;Table 2, right\n");
  await buttonOf(page, "2 with a code").waitFor();
  checkEqual("the column is detected", await page.getByLabel("Column", { exact: true }).inputValue(), "1");
  const sheet = await download(page, "Sheet to print");
  const { page: paper, finish: close } = await open();
  await paper.setContent(sheet.text);
  const figures = await paper.locator("figure").all();
  const printed = await Promise.all(
    figures.map(async (figure) => [await figure.innerText(), decodeQr(await figure.screenshot())]),
  );
  checkEqual("the sheet has a name", sheet.name, "barcode.html");
  const tables = ["Table 1, left", "Table 2, right"].map((each) => [each, each]);
  checkEqual("the sheet has the codes with their texts", printed, tables);
  await close();

  await page.getByRole("tab", { name: "One code" }).click();
  await page.getByRole("textbox", { name: "Link" }).waitFor();
  check("the form for one code is back", hashOf(page).startsWith("#/barcode"), hashOf(page));
  await finish(/400/);
}
