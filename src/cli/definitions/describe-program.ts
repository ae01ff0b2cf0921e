import type { Command, Option } from "commander";
import { choicesOf, flagName, type ToolCommand } from "../commands.js";
import { allCommands, fullName, operandTerm } from "../root.js";

/** A flag of a command. */
export interface FlagDefinition {
  /** All names: `-f`, `--file`. */
  readonly names: readonly string[];
  /** The placeholder of the value; undefined: the flag takes none. */
  readonly value: string | undefined;
  readonly description: string;
  /** The heading in the help; empty for that of all others. */
  readonly group: string;
  /** The allowed values; empty if there is no list of them. */
  readonly choices: readonly string[];
}

/** An argument of a command. */
export interface OperandDefinition {
  /** As in the usage: `[COUNTRY...]`. */
  readonly term: string;
  readonly description: string;
  /** The allowed values; empty if there is no list of them. */
  readonly choices: readonly string[];
}

/** A command that can be run. */
export interface CommandDefinition {
  /** The words of the command: `otp generate`. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** The heading in the help of the program, with a colon. */
  readonly group: string;
  readonly operands: readonly OperandDefinition[];
  readonly flags: readonly FlagDefinition[];
}

/** The program with all commands that can be run, in the order of its help. */
export interface ProgramDefinition {
  readonly version: string;
  readonly description: string;
  readonly flags: readonly FlagDefinition[];
  readonly commands: readonly CommandDefinition[];
}

/** What a program consists of, besides what commander knows. */
export interface ProgramParts {
  readonly version: string;
  readonly runnable: ReadonlySet<Command>;
  readonly tools: readonly ToolCommand[];
}

/** Describes a program for its documents and for completion in a shell. */
export function describeProgram(
  program: Command,
  { version, runnable, tools }: ProgramParts,
): ProgramDefinition {
  const commands = allCommands(program.commands).filter((each) => runnable.has(each));
  return {
    version,
    description: program.description(),
    flags: flagsOf(program, new Map()),
    commands: commands.map((command) => {
      const name = fullName(command);
      const fields = tools.find((tool) => tool.name === name)?.fields ?? [];
      return {
        name,
        summary: command.summary(),
        description: command.description(),
        group: command.helpGroup(),
        operands: command.registeredArguments.map((each) => ({
          term: operandTerm(each),
          description: each.description,
          choices: each.argChoices ?? [],
        })),
        flags: flagsOf(
          command,
          new Map(fields.map((field) => [flagName(field.name), choicesOf(field)] as const)),
        ),
      };
    }),
  };
}

function flagsOf(command: Command, choices: ReadonlyMap<string, readonly string[]>): FlagDefinition[] {
  const visible: readonly Option[] = command.createHelp().visibleOptions(command);
  return visible.map((option) => ({
    names: [option.short, option.long].filter((name) => name !== undefined),
    value: /<(.+)>/.exec(option.flags)?.[1],
    description: option.description,
    group: option.helpGroupHeading ?? "",
    choices: choices.get(option.long ?? "") ?? option.argChoices ?? [],
  }));
}
