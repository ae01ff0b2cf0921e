import { randomBytes } from "node:crypto";
import { createRegistry } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { Command, CommanderError } from "commander";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import {
  createServeCommand,
  HELP_FLAGS,
  usageProblem,
  VERSION_FLAGS,
} from "../service/config/serve-command.js";
import { loadDocumentation } from "../service/documentation.js";
import { checkHealth } from "../service/health-check.js";
import { openLocalService } from "./calls.js";
import { deriveCommands, type ToolCommand } from "./commands.js";
import { errorLine } from "./failures.js";
import {
  addExample,
  commandExample,
  describeHealthcheck,
  describeMakeKey,
  describeTool,
  describeUpdateData,
  PROGRAM_NOTES,
} from "./help.js";
import { describeImportOtp, IMPORT_COMMAND, importOtp } from "./import-otp.js";
import { askHidden } from "./input/ask.js";
import { standardInput } from "./input/streams.js";
import { makeKey } from "./make-key.js";
import { codeCommand, hasCodes } from "./one-time-passwords.js";
import { type Sink, SinkError, standardOutput } from "./output/sinks.js";
import { createStyle, usesColors } from "./output/terminal.js";
import { recognizeInput } from "./recognize.js";
import type { ProcessContext } from "./run.js";
import { runCommand } from "./run-command.js";

/** The environment and the streams of this process. */
function thisProcess(): Omit<ProcessContext, "registry"> {
  return {
    env: process.env,
    input: standardInput(),
    out: standardOutput(process.stdout, "standard output"),
    err: standardOutput(process.stderr, "standard error"),
    ask: askHidden,
    openLocal: openLocalService,
  };
}

/** Runs the program with all arguments except those of `serve`. Resolves to the exit status. */
export async function runTools(
  args: readonly string[],
  surroundings: Omit<ProcessContext, "registry"> = thisProcess(),
): Promise<ExitStatus> {
  const services = Object.values(SERVICES);
  const registry = createRegistry(...services.map(({ file }) => file));
  const context: ProcessContext = { registry, ...surroundings };
  let status: ExitStatus = EXIT.ok;
  const derived = deriveCommands(services);
  const tools = derived.flatMap((tool) => (hasCodes(tool) ? [codeCommand(tool), tool] : [tool]));
  const program = createProgram(tools, context, (ended) => {
    status = ended;
  });
  try {
    const names = [...program.commands.map((command) => command.name()), "help"];
    const recognized = await recognizeInput(args, names, () =>
      context.openLocal(SERVICES.countries, context.env),
    );
    if (recognized.kind === "unknown") {
      program.error(recognized.problem);
    } else {
      await program.parseAsync(recognized.args, { from: "user" });
    }
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      throw thrown;
    }
    // Commander has printed help, the version or an error.
    status = thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  try {
    await context.out.sink.end();
    await context.err.sink.end();
    return status;
  } catch (thrown) {
    if (!(thrown instanceof SinkError)) {
      throw thrown;
    }
    return thrown.isReaderGone ? status : EXIT.io;
  }
}

/**
 * Creates the program: a command for each tool command, `healthcheck`, `make-key`, `update-data`, and `serve` for help alone.
 *
 * @param finish called with the exit status of a command that has run
 */
function createProgram(
  tools: readonly ToolCommand[],
  context: ProcessContext,
  finish: (status: ExitStatus) => void,
): Command {
  const { comments, info } = loadDocumentation();
  const { out, err, env } = context;
  const errStyle = createStyle(usesColors(err.isTerminal, env));
  const runnable = new Set<Command>();

  function configure(command: Command): Command {
    const name = fullName(command);
    return command
      .version(`utility-tools ${info.version}`, VERSION_FLAGS, "show the version and exit")
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

  function run(command: Command, action: (command: Command) => Promise<ExitStatus>): void {
    runnable.add(command);
    command.action(async () => finish(await action(command)));
  }

  const program = configure(createRoot(context, runnable));
  for (const tool of tools) {
    const command = add(tool.name.split(" "), program).helpGroup("Tools:");
    describeTool(command, tool, comments);
    run(command, () => runCommand(tool, command, context));
  }
  const importCommand = add(IMPORT_COMMAND.split(" "), program).helpGroup("Tools:");
  describeImportOtp(importCommand);
  run(importCommand, (command) => importOtp(command, context));
  const serve = createServeCommand(info.version, () => {}).helpGroup("Service:");
  program.addCommand(serve);
  runnable.add(serve);
  const healthcheckCommand = add(["healthcheck"], program).helpGroup("Service:");
  describeHealthcheck(healthcheckCommand);
  // Without arguments, the program runs it before it loads the commands.
  run(healthcheckCommand, async () => {
    const { status, text } = await checkHealth(env);
    await (status === EXIT.ok ? out : err).sink.write(`${text}\n`);
    return status;
  });
  const makeKeyCommand = add(["make-key"], program).helpGroup("Service:");
  describeMakeKey(makeKeyCommand);
  run(makeKeyCommand, (command) =>
    makeKey(command.args[0] ?? "", {
      ...command.opts<{ append?: string }>(),
      randomBytes,
      out: writerOf(out.sink),
      err: writerOf(err.sink),
    }),
  );
  const updateDataCommand = add(["update-data"], program).helpGroup("Service:");
  describeUpdateData(updateDataCommand);
  run(updateDataCommand, async (command) => {
    const { updateData } = await import("./update-data.js");
    return updateData(command, context);
  });
  addExample(program, "utility-tools geoip 8.8.8.8");
  for (const group of allCommands(program.commands).filter(({ commands }) => commands.length > 0)) {
    if (runnable.has(group)) {
      continue;
    }
    const member = tools.find(({ name }) => name.startsWith(`${fullName(group)} `));
    addExample(group, member === undefined ? fullName(group) : commandExample(member));
  }
  return program;
}

/** The program without its commands. Its help lists those that are runnable. */
function createRoot({ out, err }: ProcessContext, runnable: ReadonlySet<Command>): Command {
  return new Command("utility-tools")
    .description(
      "Everyday lookups. Without a command it runs the service. An IP address, an e-mail address, a country or a secret in " +
        "place of a command is looked up: utility-tools 8.8.8.8",
    )
    .enablePositionalOptions()
    .exitOverride()
    .helpOption(HELP_FLAGS, "show this help and exit")
    .configureHelp({
      visibleCommands: ({ commands }) => allCommands(commands).filter((each) => runnable.has(each)),
      subcommandTerm: termOf,
      // Beside the longest flags, descriptions have less than the default of 40 columns.
      minWidthToWrap: 20,
    })
    .addHelpText("after", PROGRAM_NOTES)
    .configureOutput({
      writeOut: writerOf(out.sink),
      writeErr: writerOf(err.sink),
      getOutHelpWidth: () => helpWidth(out.width),
      getErrHelpWidth: () => helpWidth(err.width),
    });
}

/** The words of a command, without the name of the program. */
function fullName(command: Command): string {
  const words: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) {
    words.unshift(each.name());
  }
  return words.join(" ");
}

function termOf(command: Command): string {
  const operands = command.registeredArguments.map((each) => {
    const name = each.variadic ? `${each.name()}...` : each.name();
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [fullName(command), ...operands].join(" ");
}

function allCommands(commands: readonly Command[]): Command[] {
  return commands.flatMap((each) => [each, ...allCommands(each.commands)]);
}

/** The maximum width of help, in columns. */
const MAX_HELP_WIDTH = 100;

function helpWidth(width = 80): number {
  return Math.max(40, Math.min(width, MAX_HELP_WIDTH));
}

/** Writes without waiting. An error is thrown when the sink ends. */
function writerOf(sink: Sink): (text: string) => void {
  return (text) => void sink.write(text).catch(() => {});
}
