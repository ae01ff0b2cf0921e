import { GROUPS, SETTINGS, type Setting } from "../../src/config/settings.js";

const ALL = Object.values<Setting<unknown>>(SETTINGS);

/** The settings of a table: the name of a group, or a list of variables. */
function named(names: string): Setting<unknown>[] {
  const group = GROUPS.find((group) => group === names);
  if (group !== undefined) {
    return ALL.filter((setting) => setting.group === group);
  }
  return names.split(" ").map((name) => {
    const setting = ALL.find((setting) => setting.name === name);
    if (setting === undefined) {
      throw new Error(`${name} is neither a setting nor a group of settings`);
    }
    return setting;
  });
}

/** Formats settings as a Markdown table. */
function table(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.name}\``,
    "text" in setting.default ? `\`${setting.default.text}\`` : setting.default.words,
    setting.meaning,
    setting.value.allowed,
  ]);
  const head = ["Variable", "Default", "Meaning", "Allowed"];
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Generates the tables between `<!-- settings: … -->` and `<!-- end of settings -->` in a page. */
export function withSettingsTables(page: string): string {
  return page.replaceAll(
    /(<!-- settings: (.+?) -->\n).*?(<!-- end of settings -->)/gs,
    (_all, start: string, names: string, end: string) => `${start}\n${table(named(names))}\n\n${end}`,
  );
}
