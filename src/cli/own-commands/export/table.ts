import type { AddressBytes } from "../../../text/ip-address.js";
import type { DataSource } from "../../../tools/tool.js";

/**
 * What a column has. An `address` is text in CSV, and 16 bytes in Parquet, so that all addresses have one order; `addresses` is a text of them,
 * and `ipv4` a number.
 */
export type ColumnType = "text" | "address" | "addresses" | "ipv4" | "uint32" | "double" | "boolean";

/** A value of a column; undefined or an empty text if it is unknown. */
export type CellValue = string | number | boolean | AddressBytes | undefined;

/** A column of a table whose rows are made of values of type T. */
export interface ExportColumn<T> {
  readonly name: string;
  readonly type: ColumnType;
  readonly of: (row: T) => CellValue;
}

/** An exported table. */
export interface Table<T> {
  readonly columns: readonly ExportColumn<T>[];
  /** Read once. */
  readonly rows: Iterable<T>;
  readonly sources: readonly DataSource[];
}

/** Returns the sources of a table with their licenses, one per line. */
export function licenseNotice(sources: readonly DataSource[]): string {
  return sources
    .map(({ name, publisher, url, license, attribution, version, builtAt }) => {
      const edition = version || builtAt?.toISOString().slice(0, 10) || "";
      const parts = [publisher, edition, license, attribution || url].filter((part) => part !== "");
      return `${name}: ${parts.join(", ")}\n`;
    })
    .join("");
}
