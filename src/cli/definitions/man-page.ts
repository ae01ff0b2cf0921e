import { EXIT_MEANINGS } from "../../failures/exit-status.js";
import { SETTINGS } from "../../service/config/settings.js";
import type { CommandDefinition, FlagDefinition, ProgramDefinition } from "./describe-program.js";

/** A flag of this many commands or more is described once. */
const MIN_SHARED = 5;

/**
 * Writes the manual page of a program with the macros of mdoc(7), which both man-db and mandoc read.
 *
 * @param date the day of the release, as in `January 2, 2026`; undefined: it is not released
 */
export function manPage(
  { version, description, commands }: ProgramDefinition,
  date: string | undefined,
): string {
  const shared = sharedFlags(commands);
  const isOwn = (flag: FlagDefinition): boolean =>
    !shared.some((each) => textOfFlag(each) === textOfFlag(flag));
  return `${[
    `.\\" Generated from the commands of utility-tools ${version}.`,
    `.Dd ${date ?? ""}`.trimEnd(),
    ".Dt UTILITY-TOOLS 1",
    ".Os",
    ".Sh NAME",
    ".Nm utility-tools",
    ".Nd everyday lookups on the command line and as a service",
    ".Sh SYNOPSIS",
    ".Nm utility-tools",
    ".Op Ar command",
    ".Op Ar options",
    ".Op Ar inputs",
    ".Sh DESCRIPTION",
    text(description),
    ".Pp",
    "Flags of several commands:",
    ...flagList(shared),
    ".Sh COMMANDS",
    ...commands.flatMap((each) => commandSection({ ...each, flags: each.flags.filter(isOwn) })),
    ".Sh ENVIRONMENT",
    "The settings of the service are environment variables, too:",
    text(
      Object.values(SETTINGS)
        .map(({ name }) => name)
        .join(", "),
    ),
    ".Sh EXIT STATUS",
    ".Bl -tag -width Ds",
    ...EXIT_MEANINGS.flatMap(([status, meaning]) => [`.It ${status}`, text(meaning)]),
    ".El",
    ".Sh EXAMPLES",
    ...["utility-tools 8.8.8.8", "utility-tools geoip --csv <addresses.txt >places.csv"].map(
      (line) => `.Dl ${escaped(line)}`,
    ),
  ].join("\n")}\n`;
}

/** Returns the flags of many commands. Of several with one name, it is the one of most commands. */
function sharedFlags(commands: readonly CommandDefinition[]): FlagDefinition[] {
  const flags = commands.flatMap((each) => each.flags);
  const counts = new Map<string, number>();
  for (const text of flags.map(textOfFlag)) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const count = (flag: FlagDefinition) => counts.get(textOfFlag(flag)) ?? 0;
  const shared = new Map<string, FlagDefinition>();
  for (const flag of flags.filter((each) => count(each) >= MIN_SHARED)) {
    const name = flag.names.join();
    const other = shared.get(name);
    shared.set(name, other === undefined || count(other) < count(flag) ? flag : other);
  }
  return [...shared.values()];
}

function textOfFlag(flag: FlagDefinition): string {
  return flagItem(flag).join("\n");
}

function commandSection({ name, description, operands, flags }: CommandDefinition): string[] {
  return [
    `.Ss ${escaped([name, ...operands.map(({ term }) => term)].join(" "))}`,
    text(description),
    ...(operands.length + flags.length === 0
      ? []
      : [
          ".Bl -tag -width Ds",
          ...operands.flatMap((each) => [`.It ${escaped(each.term)}`, text(each.description)]),
          ...flags.flatMap(flagItem),
          ".El",
        ]),
  ];
}

function flagList(flags: readonly FlagDefinition[]): string[] {
  return [".Bl -tag -width Ds", ...flags.flatMap(flagItem), ".El"];
}

function flagItem({ names, value, description }: FlagDefinition): string[] {
  const terms = names.map((name) => `Fl ${escaped(name.slice(1))}`).join(" , ");
  return [`.It ${terms}${value === undefined ? "" : ` Ar ${escaped(value)}`}`, text(description)];
}

/** A paragraph, with each sentence on a line of its own, as mdoc(7) asks for. */
function text(value: string): string {
  return value
    .split(/\n|(?<=[.:;?!]\)?) (?=\S)/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(escaped)
    .join("\n");
}

/** A line of text as roff reads it. A dot or an apostrophe at its beginning would be a request. */
function escaped(line: string): string {
  const plain = line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll(/\P{ASCII}/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`;
    });
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
