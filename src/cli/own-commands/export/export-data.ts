import type { Command } from "commander";
import { readConfig } from "../../../config/read-config.js";
import { EXIT, type ExitStatus } from "../../../failures/exit-status.js";
import { DamagedData } from "../../../tools/geoip/databases/block-source.js";
import { reporterOf } from "../../failures.js";
import { replaceWhenWritten } from "../../output/replaced-file.js";
import type { OutputStream } from "../../output/sinks.js";
import type { ProcessContext } from "../../run.js";
import { licenseNotice, type Table } from "./table.js";
import { EXPORTS } from "./tables.js";

/**
 * Runs `export` with the arguments that commander has parsed. Resolves to the exit status. Throws a `CommanderError` for invalid
 * arguments, after commander has printed it, and a `StreamError` if the output cannot be written.
 */
export async function exportData(
  name: keyof typeof EXPORTS,
  command: Command,
  context: ProcessContext,
): Promise<ExitStatus> {
  const { env, out: standard } = context;
  const { format, output } = command.opts<{ format?: string; output?: string }>();
  if (format !== "parquet" && format !== "csv") {
    return command.error("needs --format parquet or --format csv");
  }
  if (format === "parquet" && output === undefined && standard.isTerminal) {
    return command.error("a terminal cannot show Parquet: write it to a file with --output FILE or > FILE");
  }
  const report = reporterOf(`export ${name}`, context);
  const config = readConfig(env);
  if (!config.ok) {
    await report(config.failure.description);
    return EXIT.config;
  }
  const writeTo = async <T>({ sink }: OutputStream, table: Table<T>): Promise<void> => {
    if (format === "csv") {
      const { writeCsv } = await import("./write-csv.js");
      await writeCsv(table, sink);
      await context.err.sink.write(licenseNotice(table.sources));
    } else {
      const { writeParquet } = await import("./write-parquet.js");
      await writeParquet(table, sink);
    }
  };
  try {
    const exported = await EXPORTS[name](
      config.value,
      (table) =>
        output === undefined
          ? writeTo(standard, table)
          : replaceWhenWritten(output, (file) => writeTo(file, table)),
      report,
    );
    if (exported.ok) {
      return EXIT.ok;
    }
    await report(exported.failure.description);
  } catch (thrown) {
    if (!(thrown instanceof DamagedData)) {
      throw thrown;
    }
    await report(thrown.message);
  }
  return EXIT.unavailable;
}
