import { type Argument, Command, Help, type Option } from "commander";
import { EXIT_MEANINGS } from "../failures/exit-status.js";
import { COMMON_FLAGS, HELP_FLAGS, VERSION_FLAGS } from "../program-flags.js";
import { isCommon } from "./common-flags.js";
import type { OutputStream, Sink } from "./output/sinks.js";
import { wrapToWidth } from "./output/terminal.js";

/** The headings of commands in the help of the program. */
export const TOOL_GROUP = "Tools:";
export const SERVICE_GROUP = "Service:";

/** What the help says of the flag for the version. */
export const VERSION_HELP = "show the version and exit";

const COMMON_FLAG_WIDTH = Math.max(...COMMON_FLAGS.map(([flag]) => flag.length));

/** What the help of the program says after its commands: the flags and rules that commands share. */
const PROGRAM_NOTES = [
  "",
  "Common flags:",
  ...COMMON_FLAGS.map(([flag, meaning]) => `  ${flag.padEnd(COMMON_FLAG_WIDTH)}  ${meaning}`),
  "",
  "Responses are computed on this machine, with the data settings of the service",
  "in the environment, unless --url names a service. Output is text for people on",
  "a terminal, and separated by tabs otherwise; use --json or --csv in programs.",
  "",
  "Exit status:",
  ...EXIT_MEANINGS.map(([status, meaning]) => `  ${String(status).padEnd(3)}  ${meaning}`),
].join("\n");

/** The program, and those of its commands that can be run, in the order of its help. The others are groups. */
export interface Program {
  readonly root: Command;
  readonly commands: readonly Command[];
  /** The full names of the services that commands call. */
  readonly services: ReadonlyMap<Command, string>;
}

/** The outputs of the program. */
export interface ProgramOutputs {
  readonly out: OutputStream;
  readonly err: OutputStream;
}

/** Creates the program without its commands. Its help lists those that are runnable. */
export function createRoot({ out, err }: ProgramOutputs, runnable: ReadonlySet<Command>): Command {
  const root = new Command("utility-tools")
    .description(
      "Everyday lookups. Without a command it runs the service. An IP address, an e-mail address, a country or a secret in " +
        "place of a command is looked up: utility-tools 8.8.8.8",
    )
    .enablePositionalOptions()
    .exitOverride()
    .helpOption(HELP_FLAGS, "show this help and exit")
    .configureHelp({
      visibleCommands: ({ commands }) => allCommands(commands).filter((each) => runnable.has(each)),
      formatHelp: (command, helper) => {
        const all = helper.visibleOptions(command);
        const shown = command.parent === null ? all : all.filter((flag) => !isCommon(flag));
        return new Help().formatHelp(command, Object.assign(helper, { visibleOptions: () => shown }));
      },
      subcommandTerm: headingOf,
      // The description of a field has its choices already.
      optionDescription: ({ description }) => description,
      // Beside the longest flags, descriptions have less than the default of 40 columns.
      minWidthToWrap: 20,
    })
    .addHelpText("after", PROGRAM_NOTES)
    .configureOutput({
      writeOut: writerOf(out.sink),
      writeErr: writerOf(err.sink),
      getOutHelpWidth: () => helpWidth(out.width),
      getErrHelpWidth: () => helpWidth(err.width),
    });
  addExamples(root, [
    "utility-tools 8.8.8.8",
    "utility-tools email --file addresses.txt",
    "utility-tools serve --port 8080",
  ]);
  return root;
}

/** Shows examples before the help of a command, and names its common flags after it. */
export function addExamples(command: Command, examples: readonly string[]): void {
  const lines = examples.map((each) => `  ${each}`);
  command.addHelpText("before", ["Examples:", ...lines, ""].join("\n")).addHelpText("after", () => {
    const names = flagsOf(command)
      .filter((flag) => isCommon(flag) && ![HELP_FLAGS, VERSION_FLAGS].includes(flag.flags))
      .map(({ long }) => long);
    return command.parent === null || names.length === 0
      ? ""
      : `\n${wrapToWidth(`Common flags, which utility-tools --help explains: ${names.join(" ")}`, 80).join("\n")}`;
  });
}

/** The words of a command, without the name of the program. */
export function fullName(command: Command): string {
  const words: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) {
    words.unshift(each.name());
  }
  return words.join(" ");
}

/** The name of a command with its arguments, as the help of the program lists it. */
export function headingOf(command: Command): string {
  return [fullName(command), ...command.registeredArguments.map(operandTerm)].join(" ");
}

/** The flags of a command, also those that its help leaves out. */
export function flagsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

/** All names of a flag: `-f`, `--file`. */
export function namesOf({ short, long }: Option): string[] {
  return [short, long].filter((name) => name !== undefined);
}

/** The placeholder of a flag's value; undefined: the flag takes none. */
export function placeholderIn({ flags }: Option): string | undefined {
  return /<(.+)>/.exec(flags)?.[1];
}

/** An argument as usage texts show it: `[COUNTRY...]`. */
export function operandTerm(operand: Argument): string {
  const name = operand.variadic ? `${operand.name()}...` : operand.name();
  return operand.required ? `<${name}>` : `[${name}]`;
}

/** Commands with all of their own commands. */
export function allCommands(commands: readonly Command[]): Command[] {
  return commands.flatMap((each) => [each, ...allCommands(each.commands)]);
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The maximum width of help, in columns. */
const MAX_HELP_WIDTH = 100;

function helpWidth(width = 80): number {
  return Math.max(40, Math.min(width, MAX_HELP_WIDTH));
}

/** Writes without waiting. An error is thrown when the sink ends. */
export function writerOf(sink: Sink): (text: string) => void {
  return (text) => void sink.write(text).catch(() => {});
}
