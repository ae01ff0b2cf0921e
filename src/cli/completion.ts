import { COMMANDS } from "../service/config/commands.js";
import { flagOf } from "../service/config/setting.js";
import { SETTINGS } from "../service/config/settings.js";
import type { ToolCommand } from "./command.js";
import { COMMON_FLAGS } from "./common-flags.js";
import { complaint } from "./complaint.js";
import { completeBash } from "./complete-bash.js";
import { completeFish } from "./complete-fish.js";
import { completeZsh } from "./complete-zsh.js";
import type { CompletedCommand } from "./completion-words.js";
import { EXIT, type ExitStatus } from "./exit-status.js";
import type { Flag } from "./flag.js";
import { type HelpOptions, summaryOf } from "./help.js";
import type { Program } from "./program.js";
import { createStyle, hasColours } from "./style.js";

/** The command that writes completions. */
export const COMPLETION_COMMAND = "completion";

const SHELLS: ReadonlyMap<string, (commands: readonly CompletedCommand[]) => string> = new Map([
  ["bash", completeBash],
  ["zsh", completeZsh],
  ["fish", completeFish],
]);

/** Writes the completion of a shell to standard output. */
export async function runCompletion(
  args: readonly string[],
  commands: readonly ToolCommand[],
  program: Program,
): Promise<ExitStatus> {
  const [shell = "", ...more] = args;
  const usage = `Usage: utility-tools ${COMPLETION_COMMAND} ${[...SHELLS.keys()].join("|")}\n`;
  const write = SHELLS.get(shell);
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    await program.out.sink.write(usage);
    return EXIT.ok;
  }
  if (write === undefined || more.length > 0) {
    const style = createStyle(hasColours(program.err.isTerminal, program.env));
    await program.err.sink.write(complaint(COMPLETION_COMMAND, "needs the name of a shell", style) + usage);
    return EXIT.usage;
  }
  await program.out.sink.write(write(completedCommands(commands, program)));
  return EXIT.ok;
}

/** All commands of the program as shells complete them, from what they themselves are made of. */
function completedCommands(
  commands: readonly ToolCommand[],
  options: Pick<HelpOptions, "comments">,
): CompletedCommand[] {
  const tools = commands.map((command) => ({
    name: command.name,
    flags: [...command.fields.keys(), ...Object.values<Flag>(COMMON_FLAGS)],
    operands: [],
    summary: summaryOf(command, { ...options, width: undefined }),
  }));
  const settings = Object.values(SETTINGS).map((setting): Flag => {
    const { placeholder, allowed } = setting.value;
    const words = /^[a-z]+(?:, [a-z]+)* or [a-z]+$/.test(allowed) ? allowed.split(/, | or /) : undefined;
    return {
      name: flagOf(setting) as `--${string}`,
      placeholder,
      meaning: setting.meaning.replaceAll("`", ""),
      ...(words === undefined ? {} : { choices: words }),
      isPath: placeholder === "FILE",
    };
  });
  const service = COMMANDS.map(({ name, meaning }) => ({
    name,
    flags: name === "serve" ? [...settings, COMMON_FLAGS.help, COMMON_FLAGS.version] : [COMMON_FLAGS.help],
    operands: [],
    summary: meaning,
  }));
  const completion = {
    name: COMPLETION_COMMAND,
    flags: [COMMON_FLAGS.help],
    operands: [...SHELLS.keys()],
    summary: "writes what completes commands and flags",
  };
  return [...tools, ...service, completion];
}
