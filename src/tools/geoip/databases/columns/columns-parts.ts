import { type BlockSource, DamagedData } from "../block-source.js";

/** The first bytes of a database in columns. The length of the header follows, 32 bits, little-endian, then the header. */
const COLUMNS_MAGIC = "UTCOLS4\n";

/** The bytes at the start of a database that say its format. */
export const MAGIC_LENGTH = COLUMNS_MAGIC.length;

/** Whether the first bytes of a file are those of a database in columns, also in another version of the format. */
export function areColumns(start: Buffer): boolean {
  return start.toString("latin1", 0, MAGIC_LENGTH).startsWith("UTCOLS");
}

/** The header of a database in columns, as JSON. `data/README.md` describes the parts. */
export interface ColumnsHeader {
  readonly databaseType: string;
  readonly description: string;
  /** The build date in ISO 8601. */
  readonly builtAt: string;
  readonly locations: number;
  /** The parts in the order of the file, and their lengths in bytes. */
  readonly parts: readonly (readonly [name: string, length: number])[];
}

/** A part of a database. */
export interface Part {
  /** Its length in bytes. */
  readonly length: number;
  /**
   * Makes bytes of the part available, as {@link BlockSource.at} does. Throws {@link DamagedData} if the part does not have them.
   */
  readonly at: (position: number, length: number) => number;
}

/** More than a header has, in bytes. */
const MAX_HEADER = 16_384;

/** Reads the header, and checks that the file has its parts. Throws {@link DamagedData} if it does not. */
export function readHeader(source: BlockSource) {
  const { size } = source;
  const start = MAGIC_LENGTH + 4;
  if (size < start) {
    throw new DamagedData("it is truncated");
  }
  const { bytes, view } = source;
  let at = source.at(0, start);
  const magic = bytes.toString("latin1", at, at + MAGIC_LENGTH);
  if (magic !== COLUMNS_MAGIC) {
    throw new DamagedData(`its format is ${magic.trim()} instead of ${COLUMNS_MAGIC.trim()}`);
  }
  const length = view.getUint32(at + MAGIC_LENGTH, true);
  if (length > MAX_HEADER || start + length > size) {
    throw new DamagedData("its header is too long");
  }
  at = source.at(start, length);
  const header = parseHeader(bytes.toString("utf8", at, at + length));
  const parts = new Map<string, Part>();
  let end = start + length;
  for (const [name, partLength] of header.parts) {
    parts.set(name, partOf(source, end, partLength));
    end += partLength;
  }
  if (end !== size) {
    throw new DamagedData(`it has ${size} bytes instead of ${end}`);
  }
  const part = (name: string): Part => {
    const found = parts.get(name);
    if (found === undefined) {
      throw new DamagedData(`it has no part ${name}`);
    }
    return found;
  };
  return { ...header, builtAt: new Date(header.builtAt), part };
}

function partOf(source: BlockSource, offset: number, length: number): Part {
  const { at } = source;
  return {
    length,
    at: (position, wanted) => {
      // Also false for NaN.
      if (!(position >= 0 && wanted >= 0 && position + wanted <= length)) {
        throw new DamagedData("a number in it is too large");
      }
      return at(offset + position, wanted);
    },
  };
}

/** Reads the text of a header. Throws {@link DamagedData} if it is invalid. */
export function parseHeader(text: string): ColumnsHeader {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    throw new DamagedData("its header is not JSON");
  }
  if (!isHeader(header)) {
    throw new DamagedData("its header is incomplete");
  }
  return header;
}

function isHeader(value: unknown): value is ColumnsHeader {
  const header = (value ?? {}) as Partial<Record<keyof ColumnsHeader, unknown>>;
  const { databaseType, description, builtAt, locations, parts } = header;
  return (
    [databaseType, description].every((text) => typeof text === "string") &&
    typeof builtAt === "string" &&
    !Number.isNaN(Date.parse(builtAt)) &&
    isCount(locations) &&
    Array.isArray(parts) &&
    parts.every((part) => Array.isArray(part) && typeof part[0] === "string" && isCount(part[1]))
  );
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
