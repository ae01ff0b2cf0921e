import type { Command, Option } from "commander";
import { SETTINGS } from "../../config/settings.js";
import { EXIT_MEANINGS } from "../../failures/exit-status.js";
import { packageVersion } from "../../installed-package.js";
import { flagsOf, headingOf, namesOf, operandTerm, placeholderIn } from "../root.js";

/** A flag of this many commands or more is described once. */
const MIN_SHARED = 5;

/**
 * Writes the manual page of a program with the macros of mdoc(7), which both man-db and mandoc read.
 *
 * @param commands those that can be run
 * @param date the day of the release, as in `January 2, 2026`; undefined: it is not released
 */
export function manPage(root: Command, commands: readonly Command[], date: string | undefined): string {
  const shared = sharedFlags(commands);
  return `${[
    `.\\" Generated from the commands of utility-tools ${packageVersion()}.`,
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
    text(root.description()),
    ".Pp",
    "Flags of several commands:",
    ...list(shared),
    ".Sh COMMANDS",
    ...commands.flatMap((each) => commandSection(each, shared)),
    ".Sh ENVIRONMENT",
    "The settings of the service are environment variables, too:",
    text(
      Object.values(SETTINGS)
        .map(({ name }) => name)
        .join(", "),
    ),
    ".Sh EXIT STATUS",
    ...list(EXIT_MEANINGS.map(([status, meaning]) => `.It ${status}\n${text(meaning)}`)),
    ".Sh EXAMPLES",
    ...["utility-tools 8.8.8.8", "utility-tools geoip --csv <addresses.txt >places.csv"].map(
      (line) => `.Dl ${escaped(line)}`,
    ),
  ].join("\n")}\n`;
}

/** Returns the items of flags that many commands have. Of several with one name, it is that of most commands. */
function sharedFlags(commands: readonly Command[]): string[] {
  const counts = new Map<string, { readonly name: string; readonly item: string; count: number }>();
  for (const flag of commands.flatMap(flagsOf)) {
    const item = flagItem(flag);
    const known = counts.get(item) ?? { name: namesOf(flag).join(), item, count: 0 };
    known.count++;
    counts.set(item, known);
  }
  const many = [...counts.values()].filter(({ count }) => count >= MIN_SHARED);
  const names = new Set(many.map(({ name }) => name));
  return [...names].flatMap((name) => {
    const [most] = many.filter((each) => each.name === name).toSorted((a, b) => b.count - a.count);
    return most === undefined ? [] : [most.item];
  });
}

function commandSection(command: Command, shared: readonly string[]): string[] {
  const items = [
    ...command.registeredArguments.map(
      (each) => `.It ${escaped(operandTerm(each))}\n${text(each.description)}`,
    ),
    ...flagsOf(command)
      .map(flagItem)
      .filter((item) => !shared.includes(item)),
  ];
  return [
    `.Ss ${escaped(headingOf(command))}`,
    text(command.description()),
    ...(items.length === 0 ? [] : list(items)),
  ];
}

function list(items: readonly string[]): string[] {
  return [".Bl -tag -width Ds", ...items, ".El"];
}

function flagItem(flag: Option): string {
  const terms = namesOf(flag).map((name) => `Fl ${escaped(name.slice(1))}`);
  const value = placeholderIn(flag);
  return `.It ${terms.join(" , ")}${value === undefined ? "" : ` Ar ${escaped(value)}`}\n${text(flag.description)}`;
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
