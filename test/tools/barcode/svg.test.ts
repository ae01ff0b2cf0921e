import { describe, expect, it } from "vitest";
import { DEFAULT_IMAGE } from "../../../src/tools/barcode/image.js";
import { type QrCode, qrCode } from "../../../src/tools/barcode/qr-code.js";
import { outline, renderSvg } from "../../../src/tools/barcode/svg.js";
import { colorAt, rasterOfSvg, readQrCode } from "./decode.js";

const BLACK = "000000ff";
const WHITE = "ffffffff";

function codeOf(text: string): QrCode {
  const code = qrCode(text);
  if (!code.ok) {
    throw new Error(`no code: ${code.failure.reason}`);
  }
  return code.value;
}

/** Creates a pattern of modules, `#` for dark, which may not be a valid QR code. */
function pattern(...rows: string[]): QrCode {
  return { size: rows.length, get: (x, y) => rows[y]?.[x] === "#" };
}

describe("renderSvg", () => {
  it("is one standalone element with two paths", () => {
    expect(renderSvg(pattern("#"))).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 9 9" ' +
        'shape-rendering="crispEdges"><path fill="#fff" d="M0 0h9v9h-9z"/>' +
        '<path fill="#000" d="M4 4h1v1h-1z"/></svg>',
    );
  });

  it("writes colors as all renderers read them", () => {
    const colors = { foreground: [26, 77, 143, 255], background: [255, 255, 255, 64] } as const;
    expect(renderSvg(pattern("#"), { size: 300, margin: 1, colors })).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300" viewBox="0 0 3 3" ' +
        'shape-rendering="crispEdges"><path fill="#fff" fill-opacity="0.251" d="M0 0h3v3h-3z"/>' +
        '<path fill="#1a4d8f" d="M1 1h1v1h-1z"/></svg>',
    );
  });

  it("contains the text only in its modules", () => {
    expect(renderSvg(codeOf('<script>"&]]>'))).toMatch(
      /^<svg [^<>]*><path fill="#fff" d="[Mhvz0-9 -]*"\/><path fill="#000" d="[Mhvz0-9 -]*"\/><\/svg>$/,
    );
  });

  it("stays black and white in a smaller size with fractional pixels per module", () => {
    const code = codeOf("https://example.com/?q=1");
    const image = rasterOfSvg(renderSvg(code, { ...DEFAULT_IMAGE, size: 131 }));
    const colors = new Set<string>();
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        colors.add(colorAt(image, x, y));
      }
    }
    expect([...colors].sort()).toEqual([BLACK, WHITE]);
    expect(readQrCode(image)).toBe("https://example.com/?q=1");
  });
});

describe("outline", () => {
  it.each([
    ["no dark module", pattern("..", ".."), 0, ""],
    ["one", pattern("#"), 0, "M0 0h1v1h-1z"],
    ["one, moved", pattern("#"), 4, "M4 4h1v1h-1z"],
    ["a row", pattern("..", "##"), 0, "M0 1h2v1h-2z"],
    ["a step", pattern("#.", "##"), 0, "M0 0h1v1h1v1h-2z"],
    ["two that touch at a corner, which stay apart", pattern("#.", ".#"), 0, "M0 0h1v1h-1zM1 1h1v1h-1z"],
    [
      "a ring, whose hole is traced the other way",
      pattern("###", "#.#", "###"),
      0,
      "M0 0h3v3h-3zM1 2h1v-1h-1z",
    ],
  ])("of %s", (_, code, offset, path) => {
    expect(outline(code, offset)).toBe(path);
  });
});
