import { formatCsvRow } from "../../../text/csv.js";
import { addressText } from "../../../text/ip-address.js";
import type { Sink } from "../../output/sinks.js";
import type { CellValue, Table } from "./table.js";

/** The characters that are written at once. */
const CHUNK = 65_536;

/** Writes a table as CSV (RFC 4180, with line feeds) with a header. An unknown value is an empty field. Rejects as {@link Sink} does. */
export async function writeCsv<T>({ columns, rows }: Table<T>, sink: Sink): Promise<void> {
  let text = `${formatCsvRow(columns.map(({ name }) => name))}\n`;
  for (const row of rows) {
    text += `${formatCsvRow(columns.map(({ of }) => fieldOf(of(row))))}\n`;
    if (text.length > CHUNK) {
      await sink.write(text);
      text = "";
    }
  }
  await sink.write(text);
}

function fieldOf(value: CellValue): string {
  return typeof value === "object" ? addressText(value.bytes) : String(value ?? "");
}
