import { gzipSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { packageVersion } from "../../../installed-package.js";
import { mappedBytes } from "../../../text/ip-address.js";
import type { Sink } from "../../output/sinks.js";
import { type CellValue, type ColumnType, type ExportColumn, licenseNotice, type Table } from "./table.js";

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

/** The rows in a group. Engines read groups at the same time, and skip those whose ranges of values do not fit. */
const GROUP = 10_000;

/** The types of columns. https://github.com/apache/parquet-format/blob/master/LogicalTypes.md */
const ELEMENTS: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  addresses: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  address: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 },
  ipv4: { type: "INT32", converted_type: "UINT_32" },
  uint32: { type: "INT32", converted_type: "UINT_32" },
  double: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
};

/** The types whose values nearly all differ, so that a dictionary would be longer. */
const DISTINCT: ReadonlySet<ColumnType> = new Set(["address", "addresses", "ipv4"]);

/**
 * Writes a table as Parquet, with the license notice under the key `license`. Holds one group of rows in memory. Rejects as {@link Sink} does.
 */
export async function writeParquet<T>({ columns, rows, sources }: Table<T>, sink: Sink): Promise<void> {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(elementOf)],
    codec: "GZIP",
    compressors: { GZIP: (bytes) => gzipSync(bytes, { level: 1 }) },
    kvMetadata: [{ key: "license", value: licenseNotice(sources) }],
    createdBy: `utility-tools version ${packageVersion()}`,
  });
  const flush = async (): Promise<void> => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    await sink.write(bytes);
  };
  const columnData = columns.map(bufferOf);
  const writeGroup = async (): Promise<void> => {
    await parquet.write({ columnData, rowGroupSize: GROUP });
    for (const column of columnData) {
      column.clear();
    }
    await flush();
  };
  let length = 0;
  for (const row of rows) {
    for (const column of columnData) {
      column.add(row);
    }
    if (++length % GROUP === 0) {
      await writeGroup();
    }
  }
  if (length % GROUP !== 0) {
    await writeGroup();
  }
  await parquet.finish();
  await flush();
}

function elementOf({ name, type }: ExportColumn<never>): SchemaElement {
  return { name, ...ELEMENTS[type], repetition_type: type === "address" ? "REQUIRED" : "OPTIONAL" };
}

/** The values of a column in a group. */
interface ColumnBuffer<T> extends ColumnSource {
  readonly add: (row: T) => void;
  readonly clear: () => void;
}

/** Creates the buffer of a column. The ranges of values are of use only in columns that have the order of the rows. */
function bufferOf<T>({ name, type, of }: ExportColumn<T>): ColumnBuffer<T> {
  const statistics = type === "address" || type === "ipv4";
  const options = { name, statistics, ...(DISTINCT.has(type) && { encoding: "PLAIN" as const }) };
  if (type === "address" || type === "addresses") {
    return bytesBuffer(options, of);
  }
  const data: CellValue[] = [];
  const add = (row: T): void => {
    const value = of(row);
    data.push(value === "" ? undefined : value);
  };
  return { ...options, data, add, clear: () => data.splice(0) };
}

/** Creates the buffer of addresses, which has their bytes in one piece: objects that live as long as a group take half the time of an export. */
function bytesBuffer<T>(options: Omit<ColumnSource, "data">, of: (row: T) => CellValue): ColumnBuffer<T> {
  let bytes = Buffer.alloc(65_536);
  let end = 0;
  const ends: number[] = [];
  return {
    ...options,
    get data() {
      return ends.map((each, index) => bytes.subarray(ends[index - 1] ?? 0, each));
    },
    add(row) {
      const value = of(row);
      const cell = typeof value === "object" ? mappedBytes(value) : String(value);
      if (end + cell.length > bytes.length) {
        bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length + cell.length)]);
      }
      if (typeof cell === "string") {
        bytes.write(cell, end, "latin1");
      } else {
        bytes.set(cell, end);
      }
      end += cell.length;
      ends.push(end);
    },
    clear() {
      end = 0;
      ends.length = 0;
    },
  };
}
