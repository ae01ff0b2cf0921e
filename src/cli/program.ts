import { randomBytes } from "node:crypto";
import { createRegistry } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { Command, CommanderError } from "commander";
import { type Comments, commentOn, firstSentence } from "connect-transcoding/openapi";
import { allowedSources, DEFAULT_SOURCES } from "../data-update/sources.js";
import {
  createServeCommand,
  HELP_FLAGS,
  usageProblem,
  VERSION_FLAGS,
} from "../service/config/serve-command.js";
import { DATABASES } from "../service/data-files/data-folder.js";
import { loadDocumentation } from "../service/documentation.js";
import {
  deriveCommands,
  fieldOption,
  isSecret,
  placeholderOf,
  plainText,
  returnsBytes,
  type ToolCommand,
} from "./commands.js";
import { EXIT, EXIT_MEANINGS, type ExitStatus, errorLine } from "./failures.js";
import { standardInput } from "./input.js";
import { makeKey } from "./make-key.js";
import { type Sink, SinkError, standardOutput } from "./output.js";
import type { ProcessContext } from "./run.js";
import { runCommand } from "./run-command.js";
import { createStyle, usesColors } from "./terminal.js";

/** Runs the program with all arguments except those of `serve`. Resolves to the exit status. */
export async function runTools(args: readonly string[]): Promise<ExitStatus> {
  const services = Object.values(SERVICES);
  const context: ProcessContext = {
    registry: createRegistry(...services.map(({ file }) => file)),
    env: process.env,
    input: standardInput(),
    out: standardOutput(process.stdout, "standard output"),
    err: standardOutput(process.stderr, "standard error"),
  };
  let status: ExitStatus = EXIT.ok;
  const program = createProgram(deriveCommands(services), context, (ended) => {
    status = ended;
  });
  try {
    await program.parseAsync(args, { from: "user" });
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
 * Creates the program: a command for each tool command, `make-key`, `update-data`, and `serve` for help alone.
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

  const program = configure(
    new Command("utility-tools")
      .description("Everyday lookups. Without a command it runs the service.")
      .enablePositionalOptions()
      .exitOverride()
      .helpOption(HELP_FLAGS, "show this help and exit")
      .configureHelp({
        visibleCommands: ({ commands }) => allCommands(commands).filter((each) => runnable.has(each)),
        subcommandTerm: termOf,
      })
      .configureOutput({
        writeOut: writerOf(out.sink),
        writeErr: writerOf(err.sink),
        getOutHelpWidth: () => helpWidth(out.width),
        getErrHelpWidth: () => helpWidth(err.width),
      }),
  );
  for (const tool of tools) {
    const command = add(tool.name.split(" "), program).helpGroup("Tools:");
    describeTool(command, tool, comments);
    run(command, () => runCommand(tool, command, context));
  }
  const serve = createServeCommand(info.version, () => {}).helpGroup("Service:");
  program.addCommand(serve);
  runnable.add(serve);
  const makeKeyCommand = add(["make-key"], program)
    .helpGroup("Service:")
    .summary("create an API key")
    .description(
      "Create an API key. The key alone is written to standard output, only once; everything else is written to " +
        "standard error.",
    )
    .argument("<NAME>", "the owner of the key: 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'")
    .option(
      "--append <FILE>",
      "append the line of the key to this file, which is created (mode 0600) if it is missing",
    );
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
  return program;
}

/** Adds the description and the flags of `update-data`. */
function describeUpdateData(command: Command): void {
  command
    .summary("download newer data files for IP lookups")
    .description(
      "Download newer data files for IP lookups, check them, and put them into the data folder. A running service uses " +
        "them within seconds. A file that fails a check changes nothing. The sources geolite2 and geoip2 need " +
        "MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY in the environment, ipinfo needs IPINFO_TOKEN. Downloads use the proxies " +
        "in HTTP_PROXY, HTTPS_PROXY and NO_PROXY.",
    );
  for (const database of DATABASES) {
    command.option(
      `--${database}-source <SOURCE>`,
      `source of ${database === "city" ? "locations" : "autonomous systems"}: ${allowedSources(database)}, or none. ` +
        `Also DATA_${database.toUpperCase()}_SOURCE. Default: ${DEFAULT_SOURCES[database]}`,
    );
  }
  command
    .option(
      "--data-dir <FOLDER>",
      "the data folder. Also DATA_DIR. Default: data/updates of the installation",
    )
    .option("--timeout <DURATION>", "time for each of three attempts to download a file. Default: 10m")
    .option("--check", "show the age of the data in use, and download nothing");
}

/** Adds the documentation, the argument and the flags of a tool command. */
function describeTool(command: Command, tool: ToolCommand, comments: Comments): void {
  const { method, operand, withoutOperand, fields } = tool;
  const comment = plainText(commentOn(method, comments));
  const summary = firstSentence(comment);
  command.summary(summary.slice(0, 1).toLowerCase() + summary.slice(1)).description(comment);
  if (operand !== undefined) {
    const notes = [
      plainText(commentOn(operand, comments)),
      withoutOperand === undefined
        ? "With no argument or -, read one per line from standard input. Blank lines are skipped."
        : "With -, read one per line from standard input.",
      ...(isSecret(operand)
        ? ["Other users of this machine can see arguments: standard input is safer."]
        : []),
    ];
    command.argument(`[${placeholderOf(operand)}${returnsBytes(tool) ? "" : "..."}]`, notes.join(" "));
  }
  for (const field of fields) {
    command.addOption(fieldOption(field, comments));
  }
  command
    .optionsGroup("Options of every tool:")
    .option("--json", "write JSON, as the service does; one line per input if there are several")
    .option("--output <FILE>", "write to this file instead of standard output")
    .option(
      "--url <URL>",
      "call the service at this URL instead of computing locally. Also UTILITY_TOOLS_URL",
    )
    .option("--api-key-file <FILE>", "file with the API key for the service")
    .option(
      "--api-key <KEY>",
      "the API key. Other users can see arguments: UTILITY_TOOLS_API_KEY or a file is safer",
    )
    .option("--timeout <DURATION>", "timeout of each call of the service, such as 500ms. Default: 10s")
    .option("--no-progress", "show no progress on the terminal while many inputs are read")
    .addHelpText("after", EXIT_STATUS_HELP);
}

const EXIT_STATUS_HELP = [
  "",
  "Responses are computed on this machine, with the data settings of the service in the",
  "environment, unless --url names a service. Output is text for people on a terminal, and",
  "separated by tabs otherwise; use --json in programs.",
  "",
  "Exit status:",
  ...EXIT_MEANINGS.map(([status, meaning]) => `  ${String(status).padEnd(3)}  ${meaning}`),
].join("\n");

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
