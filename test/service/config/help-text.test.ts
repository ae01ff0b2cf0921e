import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/service/config/commands.js";
import { helpText } from "../../../src/service/config/help-text.js";
import { flagOf, GROUPS } from "../../../src/service/config/setting.js";
import { SETTINGS } from "../../../src/service/config/settings.js";

const HELP = helpText();
const LINES = HELP.split("\n");

/** The words of a text that may be broken into lines anywhere between them. */
const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ");

test("no line is longer than 100 characters, and none ends in white space", () => {
  expect(LINES.length).toBeGreaterThan(50);
  expect(LINES.filter((line) => line.length > 100 || /\s$/.test(line))).toEqual([]);
});

test("shows how the program is called", () => {
  expect(LINES[0]).toBe("Usage: utility-tools [serve] [FLAG…]");
});

test.each(COMMANDS)("lists the command $name", ({ name, operands, meaning }) => {
  expect(inOneLine(HELP)).toContain([name, ...operands, meaning].join(" "));
});

test("has its groups in their order", () => {
  const titles = LINES.filter((line) => /^[A-Z].*:$/.test(line));
  expect(titles).toEqual(["Commands:", ...GROUPS.map((group) => `${group}:`), "Others:"]);
});

test.each(Object.values(SETTINGS))(
  "lists $name in its group, with its default and what is allowed",
  (setting) => {
    const [, group = ""] = HELP.split(`\n${setting.group}:\n`);
    const [entries = ""] = group.split("\n\n");
    const text = "text" in setting.default ? setting.default.text : setting.default.words;
    expect(inOneLine(entries)).toContain(
      `${flagOf(setting)} ${setting.value.placeholder} ${setting.meaning.replaceAll("`", "")} ` +
        `Default: ${text}. Allowed: ${setting.value.allowed}`,
    );
  },
);

test("looks like this", () => {
  expect(LINES.slice(LINES.indexOf("Process:"), LINES.indexOf("Others:"))).toEqual([
    "Process:",
    "  --workers NUMBER                   processes that take requests; no more than the machine has",
    "                                     cores",
    "                                     Default: 1. Allowed: a number from 1 to 256",
    "  --grace-period DURATION            how long calls under way get to finish when the service stops",
    "                                     Default: 10s. Allowed: a duration from 0s to 1h",
    "  --stop-delay DURATION              how long it still takes connections after the signal to stop,",
    "                                     while saying that it is not ready",
    "                                     Default: 0s. Allowed: a duration from 0s to 10m",
    "",
  ]);
});
