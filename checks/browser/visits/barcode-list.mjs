import { check, checkEqual } from "../../lib/checks.mjs";
import { decodeQr, hashOf, press } from "../harness.mjs";
import { csvLines, download, dropFile, pasteText } from "../lists.mjs";

const rowsOf = (page) => page.getByRole("table").getByRole("row");

/** Makes the codes of a pasted list and of a table, downloads and prints them. */
export async function visitList({ url, open }) {
  const { page, finish } = await open("barcode", { deviceScaleFactor: 4 });
  await page.getByRole("textbox", { name: "Link" }).focus();
  const texts = ["https://example.com/?a=1&b=2", "Table 1, by the window", "Zoë & Söhne"];
  await pasteText(page, "input:focus", [...texts, "é".repeat(2_000)].join("\n"));
  await page.getByText("4 rows").waitFor();
  checkEqual("pasted lines open a list, which is not in the URL", hashOf(page), "#/barcode?mode=list");
  await press(page, "Make codes");
  await page.getByRole("button", { name: "3 with a code" }).waitFor();
  for (const [row, text] of texts.entries()) {
    const drawing = rowsOf(page)
      .nth(row + 1)
      .getByRole("img", { name: "QR code" });
    checkEqual(`the small code of row ${row + 1} has its text`, decodeQr(await drawing.screenshot()), text);
  }
  const cells = await rowsOf(page).nth(1).getByRole("cell").allInnerTexts();
  checkEqual("a row has the size and the version", cells, ["29 × 29 modules", "3"]);
  const error = await page.getByRole("region", { name: "First errors" }).getByRole("listitem").innerText();
  check("the error is on top", /^Row 4: .*Must fit in one QR code/s.test(error), error);

  const { name, text: csv } = await download(page, "Download CSV");
  const [head, first] = csvLines(csv);
  const link = `${url}/v1/barcode?type=qr_code&data=https%3A%2F%2Fexample.com%2F%3Fa%3D1%26b%3D2`;
  checkEqual(
    "the file has the URL of each image",
    [name, head, first],
    ["barcode.csv", "input,modules,version,url,error", `${texts[0]},29,3,${link},`],
  );
  const image = await fetch(link);
  checkEqual("the URL leads to the image", image.headers.get("content-type"), "image/svg+xml");

  await dropFile(page, "tables.csv", "Nr;Text\n1;Table 1, left\n2;Table 2, right\n");
  await page.getByRole("button", { name: "2 with a code" }).waitFor();
  checkEqual("the column is detected", await page.getByLabel("Column", { exact: true }).inputValue(), "1");
  const sheet = await download(page, "Sheet to print");
  const { page: paper, finish: close } = await open();
  await paper.setContent(sheet.text);
  const figures = await paper.locator("figure").all();
  const printed = await Promise.all(
    figures.map(async (figure) => [await figure.innerText(), decodeQr(await figure.screenshot())]),
  );
  checkEqual(
    "the sheet has the codes with their texts",
    [sheet.name, ...printed],
    ["barcode.html", ["Table 1, left", "Table 1, left"], ["Table 2, right", "Table 2, right"]],
  );
  await close();

  await page.getByRole("tab", { name: "One code" }).click();
  await page.getByRole("textbox", { name: "Link" }).waitFor();
  check("the form for one code is back", hashOf(page).startsWith("#/barcode"), hashOf(page));
  await finish(/400/);
}
