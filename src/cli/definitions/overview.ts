import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { VERSION_FLAGS } from "../../program-flags.js";
import { endOutputs, standardOutput } from "../output/sinks.js";
import { createRoot, fullName, operandTerm, type ProgramOutputs, VERSION_HELP } from "../root.js";

/** What the help of the program shows of a command. */
export type CommandSummary = ReturnType<typeof overviewOf>;

/**
 * What the help of the program shows of a command, as JSON.
 *
 * @param service the full name of the service that the command calls; undefined: it calls none
 */
export function overviewOf(command: Command, service?: string) {
  return {
    name: fullName(command),
    summary: command.summary(),
    group: command.helpGroup(),
    operands: command.registeredArguments.map(operandTerm),
    ...(service !== undefined && { service }),
  };
}

/** The file that a build writes beside the program. */
export const SUMMARIES_FILE = "commands.json";

/** Reads the file of a build; undefined without it. */
export function readSummaries(): readonly CommandSummary[] | undefined {
  try {
    return JSON.parse(readFileSync(join(import.meta.dirname, "..", SUMMARIES_FILE), "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Prints the help of the program from the file of a build: the commands themselves take ten times as long to load. Resolves to
 * the exit status, or to undefined without the file.
 */
export async function printOverview(): Promise<ExitStatus | undefined> {
  const summaries = readSummaries();
  if (summaries === undefined) {
    return undefined;
  }
  const out = standardOutput(process.stdout, "standard output");
  createOverview(summaries, { out, err: out }).outputHelp();
  return await endOutputs(EXIT.ok, out);
}

/** Creates the program with the names and summaries of its commands. */
export function createOverview(summaries: readonly CommandSummary[], outputs: ProgramOutputs): Command {
  const runnable = new Set<Command>();
  const root = createRoot(outputs, runnable).option(VERSION_FLAGS, VERSION_HELP);
  for (const { name, summary, group, operands } of summaries) {
    const command = new Command(name).summary(summary).helpGroup(group);
    for (const term of operands) {
      command.argument(term);
    }
    root.addCommand(command);
    runnable.add(command);
  }
  return root;
}
