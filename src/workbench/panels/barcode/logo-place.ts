/** The share of the side of a code that a logo takes at most. */
const SHARE = 0.22;

/**
 * Returns the side of the square in the middle of a code that a logo takes with the light box around it, in modules. It is odd like the
 * side of a code, so that it covers whole modules.
 *
 * The modules below it can be read wrongly. In no version and no block of it are these more than half of the codewords that error
 * correction H repairs. What is left for dirt and reflections is more than all that L repairs (ISO/IEC 18004, tables 1 and 9).
 */
function logoSide(size: number): number {
  const side = Math.floor(SHARE * size);
  return side % 2 === 1 ? side : side - 1;
}

/** Where a logo is in the image of a code, in modules. */
export interface LogoPlace {
  /** The side of the image in pixels, and in modules. */
  readonly pixels: number;
  readonly modules: number;
  /** The first module of the box in both directions, and its side. */
  readonly start: number;
  readonly side: number;
  /** The color of the box: that of the light modules, but always opaque. */
  readonly ground: string;
}

/** The width of the light edge around a logo, in modules. */
export const LOGO_EDGE = 0.5;

/** An image of the service: its size, the ground, and the dark modules, of which the first one is in the corner of the code. */
const IMAGE =
  /^<svg [^>]*width="(\d+)" [^>]*viewBox="0 0 (\d+) \2"[^>]*><path fill="(#[\da-f]+)"[^>]*><path [^>]*d="M(\d+) \4/;

/**
 * Returns the place of a logo in the image of a code, an SVG of the service.
 *
 * @throws if it is another image
 */
export function logoPlace(svg: string): LogoPlace {
  const [, pixels, modules, ground, margin] = IMAGE.exec(svg) ?? [];
  if (ground === undefined) {
    throw new Error("this is no image of a code");
  }
  const side = logoSide(Number(modules) - 2 * Number(margin));
  return {
    pixels: Number(pixels),
    modules: Number(modules),
    start: (Number(modules) - side) / 2,
    side,
    ground,
  };
}

/**
 * Returns the image of a code with a logo in the middle, above a box in the color of the background.
 *
 * @param logo the `data:` URL of an image
 */
export function withLogo(svg: string, logo: string): string {
  const { start, side, ground } = logoPlace(svg);
  const [first, length] = [start + LOGO_EDGE, side - 2 * LOGO_EDGE];
  const box = `<path fill="${ground}" d="M${start} ${start}h${side}v${side}h-${side}z"/>`;
  // Programs for print know `href` only with its namespace.
  const image = `<image xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="${logo}" x="${first}" y="${first}" width="${length}" height="${length}"/>`;
  return svg.replace(/<\/svg>$/, `${box}${image}</svg>`);
}
