import { expect, test } from "vitest";
import { COMMAND_TEXTS } from "../../src/cli/command-texts.js";
import { defineProgram } from "../../src/cli/program.js";
import { flagsOf, fullName, namesOf } from "../../src/cli/root.js";

const { commands, services } = await defineProgram();

/** The help of a command in one line. */
function helpOf(command: (typeof commands)[number]): string {
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}

test("each text is that of a command", () => {
  const names = commands.filter((each) => services.has(each)).map(fullName);
  expect(Object.keys(COMMAND_TEXTS).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(commands.map((each) => [fullName(each), each] as const))(
  "the help of %s has examples with its own flags",
  (name, command) => {
    const [, examples = ""] = /^Examples:\n((?: {2}.*\n)+)\n/.exec(helpOf(command)) ?? [];
    const lines = examples.trimEnd().split("\n");
    const flags = lines.flatMap((line) => line.match(/ --?[a-z][a-z-]*/g) ?? []).map((flag) => flag.trim());
    expect(lines.filter((line) => !line.includes(`utility-tools ${name}`))).toEqual([]);
    expect(flags.filter((flag) => !flagsOf(command).flatMap(namesOf).includes(flag))).toEqual([]);
    expect(lines).toHaveLength(name in COMMAND_TEXTS ? 3 : lines.length);
  },
);

test("no help has sentences about requests over HTTP", () => {
  const help = commands.map(helpOf).join("\n").replaceAll(/\s+/g, " ");
  expect(help).not.toMatch(/without key_uri|SanitizeEmail|in a URL|or 0, 0 to|NOT_FOUND|The response has/);
});
