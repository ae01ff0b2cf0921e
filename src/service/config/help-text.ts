import { COMMANDS } from "./commands.js";
import { type Entry, entryLines } from "./entry-lines.js";
import { flagOf, GROUPS, type Setting } from "./setting.js";
import { SETTINGS } from "./settings.js";
import { wrap } from "./wrap.js";

/** The longest line, in characters. */
const WIDTH = 100;

const OTHER_FLAGS: readonly Entry[] = [
  { name: "-h, --help", says: ["shows this, and does nothing else"] },
  { name: "-v, --version", says: ["shows the version, and does nothing else"] },
];

/** What `serve --help` shows: commands, and every setting by its flag, with what is allowed and its default. Without a final line break. */
export function helpText(): string {
  const commands = COMMANDS.map(({ name, operands, meaning }) => ({
    name: [name, ...operands].join(" "),
    says: [meaning],
  }));
  const sections = [
    { title: "Commands", entries: commands },
    ...GROUPS.map((group) => ({ title: group, entries: settingsOf(group).map(settingEntry) })),
    { title: "Others", entries: OTHER_FLAGS },
  ];
  const names = sections.flatMap(({ entries }) => entries.map(({ name }) => name.length));
  const column = Math.max(...names) + 4;
  return [
    "Usage: utility-tools [serve] [FLAG…]",
    "",
    ...wrap(
      "Every setting is a flag, as below, or the environment variable of the same name: PORT for --port. " +
        "The flag wins. An empty variable counts as unset.",
      WIDTH,
    ),
    ...sections.flatMap(({ title, entries }) => ["", `${title}:`, ...entryLines(entries, column, WIDTH)]),
  ].join("\n");
}

function settingsOf(group: string): Setting<unknown>[] {
  return Object.values<Setting<unknown>>(SETTINGS).filter((setting) => setting.group === group);
}

function settingEntry(setting: Setting<unknown>): Entry {
  const { meaning, value, default: byDefault } = setting;
  const words = "text" in byDefault ? byDefault.text : byDefault.words;
  return {
    name: `${flagOf(setting)} ${value.placeholder}`,
    says: [meaning.replaceAll("`", ""), `Default: ${words}. Allowed: ${value.allowed}`],
  };
}
