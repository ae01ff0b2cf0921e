import { createRegistry } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { type Command, CommanderError } from "commander";
import { createServeCommand, usageProblem } from "../config/serve-command.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { once } from "../once.js";
import { VERSION_FLAGS } from "../program-flags.js";
import { loadDocumentation } from "../service/documentation.js";
import { openLocalService } from "./calls/calls.js";
import { deriveCommands } from "./commands.js";
import { errorLine, reporterOf } from "./failures.js";
import { commandExample, describeTool } from "./help.js";
import { askHidden } from "./input/ask.js";
import { standardInput } from "./input/streams.js";
import { codeCommand, hasCodes } from "./one-time-passwords.js";
import { endOutputs, standardOutput } from "./output/sinks.js";
import { createStyle, usesColors } from "./output/terminal.js";
import { OWN_COMMANDS } from "./own-commands/own-commands.js";
import { recognizeInput } from "./recognize.js";
import {
  addExample,
  allCommands,
  createRoot,
  fullName,
  type Program,
  SERVICE_GROUP,
  TOOL_GROUP,
  VERSION_HELP,
} from "./root.js";
import type { ProcessContext } from "./run.js";
import { runCommand } from "./run-command.js";
import { StreamError } from "./stream-error.js";

/** The environment and the streams of this process. */
export function thisProcess(): Omit<ProcessContext, "registry"> {
  return {
    env: process.env,
    input: standardInput(),
    out: standardOutput(process.stdout, "standard output"),
    err: standardOutput(process.stderr, "standard error"),
    ask: askHidden,
    openLocal: openLocalService,
    startThread: async (streams) => {
      const { startSecondThread } = await import("./lists/second-thread.js");
      return startSecondThread(streams);
    },
  };
}

/** Runs the program with all arguments except those of `serve`. Resolves to the exit status. */
export async function runTools(
  args: readonly string[],
  surroundings: Omit<ProcessContext, "registry"> = thisProcess(),
): Promise<ExitStatus> {
  const registry = createRegistry(...Object.values(SERVICES).map(({ file }) => file));
  // Whether an input is a country, and the command that it then is, need the same index.
  const openCountries = once(() => surroundings.openLocal(SERVICES.countries, surroundings.env));
  const context: ProcessContext = {
    registry,
    ...surroundings,
    openLocal: (service, ...others) =>
      service === SERVICES.countries ? openCountries() : surroundings.openLocal(service, ...others),
  };
  let status: ExitStatus = EXIT.ok;
  const { root, commands } = createProgram(context, (ended) => {
    status = ended;
  });
  try {
    const names = [...root.commands.map((command) => command.name()), "help"];
    const recognized = await recognizeInput(args, names, openCountries, (word) =>
      relatedCommands(word, commands).map(fullName),
    );
    if (recognized.kind === "unknown") {
      root.error(recognized.problem);
    } else {
      await root.parseAsync(recognized.args, { from: "user" });
    }
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      throw thrown;
    }
    // Commander has printed help, the version or an error.
    status = thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return await endOutputs(status, context.out, context.err);
}

/** The commands with a word in their name, otherwise those with it in their summary; at most three. */
function relatedCommands(word: string, commands: readonly Command[]): readonly Command[] {
  const hasWord = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(word.toLowerCase());
  const named = commands.filter((each) => hasWord(fullName(each)));
  const related = named.length > 0 ? named : commands.filter((each) => hasWord(each.summary()));
  return related.length <= MAX_RELATED ? related : [];
}

/** More commands than this are no help. */
const MAX_RELATED = 3;

/** Creates the program with all of its commands, for its documents. */
export function defineProgram(): Program {
  return createProgram({ registry: createRegistry(), ...thisProcess() }, () => {});
}

/**
 * Creates the program: a command for each tool command and each of {@link OWN_COMMANDS}, and `serve` for help alone.
 *
 * @param finish called with the exit status of a command that has run
 */
function createProgram(context: ProcessContext, finish: (status: ExitStatus) => void): Program {
  const { comments, info } = loadDocumentation();
  const errStyle = createStyle(usesColors(context.err.isTerminal, context.env));
  const runnable = new Set<Command>();
  const runnableIn = (each: Command) => allCommands(each.commands).filter((command) => runnable.has(command));

  function configure(command: Command): Command {
    const name = fullName(command);
    return command
      .version(`utility-tools ${info.version}`, VERSION_FLAGS, VERSION_HELP)
      .configureOutput({
        outputError: (text, write) => write(errorLine(name, usageProblem(text), errStyle)),
      })
      .showHelpAfterError(`${["utility-tools", name, "--help"].filter(Boolean).join(" ")} shows the usage`);
  }

  /** Adds a command by its words. The words before the last are commands of their own, or groups. */
  function add(words: readonly string[], parent: Command): Command {
    const [word = "", ...more] = words;
    const command = parent.commands.find((each) => each.name() === word) ?? configure(parent.command(word));
    return more.length === 0 ? command : add(more, command);
  }

  /** A reader of the output that has gone is not an error. */
  async function withErrorsOfStreams(name: string, status: Promise<ExitStatus>): Promise<ExitStatus> {
    try {
      return await status;
    } catch (thrown) {
      if (!(thrown instanceof StreamError)) {
        throw thrown;
      }
      if (!thrown.isReaderGone) {
        await reporterOf(name, context)(thrown.message);
      }
      return thrown.isReaderGone ? EXIT.ok : thrown.status;
    }
  }

  function addRunnable(
    name: string,
    group: string,
    action: (command: Command) => Promise<ExitStatus>,
  ): Command {
    const command = add(name.split(" "), root).helpGroup(group);
    runnable.add(command);
    return command.action(async () => finish(await withErrorsOfStreams(name, action(command))));
  }

  const root = configure(createRoot(context, runnable));
  const tools = deriveCommands(Object.values(SERVICES)).flatMap((tool) =>
    hasCodes(tool) ? [codeCommand(tool), tool] : [tool],
  );
  for (const tool of tools) {
    const command = addRunnable(tool.name, TOOL_GROUP, (each) => runCommand(tool, each, context));
    describeTool(command, tool, comments);
  }
  const serve = createServeCommand(info.version, () => {}).helpGroup(SERVICE_GROUP);
  root.addCommand(serve);
  runnable.add(serve);
  for (const { name, group, example, summary, description, operand, flags = [], run } of OWN_COMMANDS) {
    const command = addRunnable(name, group, (each) =>
      run(each, context, { root, commands: runnableIn(root) }),
    );
    addExample(command.summary(summary).description(description), example);
    for (const [names, meaning] of flags) {
      command.option(names, meaning);
    }
    if (operand !== undefined) {
      command.addArgument(operand);
    }
  }
  // The help of a group shows the example of a command in it.
  for (const group of allCommands(root.commands).filter((each) => !runnable.has(each))) {
    const member = tools.find(({ name }) => name.startsWith(`${fullName(group)} `));
    addExample(group, member === undefined ? fullName(group) : commandExample(member));
  }
  return { root, commands: runnableIn(root) };
}
