import { Command, Option } from "commander";
import { HELP_FLAGS, VERSION_FLAGS } from "../program-flags.js";
import type { SettingFlags } from "./read-config.js";
import { GROUPS, SETTINGS, type Setting, settingFlag } from "./settings.js";

/**
 * Creates the command that runs the service: each setting is a flag, in the groups of the documents.
 *
 * @param run called with the flags of settings that were given, and whether `--check` was
 */
export function createServeCommand(
  version: string,
  run: (flags: SettingFlags, isCheck: boolean) => void | Promise<void>,
): Command {
  const command = new Command("serve")
    .summary("run the service (default command)")
    .description(
      "Run the service until it is stopped. Every setting is a flag, as listed below, or the environment variable of the " +
        "same name: PORT for --port. The flag wins. An empty variable counts as unset.",
    )
    .addHelpText(
      "before",
      [
        "Examples:",
        "  utility-tools serve --port 8080",
        "  utility-tools serve --host 0.0.0.0 --api-keys-file keys.txt --rate-limit 600/1m",
        "  utility-tools serve --check",
        "",
      ].join("\n"),
    )
    // A setting says what it allows.
    .configureHelp({ optionDescription: ({ description }) => description })
    .helpOption(HELP_FLAGS, "show this help and exit")
    .version(`utility-tools ${version}`, VERSION_FLAGS, "show the version and exit")
    .option("--check", "check settings, files, data, the host and the store of the rate limit, and exit");
  const settings = Object.values<Setting<unknown>>(SETTINGS);
  for (const group of GROUPS) {
    command.optionsGroup(`${group}:`);
    for (const setting of settings.filter((each) => each.group === group)) {
      command.addOption(settingOption(setting));
    }
  }
  return command.action(() => {
    const values = command.opts<Record<string, readonly string[]>>();
    const { check = false } = command.opts<{ readonly check?: boolean }>();
    const flags = new Map<string, string>();
    for (const setting of settings) {
      const option = settingOption(setting);
      const [text, ...more] = values[option.attributeName()] ?? [];
      if (more.length > 0) {
        // The last value of a list would silently drop the others, such as a proxy or an origin.
        command.error(`${settingFlag(setting)} must not be given more than once`);
      }
      if (text !== undefined) {
        flags.set(settingFlag(setting), text);
      }
    }
    return run(flags, check);
  });
}

function settingOption(setting: Setting<unknown>): Option {
  const { meaning, value, default: byDefault } = setting;
  const words = "text" in byDefault ? byDefault.text : byDefault.words;
  const option = new Option(
    `${settingFlag(setting)} <${value.placeholder}>`,
    `${meaning.replaceAll("`", "")}. Default: ${words}. Allowed: ${value.allowed}`,
  ).argParser(collectValues);
  // For completion. Option.choices() would validate the value as well.
  return Object.assign(option, { argChoices: value.words });
}

/** Collects the values of a flag that may be given several times. */
export function collectValues(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/**
 * Formats an error message of commander on one line. An unknown command and the value of an unknown flag are not repeated,
 * because they may be a secret in the wrong place: `--store=hunter2`.
 *
 * @param flags those of the command
 */
export function usageProblem(text: string, flags: readonly Option[]): string {
  const problem = text.trim().replace(/^error: /, "");
  const [, name] = /^unknown option '(--[\w-]+)=/.exec(problem) ?? [];
  if (name !== undefined && flags.some(({ long }) => long === name)) {
    return `${name} takes no value`;
  }
  return problem
    .replace(/^unknown command '.*'/s, "unknown command")
    .replace(/^(option '.*?') argument '.*' is invalid\. /s, "$1: ")
    .replace(
      /^unknown option '(--[\w-]{1,64}(?=[='])|-\w)?.*'/s,
      (_all, flag = "") => `unknown option '${flag}'`,
    )
    .replace(/\s*\n\s*/g, " ");
}
