import type { Answer } from "../../list/work/answers.js";
import type { Received, SheetRow } from "../../list/work/work-tool.js";

/** The parts of a response of `RenderBarcode` in JSON that the list uses. */
export interface BarcodeResult {
  /** In Base64. */
  readonly image: { readonly data: string };
}

/** The names of the columns, in the order of the values of an answer. */
export const BARCODE_COLUMNS = ["modules", "version", "url"] as const;

/** Returns the request for the code of a text: as half blocks without a margin, the smallest form in which a code can be kept. */
export function barcodeRequest([data = ""]: readonly string[]): object {
  return { data, format: "BARCODE_FORMAT_TEXT", margin: 0 };
}

/** The half blocks of light modules. Their digits are kept in their place, which take half the memory. */
const BLOCKS = "█▀▄ ";

/**
 * Returns the answer with the code of a text: the number of modules on a side, the version (ISO/IEC 18004), and the URL of its image.
 * The URL contains the text.
 */
export function barcodeAnswer({ image }: BarcodeResult, { inputs, baseUrl }: Received): Answer {
  const bytes = Uint8Array.from(atob(image.data), (character) => character.charCodeAt(0));
  const lines = new TextDecoder().decode(bytes).replace(/\n$/, "").split("\n");
  const size = lines[0]?.length ?? 0;
  const query = new URLSearchParams({ type: "qr_code", data: inputs[0] ?? "" });
  return {
    kind: "code",
    values: [size, (size - 17) / 4, `${baseUrl}/v1/barcode?${query}`],
    error: "",
    drawing: lines.map((line) => line.replaceAll(/./gs, digitOf)).join("\n"),
  };
}

function digitOf(block: string): string {
  return String(BLOCKS.indexOf(block));
}

/** The margin that scanners need, in modules. */
const MARGIN = 4;

/** Returns the drawing of an answer as an attribute of an SVG and the path of its dark modules. */
export function shapeOf(drawing: string): { viewBox: string; path: string } {
  const lines = drawing.split("\n");
  const size = lines[0]?.length ?? 0;
  const path = lines.flatMap((line, row) => [
    // The upper module is light in the blocks 0 and 1, the lower one in 0 and 2.
    rowPath(line, 2 * row, /[23]+/g),
    2 * row + 1 < size ? rowPath(line, 2 * row + 1, /[13]+/g) : "",
  ]);
  const side = size + 2 * MARGIN;
  return { viewBox: `-${MARGIN} -${MARGIN} ${side} ${side}`, path: path.join("") };
}

/** Returns the path of the dark modules in a row. */
function rowPath(line: string, y: number, dark: RegExp): string {
  return [...line.matchAll(dark)]
    .map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`)
    .join("");
}

/** How many codes a sheet has at most. Browsers take long to lay out more. */
export const MAX_ON_SHEET = 1_000;

/** Writes a page with the first {@link MAX_ON_SHEET} codes and their texts, to print. It needs no network. */
export function writeSheet(rows: readonly SheetRow[]): Blob {
  const codes = rows.flatMap(([input, answer]) =>
    answer?.drawing === undefined ? [] : [{ input, drawing: answer.drawing }],
  );
  const figures = codes.slice(0, MAX_ON_SHEET).map(({ input, drawing }) => {
    const { viewBox, path } = shapeOf(drawing);
    return `<figure><svg viewBox="${viewBox}" shape-rendering="crispEdges" role="img" aria-label="QR code"><path d="${path}"/></svg><figcaption>${escapeHtml(input)}</figcaption></figure>\n`;
  });
  const note =
    codes.length > MAX_ON_SHEET
      ? `<p>The first ${MAX_ON_SHEET.toLocaleString("en")} of ${codes.length.toLocaleString("en")} codes.</p>\n`
      : "";
  return new Blob([SHEET_START, note, ...figures, "</main>\n</html>\n"], { type: "text/html;charset=utf-8" });
}

const SHEET_START = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>QR codes</title>
<style>
body { margin: 8mm; background: #fff; color: #000; font: 9pt sans-serif; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(45mm, 1fr)); gap: 4mm; }
p { grid-column: 1 / -1; margin: 0; }
figure { margin: 0; break-inside: avoid; text-align: center; }
svg { display: block; width: 100%; }
figcaption { overflow-wrap: anywhere; white-space: pre-line; }
</style>
<main>
`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
