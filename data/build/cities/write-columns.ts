import {
  BLOCK_SIZE,
  COLUMNS_MAGIC,
  type ColumnsHeader,
  MICRODEGREES,
} from "../../../src/tools/geoip/columns-reader.js";
import type { Cities, Place, Ranges } from "./read-ranges.js";

/** Writes a database in columns, which `openColumns` reads. Throws an Error for a value that the format cannot have. */
export function writeColumns({ metadata, four, six, longer, places }: Cities): Buffer {
  const columns = new Map<string, Buffer>();
  // Locations near each other get numbers near each other.
  const order = [0, ...places.keys()]
    .slice(0, 1)
    .concat([...places.keys()].slice(1).sort((a, b) => compare(places[a], places[b])));
  const rank = new Uint32Array(places.length);
  order.forEach((place, at) => {
    rank[place] = at;
  });
  const number = (id: number) => (id < 0 ? places.length - 1 - id : (rank[id] ?? 0));
  for (const [family, ranges] of [["4", four] as const, ["6", six] as const]) {
    for (const [name, column] of rangeColumns(ranges)) {
      columns.set(name + family, column);
    }
    const ids = ranges.ids.map(number);
    for (const shift of [16, 8, 0]) {
      columns.set(`ids${family}-${shift}`, Buffer.from(ids.map((id) => (id >>> shift) & 0xff)));
    }
  }
  let at = 0;
  columns.set("longer", words([0, ...longer.map(({ ids }) => (at += ids.length))]));
  columns.set("longerHigh", words(longer.flatMap(({ high }) => high)));
  columns.set("longerLow", words(longer.flatMap(({ low }) => low)));
  columns.set("longerIds", words(longer.flatMap(({ ids }) => ids.map(number))));
  for (const [name, column] of placeColumns(order.map((place) => places[place] ?? ["", "", "", 0, 0]))) {
    columns.set(name, column);
  }
  return fileOf(columns, {
    databaseType: metadata.databaseType,
    description: (metadata.description as unknown as { readonly en: string }).en,
    builtAt: metadata.buildEpoch.toISOString(),
  });
}

function compare(a: Place | undefined, b: Place | undefined): number {
  const at = a?.findIndex((value, index) => value !== b?.[index]) ?? 0;
  return (a?.[at] ?? 0) < (b?.[at] ?? 0) ? -1 : 1;
}

/** The starts: in an index for the first of each block, otherwise as the distance to the start before. */
function rangeColumns({ high, low }: Ranges): [name: string, column: Buffer][] {
  const zeros = Buffer.alloc(high.length);
  const rests: number[] = [];
  const blocks: { high: number[]; low: number[]; rest: number[] } = { high: [], low: [], rest: [] };
  for (let index = 0; index < high.length; index++) {
    const [upper, lower] = [high[index] ?? 0, low[index] ?? 0];
    if (index % BLOCK_SIZE === 0) {
      blocks.high.push(upper);
      blocks.low.push(lower);
      blocks.rest.push(rests.length);
      continue;
    }
    let distance = wide(upper, lower) - wide(high[index - 1] ?? 0, low[index - 1] ?? 0);
    let shift = 0;
    for (; (distance & 1n) === 0n; shift++) {
      distance >>= 1n;
    }
    zeros[index] = distance === 1n ? 64 + shift : shift;
    if (distance !== 1n) {
      pushVarint(rests, distance >> 1n);
    }
  }
  return [
    ["zeros", zeros],
    ["rests", Buffer.from(rests)],
    ["blockHigh", words(blocks.high)],
    ["blockLow", words(blocks.low)],
    ["blockRest", words(blocks.rest)],
  ];
}

function wide(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Appends a number in groups of 7 bits, the lowest first. The reader calculates with twice of it. */
function pushVarint(bytes: number[], value: bigint): void {
  if (value > BigInt(Number.MAX_SAFE_INTEGER) / 2n) {
    throw new Error(`the distance ${value} is too large`);
  }
  let rest = Number(value);
  for (; rest >= 128; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | 128);
  }
  bytes.push(rest);
}

/** The locations, in their order: those with one country, region and city share a place of three strings. */
function placeColumns(places: readonly Place[]): [name: string, column: Buffer][] {
  const strings = new Map([["", 0]]);
  const stringNumber = (text: string): number => {
    const known = strings.get(text) ?? strings.size;
    strings.set(text, known);
    return known;
  };
  const newPlaces = Buffer.alloc(places.length);
  const triples: number[] = [];
  let last: string | undefined;
  for (const [index, [country, region, city]] of places.entries()) {
    const key = [country, region, city].join("\n");
    if (key !== last) {
      triples.push(...[country, region, city].map(stringNumber));
      newPlaces[index] = 1;
      last = key;
    }
  }
  const texts = [...strings.keys()].map((text) => Buffer.from(text));
  if (texts.some(({ length }) => length > 255)) {
    throw new Error("a name has more than 255 bytes");
  }
  return [
    ["newPlaces", newPlaces],
    ["places", words(triples)],
    ...coordinateColumns(
      "latitude",
      places.map((place) => microdegrees(place[3])),
    ),
    ...coordinateColumns(
      "longitude",
      places.map((place) => microdegrees(place[4])),
    ),
    ["stringLengths", Buffer.from(texts.map(({ length }) => length))],
    ["strings", Buffer.concat(texts)],
  ];
}

/** The coordinates: four decimals as the distance to the one before, positive if even, and the rest in one byte. */
function coordinateColumns(name: string, values: readonly number[]): [name: string, column: Buffer][] {
  const distances: number[] = [];
  let before = 0;
  const rests = values.map((value) => {
    const rounded = Math.round(value / 100);
    const distance = rounded - before;
    pushVarint(distances, BigInt(distance < 0 ? -2 * distance - 1 : 2 * distance));
    before = rounded;
    return (value - 100 * rounded) & 0xff;
  });
  return [
    [`${name}s`, Buffer.from(distances)],
    [`${name}Rests`, Buffer.from(rests)],
  ];
}

/**
 * Rounds to millionths of a degree, which are 11 cm, so that the four decimals of responses are the same. Rounding twice can
 * differ.
 */
function microdegrees(degrees: number): number {
  const rounded = Math.round(degrees * MICRODEGREES);
  const value = [rounded, rounded - 1, rounded + 1].find(
    (each) => Math.round((each / MICRODEGREES) * 10_000) === Math.round(degrees * 10_000),
  );
  if (value === undefined) {
    throw new Error(`the coordinate ${degrees} cannot be rounded`);
  }
  return value;
}

/** Returns numbers of 32 bits, little-endian. */
function words(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) {
    bytes.writeInt32LE(number | 0, 4 * index);
  }
  return bytes;
}

function fileOf(columns: ReadonlyMap<string, Buffer>, metadata: Omit<ColumnsHeader, "columns">): Buffer {
  // The positions depend on the length of the header, which has a fixed length therefore.
  const headerLength = 2_036;
  let at = COLUMNS_MAGIC.length + 4 + headerLength;
  const parts: Buffer[] = [];
  const positions: Record<string, readonly [number, number]> = {};
  for (const [name, bytes] of columns) {
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    positions[name] = [at, bytes.length];
    parts.push(padded);
    at += padded.length;
  }
  const header = Buffer.from(JSON.stringify({ ...metadata, columns: positions }).padEnd(headerLength));
  if (header.length !== headerLength) {
    throw new Error(`the header has ${header.length} bytes`);
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headerLength);
  return Buffer.concat([Buffer.from(COLUMNS_MAGIC), length, header, ...parts]);
}
