import { type BlockSource, DamagedData } from "../block-source.js";
import type { Part } from "./columns-parts.js";
import { MAX_VARINT, numberAt, numberEnd } from "./varints.js";

/** Coordinates are stored in these parts of a degree. */
export const PER_DEGREE = 10_000;

/** The locations in a block. */
const LOCATIONS_PER_BLOCK = 16;
/** The numbers of a location: country, region and city, which are strings, latitude and longitude. */
const COLUMNS = 5;
const MAX_BLOCK = LOCATIONS_PER_BLOCK * COLUMNS * MAX_VARINT;

/** More than a string has, in bytes. */
const MAX_STRING = 1_024;

/** The record of a location, in the flat shape that `records.ts` reads. The strings are decoded when they are read. */
export interface LocationRecord {
  readonly country_code: string;
  readonly state1: string;
  readonly city: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** Returns a function that reads the record of one of `count` locations. Both, and the members of the record, throw {@link DamagedData}. */
export function locationReader(
  source: BlockSource,
  part: (name: string) => Part,
  count: number,
): (id: number) => LocationRecord {
  const [index, blocks] = [part("location-index"), part("location-blocks")];
  const [ends, strings] = [part("string-ends"), part("strings")];
  const { bytes, view } = source;
  if (index.length !== 4 * (Math.ceil(count / LOCATIONS_PER_BLOCK) + 1)) {
    throw new DamagedData("its locations have a wrong length");
  }

  function text(string: number): string {
    const entry = ends.at(4 * string, 8);
    const start = view.getUint32(entry, true);
    const length = view.getUint32(entry + 4, true) - start;
    if (length > MAX_STRING) {
      throw new DamagedData("a string in it is too long");
    }
    const at = strings.at(start, length);
    return bytes.toString("utf8", at, at + length);
  }

  return (id) => {
    if (id >= count) {
      throw new DamagedData("a location is missing");
    }
    const entry = index.at(4 * Math.floor(id / LOCATIONS_PER_BLOCK), 8);
    const position = view.getUint32(entry, true);
    const length = view.getUint32(entry + 4, true) - position;
    if (length > MAX_BLOCK) {
      throw new DamagedData("a block in it is too long");
    }
    let at = blocks.at(position, length);
    const end = at + length;
    const row = [0, 0, 0, 0, 0];
    for (let rows = id % LOCATIONS_PER_BLOCK; rows >= 0; rows--) {
      for (let column = 0; column < COLUMNS; column++) {
        row[column] = ((row[column] ?? 0) + numberAt(bytes, at)) | 0;
        at = numberEnd(bytes, at);
      }
    }
    if (at > end) {
      throw new DamagedData("a block in it is too short");
    }
    const [country = 0, region = 0, city = 0, latitude = 0, longitude = 0] = row;
    return {
      country_code: text(country),
      get state1() {
        return text(region);
      },
      get city() {
        return text(city);
      },
      latitude: latitude / PER_DEGREE,
      longitude: longitude / PER_DEGREE,
    };
  };
}
