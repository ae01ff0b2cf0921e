import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** A color: red, green, blue and alpha, 0 to 255 each. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

export const BLACK: Color = [0, 0, 0, 255];
export const WHITE: Color = [255, 255, 255, 255];

/** The colors of the modules of a code. */
export interface Colors {
  readonly foreground: Color;
  readonly background: Color;
}

/**
 * The lowest contrast, as the ratio of WCAG. Below it, the adaptive thresholds of ZXing and jsQR take large dark modules for light
 * ones.
 */
const MIN_CONTRAST = 4;

/**
 * Parses a color in hexadecimal: 3, 4, 6 or 8 digits, with or without `#`, as in CSS. "" is the default.
 * https://www.w3.org/TR/css-color-4/#hex-notation
 */
export function parseColor(text: string, byDefault: Color): Result<Color, Failure<"INVALID_COLOR">> {
  if (text === "") {
    return ok(byDefault);
  }
  const [, digits = ""] = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text) ?? [];
  const channels = digits.length < 6 ? digits.replaceAll(/./g, "$&$&") : digits;
  const [red, green, blue, alpha = 255] = (channels.match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  );
  return red === undefined || green === undefined || blue === undefined
    ? fail("INVALID_COLOR", "must be 3, 4, 6 or 8 hexadecimal digits, for example 1a4d8f")
    : ok([red, green, blue, alpha]);
}

/**
 * Checks that scanners can tell the colors of a code apart: the foreground is darker, with a contrast of at least 4:1. Many scanners
 * do not read light codes on a dark background. A background that is not opaque is taken to be on white.
 */
export function checkContrast(colors: Colors): Result<Colors, Failure<"CONTRAST_TOO_LOW" | "LIGHT_ON_DARK">> {
  const background = over(colors.background, WHITE);
  const [dark, light] = [luminance(over(colors.foreground, background)), luminance(background)];
  if (dark > light) {
    return fail("LIGHT_ON_DARK", "must be darker than the background, because many scanners require it");
  }
  const contrast = (light + 0.05) / (dark + 0.05);
  // Rounded down, so that a ratio that is too low does not look like the minimum.
  const shown = Math.floor(100 * contrast) / 100;
  return contrast < MIN_CONTRAST
    ? fail(
        "CONTRAST_TOO_LOW",
        `must have a contrast of at least ${MIN_CONTRAST}:1 with the background, has ${shown}:1`,
      )
    : ok(colors);
}

/** Composes a color with the one below it: the operator "over" of Porter and Duff. https://www.w3.org/TR/compositing-1/ */
export function over([red, green, blue, alpha]: Color, below: Color): Color {
  const above = alpha / 255;
  const under = (below[3] / 255) * (1 - above);
  const total = above + under;
  const mix = (one: number, other: number) =>
    total === 0 ? 0 : Math.round((one * above + other * under) / total);
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), Math.round(255 * total)];
}

/** The relative luminance of an opaque color, 0 to 1. https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance([red, green, blue]: Color): number {
  const linear = (channel: number) =>
    channel <= 0.04045 * 255 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
