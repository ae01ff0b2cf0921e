import type { ToolCommand } from "./command.js";
import { COMMON_FLAGS } from "./common-flags.js";
import { complaint } from "./complaint.js";
import { COMPLETION_COMMAND, runCompletion } from "./completion.js";
import { EXIT, type ExitStatus } from "./exit-status.js";
import { findCommand } from "./find-command.js";
import { groupHelp, programHelp } from "./help.js";
import { parseArguments } from "./parse-arguments.js";
import type { Program } from "./program.js";
import { runCommand } from "./run-command.js";
import { SinkError } from "./sink.js";
import { createStyle, hasColours } from "./style.js";

/**
 * Runs the program for all arguments but those of the service's own commands: a tool's command, `completion`, or help.
 * Resolves to what the program ends with.
 *
 * @param others the names of the commands that somebody else runs, which people may have meant
 */
export async function runProgram(
  args: readonly string[],
  commands: readonly ToolCommand[],
  others: readonly string[],
  program: Program,
): Promise<ExitStatus> {
  try {
    return await run(args, commands, others, program);
  } catch (thrown) {
    // Help that nobody reads to its end.
    if (thrown instanceof SinkError) {
      return thrown.isReaderGone ? EXIT.ok : EXIT.io;
    }
    throw thrown;
  }
}

async function run(
  args: readonly string[],
  commands: readonly ToolCommand[],
  others: readonly string[],
  program: Program,
): Promise<ExitStatus> {
  if (args[0] === "help") {
    return run([...args.slice(1), COMMON_FLAGS.help.name], commands, others, program);
  }
  const { comments, out, err, env, version } = program;
  const helpOptions = { comments, width: out.width };
  const { values } = parseArguments(args, [COMMON_FLAGS.help, COMMON_FLAGS.version]);
  const named = args[0]?.startsWith("-") === false;
  if (!named) {
    const text = values.has(COMMON_FLAGS.version)
      ? `utility-tools ${version}`
      : programHelp(commands, helpOptions);
    await out.sink.write(`${text}\n`);
    return EXIT.ok;
  }
  if (args[0] === COMPLETION_COMMAND) {
    return runCompletion(args.slice(1), commands, program);
  }
  const names = [...others, COMPLETION_COMMAND].map((name) => ({ name }));
  const found = findCommand<ToolCommand | { readonly name: string }>(args, [...commands, ...names]);
  if (found.kind === "command" && "method" in found.command) {
    return runCommand(found.command, found.rest, program);
  }
  const style = createStyle(hasColours(err.isTerminal, env));
  if (found.kind === "group") {
    const group = commands.filter((command) => found.commands.includes(command));
    const help = groupHelp(group, helpOptions);
    if (values.has(COMMON_FLAGS.help)) {
      await out.sink.write(`${help}\n`);
      return EXIT.ok;
    }
    await err.sink.write(`${complaint("", "the command needs another word", style)}\n${help}\n`);
    return EXIT.usage;
  }
  const meant = found.kind === "unknown" && found.meant !== undefined ? `; did you mean ${found.meant}?` : "";
  await err.sink.write(complaint("", `there is no such command${meant}`, style));
  await err.sink.write("utility-tools --help lists all commands\n");
  return EXIT.usage;
}
