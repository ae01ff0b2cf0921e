import { describe, expect, test } from "vitest";
import { qrCode } from "../../../../src/tools/barcode/qr-code.js";
import { renderText } from "../../../../src/tools/barcode/text.js";
import {
  barcodeAnswer,
  barcodeRequest,
  MAX_ON_SHEET,
  shapeOf,
  writeSheet,
} from "../../../../src/workbench/panels/barcode/barcode-answers.js";

const RECEIVED = { inputs: ["a&b?"], baseUrl: "http://host/x", date: null, sentAt: 0, receivedAt: 0 };

function codeOf(text: string) {
  const code = qrCode(text);
  if (!code.ok) {
    throw new Error(code.failure.description);
  }
  return code.value;
}

/** Returns the answer as the service makes the code. */
function answerOf(text: string) {
  const data = Buffer.from(renderText(codeOf(text), 0)).toString("base64");
  return barcodeAnswer({ image: { data } }, { ...RECEIVED, inputs: [text] });
}

test("the request is for the code as text without a margin", () => {
  expect(barcodeRequest(["a"])).toEqual({ data: "a", format: "BARCODE_FORMAT_TEXT", margin: 0 });
});

test("an answer has the size, the version and the URL of the image", () => {
  const { values, error, kind } = answerOf("a&b?");
  expect({ values, error, kind }).toEqual({
    kind: "code",
    values: [21, 1, "http://host/x/v1/barcode?type=qr_code&data=a%26b%3F"],
    error: "",
  });
  expect(answerOf("x".repeat(100)).values.slice(0, 2)).toEqual([41, 6]);
});

test.each(["a", "x".repeat(30), "x".repeat(300)])(
  "the shape has the dark modules of the code of %j",
  (text) => {
    const code = codeOf(text);
    const { viewBox, path } = shapeOf(answerOf(text).drawing ?? "");
    expect(viewBox).toBe(`-4 -4 ${code.size + 8} ${code.size + 8}`);
    const dark = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)].flatMap(([, x, y, width]) =>
      Array.from({ length: Number(width) }, (_, index) => `${Number(x) + index} ${y}`),
    );
    const all = Array.from(
      { length: code.size ** 2 },
      (_, at) => [at % code.size, Math.floor(at / code.size)] as const,
    );
    expect(new Set(dark)).toEqual(
      new Set(all.filter(([x, y]) => code.get(x, y)).map(([x, y]) => `${x} ${y}`)),
    );
  },
);

describe("a sheet", () => {
  test("has each code with its text", async () => {
    const invalid = { kind: "invalid", values: [], error: "wrong" };
    const text = await writeSheet([
      ['<b> & "c"', answerOf("a")],
      ["wrong", invalid],
      ["later", undefined],
    ]).text();
    expect(text.match(/<figcaption>.*<\/figcaption>/g)).toEqual([
      "<figcaption>&lt;b&gt; &amp; &quot;c&quot;</figcaption>",
    ]);
    expect(text).toContain(`<path d="${shapeOf(answerOf("a").drawing ?? "").path}"/>`);
    expect(text).not.toContain("<p>");
  });

  test("has a limit, and says so", async () => {
    const rows = Array.from({ length: MAX_ON_SHEET + 1 }, () => ["a", answerOf("a")] as const);
    const text = await writeSheet(rows).text();
    expect(text.match(/<figure>/g)).toHaveLength(MAX_ON_SHEET);
    expect(text).toContain("<p>The first 1,000 of 1,001 codes.</p>");
  });
});
