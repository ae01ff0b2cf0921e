// Small gray pictures of pages, and how much two of them differ.
import { PNG } from "pngjs";

/** How much smaller pictures are than the page. */
const SCALE = 6;

/** The side of the blocks that are compared, in pixels of the small picture. */
const BLOCK = 3;

/** From this difference of their mean gray on, of 255, two blocks differ. */
const DIFFERENT = 16;

/** A gray picture. */
const gray = (width, height) => ({ width, height, data: new Uint8Array(width * height).fill(128) });

/** Returns a screenshot in gray, SCALE times smaller. */
export function shrink(screenshot) {
  const page = PNG.sync.read(screenshot);
  const small = gray(Math.floor(page.width / SCALE), Math.floor(page.height / SCALE));
  for (let y = 0; y < small.height; y++) {
    for (let x = 0; x < small.width; x++) {
      let sum = 0;
      for (let row = y * SCALE; row < (y + 1) * SCALE; row++) {
        for (let at = 4 * (row * page.width + x * SCALE), end = at + 4 * SCALE; at < end; at += 4) {
          sum += 0.3 * page.data[at] + 0.59 * page.data[at + 1] + 0.11 * page.data[at + 2];
        }
      }
      small.data[y * small.width + x] = sum / SCALE ** 2;
    }
  }
  return small;
}

/** Puts pictures side by side. */
export function sideBySide(pictures) {
  const sheet = gray(
    pictures.reduce((sum, { width }) => sum + width, 0),
    Math.max(...pictures.map(({ height }) => height)),
  );
  let left = 0;
  for (const { width, height, data } of pictures) {
    for (let y = 0; y < height; y++) {
      sheet.data.set(data.subarray(y * width, (y + 1) * width), y * sheet.width + left);
    }
    left += width;
  }
  return sheet;
}

/** Returns a picture as the bytes of a PNG. */
export function toPng({ width, height, data }) {
  const png = new PNG({ width, height, colorType: 0, inputColorType: 0, deflateLevel: 9 });
  png.data = Buffer.from(data);
  return PNG.sync.write(png, { colorType: 0, inputColorType: 0, deflateLevel: 9 });
}

/** Returns the picture in the bytes of a PNG. */
export function fromPng(bytes) {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, data: Uint8Array.from({ length: width * height }, (_, index) => data[4 * index]) };
}

/** Returns the share of the blocks that differ, from 0 to 1. Pictures of another size differ as a whole. */
export function difference(one, other) {
  if (one.width !== other.width || one.height !== other.height) {
    return 1;
  }
  const means = [one, other].map(blockMeans);
  const count = means[0].filter((mean, index) => Math.abs(mean - means[1][index]) >= DIFFERENT).length;
  return count / means[0].length;
}

function blockMeans({ width, height, data }) {
  const columns = Math.floor(width / BLOCK);
  return Array.from({ length: columns * Math.floor(height / BLOCK) }, (_, index) => {
    const [left, top] = [(index % columns) * BLOCK, Math.floor(index / columns) * BLOCK];
    let sum = 0;
    for (let y = top; y < top + BLOCK; y++) {
      for (let x = left; x < left + BLOCK; x++) {
        sum += data[y * width + x];
      }
    }
    return sum / BLOCK ** 2;
  });
}
