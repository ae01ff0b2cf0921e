import { flagOf, GROUPS, type Setting } from "../../../src/service/config/setting.js";
import { SETTINGS } from "../../../src/service/config/settings.js";

const ALL = Object.values<Setting<unknown>>(SETTINGS);

/** The settings that a page names between the comments around a table: a group, or variables one by one. */
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

/** The table of some settings in Markdown. */
function table(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.name}\``,
    `\`${flagOf(setting)}\``,
    "text" in setting.default ? `\`${setting.default.text}\`` : setting.default.words,
    setting.meaning,
    setting.value.allowed,
  ]);
  const head = ["Variable", "Flag", "Default", "What it says", "Allowed"];
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows.map(row)].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The page with each table between `<!-- settings: … -->` and `<!-- end of settings -->` as the settings have it. */
export function withSettingsTables(page: string): string {
  return page.replaceAll(
    /(<!-- settings: (.+?) -->\n).*?(<!-- end of settings -->)/gs,
    (_all, start: string, names: string, end: string) => `${start}\n${table(named(names))}\n\n${end}`,
  );
}
