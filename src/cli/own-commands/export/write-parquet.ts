import { gzipSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { packageVersion } from "../../../installed-package.js";
import { type IpAddress, mappedBytes } from "../../../text/ip-address.js";
import type { Sink } from "../../output/sinks.js";
import { type CellValue, type ColumnType, type ExportColumn, licenseNotice, type Table } from "./table.js";

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

/** The rows in a group. Engines read groups at the same time, and skip those whose ranges of values do not fit. */
const GROUP = 20_000;

/** The types of columns. https://github.com/apache/parquet-format/blob/master/LogicalTypes.md */
const ELEMENTS: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  address: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 },
  uint32: { type: "INT32", converted_type: "UINT_32" },
  double: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
};

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
  const filling = columns.map((column) => ({ ...column, data: [] as StoredValue[] }));
  const writeGroup = async (): Promise<void> => {
    await parquet.write({ columnData: filling.map(sourceOf), rowGroupSize: GROUP });
    for (const column of filling) {
      column.data = [];
    }
    await flush();
  };
  let length = 0;
  for (const row of rows) {
    for (const { of, data } of filling) {
      data.push(storedValue(of(row)));
    }
    if (++length % GROUP === 0) {
      await writeGroup();
    }
  }
  await writeGroup();
  await parquet.finish();
  await flush();
}

type StoredValue = Exclude<CellValue, IpAddress> | Uint8Array;

function storedValue(value: CellValue): StoredValue {
  return typeof value === "object" ? mappedBytes(value) : value;
}

function elementOf({ name, type, isOptional = false }: ExportColumn<never>): SchemaElement {
  return { name, ...ELEMENTS[type], repetition_type: isOptional ? "OPTIONAL" : "REQUIRED" };
}

/** The ranges of texts are of no use: addresses are not in the order of their texts. */
function sourceOf({
  name,
  type,
  isDistinct,
  data,
}: ExportColumn<never> & { readonly data: unknown[] }): ColumnSource {
  return { name, data, statistics: type !== "text", ...(isDistinct && { encoding: "PLAIN" }) };
}
