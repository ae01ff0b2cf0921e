import { type Comments, commentOn, fieldDocsOf, firstSentence } from "connect-transcoding/openapi";
import { COMMANDS } from "../service/config/commands.js";
import { type Entry, entryLines } from "../service/config/entry-lines.js";
import { wrap } from "../service/config/wrap.js";
import type { ToolCommand } from "./command.js";
import { COMMON_FLAGS } from "./common-flags.js";
import { placeholderOf } from "./derive-commands.js";
import { EXIT_MEANINGS } from "./exit-status.js";
import type { Flag } from "./flag.js";
import { isSecret } from "./is-secret.js";
import { answersWithOctets } from "./operands.js";

/** The widest that help is, in characters. */
const MAX_WIDTH = 100;

/** What help needs to know beside commands. */
export interface HelpOptions {
  readonly comments: Comments;
  /** Columns of the terminal; undefined where there is none. */
  readonly width: number | undefined;
}

const COMPLETION: Entry = {
  name: "completion SHELL",
  says: ["writes what completes commands and flags in bash, zsh or fish"],
};

/** The help of the program: all of its commands. */
export function programHelp(commands: readonly ToolCommand[], options: HelpOptions): string {
  const width = widthOf(options);
  const tools = commands.map((command) => ({ name: usageOf(command), says: [summaryOf(command, options)] }));
  const others = COMMANDS.map(({ name, operands, meaning }) => ({
    name: [name, ...operands].join(" "),
    says: [meaning],
  }));
  return [
    "Usage: utility-tools COMMAND [FLAG…] [ARGUMENT…]",
    "",
    "Tools:",
    ...listed(tools, width),
    "",
    "The service:",
    ...listed([...others, COMPLETION], width),
    "",
    ...wrap("COMMAND --help tells all of a command; serve --help lists the settings of the service.", width),
    "",
    ...common(width, [COMMON_FLAGS.help, COMMON_FLAGS.version]),
  ].join("\n");
}

/** The help of several commands that begin with one word. */
export function groupHelp(commands: readonly ToolCommand[], options: HelpOptions): string {
  const entries = commands.map((command) => ({
    name: usageOf(command),
    says: [summaryOf(command, options)],
  }));
  return ["Usage: utility-tools COMMAND [FLAG…] [ARGUMENT…]", "", ...listed(entries, widthOf(options))].join(
    "\n",
  );
}

/** The help of one command. */
export function commandHelp(command: ToolCommand, options: HelpOptions): string {
  const { operand, method } = command;
  const width = widthOf(options);
  const paragraphs = commentOn(method, options.comments).split("\n\n");
  const operands: Entry[] =
    operand === undefined
      ? []
      : [
          {
            name: placeholderOf(operand),
            says: [plain(commentOn(operand, options.comments)), ...inputNotes(command)],
          },
        ];
  const own = [...command.fields].map(([flag, field]) => {
    const { defaultValue } = fieldDocsOf(field);
    const says = [plain(flag.meaning)];
    if (flag.choices !== undefined) {
      says.push(
        `One of ${flag.choices.join(", ")}.${defaultValue === "" ? "" : ` Default: ${defaultValue}.`}`,
      );
    }
    return { name: nameOf(flag), says };
  });
  const status = EXIT_MEANINGS.map(([number, meaning]) => ({ name: String(number), says: [meaning] }));
  return [
    `Usage: utility-tools ${usageOf(command)}`,
    "",
    ...paragraphs.flatMap((paragraph) => wrap(plain(paragraph), width)),
    ...section("Arguments", operands, width),
    ...section("Flags", own, width),
    ...section("Flags of every tool", Object.values(COMMON_FLAGS).map(flagEntry), width),
    "",
    ...wrap(
      "Answers are worked out on this machine, with the settings for data that the service has in the environment, " +
        "unless --url names a service. A terminal gets text for people; anything else gets it with tabs in place of " +
        "alignment; programs do best with --json.",
      width,
    ),
    ...section("Exit status", status, width),
  ].join("\n");
}

/** How a command is called: `otp verify [FLAG…] SECRET…`. */
function usageOf(command: ToolCommand): string {
  const { name, operand, fields, withoutOperand } = command;
  const flags = fields.size > 0 ? " [FLAG…]" : "";
  const many = answersWithOctets(command) ? "" : "…";
  const word = operand === undefined ? "" : ` ${placeholderOf(operand)}${many}`;
  return `${name}${flags}${withoutOperand === undefined ? word : ` [${word.trim()}]`}`;
}

/** The first sentence of what a method says of itself. */
export function summaryOf({ method }: ToolCommand, { comments }: HelpOptions): string {
  const sentence = plain(firstSentence(commentOn(method, comments)));
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

function inputNotes({ withoutOperand, operand }: ToolCommand): string[] {
  return [
    withoutOperand === undefined
      ? "Without any, each line of standard input is one; so is what stands for `-`. Blank lines are skipped.".replaceAll(
          "`",
          "",
        )
      : "- stands for the lines of standard input.",
    ...(isSecret(operand) ? ["Other users of this machine can see arguments: standard input is safer."] : []),
  ];
}

function common(width: number, flags: readonly Flag[]): string[] {
  return ["Flags:", ...listed(flags.map(flagEntry), width)];
}

function section(title: string, entries: readonly Entry[], width: number): string[] {
  return entries.length === 0 ? [] : ["", `${title}:`, ...listed(entries, width)];
}

function flagEntry(flag: Flag): Entry {
  return { name: nameOf(flag), says: [flag.meaning] };
}

function nameOf({ name, short, placeholder }: Flag): string {
  const full = placeholder === undefined ? name : `${name} ${placeholder}`;
  return short === undefined ? full : `${short}, ${full}`;
}

/** A text in CommonMark without its code spans. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}

function widthOf({ width = 80 }: HelpOptions): number {
  return Math.max(40, Math.min(width, MAX_WIDTH));
}

/** The names of entries that are longer than this have their texts below them. */
const MAX_COLUMN = 30;

/** The lines of entries, in a column that the shorter names leave room for. */
function listed(entries: readonly Entry[], width: number): string[] {
  const lengths = entries.map(({ name }) => name.length + 4).filter((length) => length <= MAX_COLUMN);
  return entryLines(entries, Math.max(12, ...lengths), width);
}
