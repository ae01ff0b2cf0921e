import { writeColumns } from "../../../../data/build/cities/write-columns.js";
import { convertColumns } from "../../../../scripts/convert-columns.mjs";
import { mmdbBytes } from "../test-databases.js";

/** A record in the shape of DB-IP's file. */
export const dbIpRecord = (code: string, region = "A", city = "B", latitude = 1, longitude = 2) => ({
  country: { iso_code: code },
  subdivisions: [{ names: { en: region } }],
  city: { names: { en: city } },
  location: { latitude, longitude },
});

/** Returns a database in columns, as it is installed, with records in the shape of DB-IP's file. */
export function columnsBytes(records: Parameters<typeof mmdbBytes>[0]): Buffer {
  return convertColumns(writeColumns(mmdbBytes(records)));
}

/** Returns the header of a database in columns, and where each part starts. */
export function partsOf(file: Buffer) {
  const end = 12 + file.readUInt32LE(8);
  const header: { readonly parts: readonly (readonly [name: string, length: number])[] } = JSON.parse(
    file.toString("utf8", 12, end),
  );
  let start = end;
  const starts = new Map(
    header.parts.map(([name, length]) => {
      start += length;
      return [name, start - length] as const;
    }),
  );
  return { header, starts, lengths: new Map(header.parts) };
}

/** Returns a copy of a database whose header has other members. */
export function withHeader(file: Buffer, changes: Readonly<Record<string, unknown>>): Buffer {
  const text = Buffer.from(JSON.stringify({ ...partsOf(file).header, ...changes }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([file.subarray(0, 8), length, text, file.subarray(12 + file.readUInt32LE(8))]);
}

/** Returns a copy of a database with other words at the start of a part, from a position on. */
export function withWords(file: Buffer, part: string, position: number, ...words: readonly number[]): Buffer {
  const copy = Buffer.from(file);
  const start = partsOf(file).starts.get(part);
  if (start === undefined) {
    throw new Error(`no part ${part}`);
  }
  for (const [index, word] of words.entries()) {
    copy.writeUInt32LE(word, start + position + 4 * index);
  }
  return copy;
}
